"""How `hubcmp depth` is laid out."""

from hubcmp.answers import DepthAnswer, Depths
from hubcmp.renderers._blocks import Cell, Mark, Paragraph, Report, Section, Table, View

SCHEMA = 1
HOW = {
    "exact": "the depth is the same; nothing was converted",
    "interpolated": "interpolated between two measured depths of one drafter (mean miss 0.5 % on public measurements)",
    "estimated": "estimated: conditional acceptance falls by 3 % per position; about 90 % of public pairs lie in the interval; "
    "only for a chain (topk 1) of an autoregressive drafter",
}


def view(answer: Depths) -> View:
    """Lay the depths out, one object per answer."""
    return View([_data(item) for item in answer.items], lambda: _report(answer))


def _data(item: DepthAnswer) -> dict[str, object]:
    e = item.estimate
    given = [{"accept_length": length, "depth": depth} for length, depth in item.given]
    return {
        "schema_version": SCHEMA,
        "given": given[0]["accept_length"] if len(given) == 1 else given,
        "depth": given[0]["depth"] if len(given) == 1 else [g["depth"] for g in given],
        "to": item.to,
        "accept_length": e.value,
        "low": e.interval.low,
        "high": e.interval.high,
        "bounds": [e.bounds.low, e.bounds.high],
        "method": e.method,
    }


def _report(answer: Depths) -> Report:
    rows = tuple(_row(item) for item in answer.items)
    head = ("given", "at draft depth", "accept length", "interval", "hard bounds")
    notes = tuple(Paragraph(HOW[method]) for method in dict.fromkeys(item.estimate.method for item in answer.items))
    return Report("Accept length at another draft depth", (Section("Depth", (Table(head, rows), *notes)),))


def _row(item: DepthAnswer) -> tuple[Cell, ...]:
    e = item.estimate
    given = ", ".join(f"{length:.2f} at depth {depth}" for length, depth in item.given)
    texts = (f"{e.interval.low:.2f} to {e.interval.high:.2f}", f"{e.bounds.low:.2f} to {e.bounds.high:.2f}")
    mark: Mark = "value" if e.method == "exact" else "estimated"
    return (Cell(given), Cell(str(item.to)), Cell(f"{e.value:.2f}", mark), *(Cell(text) for text in texts))
