"""What every plug-in must satisfy: found by listing, tested, with a fixture, and refusing everybody else's files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hubcmp import checks, families, readers, renderers, shelf, sources
from hubcmp.document import BytesDocument
from hubcmp.facts import Source
from hubcmp.readers import Reader

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures"
SHELVES = {
    "readers": readers.Reader,
    "engines": readers.Reader,
    "families": families.Family,
    "checks": checks.Check,
    "renderers": renderers.Renderer,
    "sources": sources.Origin,
}
ALL = [(name, module) for name in SHELVES for module in shelf.modules(f"hubcmp.{name}")]
HOMES = {module: name for name in ("readers", "engines") for module in shelf.modules(f"hubcmp.{name}")}
READERS = {module: shelf.plugins(f"hubcmp.{name}", Reader)[module] for module, name in HOMES.items()}


def samples(module: str) -> list[Path]:
    """The fixture files of a reader, without the expectations beside them."""
    folder = FIXTURES / HOMES[module] / module
    skipped = (".golden.json", ".expected.json")
    return (
        [p for p in sorted(folder.rglob("*")) if p.is_file() and not p.name.endswith(skipped)]
        if folder.is_dir()
        else []
    )


def document(path: Path) -> BytesDocument:
    """A fixture as readers get it: by its name inside its own folder."""
    return BytesDocument(Source("fixture", "sha256:0", path.name), path.read_bytes())


@pytest.mark.parametrize(("name", "module"), ALL, ids=lambda v: v)
def test_every_plugin_is_typed_and_tested(name: str, module: str) -> None:
    assert isinstance(shelf.plugins(f"hubcmp.{name}", SHELVES[name])[module], SHELVES[name])
    tests = "\n".join(p.read_text() for p in (ROOT / "tests" / name).glob("test_*.py"))
    assert module in tests or (ROOT / "tests" / name / f"test_{module}.py").exists()


@pytest.mark.parametrize("module", sorted(READERS))
def test_every_reader_recognises_its_own_fixtures(module: str) -> None:
    found = samples(module)
    assert found, f"fixtures/{HOMES[module]}/{module} holds no sample"
    for path in found:
        assert READERS[module].recognises(document(path)), path.name


@pytest.mark.parametrize("module", sorted(READERS))
def test_every_reader_refuses_the_fixtures_of_all_others(module: str) -> None:
    wrong = [
        path.name
        for other in sorted(READERS)
        if other != module and READERS[other].kind == READERS[module].kind
        for path in samples(other)
        if READERS[module].recognises(document(path))
    ]
    assert wrong == []


DUMMY = '''
"""A reader of one made-up format."""

from hubcmp.document import Document
from hubcmp.readers import Reader, Reading


def recognises(document: Document) -> bool:
    return document.read(0, 5) == b"DUMMY"


def read(document: Document) -> Reading:
    return Reading("dummy")


PLUGIN = Reader("dummy", "config", recognises, read)
'''


@pytest.fixture
def dummy_shelf(tmp_path: Path) -> Iterator[None]:
    """One more file on the readers' shelf, and nothing else changed."""
    (tmp_path / "zz_dummy.py").write_text(DUMMY)
    readers.__path__.append(str(tmp_path))
    shelf.modules.cache_clear()
    yield
    readers.__path__.remove(str(tmp_path))
    shelf.modules.cache_clear()


def test_benchmark_formats_stand_on_their_own_shelf() -> None:
    assert {n for n, reader in READERS.items() if reader.kind == "benchmark"} == set(shelf.modules("hubcmp.engines"))


@pytest.mark.usefixtures("dummy_shelf")
def test_adding_a_reader_is_one_file() -> None:
    found = readers.read_all([BytesDocument(Source("x", "", "x.dummy"), b"DUMMY 1")])
    assert [reading.format for reading in found] == ["dummy"]


def test_a_file_without_a_plugin_is_named(tmp_path: Path) -> None:
    (tmp_path / "zz_empty.py").write_text("")
    readers.__path__.append(str(tmp_path))
    shelf.modules.cache_clear()
    try:
        with pytest.raises(TypeError, match="zz_empty must end with PLUGIN = Reader"):
            shelf.plugins("hubcmp.readers", Reader)
    finally:
        readers.__path__.remove(str(tmp_path))
        shelf.modules.cache_clear()
