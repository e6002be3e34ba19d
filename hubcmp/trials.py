"""A/B: one benchmark source set against another, with the interval that resampling shows and what it cannot show.

Accepted drafts differ from request to request, and the steps within one are not independent, so requests or log windows are
what is resampled. Pure, and the same on every machine: the random numbers have a fixed seed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from hubcmp import acceptance, costs
from hubcmp.acceptance import Run, Sample, draft_length
from hubcmp.drafter import Drafter, throughput
from hubcmp.estimates import Estimate
from hubcmp.facts import Span, Unknown
from hubcmp.measurements import Benchmark

RESAMPLES = 2000
LEAST = 6
"""Units on either side below which nothing is claimed."""
MOST = 1000
"""Units that are resampled; neighbours are pooled beyond it, which also respects that log windows follow one another."""
_SEED = 25
_TAIL = 0.025
_POOLED = ("steps", "drafted tokens", "windows by running requests")
"""Ways of averaging that give the same length: sums over all steps."""
_MUST_AGREE = ("dataset", "topk", "temperature", "simulated_acceptance")
"""Conditions whose difference makes two accept lengths incomparable; the draft depth can be brought to one value."""


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
    """One run of a source against the like run of the first: `what` was measured, the differences, and what was not compared."""

    text: str
    first: str
    what: str
    differences: tuple[Difference, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Speed:
    """A run beside plain decoding of the same server: the ratio of throughputs and the cost of one cycle, or why not."""

    text: str
    what: str
    speedup: float | None
    cost: Estimate | Unknown


def trials(items: Sequence[Benchmark]) -> tuple[Trial, ...]:
    """Return every further source against the first, run by run."""
    return tuple(
        _trial(items[0], first, other, second) for other in items[1:] for first, second in _pairs(items[0], other)
    )


def speeds(items: Sequence[Benchmark], plains: Sequence[Benchmark]) -> tuple[Speed, ...]:
    """Return every run with speculation beside the like run of plain decoding."""
    runs = [(item, run, plain) for item in items for other in plains for plain, run in _pairs(other, item)]
    return tuple(_speed(item, run, plain) for item, run, plain in runs if run.accept_length is not None)


def _pairs(first: Benchmark, other: Benchmark) -> Iterator[tuple[Run, Run]]:
    """Yield the runs of two sources that belong together: the only ones, else those of the same data and batch."""
    if len(first.runs) == len(other.runs) == 1:
        yield first.runs[0], other.runs[0]
        return
    named = {_key(run): run for run in reversed(first.runs)}
    yield from ((named[_key(run)], run) for run in other.runs if _key(run) in named)


def _key(run: Run) -> tuple[str | None, int | None]:
    return run.dataset, run.batch_size


def _what(run: Run) -> str:
    return ", ".join(filter(None, (run.dataset, f"batch {run.batch_size}" if run.batch_size else "")))


def _trial(item: Benchmark, first: Run, other: Benchmark, second: Run) -> Trial:
    refused = tuple(_unlike(first, second))
    lengths = [] if refused else [_length(first, second)]
    found = [*lengths, *([] if refused else [_rate(first, second, lengths[0])]), _throughput(first, second)]
    return Trial(other.text, item.text, _what(second), tuple(d for d in found if d is not None), refused)


def _unlike(first: Run, second: Run) -> Iterator[str]:
    """Yield why the accept lengths of two runs cannot be set against each other."""
    for name in _MUST_AGREE:
        one, two = (run.conditions.get(name, getattr(run, name, None)) for run in (first, second))
        if one is not None and two is not None and one != two:
            yield f"{name.replace('_', ' ')} differs ({one} and {two}), so the accept lengths are not comparable"
    if ("simulated_acceptance" in first.conditions) != ("simulated_acceptance" in second.conditions):
        yield "acceptance is simulated on one side, so the accept lengths are not comparable"
    ways = {"steps" if w in _POOLED else w for w in (first.weighting, second.weighting) if w is not None}
    if len(ways) > 1 and not (first.samples and second.samples):
        yield f"averaged differently ({first.weighting}; {second.weighting}), and there are no units to average alike"


def _length(first: Run, second: Run) -> Difference | None:
    """Return the difference of two accept lengths, at the lesser draft depth when the depths differ."""
    if first.accept_length is None or second.accept_length is None:
        return None
    depths = [depth_of(run) for run in (first, second)]
    known = [d for d in depths if d is not None]
    if len(set(known)) > 1:
        return _at_one_depth(first, second, min(known))
    note = "" if len(known) == 2 else "the draft depth is not stated on both sides"
    if not first.samples or not second.samples:
        note = "; ".join(filter(None, (note, "no requests or windows to resample: no interval")))
        return Difference("accept_length", first.accept_length, second.accept_length, note=note)
    return _resampled(first.samples, second.samples, note)


def _resampled(first: Sequence[Sample], second: Sequence[Sample], note: str) -> Difference:
    """Return the difference of the pooled lengths (1 + accepted / steps), with its interval where there are units enough."""
    units = len(first), len(second)
    interval = None
    if min(units) < LEAST:
        note = "; ".join(filter(None, (note, f"fewer than {LEAST} requests or windows: no interval, no claim")))
    else:
        random = Random(_SEED)
        ones, twos = _lengths(first, random), _lengths(second, random)
        changes = sorted(two - one for one, two in zip(ones, twos, strict=True))
        cut = round(_TAIL * RESAMPLES)
        interval = Span(changes[cut], changes[-1 - cut])
    return Difference("accept_length", _pooled(first), _pooled(second), interval, units, note=note)


def _lengths(samples: Sequence[Sample], random: Random) -> list[float]:
    """Return the pooled accept lengths of RESAMPLES draws with replacement."""
    units = acceptance.pool(samples, MOST)
    steps, accepted = [u.steps for u in units], [u.accepted for u in units]
    indices = range(len(units))
    lengths = []
    for _ in range(RESAMPLES):
        drawn = random.choices(indices, k=len(units))
        total = sum(map(steps.__getitem__, drawn))
        lengths.append(1 + sum(map(accepted.__getitem__, drawn)) / total if total else 1.0)
    return lengths


def _pooled(samples: Sequence[Sample]) -> float:
    steps = sum(s.steps for s in samples)
    return 1 + sum(s.accepted for s in samples) / steps if steps else 1.0


def depth_of(run: Run) -> int | None:
    """Return the drafted tokens per cycle along the chain, or None when the source does not state them."""
    stated = draft_length(run.conditions)
    return run.num_spec_tokens if stated is None else stated


def _at_one_depth(first: Run, second: Run, to: int) -> Difference | None:
    """Return the difference at the lesser of two depths: exact from per-position rates, else by the general decay."""
    try:
        one, two = _brought(first, to), _brought(second, to)
    except ValueError as error:
        length, other = first.accept_length or 1.0, second.accept_length or 1.0
        return Difference("accept_length", length, other, note=f"draft depths differ: {error}")
    interval = Span(two.interval.low - one.interval.high, two.interval.high - one.interval.low)
    exact = one.method == two.method == "exact"
    note = f"draft depths differ, both at depth {to}: " + ("from per-position rates" if exact else "estimated")
    return Difference(
        "accept_length", one.value, two.value, None if exact else interval, depth=to, estimated=not exact, note=note
    )


def _brought(run: Run, to: int) -> acceptance.Estimate:
    """Return a run's accept length at another depth. Raises ValueError when the depth was never seen."""
    rates, depth, length = run.per_position or (), depth_of(run), run.accept_length
    if length is None or depth is None:
        raise ValueError("no accept length with its depth")
    if to < depth and to <= len(rates):
        value = acceptance.from_positions(rates, to)
        return acceptance.Estimate(value, Span.of(value), Span.of(value), "exact")
    return acceptance.at_depth(length, depth, to)


def _rate(first: Run, second: Run, length: Difference | None) -> Difference | None:
    """Return the difference of two draft acceptance rates of one number of drafted tokens; the length's interval scales to it."""
    one, two = first.draft_acceptance_rate, second.draft_acceptance_rate
    drafted = first.num_spec_tokens
    if one is None or two is None or not drafted or drafted != second.num_spec_tokens or length is None:
        return None
    if length.interval is None or length.depth is not None:
        return Difference("draft_acceptance_rate", one, two, units=length.units)
    interval = Span(length.interval.low / drafted, length.interval.high / drafted)
    return Difference("draft_acceptance_rate", one, two, interval, length.units)


def _throughput(first: Run, second: Run) -> Difference | None:
    """Return the difference of two throughputs of one batch size: a single figure a side, so without an interval."""
    one, two = throughput(first), throughput(second)
    batches = {b for b in (first.batch_size, second.batch_size) if b is not None}
    if one is None or two is None or len(batches) > 1:
        return None
    return Difference(
        "throughput_tok_s", one, two, note="one figure a side: no interval; repeat the run to see its spread"
    )


def _speed(item: Benchmark, run: Run, plain: Run) -> Speed:
    """Set a run beside plain decoding, as `compare` does."""
    drafter = Drafter(item.text, "benchmark", "", item.text, None, {}, (), runs=(run,), plains=(plain,))
    fast, slow = throughput(run), throughput(plain)
    cost = costs.cycle(drafter) or Unknown("cycle_cost", "no plain run", "not applicable", (run.source,))
    speedup = fast / slow if isinstance(cost, Estimate) and fast and slow else None
    return Speed(item.text, _what(run), speedup, cost)
