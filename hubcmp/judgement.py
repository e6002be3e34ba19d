"""How gates come out: passed, failed, or not decided with the reason; not decided is never a pass.

Every drafter but the baseline is judged. Estimates and promises ("up to") never decide, and a change is taken only between
comparable figures. Like runs of one drafter are judged by their spread: what lies inside it is not decided.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hubcmp.axes import axes
from hubcmp.checks.dead_drafter import NEAR_ONE
from hubcmp.comparison import NOISE, Case, Comparison, GateState, Outcome
from hubcmp.drafter import Drafter
from hubcmp.facts import Evidence, Fact, Span
from hubcmp.gates import Gate
from hubcmp.labels import canonical
from hubcmp.metrics import Metric
from hubcmp.rows import MEASURED, blocking, missing
from hubcmp.units import exact, percent, size

DEAD: Mapping[str, float] = {"accept_length": NEAR_ONE, "accept_rate": 0.02}
"""Baselines below this accept almost nothing: against them any drafter looks fine, so no change is judged."""
SHOWN = 3
"""Figures that a gate's reason names; further ones are counted."""
_SEVERITY: tuple[GateState, ...] = ("failed", "not decided", "passed")


@dataclass(frozen=True, slots=True)
class Runs:
    """Like runs of one drafter: measured figures of one metric on one benchmark under the same conditions."""

    drafter: Drafter
    facts: tuple[Fact, ...]

    @property
    def span(self) -> Span:
        """From the least to the most that any of the runs says."""
        spans = [fact.value for fact in self.facts if isinstance(fact.value, Span)]
        return Span(min(span.low for span in spans), max(span.high for span in spans))

    @property
    def samples(self) -> int | None:
        """Samples behind the figures together, None when one of them does not state its number."""
        counts = [_samples(self.drafter, fact) for fact in self.facts]
        return sum(n for n in counts if n) if all(counts) else None


def judge(gates: Sequence[Gate], comparison: Comparison) -> tuple[Outcome, ...]:
    """Return how each gate came out over all drafters but the baseline."""
    return tuple(_outcome(gate, comparison) for gate in gates)


def _outcome(gate: Gate, comparison: Comparison) -> Outcome:
    """Judge every figure that a gate speaks of; the worst case is the gate's own."""
    base = _runs(gate, comparison.drafters[0])
    cases = tuple(case for i in range(1, len(comparison.drafters)) for case in _cases(gate, comparison, base, i))
    worst = next(state for state in _SEVERITY if any(case.state == state for case in cases))
    told = [f"{c.ref}{f' on {c.benchmark}' if c.benchmark else ''}: {c.reason}" for c in cases if c.state == worst]
    more = [f"and {len(told) - SHOWN} more"] if len(told) > SHOWN else []
    reason = "; ".join([*told[:SHOWN], *more])
    if gate.strict and worst == "not decided":
        return Outcome(gate.text, "failed", f"not decided, {reason}", cases)
    return Outcome(gate.text, worst, reason, cases)


def _cases(gate: Gate, comparison: Comparison, base: Sequence[Runs], i: int) -> Iterator[Case]:
    """Yield one case per figure of drafter i, or the one reason why it has none that could be judged."""
    first, drafter = comparison.drafters[0], comparison.drafters[i]
    found = _runs(gate, drafter)
    pairs = list(zip(found, _partners(gate, comparison, base, i, found), strict=True))
    if not pairs:
        yield Case(drafter.ref, "", "not decided", _absence(gate, drafter))
    if gate.change and any(partner for _, partner in pairs):
        pairs = [(runs, partner) for runs, partner in pairs if partner]
    for runs, partner in pairs:
        state, reason = _judged(gate, runs, partner, first.ref)
        yield Case(drafter.ref, runs.facts[0].label or "", state, reason)


def _runs(gate: Gate, drafter: Drafter) -> list[Runs]:
    """Group the measured figures that a gate speaks of: like runs together, in the order found."""
    groups: dict[object, list[Fact]] = {}
    for fact in drafter.own(gate.metric.name):
        label = canonical(fact.label or "")
        if _measured(fact) and (not gate.label or canonical(gate.label) == label):
            groups.setdefault((label, fact.stat, frozenset(fact.conditions.items())), []).append(fact)
    return [Runs(drafter, tuple(group)) for group in groups.values()]


def _measured(fact: Fact) -> bool:
    """Whether a fact is a figure over all positions that may decide: no estimate, no promise."""
    return fact.position is None and fact.stat in MEASURED and fact.evidence > Evidence.ESTIMATED


def _samples(drafter: Drafter, fact: Fact) -> int | None:
    """Return the prompts or requests behind a figure: its own, its run's, or those the user gave."""
    run = next((run.n_requests for run in drafter.runs if run.source in fact.sources), None)
    known = (fact.conditions.get("prompts"), run, drafter.given.get("prompts"))
    return next((n for n in known if isinstance(n, int) and n > 0), None)


def _partners(
    gate: Gate, comparison: Comparison, base: Sequence[Runs], i: int, found: Sequence[Runs]
) -> list[Runs | None]:
    """Return for each of drafter i's runs the baseline's that the report sets them against.

    Facts are told apart by identity: rows hold the drafters' own, and two like runs may be equal in everything.
    """
    home = {id(fact): runs for runs in base for fact in runs.facts}
    opposite = {
        id(row.cells[i].fact): home[id(row.cells[0].fact)]
        for row in comparison.rows
        if row.metric == gate.metric.name and id(row.cells[0].fact) in home
    }
    return [next((opposite[id(fact)] for fact in runs.facts if id(fact) in opposite), None) for runs in found]


def _absence(gate: Gate, drafter: Drafter) -> str:
    """Say why a drafter has no figure that could be judged."""
    own, title = drafter.own(gate.metric.name), gate.metric.title
    labels = dict.fromkeys(fact.label for fact in own if fact.label and _measured(fact))
    if gate.label and any(map(_measured, own)):
        return f"no {title} on {gate.label}; there are: {', '.join(labels) or 'none with a benchmark'}"
    if own:
        return f"only an estimate, a promise or single positions of the {title}, which decide nothing"
    cell = missing(drafter, gate.metric.name, gate.metric.found_in)
    return f"{title} {cell.state} ({cell.reason})"


def _judged(gate: Gate, runs: Runs, partner: Runs | None, baseline: str) -> tuple[GateState, str]:
    """Return the state of one figure and why."""
    if gate.change or gate.comparable:
        where = runs.facts[0].label or "a benchmark that is not named"
        alone = f"{baseline} has no {gate.metric.title} on {where}" if gate.metric.decisive else f"{baseline} has none"
        obstacle = alone if partner is None else _obstacle(gate, runs, partner)
        if obstacle:
            return "not decided", obstacle
    sides = [runs, partner] if gate.change else [runs]
    for side in (side for side in sides if side is not None and gate.samples):
        if (side.samples or 0) < gate.samples:
            found = "number of samples not stated" if side.samples is None else f"{side.samples} samples"
            return "not decided", f"{found} for {side.drafter.ref}, the gate asks for {gate.samples}"
    return _change(gate, runs, partner) if gate.change and partner is not None else _line(gate, runs)


def _obstacle(gate: Gate, runs: Runs, partner: Runs) -> str:
    """Return why two figures may not be set against each other, "" when they may."""
    if not all(isinstance(f.value, Span) and f.value.exact for f in (*partner.facts, *runs.facts)):
        return "a bound or a range is not subtracted"
    pair = [(side.drafter, side.facts[0]) for side in (partner, runs)]
    differing = blocking(axes(gate.metric.name, pair))
    return f"not comparable: {differing}" if differing else ""


def _line(gate: Gate, runs: Runs) -> tuple[GateState, str]:
    """Judge a figure against a line."""
    span, line = runs.span, _written(gate.metric, gate.limit)
    shown = _shown(gate.metric, span)
    crossed = {_holds(gate.test, value, gate.limit) for value in (span.low, span.high)}
    if len(crossed) == 2:
        return "not decided", f"{shown} lies on both sides of {line}; one run alone would fail or pass by chance"
    near = not gate.metric.exact and len(runs.facts) == 1 and abs(span.middle - gate.limit) <= NOISE * gate.limit
    doubt = f"; within {NOISE:.0%} of the line, where like runs differ, so repeat it to be sure" if near else ""
    return ("failed", f"{shown} {gate.test} {line}{doubt}") if True in crossed else ("passed", f"{shown}{doubt}")


def _change(gate: Gate, runs: Runs, base: Runs) -> tuple[GateState, str]:
    """Judge a change against the baseline."""
    old, new = base.span, runs.span
    shown = f"from {_shown(gate.metric, old)} to {_shown(gate.metric, new)}"
    if old.low < DEAD.get(gate.metric.name, 0) or (gate.relative and old.low <= 0):
        return "not decided", f"{shown}: the baseline accepts almost nothing, so no change against it is judged"
    share = Span(new.low / old.high - 1, new.high / old.low - 1) if old.low > 0 else Span.of(0)
    shown += f" ({share.low:+.1%})" if share.exact and old.low > 0 else ""
    amount = _amount(gate.test, share if gate.relative else Span(new.low - old.high, new.high - old.low))
    over = {value > gate.limit for value in (amount.low, amount.high)}
    limit = _limit(gate)
    if len(over) == 2:
        return "not decided", f"{shown}: the spread of like runs lies on both sides of {limit}"
    if True in over and _within_noise(gate, runs, base, share):
        doubt = f"within {NOISE:.0%}, where like runs differ; repeat the runs, or say how many samples do with n >= N"
        return "not decided", f"{shown}: {doubt}"
    return ("failed", f"{shown}: {gate.test} > {limit}") if True in over else ("passed", shown)


def _limit(gate: Gate) -> str:
    """Return the limit of a change as text; a difference of two rates is in points, so that it is not read as a share."""
    if gate.relative:
        return percent(gate.limit)
    return f"{100 * gate.limit:.1f} points" if gate.metric.style == "rate" else _written(gate.metric, gate.limit)


def _amount(test: str, change: Span) -> Span:
    """Return by how much something moved in the direction that a gate watches, least to most."""
    if test == "rises":
        return change
    if test == "drops":
        return Span(-change.high, -change.low)
    ends = sorted((abs(change.low), abs(change.high)))
    return Span(0.0 if change.low < 0 < change.high else ends[0], ends[1])


def _within_noise(gate: Gate, runs: Runs, base: Runs, share: Span) -> bool:
    """Whether a change is too small to be told from chance: its spread is not known and no sample size was asked for."""
    known = gate.metric.exact or gate.samples > 0 or min(len(runs.facts), len(base.facts)) > 1
    return not known and max(abs(share.low), abs(share.high)) <= NOISE


def _holds(test: str, value: float, limit: float) -> bool:
    return {"<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit}[test]


def _shown(metric: Metric, span: Span) -> str:
    low, high = _written(metric, span.low), _written(metric, span.high)
    return low if low == high else f"{low} to {high}"


def _written(metric: Metric, value: float) -> str:
    """Return a value as sentences write it: counts in full, lengths with at least two decimals."""
    if metric.style == "count":
        return exact(value)
    if metric.style in ("bytes", "rate"):
        return size(value) if metric.style == "bytes" else percent(value)
    return f"{value:.2f}" if abs(value - round(value, 2)) < 1e-9 else f"{value:.4g}"
