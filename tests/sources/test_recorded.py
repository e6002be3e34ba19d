"""Recorded evidence: written by `record`, read back as its source gave it."""

from dataclasses import replace
from pathlib import Path

import pytest

from hubcmp.document import Bundle, Document
from hubcmp.errors import SourceError, UsageError
from hubcmp.reference import Reference
from hubcmp.sources import Access, local, recorded
from hubcmp.sources import hub as hub_source
from hubcmp.sources.recorded import record
from tests.hub import OTHER_COMMIT, Hub, header
from tests.sources.conftest import TENSORS
from tests.sources.test_hub import QUICK
from tests.sources.test_hub import get as get_hub
from tests.sources.test_local import checkpoint

FOUNDING = "AQ-MedAI/Kimi-K2-Instruct-eagle3"
RECORDED = Path(__file__).parents[2] / "fixtures" / "recorded"


def open_recording(folder: Path) -> Bundle:
    return recorded.fetch(Reference(str(folder), "recorded", str(folder)), Access())


def contents(bundle: Bundle) -> dict[str, bytes]:
    return {d.source.path: start(d) for d in bundle.documents}


def start(document: Document) -> bytes:
    if document.source.path.endswith(".safetensors"):
        return document.read(0, 8 + int.from_bytes(document.read(0, 8), "little"))
    return document.read(0, 1 << 20)


def test_hub_repository_is_the_same_when_read_back(hub: Hub, tmp_path: Path) -> None:
    original = get_hub("org/drafter")
    record(original, tmp_path / "rec")
    hub.reset()
    again = open_recording(tmp_path / "rec")
    assert contents(again) == contents(original)
    fields = ("ref", "kind", "revision", "resolved", "files", "info", "unknowns", "problems")
    assert [getattr(again, name) for name in fields] == [getattr(original, name) for name in fields]
    weights = again.named("model.safetensors")
    assert weights is not None
    assert weights.size == header(TENSORS).size
    with pytest.raises(SourceError, match="were not recorded"):
        weights.read(1 << 20, 8)
    assert hub.requests == []


@pytest.mark.parametrize("ref", ["org/drafter@v1", "hub:org/drafter@v1", "{}/org/drafter/tree/v1"])
def test_recording_is_found_however_the_repository_was_written(ref: str, hub: Hub, tmp_path: Path) -> None:
    hub.repositories["org/drafter"].commits = {"v1": OTHER_COMMIT}
    text = ref.format(hub.endpoint)
    original = hub_source.fetch(Reference(text, "hub", "org/drafter", "v1"), QUICK)
    record(original, tmp_path / "rec")
    again = get_hub("org/drafter@v1", replace(QUICK, offline=True, cache=tmp_path / "rec"))
    assert (again.revision, contents(again)) == (OTHER_COMMIT, contents(original))


def test_nothing_read_is_nothing_recorded(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nothing to record"):
        record(get_hub("org/nothing"), tmp_path / "rec")
    assert not (tmp_path / "rec").exists()


def test_recording_serves_as_an_offline_cache(hub: Hub, tmp_path: Path) -> None:
    original = get_hub("org/drafter")
    record(original, tmp_path / "rec")
    hub.reset()
    again = get_hub("org/drafter", replace(QUICK, offline=True, cache=tmp_path / "rec"))
    assert contents(again) == contents(original)
    assert hub.requests == []


def test_local_folder_is_recorded_without_its_weights(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "ckpt")
    original = local.fetch(Reference("./ckpt", "folder", str(folder)), Access())
    record(original, tmp_path / "rec")
    again = open_recording(tmp_path / "rec")
    assert contents(again) == contents(original)
    assert (again.ref, again.kind, again.revision) == ("./ckpt", "folder", original.revision)
    assert sum(path.stat().st_size for path in (tmp_path / "rec").rglob("*") if path.is_file()) < 10_000


def test_several_recordings_in_one_folder_must_be_named(tmp_path: Path) -> None:
    for name in ("a", "b"):
        folder = checkpoint(tmp_path / name)
        record(local.fetch(Reference(f"./{name}", "folder", str(folder)), Access()), tmp_path / "rec")
    with pytest.raises(UsageError, match=r"2 recordings; name the folder .*\(\./a\).*\(\./b\)"):
        open_recording(tmp_path / "rec")
    folders = sorted((tmp_path / "rec/local").iterdir())
    assert [local.there(str(folder)) for folder in folders] == ["recorded", "recorded"]
    assert sorted(open_recording(folder).ref for folder in folders) == ["./a", "./b"]


def test_broken_recordings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no recorded evidence"):
        open_recording(tmp_path)
    (tmp_path / "hubcmp.json").write_text('{"layout": 1}')
    folder = tmp_path / "hub/x/1"
    folder.mkdir(parents=True)
    (folder / "@entry.json").write_text('{"layout": 1, "files": [{"path": "../../x"}, 3], "info": 5, "unknowns": "no"}')
    bundle = open_recording(tmp_path)
    assert (bundle.documents, bundle.files, bundle.unknowns) == ((), (), ())


def test_founding_case_is_recorded_with_its_true_size_and_no_invented_commit() -> None:
    bundle = open_recording(next((RECORDED / "hub").glob("AQ-MedAI--Kimi-K2-Instruct-eagle3~*")))
    assert (bundle.ref, bundle.kind) == (FOUNDING, "hub")
    assert bundle.revision.startswith("recorded-")
    assert set(contents(bundle)) == {"config.json", "README.md", "model.safetensors"}
    weights = bundle.named("model.safetensors")
    assert weights is not None
    assert weights.size == 8 + len(start(weights)[8:]) + 2_382_317_568
    offline = hub_source.fetch(Reference(FOUNDING, "hub", FOUNDING), Access(offline=True, cache=RECORDED))
    assert contents(offline) == contents(bundle)
    assert [p.failed for p in offline.problems] == [False]
