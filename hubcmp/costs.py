"""Speed: what one cycle costs in plain decode steps, where break-even lies, what cannot be exceeded, and what-if over both levers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hubcmp import acceptance
from hubcmp.drafter import Drafter, run_facts, throughput, unlike_settings
from hubcmp.estimates import Estimate
from hubcmp.facts import Fact, Span, Unknown

CHEAPER = (1.0, 0.9, 0.8)
"""Cycle costs of the what-if table, as shares of the measured one."""


@dataclass(frozen=True, slots=True)
class Levers:
    """What-if over both levers at one drafter's depth: `cells[i][j]` is tok/s at accept length i and cycle cost j."""

    ref: str
    depth: int
    plain: float
    lengths: tuple[tuple[str, float], ...]
    costs: tuple[tuple[str, float], ...]
    cells: tuple[tuple[float, ...], ...]


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
