"""Acceptance: the normal form of a benchmark result, and how figures are brought to one scale.

N verify steps per sequence, D drafted tokens, A accepted drafts (prefix rule, without the bonus token):
accept length = 1 + A/N, draft acceptance rate = A/D, p_i = share of steps that accepted draft i (from 1).
The ceiling of the accept length is the draft depth + 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Literal

from hubcmp.facts import Scalar, Source, Span

DECAY = 0.97
"""Conditional acceptance falls by this factor per draft position: c_i = c_1 * DECAY**(i-1). Fitted on public measurements
of ten targets and seven benchmarks at depths 3, 5 and 7; leaving out any one drafter gives the same value."""
SPREAD = 0.16
"""Half-width of the estimate's interval per token that the depth change moves it (covers about 90 % of those pairs)."""
FLOOR = 0.02
"""Least half-width of that interval, as a share of the result."""
OWN_SPREAD = 0.14
"""The same per token for the drafter's own decay."""
FASTEST, SLOWEST = 0.6, 1.2
"""Between these lies the decay that a drafter may show."""
DEPTHS = range(2, 9)
"""Depths for which the decay was seen to hold; outside them there is no estimate."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One unit of resampling, a request or a log window: `steps` verify steps that accepted `accepted` drafts."""

    steps: float
    accepted: float


@dataclass(frozen=True, slots=True)
class Run:
    """One benchmark result in the normal form. A field is None when the source cannot yield it; `why` says the reason.

    `kind`: "exact" (N, A, D known), "derived" (some inferred), "reported" (a printed, rounded figure). `weighting` says
    how the accept length was averaged ("steps", "requests", "windows by running requests" ...). `per_position` holds p_1,
    p_2 ...; rates are fractions; throughputs are tok/s: `output_throughput` of a whole run, `decode_throughput` the mean of
    a log's decode lines while the batch is constant. `conditions` are speculation settings found in the source, `settings` raw
    server arguments (to tell whether two servers were alike), `reported` figures as printed with their definition.
    """

    engine: str | None
    format: str
    source: Source
    engine_version: str | None = None
    kind: Literal["exact", "derived", "reported"] = "reported"
    weighting: str | None = None
    window: str | None = None
    n_windows: int | None = None
    n_requests: int | None = None
    num_spec_tokens: int | None = None
    steps: float | None = None
    drafted: float | None = None
    accepted: float | None = None
    accept_length: float | None = None
    draft_acceptance_rate: float | None = None
    per_position: tuple[float, ...] | None = None
    output_throughput: float | None = None
    decode_throughput: float | None = None
    dataset: str | None = None
    batch_size: int | None = None
    conditions: Mapping[str, Scalar] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    reported: Mapping[str, object] = field(default_factory=dict)
    samples: tuple[Sample, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A length at another depth: the value, the interval that about 90 % of public pairs fell in, and the hard bounds."""

    value: float
    interval: Span
    bounds: Span
    method: Literal["exact", "interpolated", "own decay", "estimated"]


def simulated(run: Run) -> bool:
    """Return whether a server setting made up the acceptance."""
    return bool(run.conditions.get("simulated_acceptance"))


def pool(samples: Sequence[Sample], most: int) -> tuple[Sample, ...]:
    """Return at most `most` units: neighbours are added up, so that their sums stay what they were."""
    count = min(most, len(samples))
    ends = [round(i * len(samples) / count) for i in range(count + 1)] if count else [0]
    parts = (samples[start:end] for start, end in pairwise(ends))
    return tuple(Sample(sum(s.steps for s in part), sum(s.accepted for s in part)) for part in parts)


def ceiling(depth: int) -> float:
    """Return the largest accept length that `depth` drafted tokens per cycle allow."""
    return depth + 1.0


def depth_bound(length: float) -> int:
    """Return the least draft depth that an accept length proves (bonus token included): 3.49 needs at least 3."""
    return max(0, -int(-length // 1) - 1)


def length_at(first: float, depth: int, decay: float = DECAY) -> float:
    """Return the accept length at `depth` when position 1 is accepted at rate `first` and later ones decay."""
    total, reach = 1.0, 1.0
    for position in range(depth):
        reach *= min(1.0, first * decay**position)
        total += reach
    return total


def first_rate(length: float, depth: int, decay: float = DECAY) -> float:
    """Return the position-1 acceptance that gives `length` at `depth`, by bisection.

    Raises ValueError when no rate can: a length below 1 or above depth + 1.
    """
    if not 1 <= length <= ceiling(depth):
        raise ValueError(
            f"an accept length of {length:g} is not possible at draft depth {depth}: it lies between 1 and {depth + 1}"
        )
    low, high = 0.0, max(1.0, decay ** (1 - depth))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if length_at(middle, depth, decay) < length else (low, middle)
    return (low + high) / 2


def decay_of(short: tuple[float, int], long: tuple[float, int]) -> float:
    """Return the decay that two (length, depth) points of one drafter and benchmark show, by bisection on FASTEST to SLOWEST.

    With a slower decay the same shorter length leads to a longer one. Raises ValueError for impossible lengths.
    """
    (length, depth), (far, to) = sorted((short, long), key=lambda point: point[1])
    low, high = FASTEST, SLOWEST
    for _ in range(40):
        middle = (low + high) / 2
        found = length_at(first_rate(length, depth, middle), to, middle)
        low, high = (middle, high) if found < far else (low, middle)
    return (low + high) / 2


def at_own_depth(length: float, depth: int, to: int, decays: Sequence[float]) -> Estimate:
    """Return a length at another depth by the decay that the same drafter shows on other benchmarks (their median).

    Raises ValueError for impossible lengths.
    """
    decay = median(decays)
    value = length_at(first_rate(length, depth, decay), to, decay)
    bounds = hard_bounds(length, depth, to)
    half = max(FLOOR * value, OWN_SPREAD * abs(value - length))
    interval = Span(max(bounds.low, value - half), min(bounds.high, value + half))
    return Estimate(value, interval, bounds, "own decay")


def hard_bounds(length: float, depth: int, to: int) -> Span:
    """Return what `length` at `depth` proves about depth `to`, whatever the drafter.

    Accepted drafts at a position never outnumber those at the one before (prefix rule), so the length grows by at most the mean
    accepted per position, and a shorter depth keeps at least its share.
    """
    accepted = length - 1
    if to == depth:
        return Span.of(length)
    if to > depth:
        return Span(length, length + (to - depth) * accepted / depth)
    return Span(1 + accepted * to / depth, min(length, 1.0 + to))


def at_depth(length: float, depth: int, to: int) -> Estimate:
    """Return `length`, measured at draft depth `depth`, brought to depth `to` by the general decay (autoregressive chain, topk 1).

    Raises ValueError for depths outside 2 to 8 (other than the given one) and for impossible lengths.
    """
    if to == depth:
        return Estimate(length, Span.of(length), Span.of(length), "exact")
    if depth not in DEPTHS or to not in DEPTHS:
        raise ValueError(f"no estimate from draft depth {depth} to {to}: the decay was only seen at depths 2 to 8")
    bounds = hard_bounds(length, depth, to)
    value = length_at(first_rate(length, depth), to)
    half = max(FLOOR * value, SPREAD * abs(value - length))
    interval = Span(max(bounds.low, value - half), min(bounds.high, value + half))
    return Estimate(value, interval, bounds, "estimated")


def from_positions(per_position: Sequence[float], to: int) -> float:
    """Return the exact accept length at any depth up to the number of per-position rates given."""
    if not 0 < to <= len(per_position):
        raise ValueError(f"per-position rates reach depth {len(per_position)}, not {to}")
    return 1 + sum(per_position[:to])


def interpolate(low: tuple[int, float], high: tuple[int, float], to: int) -> float:
    """Return the length at depth `to` between two measured (depth, length) points of one drafter, by their decay."""
    (near, short), (far, long) = low, high
    if not near <= to <= far or near == far:
        raise ValueError(f"depth {to} does not lie between {near} and {far}")
    at_near, at_far = first_rate(short, near), first_rate(long, far)
    share = (to - near) / (far - near)
    return length_at(at_near + share * (at_far - at_near), to)


def between(points: Sequence[tuple[float, int]], to: int) -> Estimate | None:
    """Return the length at depth `to` from (length, depth) points of one drafter on both sides of it; None without such a pair.

    The interval is the general floor: interpolation missed by 0.5 % in the mean.
    """
    below = max((p for p in points if p[1] <= to), key=lambda p: p[1], default=None)
    above = min((p for p in points if p[1] >= to), key=lambda p: p[1], default=None)
    if below is None or above is None or below[1] == above[1]:
        return None
    value = interpolate((below[1], below[0]), (above[1], above[0]), to)
    bounds = Span(hard_bounds(*below, to).low, hard_bounds(*below, to).high)
    interval = Span(max(bounds.low, value * (1 - FLOOR)), min(bounds.high, value * (1 + FLOOR)))
    return Estimate(value, interval, bounds, "interpolated")


def cycle_cost(length: float, plain: float, throughput: float) -> float:
    """Return how many plain decode steps one draft-and-verify cycle costs; also the break-even accept length.

    `plain` and `throughput` are tok/s of the same server without and with speculation; both must be above 0.
    """
    if min(length, plain, throughput) <= 0:
        raise ValueError("accept length and both throughputs must be above 0")
    return length * plain / throughput


def implied_length(speedup: float, known_length: float, known_speedup: float) -> float:
    """Return the accept length of a benchmark from its speedup, when another of the same drafter, depth and batch has both."""
    if known_speedup <= 0:
        raise ValueError("the known speedup must be above 0")
    return speedup * known_length / known_speedup


def draft_length(conditions: Mapping[str, Scalar]) -> int | None:
    """Return the drafted tokens per cycle along the chain that the settings name, or None when they name none.

    SGLang's steps are the depth, tree or chain; vLLM's speculative tokens too; a block of b drafts b-1; SGLang's draft tokens
    count the root, and tell the depth only for a chain (topk 1, or topk not stated and no steps given).
    """
    for key, less in (("draft_length", 0), ("num_steps", 0), ("num_speculative_tokens", 0), ("block_size", 1)):
        value = conditions.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value - less
    nodes = conditions.get("num_draft_tokens")
    if isinstance(nodes, int) and conditions.get("topk", 1) == 1:
        return nodes - 1
    return None
