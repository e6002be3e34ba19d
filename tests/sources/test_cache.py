"""hubcmp's own cache: safe names, whole files or none, several processes at once."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hubcmp.sources import _cache
from hubcmp.sources._layout import Entry, Pin, Store, safe_name, write_file
from tests.hub import COMMIT, Hub, header
from tests.sources.conftest import CARD, CONFIG, TENSORS
from tests.sources.test_hub import QUICK, get

CHILD = """
import sys
from pathlib import Path
from hubcmp.reference import Reference
from hubcmp.sources import Access
from hubcmp.sources.hub import fetch
for n in range(int(sys.argv[2])):
    bundle = fetch(Reference("org/drafter", "hub", "org/drafter"), Access(cache=Path(sys.argv[1], str(n))))
    print(len(bundle.documents), len(bundle.problems), flush=True)
"""


@pytest.mark.parametrize("name", ["config.json", "README.md", "model-00001-of-00002.safetensors", "main", COMMIT])
def test_usual_names_stay_readable(name: str) -> None:
    assert safe_name(name) == name


def test_unusual_names_never_collide_or_leave_the_folder() -> None:
    names = [
        "A/B",
        "a/b",
        "a-b",
        "A-B",
        "..",
        "../x",
        "/etc/passwd",
        "CON",
        "con.json",
        "x" * 300,
        "x" * 301,
        "é",
        "e\u0301",
    ]
    names += [
        "a\0b",
        "a\\b",
        "readme.md",
        "README.MD",
        "a.",
        "a~b",
        "@entry.json",
        "m@0-9of10",
        ".hidden",
        "",
        "\ud800",
    ]
    made = [safe_name(name) for name in names]
    assert len({name.lower() for name in made}) == len(names)
    assert all(name not in (".", "..") and not set(name) & set('/\\:*?"<>|\0') and len(name) <= 80 for name in made)
    assert "@entry.json" not in made


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_file(tmp_path / "a", "not bytes")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_piece_that_is_shorter_than_its_name_says_is_not_used(tmp_path: Path) -> None:
    entry = Entry(tmp_path)
    entry.write_range("m.safetensors", 0, b"12345678", 100)
    assert [piece.content() for piece in entry.pieces("m.safetensors")] == [b"12345678"]
    next(tmp_path.glob("m*")).write_bytes(b"1234")
    assert [piece.content() for piece in entry.pieces("m.safetensors")] == [None]


def test_broken_entries_are_fetched_again(hub: Hub, tmp_path: Path) -> None:
    access = replace(QUICK, cache=tmp_path)
    get("org/drafter", access)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 6
    for path in files:
        path.write_bytes(b"{")
    bundle = get("org/drafter", access)
    assert bundle.problems == ()
    config, card = bundle.named("config.json"), bundle.named("README.md")
    assert config is not None
    assert card is not None
    assert (config.read(0, 999), card.read(0, 999)) == (CONFIG, CARD)


def test_a_read_only_disk_costs_nothing_but_time(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    bundle = get("org/drafter", replace(QUICK, cache=tmp_path / "file" / "cache"))
    assert (len(bundle.documents), bundle.problems) == (3, ())


def test_info_and_clear_touch_the_cache_only(hub: Hub, tmp_path: Path) -> None:
    access = replace(QUICK, cache=tmp_path)
    get("org/drafter", access)
    (tmp_path / "notes.txt").write_text("mine")
    usage = _cache.info(access)
    assert (usage.folder, usage.files) == (tmp_path, 6)
    assert usage.size >= len(CONFIG) + len(CARD) + len(header(TENSORS).head)
    assert _cache.clear(access) == usage
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert _cache.info(access).files == 0


def test_pins_of_other_repositories_do_not_count(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write_pin("org/a", "main", Pin(COMMIT, "2026-01-01"))
    assert store.pin("org/a", "main") == Pin(COMMIT, "2026-01-01")
    assert store.pin("org/a", "v1") is None
    path = next(tmp_path.rglob("main.json"))
    path.write_text(path.read_text().replace("org/a", "org/b"))
    assert store.pin("org/a", "main") is None


def test_two_processes_fill_one_cache_and_one_is_killed(hub: Hub, tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHILD, str(tmp_path), "12"]
    environment = {**os.environ, "HF_HUB_OFFLINE": ""}
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(2)]
    first, second = processes
    assert first.stdout is not None
    first.stdout.readline()
    first.kill()
    first.communicate()
    output, _ = second.communicate(timeout=60)
    assert second.returncode == 0
    assert output.split("\n")[:-1] == ["3 0"] * 12
    hub.reset()
    for n in range(12):
        bundle = get("org/drafter", replace(QUICK, offline=True, cache=tmp_path / str(n)))
        assert len(bundle.documents) == 3
        assert not any(p.failed for p in bundle.problems)
    assert hub.requests == []
    left = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".tmp"]
    assert len(left) == 12 * 6
