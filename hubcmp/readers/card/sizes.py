"""Columns of a table that count: a drafter's parameters and its training data, beside what was measured."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hubcmp.readers.card.claims import Claim
from hubcmp.readers.card.grid import Grid
from hubcmp.readers.card.meaning import Meaning, meaning_of
from hubcmp.readers.card.prose import claims_of_sentence
from hubcmp.readers.card.reach import Context
from hubcmp.readers.card.subjects import SELF, Identity
from hubcmp.readers.card.text import Text
from hubcmp.readers.card.whose import column_subjects, read_rows

_PARAMETERS = re.compile(r"\bparam(?:eter)?s?\b|参数", re.IGNORECASE)
_DATA = re.compile(
    r"^(?:#\s?)?(?:(?:train(?:ing)?|sft)\s(?:data(?:set)?|set|samples|examples|conversations|sequences|tokens)|data)"
    r"(?:\ssize)?(?:\s?\([^()]{0,20}\))?$|^训练数据量?$",
    re.IGNORECASE,
)
_SCALE = re.compile(r"\(\s?(?:in\s)?([BMKk])\s?\)")
_TOTAL = re.compile(r"^\W{0,3}(?:total|all|whole|sum|overall)\b|^合计|^总计", re.IGNORECASE)


def claims_of_counts(grid: Grid, identity: Identity, block: int) -> Iterator[Claim]:
    """Yield what the columns of sizes and training data count: for this drafter's rows, or for each of a list of repositories."""
    yield from _in_rows(grid, identity, block)
    columns = [(x, word) for x, column in enumerate(grid.columns) if (word := _counts(column))]
    if not columns:
        return
    own = [SELF if row.subject == SELF else None for row in read_rows(grid, identity)]
    subjects = _listed(grid) or [s or _of_the_whole(row) for s, row in zip(own, grid.rows, strict=True)]
    for row, subject in zip(grid.rows, subjects, strict=True):
        for x, word in columns if subject is not None else ():
            scale = _SCALE.search(grid.columns[x].text)
            cell = row[x].plain.strip()
            counted = f"{word}: {cell}{scale[1] if scale and cell[-1:].isdigit() else ''}"
            for claim in claims_of_sentence(Text(counted, row[x].line), Context(place="training"), identity, block):
                yield replace(claim, subject=subject, raw=cell if scale else claim.raw)


def _in_rows(grid: Grid, identity: Identity, block: int) -> Iterator[Claim]:
    """Yield what a row counts for the column of this drafter ("parameters | 0.42B | 0.77B")."""
    values = [x for x in range(len(grid.columns)) if x not in grid.keys]
    whose = column_subjects(grid, values, identity)
    for row in grid.rows if grid.keys and SELF in whose.values() else ():
        word = _counts(meaning_of(row[grid.keys[0]].plain))
        for x in (x for x in values if word and whose[x] == SELF):
            sentence = Text(f"{word}: {row[x].plain.strip()}", row[x].line)
            yield from claims_of_sentence(sentence, Context(place="training"), identity, block)


def _counts(column: Meaning) -> str:
    """Return what a column counts, in the words of a sentence; "" when it counts neither."""
    head = column.text.strip(" :*#")
    return "parameters" if _PARAMETERS.search(head) else "training data" if _DATA.match(head) else ""


def _listed(grid: Grid) -> list[str | None]:
    """Return the repositories that the rows of a table list as drafters, or nothing when it is no such list."""
    names = [x for x in range(len(grid.columns)) if sum("/" in row[x].plain for row in grid.rows) * 2 > len(grid.rows)]
    return [f"other:{row[names[0]].plain.strip()}" for row in grid.rows] if names and len(grid.rows) > 2 else []


def _of_the_whole(row: Sequence[Text]) -> str | None:
    """A total below the parts of a drafter is its own; the parts are no claims."""
    return SELF if row and _TOTAL.match(row[0].plain) else None
