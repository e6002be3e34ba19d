"""What the figures imply: lengths at another depth, the cost of a cycle, break-even, ceilings, implied lengths, what-if.

Every estimate names its method, its assumptions and the facts it rests on; what may not be estimated is an Unknown with the reason.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hubcmp import acceptance
from hubcmp.drafter import Drafter
from hubcmp.facts import Evidence, Fact, Scalar, Span, Unknown
from hubcmp.labels import canonical

BLOCK_FAMILIES = ("dflash", "dspark", "domino")
"""Families that draft a block at once: their acceptance rises with the position, so the general decay does not hold."""
_DEPTH_KEYS = ("num_steps", "num_draft_tokens", "num_speculative_tokens", "draft_length")
LEAST_DECAYS = 2
"""Other benchmarks of a drafter from which its own decay is taken instead of the general one."""
IMPLIED_MISS = 0.18
"""Relative miss of a speedup predicted from other benchmarks' cycle cost, 90th percentile on public measurements."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One derived figure about one drafter. `span` is the interval (equal ends: exact arithmetic), `bounds` what cannot be exceeded."""

    ref: str
    metric: str
    title: str
    value: float
    span: Span
    unit: str
    method: str
    assumptions: tuple[str, ...]
    inputs: tuple[Fact, ...]
    label: str | None = None
    bounds: Span | None = None


@dataclass(frozen=True, slots=True)
class Depth:
    """The draft depth a drafter's figures were taken at, and how that is known; `bound` is False for a nearby setting."""

    value: int
    how: str
    bound: bool


Pair = tuple[Fact, Fact]
"""Two lengths of one benchmark, at two depths."""


def depth_of(drafter: Drafter, fact: Fact) -> Depth | None:
    """Return the depth of one figure: its own condition, the user's word, or (marked so) a setting that stands nearby."""
    sources: tuple[tuple[dict[str, Scalar], str, bool], ...] = (
        (dict(fact.conditions), "bound to the figure", True),
        (dict(drafter.given), "given by the user", True),
        (dict(fact.nearby), "stated elsewhere on the card, not bound to the figure", False),
    )
    for settings, how, bound in sources:
        depth = acceptance.draft_length(settings)
        if depth is not None:
            return Depth(depth, how, bound)
    return None


def lengths(drafter: Drafter) -> tuple[Fact, ...]:
    """Return a drafter's own accept lengths that are figures, not promises."""
    own = drafter.own("accept_length")
    return tuple(f for f in own if f.stat in (None, "low", "high", "at least") and f.position is None)


def refusal(drafter: Drafter, fact: Fact) -> str:
    """Return why a length may not be brought to another depth by the general decay, or "" when it may."""
    family = "" if drafter.ledger is None else drafter.ledger.family
    if family in BLOCK_FAMILIES or "block_size" in drafter.settings:
        return "a block drafter's acceptance does not decay with the position; per-position rates would be needed"
    if ({**fact.nearby, **fact.conditions}).get("topk", 1) != 1:
        return "a tree's length is not brought to a chain's scale"
    return ""


def at_depth(drafter: Drafter, fact: Fact, to: int) -> Estimate | Unknown | None:
    """Return one length brought to depth `to`; None when its own depth is unknown, or the length there is known already."""
    depth = depth_of(drafter, fact)
    if depth is None or depth.value == to:
        return None
    siblings = _siblings(drafter, fact)
    if any(d.value == to for _, d in siblings):
        return None
    others = _others(drafter, fact, depth.value, to)
    try:
        result = _brought(drafter, fact, siblings, others, depth.value, to)
    except ValueError as error:
        return Unknown(
            "accept_length", f"{fact.number:g} is not brought to depth {to}: {error}", "not applicable", fact.sources
        )
    rest = {
        "interpolated": tuple(f for f, _ in siblings if f is not fact),
        "own decay": tuple(f for p in others for f in p),
    }
    title = f"accept length at draft depth {to}"
    return Estimate(
        drafter.ref, "accept_length", title, result.value, result.interval, "tokens/step", _method(result, fact, depth, to),
        _assumptions(result, depth), (fact, *rest.get(result.method, ())), fact.label, result.bounds,
    )  # fmt: skip


def _brought(
    drafter: Drafter, fact: Fact, siblings: Sequence[tuple[Fact, Depth]], others: Sequence[Pair], depth: int, to: int
) -> acceptance.Estimate:
    """Return a length at another depth by the best method there is. Raises ValueError when there is none."""
    points = tuple((f.number, d.value) for f, d in siblings)
    if found := _by_positions(drafter, fact, to) or acceptance.between(points, to):
        return found
    if reason := refusal(drafter, fact):
        raise ValueError(reason)
    if len(others) >= LEAST_DECAYS:
        decays = [acceptance.decay_of((near.number, depth), (far.number, to)) for near, far in others]
        return acceptance.at_own_depth(fact.number, depth, to, decays)
    return acceptance.at_depth(fact.number, depth, to)


def _others(drafter: Drafter, fact: Fact, depth: int, to: int) -> list[Pair]:
    """Return the lengths at both depths of each other benchmark of the drafter, under settings alike but the depth."""
    known: dict[str, dict[int, Fact]] = {}
    for other in lengths(drafter):
        at = depth_of(drafter, other)
        if at is not None and other.stat is None and _without(other, _DEPTH_KEYS) == _without(fact, _DEPTH_KEYS):
            known.setdefault(canonical(other.label or ""), {})[at.value] = other
    known.pop(canonical(fact.label or ""), None)
    return [(found[depth], found[to]) for found in known.values() if depth in found and to in found]


def _siblings(drafter: Drafter, fact: Fact) -> list[tuple[Fact, Depth]]:
    """Return this length and the drafter's others on the same benchmark under the same settings but the depth, each with its depth."""
    alike = [
        f
        for f in lengths(drafter)
        if canonical(f.label or "") == canonical(fact.label or "")
        and _without(f, _DEPTH_KEYS) == _without(fact, _DEPTH_KEYS)
    ]
    return [(f, d) for f in alike if (d := depth_of(drafter, f)) is not None]


def _without(fact: Fact, names: tuple[str, ...]) -> dict[str, Scalar]:
    return {key: value for key, value in fact.conditions.items() if key not in names}


def _method(result: acceptance.Estimate, fact: Fact, depth: Depth, to: int) -> str:
    """Say in a few words how a length was brought to another depth."""
    if result.method == "estimated":
        return f"from {fact.number:g} at depth {depth.value}, x {acceptance.DECAY:g} per position"
    if result.method == "own decay":
        return f"from {fact.number:g} at depth {depth.value}, with the decay of the drafter's other benchmarks"
    return f"sum of {to} per-position rates" if result.method == "exact" else "between two measured depths"


def _assumptions(result: acceptance.Estimate, depth: Depth) -> tuple[str, ...]:
    found = ("chain (topk 1)", f"taken at depth {depth.value}: {depth.how}")
    decay = "conditional acceptance falls by 3 % per position, as on public measurements"
    return (*found, decay) if result.method == "estimated" else found


def _by_positions(drafter: Drafter, fact: Fact, to: int) -> acceptance.Estimate | None:
    """Return the exact length at a smaller depth, when the figure's own run has per-position rates."""
    run = next((r for r in drafter.runs if r.source in fact.sources and r.per_position), None)
    if run is None or not run.per_position or to > len(run.per_position):
        return None
    value = acceptance.from_positions(run.per_position, to)
    return acceptance.Estimate(value, Span.of(value), Span.of(value), "exact")


def implied(drafter: Drafter) -> Iterator[Estimate]:
    """Yield the lengths that a drafter's own speedups imply for benchmarks whose length it does not state."""
    known = {canonical(f.label): f for f in lengths(drafter) if f.label and f.evidence == Evidence.STATED}
    gains = [f for f in drafter.own("speedup") if f.label and f.stat is None and f.evidence == Evidence.STATED]
    anchors = [(gain, known[canonical(gain.label or "")]) for gain in gains if canonical(gain.label or "") in known]
    for gain in gains:
        if canonical(gain.label or "") not in known and anchors:
            fitting = [(g, f) for g, f in anchors if g.conditions == gain.conditions]
            yield from (_implied(drafter, gain, *fitting[0]),) if fitting else ()


def _implied(drafter: Drafter, gain: Fact, anchor_gain: Fact, anchor: Fact) -> Estimate:
    value = acceptance.implied_length(gain.number, anchor.number, anchor_gain.number)
    method = f"{gain.number:.2f} x {anchor.number:.3f} / {anchor_gain.number:.2f}"
    assumption = f"one cycle costs the same on {gain.label} as on {anchor.label}; elsewhere that missed by up to 18 % in nine of ten cases"
    interval = Span(max(1.0, value * (1 - IMPLIED_MISS)), value * (1 + IMPLIED_MISS))
    title = "accept length implied by the card's own speedups"
    inputs = (gain, anchor_gain, anchor)
    return Estimate(
        drafter.ref, "accept_length", title, value, interval, "tokens/step", method, (assumption,), inputs, gain.label
    )


def implied_at(drafter: Drafter, estimate: Estimate, to: int) -> Estimate | None:
    """Return an implied length brought to depth `to`, when the depth of the speedup it rests on is known."""
    gain = estimate.inputs[0]
    depth = depth_of(drafter, gain)
    if depth is None or depth.value == to or refusal(drafter, gain):
        return None
    try:
        result = acceptance.at_depth(estimate.value, depth.value, to)
        ends = [
            acceptance.at_depth(min(v, depth.value + 1.0), depth.value, to).value
            for v in (estimate.span.low, estimate.span.high)
        ]
    except ValueError:
        return None
    title = f"{estimate.title}, at draft depth {to}"
    assumptions = (
        *estimate.assumptions,
        f"at depth {depth.value}: {depth.how}",
        "conditional acceptance falls by 3 % per position",
    )
    return replace(
        estimate,
        title=title,
        value=result.value,
        span=Span(*ends),
        method=f"{estimate.method}, then x {acceptance.DECAY:g} per position",
        assumptions=assumptions,
    )
