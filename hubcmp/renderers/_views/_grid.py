"""One thing over all drafters as a table: a column per drafter while they are few, a list per row when they are many."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hubcmp.renderers._blocks import Cell, Table

WIDE = 4
"""Drafters that fit side by side; more are listed below one another."""


@dataclass(frozen=True, slots=True)
class Line:
    """One row: its title, one cell per drafter, each one's difference to the first (empty: none shown), what follows them."""

    title: Cell
    cells: tuple[Cell, ...]
    differences: tuple[Cell, ...] = ()
    after: tuple[Cell, ...] = ()


def grid(
    first: str, refs: Sequence[str], lines: Sequence[Line], after: Sequence[str] = (), numeric: bool = False
) -> Table:
    """Return the table of these lines; `first` heads the titles, `after` the columns behind the drafters."""
    if len(refs) > WIDE:
        return _long(first, refs, lines, after, numeric)
    two = len(refs) == 2 and any(line.differences for line in lines)
    head = (first, *refs, *(("difference",) if two else ()), *after)
    rows = tuple(_wide(line, two) for line in lines)
    return Table(head, rows, numeric=frozenset(range(1, len(refs) + 1)) if numeric else frozenset())


def _wide(line: Line, two: bool) -> tuple[Cell, ...]:
    if two:
        return (line.title, *line.cells, line.differences[-1] if line.differences else Cell(""), *line.after)
    pairs = zip(line.cells, line.differences or (Cell(""),) * len(line.cells), strict=True)
    return (line.title, *(_with(cell, difference) for cell, difference in pairs), *line.after)


def _with(cell: Cell, difference: Cell) -> Cell:
    """Put a difference into the remark of its figure."""
    shown = f"{difference.text}, {difference.note}" if difference.note else difference.text
    text = shown if difference.mark != "unknown" else ""
    return replace(cell, note="; ".join(part for part in (cell.note, text) if part))


def _long(first: str, refs: Sequence[str], lines: Sequence[Line], after: Sequence[str], numeric: bool) -> Table:
    """One row per title and group of drafters that share the same cell; what follows stands in the first of them."""
    compared = any(line.differences for line in lines)
    head = (first, "drafters", "value", *(("against the first",) if compared else ()), *after)
    rows = tuple(row for line in lines for row in _listed(line, refs, compared))
    return Table(head, rows, numeric=frozenset({2}) if numeric else frozenset())


def _listed(line: Line, refs: Sequence[str], compared: bool) -> list[tuple[Cell, ...]]:
    differences = line.differences or (Cell(""),) * len(refs)
    groups: dict[tuple[str, str, str], list[int]] = {}
    for i, cell in enumerate(line.cells):
        groups.setdefault((cell.text, cell.note, differences[i].text), []).append(i)
    rows = []
    for order, members in enumerate(groups.values()):
        shown = replace(line.cells[members[0]], refs=tuple(sorted({r for i in members for r in line.cells[i].refs})))
        behind = line.after if order == 0 else tuple(Cell("") for _ in line.after)
        between = (differences[members[0]],) if compared else ()
        rows.append((line.title, Cell(", ".join(refs[i] for i in members)), shown, *between, *behind))
    return rows
