"""torch files: the same table as from safetensors, and no pickle ever runs."""

import io
import os
import pickle
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hubcmp.document import BytesDocument
from hubcmp.errors import FormatError
from hubcmp.facts import Source
from hubcmp.parameters import account
from hubcmp.readers import Reading
from hubcmp.readers._inert_pickle import MAX_STEPS
from hubcmp.readers._ranged import PAGE
from hubcmp.readers.torch_pickle import read, recognises
from hubcmp.tensors import TensorTable
from tests.weights import SparseDocument, bundle, ledger, pickled, torch_zip

FIXTURES = Path(__file__).parents[2] / "fixtures" / "readers" / "torch_pickle"
SHAPES = {"fc.weight": (4, 12), "midlayer.hidden_norm.weight": (4,), "lm_head.weight": (3, 4), "d2t": (3,), "t2d": (7,)}
DTYPES = {"d2t": "I64", "t2d": "BOOL"}
SIZES = (96, 8, 24, 24, 7)


def opened(content: bytes, path: str = "pytorch_model.bin") -> Reading:
    return read(BytesDocument(Source("test", "sha", path), content))


def table(content: bytes, path: str = "pytorch_model.bin") -> TensorTable:
    found = opened(content, path).tensors
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["pytorch_model.bin", "before-1.6.pt"])
def test_files_written_by_torch_give_the_table(name: str) -> None:
    found = table((FIXTURES / name).read_bytes(), name)
    assert dict(zip(found.names, found.shapes, strict=True)) == SHAPES
    assert dict(zip(found.names, found.dtypes, strict=True)) == {**dict.fromkeys(SHAPES, "BF16"), **DTYPES}
    assert found.payload_bytes == sum(SIZES)


def test_tied_weights_are_counted_once_and_newer_dtypes_are_known() -> None:
    reading = opened((FIXTURES / "tied.pth").read_bytes(), "tied.pth")
    assert reading.tensors is not None
    assert dict(zip(reading.tensors.names, reading.tensors.dtypes, strict=True)) == {
        "embed_tokens.weight": "F32", "head.weight": "F32", "f8": "F8_E4M3"
    }  # fmt: skip
    assert "tied" in reading.problems[0].message


def test_pickle_and_safetensors_give_one_ledger() -> None:
    document = BytesDocument(Source("test", "sha", "pytorch_model.bin"), torch_zip(pickled(SHAPES, DTYPES), SIZES))
    pickle_ledger, other = account(bundle(document)), ledger(SHAPES)
    assert pickle_ledger.by_role == other.by_role
    assert pickle_ledger.by_status == other.by_status
    assert list(pickle_ledger.tensors()) == list(other.tensors())
    assert pickle_ledger.payload_bytes == other.payload_bytes


def test_a_large_file_costs_a_few_ranges() -> None:
    content = torch_zip(pickled({"a.weight": (1000, 1000)}), [2_000_000])
    document = SparseDocument(Source("test", "sha", "model.bin"), content, len(content))
    read(document)
    assert sum(n for _, n in document.reads) <= 6 * PAGE


class Canary:
    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("canary",)


def legacy(content: bytes) -> bytes:
    """Put a pickle where an old torch file has its weights."""
    magic = pickle.dumps(0x1950A86A20F9469CFC6C, 2)
    return magic + pickle.dumps(1001, 2) + pickle.dumps({}, 2) + content


PICKLES = {
    "runs a function": pickle.dumps(Canary(), 2),
    "runs a function by protocol 4": pickle.dumps(Canary(), 4),
    "eval": b"\x80\x02c__builtin__\neval\nX\x03\0\0\x001+1\x85R.",
    "getattr of a module": b"\x80\x02cbuiltins\ngetattr\n.",
    "torch's own loader": b"\x80\x02ctorch\nload\n.",
    "a name with dots": b"\x80\x04\x8c\x05torch\x8c\x0f_utils.os.system\x93.",
    "old opcode INST": b"(ios\nsystem\n.",
    "EXT": b"\x80\x02\x82\x01.",
    "PERSID as a line": b"Pstorage\n.",
    "memory by a memo index": b"\x80\x02]r\xff\xff\xff\x7f.",
    "no end": b"\x80\x02]",
    "empty": b"",
    "a length that lies": b"\x80\x02X\xff\xff\xff\x7fabc.",
    "stack underflow": b"\x80\x02tR.",
    "state of a function": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n}X\x0c\0\0\0__defaults__NsbX\0\0\0\0.",
    "state of a storage": b"\x80\x02(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuJ\1\0\0\0tQ](NNNeb.",
    "storage of another kind": b"\x80\x02(NNNNNtQ.",
    "a view without a storage": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(NK\0))\x89NtR.",
    "only numbers": pickle.dumps({"step": 3, "loss": 0.5}, 2),
    "not a table": pickle.dumps([1, 2], 2),
}


@pytest.mark.parametrize("wrap", [lambda content: torch_zip(content, [8]), legacy], ids=["zip", "legacy"])
@pytest.mark.parametrize("content", PICKLES.values(), ids=PICKLES.keys())
def test_hostile_pickles_are_refused_and_never_run(
    content: bytes, wrap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    packed = wrap(content)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError) as refusal:
            opened(packed)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert list(tmp_path.iterdir()) == []
    assert "\n" not in str(refusal.value)
    assert peak < 50_000_000


def test_endless_opcodes_are_refused() -> None:
    with pytest.raises(FormatError, match="endless"):
        opened(torch_zip(b"\x80\x02" + b"N" * MAX_STEPS + b".", [8]))


def test_a_bare_pickle_is_not_opened() -> None:
    document = BytesDocument(Source("test", "sha", "training_state.pt"), pickle.dumps(Canary(), 2))
    assert recognises(document)
    with pytest.raises(FormatError, match="a pickle can run code"):
        read(document)


def zipped(*entries: tuple[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


SOUND = pickled({"a": (2,)})
ZIPS = {
    "points outside": zipped(("x/data.pkl", SOUND), ("x/data/0", b"1234"), ("../x", b"")),
    "absolute": zipped(("x/data.pkl", SOUND), ("x/data/0", b"1234"), ("/etc/x", b"")),
    "no pickle": zipped(("x/data/0", b"1234")),
    "two pickles": zipped(("x/data.pkl", SOUND), ("y/data.pkl", SOUND)),
    "a bomb": zipped(("x/data.pkl", SOUND), ("x/data/0", bytes(10**7)), compression=zipfile.ZIP_DEFLATED),
    "storage missing": zipped(("x/data.pkl", SOUND)),
    "storage too short": zipped(("x/data.pkl", SOUND), ("x/data/0", b"12")),
    "storage of another size": zipped(("x/data.pkl", SOUND), ("x/data/0", b"123456")),
    "cut": torch_zip(SOUND, [4])[:-20],
    "only the magic": b"PK\x03\x04" + bytes(100),
}


@pytest.mark.parametrize("content", ZIPS.values(), ids=ZIPS.keys())
def test_odd_archives_are_refused(content: bytes) -> None:
    with pytest.raises(FormatError) as refusal:
        opened(content)
    assert "\n" not in str(refusal.value)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_one_name_twice_is_refused() -> None:
    with pytest.raises(FormatError, match="one name twice"):
        opened(zipped(("x/data.pkl", SOUND), ("x/data/0", b"1234"), ("x/data/0", b"1234")))


def test_a_view_beyond_its_storage_is_refused() -> None:
    content = SOUND.replace(b"J\x02\0\0\0t(J\x01", b"J\x09\0\0\0t(J\x01")
    assert content != SOUND
    with pytest.raises(FormatError, match="more bytes than its storage holds"):
        opened(torch_zip(content, [4]))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 4000), st.integers(0, 255))
def test_one_changed_byte_is_read_or_refused(at: int, byte: int) -> None:
    for name in ("pytorch_model.bin", "before-1.6.pt"):
        content = bytearray((FIXTURES / name).read_bytes())
        content[at % len(content)] = byte
        document = BytesDocument(Source("test", "sha", name), bytes(content))
        if recognises(document):
            with suppress(FormatError):
                read(document)
