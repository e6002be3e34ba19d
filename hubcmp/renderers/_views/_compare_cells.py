"""Rows of a comparison as table rows: one cell per drafter, then the difference or why there is none."""

from collections.abc import Sequence

from hubcmp import rows as model
from hubcmp.comparison import Comparison
from hubcmp.facts import Fact, Span
from hubcmp.metrics import METRICS
from hubcmp.renderers import _values as values
from hubcmp.renderers._blocks import Cell, Mark, Table
from hubcmp.renderers._views._sources import Notes
from hubcmp.rows import Row
from hubcmp.units import exact


def table(first: str, answer: Comparison, rows: Sequence[tuple[Cell, ...]]) -> Table:
    """Return a table with a column per drafter and one for the difference."""
    head = (first, *(d.ref for d in answer.drafters), "difference")
    return Table(head, tuple(rows), numeric=frozenset(range(1, len(head) - 1)))


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


def row_cells(row: Row, notes: Notes, title: str = "") -> tuple[Cell, ...]:
    """One row of figures: label, one cell per drafter, the difference or why there is none."""
    cells = tuple(figure_cell(cell, notes) for cell in row.cells)
    return (Cell(title or row.title), *cells, _difference(row))


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


def _difference(row: Row) -> Cell:
    if len(row.cells) != 2:
        return Cell(_spread(row))
    delta, first = row.deltas[1] if row.deltas else None, row.cells[0].fact
    if delta is None or first is None:
        return Cell("one side only" if not row.shared else "not comparable", "unknown")
    return Cell(values.difference(row.metric, delta, first.number))


def _spread(row: Row) -> str:
    """Name the difference of each further drafter to the first one."""
    first = row.cells[0].fact
    parts = [
        "n/a" if delta is None or first is None else values.difference(row.metric, delta, first.number)
        for delta in row.deltas[1:]
    ]
    return "; ".join(parts)


def exact_cells(row: Row, notes: Notes) -> tuple[Cell, ...]:
    """A row of counts, written out in full."""
    cells = [figure_cell(cell, notes) for cell in row.cells]
    full = [
        Cell(exact(c.fact.number), cell.mark, cell.note, cell.refs)
        if c.fact is not None and not c.fact.approx
        else cell
        for c, cell in zip(row.cells, cells, strict=True)
    ]
    delta = row.deltas[1] if len(row.deltas) == 2 else None
    return (Cell(row.title), *full, _difference(row) if delta is None else Cell(f"{delta:+,.0f}"))
