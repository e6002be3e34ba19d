"""Footnotes below a table: what a mark (¹, †, [^1]) on a head or row label points to binds to that column or row only."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hubcmp.facts import Scalar
from hubcmp.readers.card.meaning import single
from hubcmp.readers.card.page import Block, Prose, Table
from hubcmp.readers.card.settings import find
from hubcmp.readers.card.text import Text

MOST_NOTES = 8
"""Paragraphs after a table that may be its footnotes."""
_SIGN = r"[¹²³⁴⁵⁶⁷⁸⁹†‡§]|\[\^\w{1,8}\]|\^\w(?!\w)|\\?\*{1,3}"
_MARK = re.compile(rf"(?<=[\w%)×.])\s?({_SIGN})$")
_NOTE = re.compile(rf"(?:^|(?<=\s))({_SIGN}):?(?=\s?\S)")

Notes = Mapping[str, Mapping[str, Scalar]]
"""Settings by mark."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A table without its marks; what they bind to its columns and to its rows, by index (the head rows counted)."""

    table: Table
    columns: Mapping[int, Mapping[str, Scalar]]
    rows: Mapping[int, Mapping[str, Scalar]]


def is_note(block: Block) -> bool:
    """Whether a paragraph is a footnote with a mark."""
    return isinstance(block, Prose) and _NOTE.match(block.text.plain.lstrip()) is not None


def notes_after(blocks: Sequence[Block], i: int) -> Notes:
    """Return what the footnotes right after block `i` say, by mark."""
    found: dict[str, Mapping[str, Scalar]] = {}
    for block in blocks[i + 1 : i + 1 + MOST_NOTES]:
        if not isinstance(block, Prose) or not is_note(block):
            break
        text = block.text.plain
        marks = list(_NOTE.finditer(text))
        ends = [m.start() for m in marks[1:]] + [len(text)]
        for mark, end in zip(marks, ends, strict=True):
            found[mark[1]] = single(find(text[mark.end() : end]))
    return found


def noted(table: Table, notes: Notes) -> Noted:
    """Return the table without the marks that its notes explain, and what they bind to."""
    if not notes:
        return Noted(table, {}, {})
    columns: dict[int, Mapping[str, Scalar]] = {}
    rows: dict[int, Mapping[str, Scalar]] = {}
    plain = []
    for y, row in enumerate(table.rows):
        cells = []
        for x, cell in enumerate(row):
            text, mark = _without_mark(cell, notes)
            cells.append(text)
            if mark and y < table.heads:
                columns[x] = {**columns.get(x, {}), **notes[mark]}
            elif mark and x == 0:
                rows[y] = notes[mark]
        plain.append(tuple(cells))
    return Noted(replace(table, rows=tuple(plain)), columns, rows)


def _without_mark(cell: Text, notes: Notes) -> tuple[Text, str]:
    found = _MARK.search(cell.plain.rstrip())
    if not found or found[1] not in notes:
        return cell, ""
    return replace(cell, plain=cell.plain[: found.start()]), found[1]
