"""Local folders and single files."""

import os
import pickle
from pathlib import Path

import pytest

from hubcmp.document import Bundle
from hubcmp.errors import UsageError
from hubcmp.reference import Reference
from hubcmp.sources import Access
from hubcmp.sources.local import fetch, there
from tests.hub import header
from tests.sources.conftest import CARD, CONFIG, TENSORS


def checkpoint(folder: Path) -> Path:
    """A drafter's folder with a sparse weight file of 2 GiB."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_bytes(CONFIG)
    (folder / "README.md").write_bytes(CARD)
    weights(folder / "model.safetensors")
    return folder


def weights(path: Path) -> None:
    blob = header(TENSORS)
    with open(path, "wb") as file:
        file.write(blob.head)
        file.truncate(blob.size)


def get(path: Path, note: str = "") -> Bundle:
    kind = there(str(path))
    assert kind in ("folder", "file")
    return fetch(Reference(str(path), kind, str(path), note=note), Access())


def names(bundle: Bundle) -> list[str]:
    return [d.source.path for d in bundle.documents]


def test_folder_gives_config_card_and_weights(tmp_path: Path) -> None:
    bundle = get(checkpoint(tmp_path / "ckpt"))
    assert names(bundle) == ["config.json", "README.md", "model.safetensors"]
    assert (bundle.kind, bundle.problems, bundle.unknowns) == ("folder", (), ())
    assert {d.source.revision for d in bundle.documents} == {bundle.revision}
    document = bundle.named("model.safetensors")
    assert document is not None
    assert document.size == header(TENSORS).size
    assert document.read(0, 8) == header(TENSORS).head[:8]
    assert pickle.loads(pickle.dumps(document)).read(0, 8) == document.read(0, 8)


def test_revision_follows_what_is_read_and_every_size_but_not_the_weights(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "ckpt")
    first = get(folder).revision
    assert first.startswith("sha256:")
    assert get(folder).revision == first
    with open(folder / "model.safetensors", "r+b") as file:
        file.seek(1 << 20)
        file.write(b"other weights")
    assert get(folder).revision == first
    (folder / "README.md").write_bytes(CARD.replace(b"3.1", b"3.2"))
    assert get(folder).revision != first


def test_missing_config_and_card_are_absent(tmp_path: Path) -> None:
    weights(tmp_path / "model.safetensors")
    bundle = get(tmp_path)
    assert [(u.metric, u.state) for u in bundle.unknowns] == [("config", "absent"), ("card", "absent")]
    assert bundle.problems == ()


def test_single_file_and_its_kind(tmp_path: Path) -> None:
    weights(tmp_path / "draft.safetensors")
    bundle = get(tmp_path / "draft.safetensors")
    assert (bundle.kind, names(bundle)) == ("file", ["draft.safetensors"])


def test_pickles_are_offered_but_no_optimizer_state(tmp_path: Path) -> None:
    for name in ("pytorch_model.bin", "training_state.pt", "optimizer.pt", "rng_state_0.pth"):
        (tmp_path / name).write_bytes(b"PK\3\4")
    assert names(get(tmp_path)) == ["pytorch_model.bin"]


def test_index_opens_only_what_the_folder_lists(tmp_path: Path) -> None:
    (tmp_path / "outside.safetensors").write_bytes(b"secret")
    folder = tmp_path / "ckpt"
    (folder / "sub").mkdir(parents=True)
    names_in_index = '["../outside.safetensors", "/etc/hostname", "ok.safetensors", "sub/ok.safetensors"]'
    (folder / "model.safetensors.index.json").write_text(
        '{"weight_map": {'
        + ",".join(f'"{n}": {name}' for n, name in enumerate(names_in_index[1:-1].split(", ")))
        + "}}"
    )
    weights(folder / "ok.safetensors")
    weights(folder / "sub/ok.safetensors")
    assert names(get(folder)) == ["model.safetensors.index.json", "ok.safetensors", "sub/ok.safetensors"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_links_out_of_the_folder_pipes_and_loops_are_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "ckpt"
    folder.mkdir()
    (tmp_path / "secret.json").write_text('{"secret": 1}')
    (folder / "config.json").symlink_to(tmp_path / "secret.json")
    os.mkfifo(folder / "README.md")
    (folder / "model.safetensors").symlink_to("model.safetensors")
    bundle = get(folder)
    assert bundle.documents == ()
    assert [p.where for p in bundle.problems] == ["README.md", "config.json", "model.safetensors", str(folder)]
    assert get(folder / "README.md").problems[0].failed


def test_links_into_the_blobs_of_the_hugging_face_cache_are_read(tmp_path: Path) -> None:
    snapshot = tmp_path / "models--org--name/snapshots/0123"
    blobs = tmp_path / "models--org--name/blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    (blobs / "aaa").write_bytes(CONFIG)
    (snapshot / "config.json").symlink_to("../../blobs/aaa")
    assert names(get(snapshot)) == ["config.json"]


def test_folder_of_checkpoints_lists_them_and_takes_none(tmp_path: Path) -> None:
    for name in ("epoch_3_step_900", "epoch_4_step_1200"):
        checkpoint(tmp_path / "run" / name)
    with pytest.raises(UsageError, match=r"holds 2 checkpoints: epoch_3_step_900, epoch_4_step_1200; name one"):
        get(tmp_path / "run")


def test_note_of_an_ambiguous_reference_is_kept(tmp_path: Path) -> None:
    bundle = get(checkpoint(tmp_path / "ckpt"), note="was read as the local folder")
    assert [(p.message, p.failed) for p in bundle.problems] == [("was read as the local folder", False)]


def test_there(tmp_path: Path) -> None:
    (tmp_path / "rec").mkdir()
    (tmp_path / "rec/hubcmp.json").write_text('{"layout": 1}')
    (tmp_path / "a.log").write_text("")
    assert there(str(tmp_path)) == "folder"
    assert there(str(tmp_path / "rec")) == "recorded"
    assert there(str(tmp_path / "a.log")) == "file"
    assert there(str(tmp_path / "nothing")) is None
    assert there("bad\0name") is None
    assert there("a" * 5000) is None
