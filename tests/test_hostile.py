"""Every hostile header, pickle, archive and index as a user meets it: one line on stderr, nothing run, nothing opened elsewhere."""

import json
import tracemalloc
from pathlib import Path

import pytest
from click.testing import CliRunner

from hubcmp.cli import cli
from hubcmp.document import BytesDocument, read_whole
from hubcmp.errors import FormatError
from hubcmp.facts import Source
from hubcmp.parameters import account
from hubcmp.weights import parse_index
from tests.readers import test_gguf, test_safetensors, test_torch_pickle
from tests.weights import SparseDocument, bundle, header, safetensors, torch_zip

INDEX = "model.safetensors.index.json"
FILES: dict[str, tuple[str, bytes]] = {
    **{f"safetensors: {name}": ("model.safetensors", content) for name, content in test_safetensors.HOSTILE.items()},
    **{f"pickle: {name}": ("pytorch_model.bin", torch_zip(content, [8])) for name, content in test_torch_pickle.PICKLES.items()},
    **{f"old pickle: {name}": ("model.pt", test_torch_pickle.legacy(content)) for name, content in test_torch_pickle.PICKLES.items()},
    **{f"zip: {name}": ("pytorch_model.bin", content) for name, content in test_torch_pickle.ZIPS.items()},
    **{f"gguf: {name}": ("model.gguf", content) for name, content in test_gguf.HOSTILE.items()},
    "index: deep": (INDEX, b'{"weight_map":' + b"[" * 10**5),
    "index: outside": (INDEX, b'{"weight_map":{"a":"../../other/model.safetensors","b":"/etc/hostname"}}'),
    "index: a million tensors": (INDEX, json.dumps({"weight_map": {str(n): "a.safetensors" for n in range(700_000)}}).encode()),
    "index: ten thousand files": (INDEX, json.dumps({"weight_map": {str(n): f"{n}.safetensors" for n in range(10_000)}}).encode()),
}  # fmt: skip


@pytest.mark.parametrize(("path", "content"), FILES.values(), ids=FILES.keys())
def test_one_line_and_no_count(path: str, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ckpt").mkdir()
    (tmp_path / "ckpt" / path).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["params", "ckpt", "--format", "json"])
    assert done.exit_code == 4, done.output
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"hubcmp: ckpt: {path}: ")
    (found,) = json.loads(done.stdout)
    assert found["params_total_excl_buffers"] is None
    assert [item.name for item in tmp_path.iterdir()] == ["ckpt"]


def test_a_file_that_is_too_large_is_not_read() -> None:
    document = SparseDocument(Source("test", "sha", "config.json"), b"{", 10**12)
    with pytest.raises(FormatError, match="larger than"):
        read_whole(document, 1000)
    assert document.reads == []
    with pytest.raises(FormatError, match="larger than"):
        read_whole(BytesDocument(Source("test"), bytes(1001)), 1000)
    assert len(read_whole(BytesDocument(Source("test"), bytes(1000)), 1000)) == 1000


def test_an_endless_index_is_refused_before_it_is_built() -> None:
    content = json.dumps({"weight_map": {str(n): f"../{n}" for n in range(900_000)}}).encode()
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="500,000 tensors"):
            parse_index(content, INDEX)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_an_archive_of_many_entries_is_refused() -> None:
    content = torch_zip(test_torch_pickle.SOUND, [0] * 10_001)
    with pytest.raises(FormatError, match="too many entries"):
        test_torch_pickle.opened(content)


def test_names_that_never_repeat_are_refused_before_each_is_looked_at() -> None:
    letters = [chr(97 + n // 676 % 26) + chr(97 + n // 26 % 26) + chr(97 + n % 26) for n in range(17_576)]
    names = [prefix + rest for prefix in ("a", "b") for rest in letters]
    found = account(bundle(safetensors(header(dict.fromkeys(names, (1,))))))
    assert found.entries == ()
    assert ["more than 20,000 kinds" in str(p) for p in found.problems] == [True]
