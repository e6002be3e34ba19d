"""What the figures imply: lengths at another depth, the cost of a cycle, break-even, ceilings, implied lengths, what-if.

Every estimate names its method, its assumptions and the facts it rests on; what may not be estimated is an Unknown with the reason.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hubcmp import acceptance
from hubcmp.drafter import Drafter, run_facts, throughput, unlike_settings
from hubcmp.facts import Evidence, Fact, Scalar, Span, Unknown
from hubcmp.labels import canonical

BLOCK_FAMILIES = ("dflash", "dspark", "domino")
"""Families that draft a block at once: their acceptance rises with the position, so the general decay does not hold."""
IMPLIED_MISS = 0.18
"""Relative miss of a speedup predicted from other benchmarks' cycle cost, 90th percentile on public measurements."""
CHEAPER = (1.0, 0.9, 0.8)
"""Cycle costs of the what-if table, as shares of the measured one."""


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


@dataclass(frozen=True, slots=True)
class Levers:
    """What-if over both levers at one drafter's depth: `cells[i][j]` is tok/s at accept length i and cycle cost j."""

    ref: str
    depth: int
    plain: float
    lengths: tuple[tuple[str, float], ...]
    costs: tuple[tuple[str, float], ...]
    cells: tuple[tuple[float, ...], ...]


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
    """Return one length brought to depth `to`; None when its own depth is unknown or already that one."""
    depth = depth_of(drafter, fact)
    if depth is None or depth.value == to:
        return None
    try:
        if reason := refusal(drafter, fact):
            raise ValueError(reason)
        result = _by_positions(drafter, fact, to) or acceptance.at_depth(fact.number, depth.value, to)
    except ValueError as error:
        return Unknown(
            "accept_length", f"{fact.number:g} is not brought to depth {to}: {error}", "not applicable", fact.sources
        )
    assumptions: tuple[str, ...] = ("chain (topk 1)", f"taken at depth {depth.value}: {depth.how}")
    method = f"sum of {to} per-position rates"
    if result.method == "estimated":
        assumptions += ("conditional acceptance falls by 3 % per position, as on public measurements",)
        method = f"from {fact.number:g} at depth {depth.value}, x {acceptance.DECAY:g} per position"
    return Estimate(
        drafter.ref, "accept_length", f"accept length at draft depth {to}", result.value, result.interval, "tokens/step",
        method, assumptions, (fact,), fact.label, result.bounds,
    )  # fmt: skip


def _by_positions(drafter: Drafter, fact: Fact, to: int) -> acceptance.Estimate | None:
    """Return the exact length at a smaller depth, when the figure's own run has per-position rates."""
    run = next((r for r in drafter.runs if r.source in fact.sources and r.per_position), None)
    if run is None or not run.per_position or to > len(run.per_position):
        return None
    value = acceptance.from_positions(run.per_position, to)
    return acceptance.Estimate(value, Span.of(value), Span.of(value), "exact")


def cycle(drafter: Drafter) -> Estimate | Unknown | None:
    """Return the cost of one draft-and-verify cycle in plain decode steps, which is also the break-even accept length."""
    if not drafter.runs or not drafter.plains:
        return None
    run, plain = drafter.runs[0], drafter.plains[0]
    different = unlike_settings(run, plain)
    speeds = throughput(run), throughput(plain)
    if different:
        return Unknown(
            "cycle_cost", f"the two servers differ in {', '.join(different)}", "not applicable", (plain.source,)
        )
    if run.accept_length is None or not speeds[0] or not speeds[1]:
        return Unknown("cycle_cost", "accept length and both throughputs are needed", "not applicable", (run.source,))
    cost = acceptance.cycle_cost(run.accept_length, speeds[1], speeds[0])
    inputs = tuple(f for r in (run, plain) for f in run_facts(r) if f.metric != "accept_rate")
    assumed = "server arguments equal apart from speculative_*; the environment (NCCL_* and the like) is not visible"
    if not run.settings or not plain.settings:
        assumed = "both runs on the same server; their server arguments are not in the sources"
    method = f"{run.accept_length:.2f} x {speeds[1]:.1f} / {speeds[0]:.1f}"
    title = "cost of one cycle in plain decode steps = break-even accept length"
    return Estimate(drafter.ref, "cycle_cost", title, cost, Span.of(cost), "plain steps", method, (assumed,), inputs)


def ceiling_length(drafter: Drafter) -> Estimate | None:
    """Return the accept length that this drafter's measured run could not exceed at its depth."""
    depth = _run_depth(drafter)
    if depth is None:
        return None
    top = acceptance.ceiling(depth)
    inputs = tuple(f for f in run_facts(drafter.runs[0]) if f.metric == "accept_length")
    title = f"ceiling of the accept length at draft depth {depth}"
    return Estimate(
        drafter.ref, "accept_length_ceiling", title, top, Span.of(top), "tokens/step", f"{depth} + 1", (), inputs
    )


def ceiling_speed(drafter: Drafter, cost: Estimate) -> Estimate | None:
    """Return the throughput that no accept length can exceed at this drafter's depth and cycle cost."""
    depth, plain = _run_depth(drafter), throughput(drafter.plains[0])
    if depth is None or plain is None:
        return None
    top = acceptance.ceiling(depth)
    method = f"{top:.1f} / {cost.value:.3f} x {plain:.1f}"
    title = f"hard ceiling at draft depth {depth} and this cycle cost"
    return _speed(
        drafter, title, top, cost, plain, method, (f"accept length {top:g}, every draft accepted",), cost.inputs
    )


def _run_depth(drafter: Drafter) -> int | None:
    return acceptance.draft_length({**drafter.given, **drafter.runs[0].conditions}) if drafter.runs else None


def _speed(
    drafter: Drafter,
    title: str,
    length: float,
    cost: Estimate,
    plain: float,
    method: str,
    assumptions: tuple[str, ...],
    inputs: tuple[Fact, ...],
    span: Span | None = None,
) -> Estimate:
    """Return a throughput as an estimate: length / cost x plain."""
    scale = plain / cost.value
    ends = Span.of(length) if span is None else span
    reach = Span(ends.low * scale, ends.high * scale)
    return Estimate(
        drafter.ref,
        "throughput_tok_s",
        title,
        length * scale,
        reach,
        "tok/s",
        method,
        assumptions + cost.assumptions,
        inputs,
    )


def what_if(drafter: Drafter, cost: Estimate, brought: Sequence[Estimate]) -> Iterator[Estimate]:
    """Yield the throughput that others' lengths, at this drafter's depth, would give at its cycle cost."""
    plain, depth = throughput(drafter.plains[0]), _run_depth(drafter)
    for other in brought:
        if plain is None or depth is None or other.value > acceptance.ceiling(depth):
            continue
        title = f"throughput if the accept length were {other.value:.2f} ({other.label or 'benchmark not stated'} of {other.ref})"
        method = f"{other.value:.3f} / {cost.value:.3f} x {plain:.1f}"
        found = _speed(
            drafter, title, other.value, cost, plain, method, other.assumptions, other.inputs + cost.inputs, other.span
        )
        yield replace(found, label=other.label)


def levers(drafter: Drafter, cost: Estimate, brought: Sequence[Estimate]) -> Levers | None:
    """Return the what-if table: accept more (up to depth + 1) or make the cycle cheaper."""
    depth, plain = _run_depth(drafter), throughput(drafter.plains[0])
    now = drafter.runs[0].accept_length
    if depth is None or plain is None or now is None:
        return None
    rows = [("measured", now), *((e.label or e.ref, e.value) for e in brought), ("ceiling", acceptance.ceiling(depth))]
    rows = sorted((row for row in rows if row[1] <= acceptance.ceiling(depth)), key=lambda row: row[1])
    costs = tuple((f"{share:.0%} of measured" if share < 1 else "measured", cost.value * share) for share in CHEAPER)
    cells = tuple(tuple(length / price * plain for _, price in costs) for _, length in rows)
    return Levers(drafter.ref, depth, plain, tuple(rows), costs, cells)


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
