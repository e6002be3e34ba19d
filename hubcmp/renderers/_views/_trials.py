"""How the sources of `hubcmp bench` are set against the first and against plain decoding."""

from collections.abc import Iterator

from hubcmp.answers import Benchmarks
from hubcmp.estimates import Estimate
from hubcmp.renderers._blocks import Block, Bullets, Cell, Mark, Section, Table
from hubcmp.trials import Difference, Speed, Trial

_HEAD = ("source", "what", "metric", "first", "this", "difference", "95 % interval", "units", "reading")
_NAMES = {
    "accept_length": ("accept length", "{:.3f}", "{:+.3f}"),
    "draft_acceptance_rate": ("accepted / drafted", "{:.1%}", "{:+.1%}"),
    "throughput_tok_s": ("tok/s", "{:,.1f}", "{:+,.1f}"),
}
_CAPTION = "difference to the first source; the interval is a bootstrap over requests or log windows, and ~ means that it includes zero"


def rounded(value: object) -> object:
    """Cut figures to six decimals: no source measures finer, and two machines then print the same."""
    if isinstance(value, tuple):
        return [rounded(item) for item in value]
    return round(value, 6) if isinstance(value, float) else value


def trial_data(trial: Trial) -> dict[str, object]:
    """Return a trial for JSON."""
    differences = [_difference_data(d) for d in trial.differences]
    return {"first": trial.first, "what": trial.what, "differences": differences, "refused": list(trial.refused)}


def _difference_data(found: Difference) -> dict[str, object]:
    span = found.interval
    return {
        "metric": found.metric,
        "first": rounded(found.first),
        "second": rounded(found.second),
        "change": rounded(found.change),
        "low": rounded(span.low) if span else None,
        "high": rounded(span.high) if span else None,
        "shown": found.shown,
        "units": list(found.units),
        "depth": found.depth,
        "estimated": found.estimated,
        "note": found.note,
    }


def speed_data(speed: Speed) -> dict[str, object]:
    """Return a run beside plain decoding for JSON."""
    known = isinstance(speed.cost, Estimate)
    cost = rounded(speed.cost.value) if isinstance(speed.cost, Estimate) else None
    return {
        "what": speed.what,
        "speedup": rounded(speed.speedup) if known else None,
        "cycle_cost": cost,
        "why": _why(speed),
    }


def _why(speed: Speed) -> str:
    return "; ".join(speed.cost.assumptions) if isinstance(speed.cost, Estimate) else speed.cost.reason


def compared(answer: Benchmarks) -> Iterator[Section]:
    """Yield the sections that set sources against the first and against plain decoding."""
    blocks = tuple(_against_first(answer))
    if blocks:
        yield Section(f"Against {answer.items[0].text}", blocks)
    if answer.speeds:
        rows = tuple(_speed_row(speed) for speed in answer.speeds)
        head = ("source", "what", "speedup", "cycle cost = break-even accept length", "why")
        yield Section("Against plain decoding", (Table(head, rows, numeric=frozenset({2, 3})),))


def _against_first(answer: Benchmarks) -> Iterator[Block]:
    rows = tuple(_row(trial, found) for trial in answer.trials for found in trial.differences)
    if rows:
        yield Table(_HEAD, rows, caption=_CAPTION, numeric=frozenset(range(3, 8)))
    told = [
        f"{t.text}: {why}" for t in answer.trials for why in (*t.refused, *(d.note for d in t.differences if d.note))
    ]
    paired = {trial.text for trial in answer.trials}
    told += [
        f"{item.text}: no run of the same data and batch size as one of the first source; nothing is subtracted"
        for item in answer.items[1:]
        if item.runs and item.text not in paired
    ]
    if told:
        yield Bullets(tuple(Cell(line) for line in dict.fromkeys(told)))


def _row(trial: Trial, found: Difference) -> tuple[Cell, ...]:
    name, style, change = _NAMES[found.metric]
    mark: Mark = "estimated" if found.estimated else "value"
    span = found.interval
    return (
        Cell(trial.text),
        Cell(trial.what),
        Cell(f"{name} at depth {found.depth}" if found.depth else name),
        Cell(style.format(found.first), mark),
        Cell(style.format(found.second), mark),
        Cell(change.format(found.change), mark),
        Cell(f"{change.format(span.low)} to {change.format(span.high)}" if span else "none"),
        Cell("{:,} / {:,}".format(*found.units) if any(found.units) else "none"),
        Cell(_reading(found)),
    )


def _reading(found: Difference) -> str:
    """Say in a word what the interval shows."""
    if found.shown is None:
        return "not tested"
    return ("higher" if found.change > 0 else "lower") if found.shown else "~"


def _speed_row(speed: Speed) -> tuple[Cell, ...]:
    cost = speed.cost
    return (
        Cell(speed.text),
        Cell(speed.what),
        Cell(f"{speed.speedup:.2f}x" if speed.speedup else "not derivable", "value" if speed.speedup else "unknown"),
        Cell(
            f"{cost.value:.3f}" if isinstance(cost, Estimate) else "not derivable",
            "value" if isinstance(cost, Estimate) else "unknown",
        ),
        Cell(_why(speed)),
    )
