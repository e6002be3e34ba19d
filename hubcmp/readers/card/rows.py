"""What the key cells of a table row say together: the set, the drafter, the metric, the settings, the position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hubcmp.facts import Scalar
from hubcmp.readers.card import axes
from hubcmp.readers.card.claims import DRAFT_KEYS
from hubcmp.readers.card.grid import Grid, empty
from hubcmp.readers.card.meaning import Meaning, benchmarks_in, meaning_of
from hubcmp.readers.card.subjects import BASELINE
from hubcmp.readers.card.text import Text
from hubcmp.readers.card.vocabulary import BASELINE_RE


@dataclass(frozen=True, slots=True)
class Row:
    """What the key cells of a row say together."""

    meaning: Meaning = field(default_factory=Meaning)
    label: str | None = None
    category: str | None = None
    subject: str | None = None
    conditions: Mapping[str, Scalar] = field(default_factory=dict)
    position: int | None = None


def row_of(cells: Sequence[Text], grid: Grid) -> Row:
    """Read the key cells of a row."""
    row = Row()
    roles = {grid.columns[x].role for x in grid.keys}
    for x in grid.keys:
        text, role = cells[x].plain.strip(), grid.columns[x].role
        if text and not empty(text):
            row = _with_key(row, text, role if role or x == grid.keys[0] else "note", roles)
    return row


def from_one(found: Sequence[int | None]) -> list[int | None]:
    """Count positions from 1, whatever the card counts from."""
    first = min((p for p in found if p is not None), default=1)
    return [None if p is None else p + 1 - min(first, 1) for p in found]


def _with_key(row: Row, text: str, role: str, roles: set[str]) -> Row:
    """Add what one key cell says to its row."""
    meaning = meaning_of(text)
    conditions = {**row.conditions, **meaning.conditions}
    if role == "benchmark" or (role == "" and not meaning.metric and "benchmark" not in roles):
        if role == "" and BASELINE_RE.fullmatch(text.strip(" *_–-")):
            return replace(row, subject=BASELINE, conditions=conditions)
        name = row.label or text
        if role == "" and meaning.conditions and not meaning.rest:
            return replace(row, conditions=conditions)
        return replace(row, label=name, conditions=conditions)
    if role == "category":
        return replace(row, category=None if "benchmark" in roles else text)
    if role == "position":
        digits = "".join(c for c in text if c.isdigit())[:2]
        return replace(row, position=int(digits)) if digits else row
    if role in axes.AXES.values():
        value = axes.axis_value(role, text)
        if role in DRAFT_KEYS and (value == 0 or BASELINE_RE.search(text)):
            return replace(row, subject=BASELINE)
        return replace(row, conditions={**conditions, role: value}) if value is not None else row
    if role not in ("metric", ""):
        return replace(row, conditions=conditions)
    plain = bool(BASELINE_RE.search(text)) and meaning.metric != "speedup"
    named = benchmarks_in(meaning.rest) if meaning.metric else []
    label = row.label or (named[0][0] if len(named) == 1 else None)
    return replace(row, meaning=meaning, label=label, conditions=conditions, subject=BASELINE if plain else row.subject)
