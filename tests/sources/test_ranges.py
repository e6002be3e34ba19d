"""Documents that are read in ranges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubcmp.errors import SourceError
from hubcmp.facts import Source
from hubcmp.sources._ranges import RangedDocument, Slice, header_length, holds_header, read_ahead

CONTENT = bytes(n % 251 for n in range(5000))


class Remote:
    """A file of CONTENT that counts what it is asked for."""

    def __init__(self, content: bytes = CONTENT) -> None:
        self.content = content
        self.asked: list[tuple[int, int]] = []

    def ask(self, start: int, stop: int) -> Slice:
        assert 0 <= start < stop
        self.asked.append((start, stop))
        return Slice(start, self.content[start:stop], len(self.content), "1" * 40)

    def document(self, path: str = "a.bin", known: bool = True) -> RangedDocument:
        return RangedDocument(Source("org/a", path=path), len(self.content) if known else None, self.ask, 64)


READS = st.lists(st.tuples(st.integers(0, 5200), st.integers(0, 700)), max_size=25)


@given(READS, st.booleans(), st.sampled_from(["a.bin", "a.safetensors"]))
def test_reads_give_the_file_and_nothing_is_asked_for_twice(
    reads: list[tuple[int, int]], known: bool, path: str
) -> None:
    remote = Remote()
    document = remote.document(path, known)
    for offset, n in reads:
        if not known and offset >= len(CONTENT):
            continue
        assert document.read(offset, n) == CONTENT[offset : offset + n]
        before = len(remote.asked)
        document.read(offset, n)
        assert len(remote.asked) == before


def test_end_of_a_zip_is_read_by_its_last_bytes() -> None:
    remote = Remote(b"PK" + CONTENT)
    document = remote.document()
    assert [(s.start, s.stop) for s in read_ahead(document)] == [(0, 64), (4938, 5002)]
    assert document.read(4990, 100) == CONTENT[4988:]
    assert len(remote.asked) == 2


def test_header_is_trimmed_to_its_length_and_read_in_at_most_two_parts() -> None:
    remote = Remote((300).to_bytes(8, "little") + CONTENT)
    document = remote.document("a.safetensors")
    assert [(s.start, s.stop) for s in read_ahead(document)] == [(0, 308)]
    assert remote.asked == [(0, 64), (64, 308)]
    assert document.read(8, 300) == CONTENT[:300]
    again = RangedDocument(
        document.source, None, remote.ask, 64, [Slice(0, document.read(0, 308), len(remote.content))]
    )
    assert read_ahead(again) == []


def test_a_source_that_failed_fails_at_once_afterwards() -> None:
    asked = []

    def ask(start: int, stop: int) -> Slice:
        asked.append(start)
        raise SourceError("gone")

    document = RangedDocument(Source("org/a", path="a.bin"), 100, ask)
    for _ in range(3):
        with pytest.raises(SourceError, match="gone"):
            document.read(0, 8)
    assert asked == [0]


def test_large_files_are_not_streamed() -> None:
    with pytest.raises(SourceError, match="too large"):
        list(RangedDocument(Source("a", path="m.safetensors"), 1 << 30, Remote().ask).chunks())
    assert b"".join(Remote().document().chunks()) == CONTENT


def test_header_length() -> None:
    assert header_length(b"1234567") is None
    assert header_length((5).to_bytes(8, "little")) == 13
    assert not holds_header(b"")
    assert not holds_header((5).to_bytes(8, "little") + b"{")
    assert holds_header((2).to_bytes(8, "little") + b"{}")
    assert holds_header((2**63).to_bytes(8, "little"))
