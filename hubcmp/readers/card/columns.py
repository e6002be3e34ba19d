"""Tables in fences: CSV, rows with bars, and columns aligned by spaces, as programs print them."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise

from hubcmp.readers.card.meaning import meaning_of
from hubcmp.readers.card.page import Fence, Table
from hubcmp.readers.card.text import Text

MOST_ROWS = 500
_RULE = re.compile(r"^[\s|+=:_-]*$")
_STATED = re.compile(r"[:=]\s{0,20}\d")
"""A cell that gives a value is no head: "accept len: 2.84"."""
_ALIGNED = re.compile(r"\s{2,40}|\t")
_LINE = re.compile(r"([A-Za-z][\w /()-]{0,40}):\s([^:]{3,200})")
_SPELLED = (("_tok_s", " tok/s"), ("tokens_per_s", "tokens/s"), ("_", " "))
"""How heads of data files write units and spaces."""


Cut = Callable[[str], Sequence[str]]
"""How a line is cut into cells."""


def table_in(fence: Fence) -> Table | None:
    """Return the table that a fence holds, None when it holds none with a head that names a metric."""
    lines = [(n, line) for n, line in enumerate(fence.text.plain.split("\n")) if not _RULE.match(line)]
    for cut in (_by_bars, _by_commas, _by_spaces):
        rows = list(_rows(islice(lines, MOST_ROWS), cut, fence.text.line))
        stated = rows and any(_STATED.search(head.plain) for head in rows[0])
        if len(rows) > 1 and len(rows[0]) > 1 and not stated and any(meaning_of(head.plain).metric for head in rows[0]):
            return Table(tuple(tuple(row) for row in rows), 1)
    return None


def table_of_lines(text: Text) -> Table | None:
    """Return the table that a paragraph of lines "name: a / b / c" stands for, None when it is none."""
    bounds = [0, *text.breaks, len(text.plain)]
    lines = [text.plain[a:b].strip() for a, b in pairwise(bounds)]
    found = [_LINE.fullmatch(line) for line in lines]
    if len(lines) < 2 or not all(found):
        return None
    rows = [[m[1].strip(), *re.split(r"\s?[/|]\s?", m[2].strip())] for m in found if m]
    if len({len(row) for row in rows}) > 1 or len(rows[0]) < 3:
        return None
    return Table(tuple(tuple(Text(cell, text.line + n) for cell in row) for n, row in enumerate(rows)), 1)


def _rows(lines: Iterator[tuple[int, str]], cut: Cut, first_line: int) -> Iterator[list[Text]]:
    """Yield consecutive rows of as many cells as the head; the table ends where they differ."""
    width = 0
    for n, line in lines:
        cells = cut(line)
        width = width or len(cells)
        if width < 2 or len(cells) != width:
            return
        head = [_spelled(cell) for cell in cells] if not any(c[:1].isdigit() for c in cells) else cells
        yield [Text(cell, first_line + n) for cell in head]


def _by_bars(line: str) -> Sequence[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if "|" in line else ()


def _by_commas(line: str) -> Sequence[str]:
    return [cell.strip() for cell in next(csv.reader([line]), [])] if "," in line else ()


def _by_spaces(line: str) -> Sequence[str]:
    return _ALIGNED.split(line.strip())


def _spelled(head: str) -> str:
    for old, new in _SPELLED:
        head = head.replace(old, new)
    return head
