"""Real answers of every command: the story, and all samples of cards, headers and benchmarks."""

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from hubcmp.sources import Access
from tests.test_story import ROOT, THEIRS, build

ACCESS = Access(offline=True, cache=ROOT / "fixtures" / "recorded")
REFS = (THEIRS, "./ckpt")


@pytest.fixture(scope="package")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The story laid out, as the current folder."""
    folder = build(tmp_path_factory.mktemp("contracts") / "work")
    with chdir(folder):
        yield folder
