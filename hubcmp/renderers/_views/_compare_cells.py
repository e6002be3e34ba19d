"""Rows of a comparison as table rows: one cell per drafter, then the difference or why there is none."""

from collections.abc import Sequence
from dataclasses import replace

from hubcmp import rows as model
from hubcmp.comparison import Comparison
from hubcmp.facts import Fact, Span
from hubcmp.metrics import METRICS
from hubcmp.renderers import _values as values
from hubcmp.renderers._blocks import Cell, Mark, Table
from hubcmp.renderers._views._grid import Line, grid
from hubcmp.renderers._views._sources import Notes
from hubcmp.rows import Row
from hubcmp.units import exact


def refs(answer: Comparison) -> list[str]:
    """Return the drafters' names, as every table heads its columns."""
    return [drafter.ref for drafter in answer.drafters]


def table(first: str, answer: Comparison, lines: Sequence[Line]) -> Table:
    """Return a table of figures over all drafters, with the difference to the first."""
    return grid(first, refs(answer), lines, numeric=True)


def many(facts: Sequence[Fact], notes: Notes) -> Cell:
    """Return several figures of one metric in one cell: least to most with their number, never a mean."""
    figures = [f for f in facts if isinstance(f.value, Span)]
    if not figures:
        return Cell("not stated", "unknown")
    if len(figures) == 1:
        return Cell(values.written(figures[0]), note=figures[0].label or "benchmark not stated", refs=notes.of(figures))
    low, high = min(figures, key=lambda f: f.number), max(figures, key=lambda f: f.number)
    labels = {f.label for f in figures if f.label}
    note = f"{len(labels)} benchmarks" if labels else "benchmark not stated"
    return Cell(f"{values.written(low)} to {values.written(high)}", note=note, refs=notes.of(figures))


def figure_line(row: Row, notes: Notes, title: str = "") -> Line:
    """One row of figures: label, one cell per drafter, the difference or why there is none."""
    cells = tuple(figure_cell(cell, notes) for cell in row.cells)
    return Line(Cell(title or row.title), cells, _differences(row))


def figure_cell(cell: model.Cell, notes: Notes) -> Cell:
    """Return one side of a row; a figure that is not there shows its state and reason."""
    if cell.fact is None:
        return Cell(cell.state, "unknown", cell.reason.partition(";")[0] if cell.state == "not checked" else "")
    mark: Mark = "estimated" if cell.state == "estimated" else "value"
    text = values.written(cell.fact)
    others = dict.fromkeys(f"{values.written(r)} {r.evidence.word}" for r in cell.rivals if values.written(r) != text)
    also = f"{'conflict: ' if cell.state == 'conflict' else ''}also {', '.join(others)}" if others else ""
    note = "; ".join(part for part in (_bound(cell.fact), also) if part)
    return Cell(text, mark, note, notes.of([cell.fact, *cell.rivals]))


def _bound(fact: Fact) -> str:
    """Name what is bound to a figure: settings of a measurement, the data set of a count of samples."""
    if fact.metric in METRICS and METRICS[fact.metric].decisive:
        return values.settings(fact)
    return str(fact.conditions.get("dataset", ""))


def _differences(row: Row) -> tuple[Cell, ...]:
    return tuple(Cell("") if i == 0 else _difference(row, i) for i in range(len(row.cells)))


def _difference(row: Row, i: int) -> Cell:
    """Return drafter i's difference to the first one, or that there is none."""
    delta, first = row.deltas[i] if row.deltas else None, row.cells[0].fact
    if delta is None or first is None:
        missing = first is None or row.cells[i].fact is None
        return Cell("one side only" if missing else "not comparable", "unknown")
    span = row.intervals[i] if row.intervals else None
    text = values.difference(row.metric, delta, first.number)
    if span is None:
        return Cell(text)
    told = f"95 % interval {span.low:+.2f} to {span.high:+.2f}"
    return (
        Cell(f"~ {text}", note=f"{told}: no difference shown") if span.low <= 0 <= span.high else Cell(text, note=told)
    )


def exact_line(row: Row, notes: Notes) -> Line:
    """A row of counts, written out in full."""
    cells = tuple(_in_full(cell, figure_cell(cell, notes)) for cell in row.cells)
    whole = [
        Cell(f"{d:+,.0f}") if d is not None and i else c
        for i, (d, c) in enumerate(zip(row.deltas, _differences(row), strict=True))
    ]
    return Line(Cell(row.title), cells, tuple(whole))


def _in_full(cell: model.Cell, shown: Cell) -> Cell:
    if cell.fact is None or cell.fact.approx:
        return shown
    return replace(shown, text=exact(cell.fact.number))
