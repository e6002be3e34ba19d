"""A/B: one benchmark source set against another, with the interval that resampling shows and what it cannot show. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import hypot

from hubcmp import acceptance, costs, resampling
from hubcmp.acceptance import Run, simulated
from hubcmp.drafter import Drafter, throughput
from hubcmp.estimates import Estimate
from hubcmp.facts import Span, Unknown
from hubcmp.measurements import Benchmark
from hubcmp.pairing import Side, apart, depth_of, pairs, sides, unlike, what

ALIKE = 0.01
"""Relative gap up to which two simulated lengths are the same setting."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of two runs: `second` - `first` with its 95 % interval, or why there is none.

    `units` are the requests or windows on each side, `depth` the draft depth that both were brought to, `estimated` whether
    that took the general decay; `note` says what the reader must know.
    """

    metric: str
    first: float
    second: float
    interval: Span | None = None
    units: tuple[int, int] = (0, 0)
    depth: int | None = None
    estimated: bool = False
    note: str = ""

    @property
    def change(self) -> float:
        """The difference in the metric's unit."""
        return self.second - self.first

    @property
    def shown(self) -> bool | None:
        """Whether the interval leaves out zero; None when there is no interval."""
        return None if self.interval is None else not self.interval.low <= 0 <= self.interval.high


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a source against the like run of the first.

    `text` is the source as given, `first` and `second` name the sides, `what` was measured; then the differences, why others
    were not taken, and which settings differ besides.
    """

    text: str
    first: str
    second: str
    what: str
    differences: tuple[Difference, ...] = ()
    refused: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    def difference(self, metric: str) -> Difference | None:
        """Return the difference of one metric, None when it was not taken."""
        return next((d for d in self.differences if d.metric == metric), None)


@dataclass(frozen=True, slots=True)
class Speed:
    """A run beside plain decoding of the same server: the ratio of throughputs and the cost of one cycle, or why not."""

    text: str
    what: str
    speedup: float | None
    cost: Estimate | Unknown


def trials(items: Sequence[Benchmark]) -> tuple[Trial, ...]:
    """Return every further source against the first, run by run; drafters that share a source are set against its first one."""
    first, *others = sides(items)
    return tuple(_trial(first, one, other, two) for other in others for one, two in pairs(first, other))


def unpaired(items: Sequence[Benchmark], found: Sequence[Trial]) -> tuple[str, ...]:
    """Return the names of further sides that hold runs, none of which belongs to a run of the first."""
    paired = {trial.second for trial in found}
    return tuple(side.name for side in sides(items)[1:] if side.runs and side.name not in paired)


def speeds(items: Sequence[Benchmark], plains: Sequence[Benchmark]) -> tuple[Speed, ...]:
    """Return every run with speculation beside the like run of plain decoding."""
    whole = [(item, Side(item.text, item.text, item.runs)) for item in (*items, *plains)]
    mine, others = whole[: len(items)], [side for _, side in whole[len(items) :]]
    runs = [(item, run, p) for item, side in mine for other in others for p, run in pairs(other, side, once=False)]
    return tuple(_speed(item, run, plain) for item, run, plain in runs if run.accept_length is not None)


def _trial(first: Side, one: Run, other: Side, two: Run) -> Trial:
    refused = tuple(unlike(one, two))
    length = None if refused else _length(one, two)
    rate = _rate(one, two, length) if length else None
    found = tuple(d for d in (length, rate, _throughput(one, two)) if d is not None)
    if throughput(one) and throughput(two) and not any(d.metric == "throughput_tok_s" for d in found):
        refused += ("throughput is compared at one batch size, and between simulated runs of one length only",)
    return Trial(other.text, first.name, other.name, what(two), found, refused, apart(one, two))


@dataclass(frozen=True, slots=True)
class _Brought:
    """A run's length as it is compared: `scale` is what became of its accepted drafts, `half` the estimate's half-width."""

    value: float
    scale: float = 1.0
    half: float = 0.0


def _length(first: Run, second: Run) -> Difference | None:
    """Return the difference of two accept lengths, at the lesser draft depth when the depths differ."""
    if first.accept_length is None or second.accept_length is None:
        return None
    known = {depth for run in (first, second) if (depth := depth_of(run)) is not None}
    to = min(known) if len(known) > 1 else None
    try:
        one, two = _brought(first, to), _brought(second, to)
    except ValueError as error:
        note = f"draft depths differ: {error}"
        return Difference("accept_length", first.accept_length, second.accept_length, note=note)
    units = (len(first.samples), len(second.samples)) if first.samples and second.samples else (0, 0)
    half = hypot(one.half, two.half)
    found = Difference("accept_length", one.value, two.value, units=units, depth=to, estimated=half > 0)
    interval = resampling.interval(first.samples, second.samples, (one.scale, two.scale))
    wide = interval and _widened(interval, found.change, half)
    return replace(found, interval=wide, note="; ".join(_notes(first, second, to, half)))


def _brought(run: Run, to: int | None) -> _Brought:
    """Return a run's length, at depth `to` where that is another one than its own. Raises ValueError when it was never seen."""
    length = resampling.pooled(run.samples) if run.samples else run.accept_length or 1.0
    depth, rates = depth_of(run), run.per_position or ()
    if to is None or depth is None or depth == to:
        return _Brought(length)
    half = 0.0
    if to < depth and to <= len(rates):
        value = acceptance.from_positions(rates, to)
    else:
        estimate = acceptance.at_depth(length, depth, to)
        value, half = estimate.value, (estimate.interval.high - estimate.interval.low) / 2
    return _Brought(value, (value - 1) / (length - 1) if length > 1 else 1.0, half)


def _widened(interval: Span, change: float, half: float) -> Span:
    """Return the interval with an estimate's own uncertainty in it; the two are independent."""
    return Span(change - hypot(change - interval.low, half), change + hypot(interval.high - change, half))


def _notes(first: Run, second: Run, to: int | None, half: float) -> Iterator[str]:
    """Yield what the reader of a difference in length must know."""
    if to is not None:
        how = f"estimated, to within {half:.2f}" if half else "from per-position rates"
        yield f"draft depths differ ({depth_of(first)} and {depth_of(second)}), both at depth {to}: {how}"
    elif None in (depth_of(first), depth_of(second)):
        yield "the draft depth is not stated on both sides"
    for run in (first, second):
        length = run.accept_length or 1.0
        if run.samples and abs(resampling.pooled(run.samples) - length) > resampling.ROUNDED * length:
            yield f"{length:.3f} is a mean of another kind ({run.weighting}); compared is what the units give together"
    if not first.samples or not second.samples:
        yield "no requests or windows to resample: no interval"
    elif not resampling.enough(first.samples, second.samples):
        yield f"fewer than {resampling.LEAST} requests or windows: no interval, no claim"


def _rate(first: Run, second: Run, length: Difference) -> Difference | None:
    """Return the difference of two draft acceptance rates of one number of drafted tokens; the length's interval scales to it."""
    one, two = first.draft_acceptance_rate, second.draft_acceptance_rate
    drafted = first.num_spec_tokens
    if one is None or two is None or not drafted or drafted != second.num_spec_tokens:
        return None
    found = Difference("draft_acceptance_rate", one, two, units=length.units)
    if length.interval is None or length.depth is not None:
        return found
    return replace(found, interval=Span(length.interval.low / drafted, length.interval.high / drafted))


def _throughput(first: Run, second: Run) -> Difference | None:
    """Return the difference of two throughputs of one batch size: a single figure a side, so without an interval."""
    one, two = throughput(first), throughput(second)
    batches = {b for b in (first.batch_size, second.batch_size) if b is not None}
    if one is None or two is None or len(batches) > 1 or not _like_acceptance(first, second):
        return None
    note = "throughput is one figure a side: no interval; repeat the run to see its spread"
    return Difference("throughput_tok_s", one, two, note=note)


def _like_acceptance(first: Run, second: Run) -> bool:
    """Whether neither acceptance was simulated, or both to one length."""
    if not simulated(first) and not simulated(second):
        return True
    one, two = first.accept_length or 0.0, second.accept_length or 0.0
    return simulated(first) and simulated(second) and abs(one - two) <= ALIKE * one


def _speed(item: Benchmark, run: Run, plain: Run) -> Speed:
    """Set a run beside plain decoding, as `compare` does."""
    drafter = Drafter(item.text, "benchmark", "", item.text, None, {}, (), runs=(run,), plains=(plain,))
    fast, slow = throughput(run), throughput(plain)
    cost = costs.cycle(drafter) or Unknown("cycle_cost", "no plain run", "not applicable", (run.source,))
    speedup = fast / slow if isinstance(cost, Estimate) and fast and slow else None
    return Speed(item.text, what(run), speedup, cost)
