"""Tables made regular: head rows, key columns and value columns told apart by what their heads and cells mean."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hubcmp.facts import Scalar
from hubcmp.readers.card.axes import axis, axis_value
from hubcmp.readers.card.figures import figures
from hubcmp.readers.card.footnotes import Noted
from hubcmp.readers.card.meaning import Meaning, mask, meaning_of, merge
from hubcmp.readers.card.page import Table
from hubcmp.readers.card.settings import find
from hubcmp.readers.card.subjects import Identity, subject_of
from hubcmp.readers.card.text import Text
from hubcmp.readers.card.vocabulary import algorithm

_EMPTY = re.compile(r"^[\s\-–—−/.…]*$|^(?:n/?a|tbd|none|nan|\?)$", re.IGNORECASE)
_VALUE_HEAD = re.compile(
    r"^(?:values?|result|score|detail|description|notes?|figure|measured|number|值|数值|结果)?$", re.IGNORECASE
)
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,3})?$")
_KEY_HEAD = re.compile(
    r"^(?:metrics?|settings?|parameters?|param|property|item|field|key|attribute|name|hyper-?parameters?"
    r"|quantity|statistic|measure|spec\w*|指标|参数|项目)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table ready to be read: one Meaning per column, body rows, and which columns are keys (labels, methods, settings)."""

    columns: tuple[Meaning, ...]
    rows: tuple[tuple[Text, ...], ...]
    keys: tuple[int, ...]
    noted: tuple[Mapping[str, Scalar], ...] = ()
    """What footnotes bind to each body row."""

    @property
    def pairs(self) -> bool:
        """Whether the table is a list of names and values (two columns, no heads that mean anything else)."""
        heads = [c.text.strip(" :*") for c in self.columns]
        return len(heads) == 2 and bool(_KEY_HEAD.match(heads[0])) and bool(_VALUE_HEAD.match(heads[1]))


def empty(text: str) -> bool:
    """Whether a cell holds no value: blank, a dash, n/a."""
    return bool(_EMPTY.match(text.strip()))


def numeric(text: str) -> bool:
    """Whether a cell is mainly a figure."""
    found = figures(mask(text, find(text)))
    return (
        bool(found)
        and sum(f.end - f.start for f in found) * 3 >= len(text.strip())
        and not re.match(r"[^\W\d]{3}", text.strip())
    )


def grid_of(source: Noted, identity: Identity) -> Grid:
    """Return the table made regular: heads merged, blanks filled, key columns found and their roles settled."""
    table = source.table
    heads, body = _heads(table)
    columns = tuple(_column([row[x].plain for row in heads]) for x in range(len(table.rows[0]) if table.rows else 0))
    keys = tuple(x for x, column in enumerate(columns) if _is_key(x, column, body))
    columns = tuple(
        _with_role(c, [row[x].plain for row in body], identity) if x in keys else c for x, c in enumerate(columns)
    )
    columns = tuple(_targets_beside_methods(columns, keys, body, identity))
    columns = _crossed(columns, body)
    columns = tuple(replace(c, conditions={**c.conditions, **source.columns.get(x, {})}) for x, c in enumerate(columns))
    noted = tuple(source.rows.get(y, {}) for y in range(len(table.rows) - len(body), len(table.rows)))
    repeated = [x for x in keys if columns[x].role != "prompts"]
    return Grid(columns, tuple(_filled(body, repeated)), keys, noted)


def _heads(table: Table) -> tuple[list[tuple[Text, ...]], list[tuple[Text, ...]]]:
    """Split head rows from body rows; a second head row may stand in the body, and then blanks repeat their left neighbour."""
    rows = list(table.rows)
    count = min(table.heads, len(rows))
    if 0 < count < len(rows) - 1 and _is_head_row(rows[count]):
        return [_spread(row) for row in rows[:count]] + [rows[count]], rows[count + 1 :]
    return rows[:count], rows[count:]


def _is_head_row(row: Sequence[Text]) -> bool:
    """Whether a body row continues the head: no figures at all, and at least two cells that name a metric, setting or method."""
    texts = [c.plain for c in row if not empty(c.plain)]
    if len(texts) < 2 or any(numeric(t) for t in texts):
        return False
    named = sum(
        bool(m.metric or m.role or m.delta or m.conditions or m.position is not None)
        for m in map(meaning_of, texts[1:] if len(texts) > 2 else texts)
    )
    return named >= 2


def _spread(row: Sequence[Text]) -> tuple[Text, ...]:
    """Let a blank head repeat the one to its left, except at the start."""
    out: list[Text] = []
    for cell in row:
        out.append(out[-1] if out and not cell.plain.strip() and len(out) > 1 else cell)
    return tuple(out)


def _column(heads: Sequence[str]) -> Meaning:
    meaning = Meaning()
    for text in dict.fromkeys(h for h in heads if h.strip()):
        meaning = merge(meaning, meaning_of(text)) if meaning.text else meaning_of(text)
    return meaning


def _is_key(x: int, column: Meaning, body: Sequence[Sequence[Text]]) -> bool:
    """Whether a column labels its rows: its head says so, or its cells are texts."""
    cells = [row[x].plain for row in body if not empty(row[x].plain)]
    figures_in = sum(map(numeric, cells))
    if column.metric or column.delta or column.decoy:
        return x == 0 and figures_in == 0 and bool(cells)
    if column.role and column.role not in ("method", "config", "category"):
        return True
    return figures_in * 2 < len(cells) if cells else x == 0


def _with_role(column: Meaning, cells: Sequence[str], identity: Identity) -> Meaning:
    """Give a key column without a telling head the role that most of its cells suggest."""
    if column.role and column.role not in ("config", "category"):
        return column
    texts = [c for c in cells if not empty(c)]
    meanings = [meaning_of(c) for c in texts]
    votes = {
        "metric": sum(bool(m.metric or m.decoy) for m in meanings),
        "method": sum(subject_of(c, identity) is not None for c in texts) * (not column.role),
    }
    if column.role == "category" and sum(algorithm(c) is not None for c in texts) * 2 > len(texts):
        return replace(column, role="method")
    winner = max(votes, key=lambda k: votes[k])
    if column.role and (votes[winner] * 2 < len(texts) or not any(m.metric for m in meanings)):
        return column
    return replace(column, role=winner if votes[winner] * 2 >= max(len(texts), 1) and votes[winner] else "")


def _targets_beside_methods(
    columns: Sequence[Meaning], keys: Sequence[int], body: Sequence[Sequence[Text]], identity: Identity
) -> Iterator[Meaning]:
    """Of two columns of models, the one without drafters or baselines names the targets ("Model | Method")."""
    axes = [x for x in keys if columns[x].role == "method"]
    drafters = [x for x in axes if any(subject_of(row[x].plain, identity) for row in body)]
    for x, column in enumerate(columns):
        yield replace(column, role="target_model") if x in axes and x not in drafters and drafters else column


def _crossed(columns: tuple[Meaning, ...], body: Sequence[Sequence[Text]]) -> tuple[Meaning, ...]:
    """Let a corner that names a setting head the bare numbers beside it ("Spec tokens | 1 | 2 | 3"), when its own cells are words."""
    corner, *heads = columns or (Meaning(),)
    key = axis(corner.text)
    values = [axis_value(key, c.text) if key and _NUMBER.match(c.text.strip()) else None for c in heads]
    if key is None or len(values) < 2 or None in values or any(numeric(row[0].plain) for row in body):
        return columns
    settled = (
        replace(c, conditions={**c.conditions, key: v}, rest="")
        for c, v in zip(heads, values, strict=True)
        if v is not None
    )
    return (replace(corner, role="metric"), *settled)


def _filled(body: Sequence[tuple[Text, ...]], keys: Sequence[int]) -> list[tuple[Text, ...]]:
    """Fill blank key cells with the ones above them, which they repeat."""
    rows: list[tuple[Text, ...]] = []
    for row in body:
        above = rows[-1] if rows else row
        rows.append(
            tuple(
                _repeat(cell, above[x]) if x in keys and not cell.plain.strip() else cell for x, cell in enumerate(row)
            )
        )
    return rows


def _repeat(cell: Text, above: Text) -> Text:
    return Text(above.plain, cell.line)
