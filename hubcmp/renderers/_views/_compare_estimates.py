"""What follows from the figures: estimates with their intervals, what they assume, and the what-if over both levers."""

from collections.abc import Iterable, Iterator

from hubcmp.comparison import Comparison
from hubcmp.costs import Levers
from hubcmp.estimates import Estimate
from hubcmp.renderers._blocks import Block, Bullets, Cell, Fold, Table
from hubcmp.renderers._views._sources import Notes


def estimates(answer: Comparison, notes: Notes) -> Iterator[Block]:
    """Everything derived, each with its interval, how it was computed and what it assumes."""
    if answer.estimates:
        rows = tuple(_estimate_row(e, notes) for e in answer.estimates)
        yield Table(("drafter", "what", "value", "interval", "how"), rows, numeric=frozenset({2}))
        yield Fold("What the estimates assume", (Bullets(tuple(_assumptions(answer.estimates))),), shed=3)
    for table in answer.levers:
        yield _levers(table)
    yield Bullets(tuple(Cell(u.reason, "unknown") for u in answer.refused))


def _estimate_row(e: Estimate, notes: Notes) -> tuple[Cell, ...]:
    sure = e.span.exact
    text = f"{e.value:.2f}" if e.metric != "throughput_tok_s" else f"{e.value:.1f} tok/s"
    digits = 1 if e.metric == "throughput_tok_s" else 2
    interval = "arithmetic" if sure else f"{e.span.low:.{digits}f} to {e.span.high:.{digits}f}"
    label = f" ({e.label})" if e.label and e.label not in e.title else ""
    return (
        Cell(e.ref),
        Cell(f"{e.title}{label}"),
        Cell(text, "value" if sure else "estimated", refs=notes.of(e.inputs)),
        Cell(interval),
        Cell(e.method),
    )


def _assumptions(found: Iterable[Estimate]) -> Iterator[Cell]:
    texts = dict.fromkeys((e.ref, text) for e in found for text in e.assumptions)
    yield from (Cell(f"{ref}: {text}") for ref, text in texts)


def _levers(table: Levers) -> Table:
    head = ("accept length", *(f"cycle cost {cost:.2f} ({title})" for title, cost in table.costs))
    rows = tuple(
        (
            Cell(f"{length:.2f}", note=title),
            *(Cell(f"{speed:.1f} tok/s", note=f"{speed / table.plain - 1:+.0%}") for speed in speeds),
        )
        for (title, length), speeds in zip(table.lengths, table.cells, strict=True)
    )
    caption = (
        f"What-if for {table.ref} at draft depth {table.depth}, plain decoding {table.plain:.1f} tok/s "
        "(only at this depth and batch):"
    )
    return Table(head, rows, caption, frozenset(range(1, len(head))))
