"""How the sources of `hubcmp bench` are set against the first and against plain decoding."""

from collections.abc import Callable, Iterator

from hubcmp.answers import Benchmarks
from hubcmp.estimates import Estimate
from hubcmp.renderers._blocks import Block, Bullets, Cell, Mark, Section, Table
from hubcmp.trials import Difference, Speed, Trial, unpaired

_NAMES = {
    "accept_length": ("accept length", "{:.3f}", "{:+.3f}"),
    "draft_acceptance_rate": ("accepted / drafted", "{:.1%}", "{:+.1%}"),
    "throughput_tok_s": ("tok/s", "{:,.1f}", "{:+,.1f}"),
}
_CAPTION = (
    "95 % intervals by bootstrap over requests or log windows (units: first, then this); ~ when they include zero"
)
MOVED = 0.02
"""Change of a throughput from which it speaks against a longer accept length."""
MOST_SENTENCES = 12
Short = Callable[[str], str]
"""Shortens a source's name."""


def rounded(value: object) -> object:
    """Cut figures to six decimals: no source measures finer, and two machines then print the same."""
    if isinstance(value, tuple):
        return [rounded(item) for item in value]
    return round(value, 6) if isinstance(value, float) else value


def trial_data(trial: Trial) -> dict[str, object]:
    """Return a trial for JSON."""
    return {
        "sentence": sentence(trial),
        "first": trial.first,
        "second": trial.second,
        "what": trial.what,
        "differences": [_difference_data(d) for d in trial.differences],
        "refused": list(trial.refused),
        "apart": list(trial.apart),
    }


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


def sentence(trial: Trial, short: Short = str) -> str:
    """Return a trial in one sentence: length and speed beside each other, so that neither is read alone."""
    length, speed = trial.difference("accept_length"), trial.difference("throughput_tok_s")
    parts = (
        [_length_words(length)]
        if length
        else [trial.refused[0]]
        if trial.refused
        else ["no accept length on both sides"]
    )
    if speed:
        share = f" ({speed.change / speed.first:+.1%})" if speed.first else ""
        parts.append(f"throughput from {speed.first:,.1f} to {speed.second:,.1f} tok/s{share}")
    where = f" on {trial.what}" if trial.what else ""
    return f"{short(trial.second)} against {short(trial.first)}{where}: {', '.join(parts)}{_contrast(length, speed)}"


def _length_words(found: Difference) -> str:
    sides = f"{found.first:.2f} to {found.second:.2f}"
    where = f" at depth {found.depth}{' (estimated)' if found.estimated else ''}" if found.depth else ""
    span = found.interval
    if span is None:
        return f"accept length{where} from {sides} ({found.change:+.2f}, not tested)"
    told = f"({found.change:+.2f}, 95 % interval {span.low:+.2f} to {span.high:+.2f})"
    return f"accept length{where} from {sides} {told}" + ("" if found.shown else ", which shows no difference")


def _contrast(length: Difference | None, speed: Difference | None) -> str:
    """Say so where length and speed point in opposite directions."""
    if not length or not speed or length.shown is False or abs(speed.change) < MOVED * speed.first:
        return ""
    if length.change > 0 > speed.change:
        return "; it accepts longer runs and is slower"
    return "; it accepts shorter runs and is faster" if length.change < 0 < speed.change else ""


def in_short(answer: Benchmarks, short: Short) -> Iterator[Section]:
    """Yield the section that answers first: each trial in a sentence."""
    lines = [sentence(trial, short) for trial in answer.trials]
    if lines:
        more = [f"and {len(lines) - MOST_SENTENCES} more below"] if len(lines) > MOST_SENTENCES else []
        yield Section("", (Bullets(tuple(map(Cell, (*lines[:MOST_SENTENCES], *more)))),), keep=True)


def compared(answer: Benchmarks, short: Short) -> Iterator[Section]:
    """Yield the sections that set sources against the first and against plain decoding."""
    blocks = tuple(_against_first(answer, short))
    if blocks:
        yield Section(_heading(answer, short), blocks)
    if answer.speeds:
        rows = tuple(_speed_row(speed, short) for speed in answer.speeds)
        head = ("source", "what", "speedup", "cycle cost = break-even accept length", "why")
        yield Section("Against plain decoding", (Table(head, rows, "", frozenset({2, 3}), True).without_empty(),))


def _heading(answer: Benchmarks, short: Short) -> str:
    """Name what is compared: both sides when there are two, otherwise the first."""
    firsts, seconds = ({getattr(trial, name) for trial in answer.trials} for name in ("first", "second"))
    first = short(firsts.pop()) if len(firsts) == 1 else "the first source"
    return f"{short(seconds.pop())} against {first}" if len(seconds) == 1 else f"Against {first}"


def _against_first(answer: Benchmarks, short: Short) -> Iterator[Block]:
    several = len({trial.second for trial in answer.trials}) > 1
    shown = short if several else lambda _: ""
    rows = tuple(_row(trial, found, shown) for trial in answer.trials for found in trial.differences)
    head = ("source", "what", "metric", "first", "this", "difference", "95 % interval", "units")
    if rows:
        yield Table(head, rows, _CAPTION, frozenset(range(3, 8)), True).without_empty()
    told = [(f"{short(t.second)}: " if several else "") + why for t in answer.trials for why in _notes(t)]
    told += [
        f"{short(name)}: no run of the same data and settings as one of the first source; nothing is subtracted"
        for name in unpaired(answer.items, answer.trials)
    ]
    if told:
        yield Bullets(tuple(Cell(line) for line in dict.fromkeys(told)))


def _notes(trial: Trial) -> Iterator[str]:
    yield from (
        trial.refused if trial.difference("accept_length") else trial.refused[1:]
    )  # the first one heads the report
    yield from (d.note for d in trial.differences if d.note)
    if trial.apart:
        yield f"differs besides: {', '.join(trial.apart)}"


def _row(trial: Trial, found: Difference, short: Short) -> tuple[Cell, ...]:
    name, style, change = _NAMES[found.metric]
    mark: Mark = "estimated" if found.estimated else "value"
    span = found.interval
    shown = "~ " if found.shown is False else ""
    return (
        Cell(short(trial.second)),
        Cell(trial.what),
        Cell(f"{name} at depth {found.depth}" if found.depth else name),
        Cell(style.format(found.first), mark),
        Cell(style.format(found.second), mark),
        Cell(f"{shown}{change.format(found.change)}", mark),
        Cell(f"{change.format(span.low)} to {change.format(span.high)}" if span else "not tested", "value" if span else "unknown"),
        Cell("{:,} / {:,}".format(*found.units) if any(found.units) else ""),
    )  # fmt: skip


def _speed_row(speed: Speed, short: Short) -> tuple[Cell, ...]:
    cost = speed.cost.value if isinstance(speed.cost, Estimate) else None
    figures = (f"{speed.speedup:.2f}x" if speed.speedup else "", f"{cost:.3f}" if cost else "")
    cells = (Cell(text or "not derivable", "value" if text else "unknown") for text in figures)
    return (Cell(short(speed.text)), Cell(speed.what), *cells, Cell(_why(speed)))
