"""Claims of a table: each value cell gets its meaning from its column head, its row's key cells and the table's context."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hubcmp.facts import Scalar
from hubcmp.labels import known
from hubcmp.readers.card.cells import Part, parts, shared_stem, split_head
from hubcmp.readers.card.claims import CALLED_A_RATE, DRAFT_KEYS, MEASURED, UNNAMED, Claim, bind
from hubcmp.readers.card.grid import Grid, empty
from hubcmp.readers.card.meaning import Meaning, meaning_of
from hubcmp.readers.card.reach import Context
from hubcmp.readers.card.rows import Row
from hubcmp.readers.card.settings import find
from hubcmp.readers.card.subjects import BASELINE, SELF, Identity, subject_of
from hubcmp.readers.card.text import Text
from hubcmp.readers.card.values import metric_for, value_of
from hubcmp.readers.card.whose import column_settings, column_subjects, read_rows

_POSITIONS = re.compile(r"\b(?:positions|hops|pos)\b", re.IGNORECASE)
_RATIO = re.compile(r"(?:ratio|factor|change|gain)$", re.IGNORECASE)
_QUANTITY = re.compile(r"[\d.,]+\s?[kKM]?(?:\s?tokens)?")
_SPEED = ("throughput_tok_s", "speedup")
MAX_CELL = 1000
"""Characters of a cell that are read."""


def claims_of_table(grid: Grid, context: Context, identity: Identity, block: int) -> Iterator[Claim]:
    """Yield the measured claims of a table."""
    reader = _Reader(grid, context, identity, block)
    for y in range(len(grid.rows)):
        yield from reader.row(y)


class _Reader:
    """Reads the cells of one table with the subjects of its columns and rows settled beforehand."""

    def __init__(self, grid: Grid, context: Context, identity: Identity, block: int) -> None:
        self._grid, self._context, self._identity, self._block = grid, context, identity, block
        self._values = [x for x in range(len(grid.columns)) if x not in grid.keys]
        self._subjects = column_subjects(grid, self._values, identity)
        self._rows = read_rows(grid, identity)
        self._names_sets = any(known(grid.columns[x].rest) for x in self._values)
        self._told = column_settings(grid, self._values)
        self._unnamed = None if self._caption() else self._looks_like_lengths()
        self._first = 1 - min([c.position for c in grid.columns if c.position is not None], default=1)
        own = [grid.columns[x].conditions for x in self._values if self._subjects[x] == SELF]
        self._drafting = {k: v for c in own for k, v in c.items() if k in DRAFT_KEYS}

    def row(self, y: int) -> Iterator[Claim]:
        """Yield the claims of one body row."""
        row = self._rows[y]
        for x in self._values:
            cell = self._grid.rows[y][x].part(0, MAX_CELL)
            if not empty(cell.plain):
                for claim in self._cell(cell, x, row):
                    yield self._without_draft_keys(claim)

    def _cell(self, cell: Text, x: int, row: Row) -> Iterator[Claim]:
        """Yield the claims of one cell."""
        column = self._grid.columns[x]
        if (column.decoy and not column.metric) or (row.meaning.decoy and not row.meaning.metric):
            return
        if _RATIO.match(column.text.strip()) and x and self._grid.columns[x - 1].decoy:
            return  # a ratio of latencies
        metric = self._metric(column, row)
        if column.delta:
            metric = self._delta(column, metric)
        if metric is None or (metric in _SPEED and self._context.place == "training"):
            return
        found = list(parts(cell.plain))
        for part in found:
            if part.kind == "slash" and part.place and self._is_scale(found, column, row):
                continue
            claim = self._claim(part, cell, x, row, metric)
            if claim:
                yield claim

    def _metric(self, column: Meaning, row: Row) -> str | None:
        """Return the metric of a cell: named by its column, else its row, else the nearest caption that names one."""
        own = column.metric or row.meaning.metric or ("accept_rate" if _POSITIONS.search(column.text) else None)
        if own or column.delta:
            return own or self._caption() or self._beside(column)
        return None if column.decoy else self._caption() or self._unnamed

    def _beside(self, column: Meaning) -> str | None:
        """Return the metric that a difference column relates: of the column before it, else the only one of all, else by unit."""
        x = self._grid.columns.index(column)
        if x and (before := self._grid.columns[x - 1]).metric and not before.delta:
            return before.metric
        named = {c.metric for c in self._grid.columns if c.metric and not c.delta}
        cells = (row[x].plain for row in self._grid.rows for x in self._values if not self._grid.columns[x].delta)
        if not named and any(p.figure.form == "rate" for cell in cells for p in parts(cell[:MAX_CELL])):
            return "throughput_tok_s"
        return named.pop() if len(named) == 1 else None

    def _looks_like_lengths(self) -> str | None:
        """A table of methods that names no metric anywhere holds accept lengths when all its bare figures look like them."""
        methods = set(self._subjects.values()) | {r.subject for r in self._rows}
        if SELF not in methods or any(c.metric or c.decoy for c in self._grid.columns):
            return None
        found = [
            p.figure
            for row, read in zip(self._grid.rows, self._rows, strict=True)
            for x in self._values
            if not self._grid.columns[x].delta and not (read.meaning.metric or read.meaning.decoy)
            for p in parts(row[x].plain)
        ]
        bare = [f for f in found if f.form == "plain"]
        return (
            "accept_length"
            if bare and all(1 <= f.value <= 12 for f in bare) and sum("." in f.raw for f in bare) * 2 > len(bare)
            else None
        )

    def _caption(self) -> str | None:
        for caption in self._context.captions:
            named = next((m for m in caption.metrics if m in MEASURED), None)
            if named or caption.decoy:
                return named  # a caption about accuracy or latency is about nothing else
        return None

    def _delta(self, column: Meaning, metric: str | None) -> str | None:
        """A difference column states the speedup when the table sets plain decoding against this drafter in throughput."""
        pieces = {subject_of(p, self._identity) for x in self._values for p in split_head(self._grid.columns[x].text)}
        subjects = set(self._subjects.values()) | {r.subject for r in self._rows} | pieces
        others = {s for s in subjects if s and s.startswith("other:")}
        fits = BASELINE in subjects and not others and metric in ("throughput_tok_s", "speedup")
        return "speedup" if fits else None

    def _claim(self, part: Part, cell: Text, x: int, row: Row, metric: str) -> Claim | None:
        column = self._grid.columns[x]
        figure = part.figure
        head = self._alternative(column.text, part)
        named = meaning_of(head) if head else column
        metric = (
            (self._aside(column, figure.form) if part.aside else named.metric) or self._by_caption(part, row) or metric
        )
        fitting = metric_for(figure, metric, column.percent)
        change = figure.signed and figure.form == "plain"
        if (
            fitting is None
            or change
            or fitting not in MEASURED
            or (column.delta and figure.form not in ("percent", "times"))
        ):
            return None
        value = value_of(figure, fitting, column.percent and fitting == metric)
        if value is None or (part.aside and figure.form == "percent" and not figure.signed and fitting == "speedup"):
            return None
        label, dataset = self._label(column, row, part, head)
        conditions = bind(
            self._context.conditions, self._told.get(x, {}), row.conditions, column.conditions, settings_in(cell.plain)
        )
        conditions |= self._alternatives(part)
        if dataset:
            conditions.setdefault("dataset", dataset)
        if fitting == "speedup":
            conditions = {**self._drafting, **conditions}
        stat = figure.stat or ("per user" if fitting == "throughput_tok_s" and column.per_user else None)
        inferred = CALLED_A_RATE if (metric, fitting) == ("accept_rate", "accept_length") else ""
        inferred = inferred or (UNNAMED if self._unnamed and not (column.metric or row.meaning.metric) else "")
        return Claim(fitting, value, figure.raw, cell.line, self._block, label, self._subject(x, row, part, head), conditions, {},
                     self._position(column, row, part, fitting), stat, figure.approx, inferred)  # fmt: skip

    def _by_caption(self, part: Part, row: Row) -> str | None:
        """Return the metric of one of two alternatives that only the caption names ("each cell is length / throughput")."""
        told = next((c.metrics for c in self._context.captions if c.metrics), ())
        return (
            told[part.place] if part.kind == "slash" and 1 < part.of == len(told) and not row.meaning.metric else None
        )

    def _alternatives(self, part: Part) -> dict[str, Scalar]:
        """Return the setting of one of several alternatives that the caption tells apart ("temperature 0 / temperature 1")."""
        if part.of < 2 or part.kind != "slash":
            return {}
        for caption in self._context.captions:
            by_key: dict[str, list[Scalar]] = {}
            for setting in find(caption.text) if "/" in caption.text else ():
                by_key.setdefault(setting.key, []).append(setting.value)
            if told := {
                k: v[part.place] for k, v in by_key.items() if k and len(v) == part.of and len(set(map(str, v))) > 1
            }:
                return told
        return {}

    def _aside(self, column: Meaning, form: str) -> str | None:
        """A bracket's figure belongs to the second metric of the head ("tok/s (speedup)") when it has no unit of its own."""
        return column.metrics[1] if form == "plain" and len(column.metrics) > 1 else None

    def _alternative(self, head: str, part: Part) -> str:
        """Return the piece of the head that belongs to this alternative, or "" when the head does not split the same way."""
        if part.of < 2:
            return ""
        pieces = split_head(head)
        return pieces[part.place] if len(pieces) == part.of else ""

    def _subject(self, x: int, row: Row, part: Part, head: str) -> str | None:
        if head and (subject := subject_of(head, self._identity)):
            return subject
        if part.kind == "arrow" and part.of == 2 and part.place == 0:
            return BASELINE
        column = self._subjects[x]
        if column == BASELINE and self._grid.columns[x].metric == "speedup":
            column = None  # "speedup over baseline"
        if row.subject and row.subject != SELF and column in (None, SELF):
            return row.subject
        return column or row.subject

    def _label(self, column: Meaning, row: Row, part: Part, head: str) -> tuple[str | None, str | None]:
        """Return the label and, when that is a category of a named set, the set."""
        label, dataset = row.label or row.category, None
        if row.category and not row.label:
            return label, (column.rest if known(column.rest) else self._context.label)
        if part.of > 1 and len(split_head(column.text)) == part.of and self._column_label(column) and not column.metric:
            return shared_stem(split_head(column.rest))[part.place], None
        if self._subjects.get(self._values[0]) is None or label is None:
            own = column.rest if self._column_label(column) else None
            label = own if own and (label is None or known(own)) else label
        if (
            label is not None
            and part.of > 1
            and not head
            and part.kind == "slash"
            and len(pieces := split_head(label)) == part.of
        ):
            label = shared_stem(pieces)[part.place]
        return label or self._context.label, dataset

    def _column_label(self, column: Meaning) -> bool:
        """Whether what is left of a column's head is the name of a set: no method, no position, no plain word for a value."""
        x = self._grid.columns.index(column)
        if any(subject_of(p, self._identity) for p in split_head(column.text)) or _QUANTITY.fullmatch(column.rest):
            return False
        return (
            self._subjects.get(x) is None
            and column.position is None
            and not column.delta
            and not column.role
            and bool(column.rest)
            and (known(column.rest) or self._names_sets or (not column.metric and not column.conditions))
        )

    def _position(self, column: Meaning, row: Row, part: Part, metric: str) -> int | None:
        if metric != "accept_rate":
            return None
        if part.kind == "list" or (part.kind == "slash" and part.of > 2):
            return part.place + 1
        if column.position is not None:
            return column.position + self._first
        return row.position

    def _is_scale(self, found: Sequence[Part], column: Meaning, row: Row) -> bool:
        """Whether the second of two alternatives is the scale's maximum ("4.704 / 8") rather than another value."""
        second = found[1].figure
        splits = len(split_head(column.text)) > 1 or bool(row.label and len(split_head(row.label)) > 1)
        return len(found) == 2 and not splits and second.raw.isdigit() and second.value > found[0].figure.value

    def _without_draft_keys(self, claim: Claim) -> Claim:
        if claim.subject != BASELINE:
            return claim
        return replace(claim, conditions={k: v for k, v in claim.conditions.items() if k not in DRAFT_KEYS})


def settings_in(text: str) -> dict[str, Scalar]:
    """Return the settings that a cell itself gives."""
    return dict(meaning_of(text).conditions)
