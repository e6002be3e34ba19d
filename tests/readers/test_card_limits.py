"""Hostile and odd cards: an answer within limits, what was cut is said, and no exception."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hubcmp.document import BytesDocument
from hubcmp.facts import Source, Span
from hubcmp.readers import Reading
from hubcmp.readers.card import PLUGIN
from hubcmp.readers.card.figures import MAX_FIGURES, figures
from hubcmp.readers.card.guard import MAX_BYTES, MAX_COLUMNS, MAX_LINE, MAX_ROWS, decode
from hubcmp.readers.card.reading import MAX_CLAIMS
from hubcmp.readers.card.text import MAX_SENTENCE, Text


def read(content: bytes) -> Reading:
    return PLUGIN.read(BytesDocument(Source("org/x", "", "README.md"), content))


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\xff\xfe\x00", b"---\n---\n", b"![a](b.png)\n", b"<table>", b"| a |\n|---|\n", b"```\n{"]
)
def test_empty_and_broken_cards_give_no_claim(content: bytes) -> None:
    assert not [f for f in read(content).facts if isinstance(f.value, Span)]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="#|-*_`[]()<>!~: \n\t0123456789.%x×→/abzτ接受长度", max_size=400))
def test_no_text_raises(text: str) -> None:
    read(text.encode())


@pytest.mark.parametrize(
    "unit", ["[", "*a ", "_a_", "1 ", "1,", "(1.2x ", "1.2 / ", "a/", ">", "{", "<td>", "tokens per second ", "`"]
)
def test_a_long_line_of_anything_is_cut_and_answered(unit: str) -> None:
    reading = read((unit * (MAX_LINE // len(unit) + 50)).encode())
    assert any("cut" in p.message for p in reading.problems)


def test_only_the_beginning_of_a_huge_card_is_read() -> None:
    text, problems = decode(b"x\n" * MAX_BYTES, "README.md")
    assert len(text) == MAX_BYTES
    assert problems


def test_too_many_columns_and_rows_are_left_out_and_said() -> None:
    wide = "|" + "a|" * (MAX_COLUMNS + 2)
    long = "\n".join(["| a |", "|---|", *["| 1 |"] * (MAX_ROWS + 5)])
    for text in (wide, long):
        _, problems = decode(text.encode(), "README.md")
        assert any("left out" in p.message for p in problems)


def test_the_work_per_sentence_is_bounded() -> None:
    pieces = list(Text("word " * 5000, 1).sentences())
    assert max(len(p.plain) for p in pieces) <= MAX_SENTENCE
    assert "".join(p.plain for p in pieces) == "word " * 5000
    assert len(figures("1.5 " * 500)) <= MAX_FIGURES


def test_the_number_of_claims_is_bounded() -> None:
    row = "|" + "2.5|" * 60 + "\n"
    head = "|" + "Accept length|" * 60 + "\n|" + "---|" * 60 + "\n"
    reading = read((head + row * 100).encode())
    assert len([f for f in reading.facts if f.metric == "accept_length"]) == MAX_CLAIMS
    assert any("left out" in p.message for p in reading.problems)
