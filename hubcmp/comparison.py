"""Drafters -> Comparison: rows, what differs, what nobody told, what follows, and one verdict."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from hubcmp import costs, estimates, reruns
from hubcmp.axes import Axis, merged
from hubcmp.checks import Finding, Subject, inspect
from hubcmp.costs import Levers
from hubcmp.drafter import Drafter
from hubcmp.errors import Problem
from hubcmp.estimates import Estimate, lengths
from hubcmp.facts import Fact, Unknown
from hubcmp.metrics import METRICS
from hubcmp.parameters import Reconciliation, reconcile
from hubcmp.rows import Row, figure_rows, name, setting_rows, sides
from hubcmp.takeaways import Takeaway, takeaways

NOISE = 0.05
"""Relative difference below which no winner is named when the spread is unknown: identical runs differ by more than that."""


FEW = 4
"""Drafters that are all brought to each other's depth; more are set against the first one only."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer in one word and one sentence (at most 160 characters), with the reasons, most decisive first."""

    word: str
    sentence: str
    reasons: tuple[str, ...]


GateState = Literal["passed", "failed", "not decided"]


@dataclass(frozen=True, slots=True)
class Case:
    """One figure that a gate judged: whose, on which benchmark ("" when none is named), how it came out and why."""

    ref: str
    benchmark: str
    state: GateState
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one gate (`gate`, as written) came out: as badly as its worst case."""

    gate: str
    state: GateState
    reason: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything a report says, before any layout. The first drafter is what the others are set against.

    `reconciliations` explain the gap in stored parameters between the first drafter and the one at each position.
    """

    view: ClassVar[str] = "compare"
    drafters: tuple[Drafter, ...]
    verdict: Verdict
    rows: tuple[Row, ...]
    axes: tuple[Axis, ...]
    reconciliations: tuple[tuple[int, Reconciliation], ...]
    estimates: tuple[Estimate, ...]
    refused: tuple[Unknown, ...]
    levers: tuple[Levers, ...]
    findings: tuple[Finding, ...]
    takeaways: tuple[Takeaway, ...]
    runs_to_settle: tuple[str, ...]
    problems: tuple[Problem, ...]
    gates: tuple[Outcome, ...] = ()

    @property
    def gate_failed(self) -> bool:
        """Whether a gate failed (exit 1)."""
        return any(outcome.state == "failed" for outcome in self.gates)

    @property
    def failed(self) -> bool:
        """Whether a source failed, so that the report is partial."""
        return any(problem.failed for problem in self.problems)

    @property
    def nothing(self) -> bool:
        """Whether no drafter could be read at all."""
        return not any(drafter.revision or drafter.figures for drafter in self.drafters)


def compare(drafters: Sequence[Drafter], target: Drafter | None = None) -> Comparison:
    """Return the comparison of two or more drafters, the first being the reference. Raises ValueError for fewer.

    `target` is the model that they draft for, where it was read as well.
    """
    if len(drafters) < 2:
        raise ValueError("a comparison needs at least two drafters")
    rows = (*figure_rows(drafters), *setting_rows(drafters))
    found = tuple(replace(a, rerun=reruns.flags(a, drafters)) for a in _acceptance_axes(drafters, rows))
    findings = tuple(finding for d in drafters for finding in inspect(_subject(d, target)))
    implied, refused, levers = _implications(drafters)
    gaps = tuple(_reconciliations(drafters))
    return Comparison(
        drafters=tuple(drafters),
        verdict=_verdict(drafters, rows, found, findings),
        rows=rows,
        axes=found,
        reconciliations=gaps,
        estimates=implied,
        refused=refused,
        levers=levers,
        findings=findings,
        takeaways=takeaways(drafters, gaps, implied),
        runs_to_settle=_settling(drafters, found),
        problems=tuple(dict.fromkeys(p for d in drafters for p in d.problems)),
    )


def _subject(drafter: Drafter, target: Drafter | None) -> Subject:
    """Return a drafter for the checks, with the engine that its runs were measured on."""
    engines = {run.engine for run in drafter.runs}
    return Subject(drafter, target, (engines.pop() or "") if len(engines) == 1 else "")


def _reconciliations(drafters: Sequence[Drafter]) -> Iterator[tuple[int, Reconciliation]]:
    """Explain each drafter's parameter gap to the first one's, with the position of the drafter."""
    first = drafters[0].ledger
    for position, drafter in enumerate(drafters[1:], start=1):
        if first is not None and drafter.ledger is not None and first.entries and drafter.ledger.entries:
            yield position, reconcile(first, drafter.ledger)


def _acceptance_axes(drafters: Sequence[Drafter], rows: Iterable[Row]) -> tuple[Axis, ...]:
    """Return the axes between the drafters' accept lengths: of the shared benchmarks, else over all figures of each side."""
    shared = [row for row in rows if row.metric == "accept_length" and row.shared]
    facts = [[r.cells[i].fact for r in shared] or list(lengths(d)) for i, d in enumerate(drafters)]
    return merged(
        "accept_length", [(d, [f for f in fs if f is not None]) for d, fs in zip(drafters, facts, strict=True)]
    )


def _verdict(
    drafters: Sequence[Drafter], rows: Sequence[Row], found: Sequence[Axis], findings: Sequence[Finding]
) -> Verdict:
    """Return the first word that applies, with its reasons."""
    reasons = tuple(_reasons(found, drafters))
    faults = [f for f in findings if f.severe]
    if faults:
        return Verdict("WIRING PROBLEM LIKELY", _cut(faults[0].message), (*(f.message for f in faults), *reasons))
    fair = [row for row in rows if row.metric == "accept_length" and row.comparable]
    if fair:
        return Verdict("COMPARABLE", _cut(_direction(drafters, fair)), reasons)
    silent = [d.ref for d in drafters if not lengths(d)]
    if silent:
        reasons = (f"no accept length for {', '.join(silent)}", *reasons)
    differing = [a for a in found if a.decisive and a.state == "differs"]
    if differing:
        text = "; ".join(f"{name(a)} differs ({sides(a)})" for a in differing)
        return Verdict("NOT COMPARABLE AS GIVEN", _cut(text), reasons)
    return Verdict("INCOMPLETE", _cut(reasons[0] if reasons else "no figure on both sides"), reasons)


def _cut(text: str, limit: int = 130) -> str:
    return text if len(text) <= limit else text[: limit - 3].rstrip() + "..."


def _reasons(found: Sequence[Axis], drafters: Sequence[Drafter]) -> Iterator[str]:
    """Yield what stands against a comparison: decisive before contributing, differing before unknown, then speed's own axes."""
    for decisive in (True, False):
        for state in ("differs", "unknown"):
            for axis in found:
                if axis.state == state and axis.decisive == decisive:
                    yield f"{name(axis)} {'differs' if state == 'differs' else 'not stated by all'} ({sides(axis)})"
    seen = {a.name for a in found if a.state == "differs"}
    for metric in ("speedup", "throughput_tok_s"):
        own = [(d, d.own(metric)) for d in drafters]
        for axis in merged(metric, own) if all(facts for _, facts in own) else ():
            if axis.state == "differs" and axis.name not in seen:
                seen.add(axis.name)
                yield f"{METRICS[metric].title}: {name(axis)} differs ({sides(axis)})"


def _direction(drafters: Sequence[Drafter], fair: Sequence[Row]) -> str:
    """Say which way the comparable accept lengths point, or that no difference is claimed."""
    shares = [[(row.deltas[i] or 0.0) / _number(row.cells[0].fact) for row in fair] for i in range(len(drafters))]
    where = fair[0].benchmark or "one benchmark" if len(fair) == 1 else f"{len(fair)} benchmarks"
    if all(_doubtful(row, i, shares[i][at]) for at, row in enumerate(fair) for i in range(1, len(drafters))):
        known = all(row.intervals and all(row.intervals[1:]) for row in fair)
        why = f"differ by at most {NOISE:.0%} on {where}: no difference claimed, their spread is not known"
        return (
            f"accept lengths show no difference on {where}: its 95 % interval includes zero"
            if known
            else f"accept lengths {why}"
        )
    if len(drafters) > 2:
        best = max(range(len(drafters)), key=lambda i: sum(shares[i]))
        against = f" ({_span(min(shares[best]), max(shares[best]))} against {drafters[0].ref})" if best else ""
        return f"of {len(drafters)} drafters {drafters[best].ref} accepts the longest runs on {where}{against}"
    low, high = min(shares[1]), max(shares[1])
    word = "longer" if low > 0 else "shorter" if high < 0 else "longer or shorter by benchmark:"
    return f"{drafters[1].ref} accepts {word} runs than {drafters[0].ref} ({_span(low, high)}) on {where}"


def _doubtful(row: Row, i: int, share: float) -> bool:
    """Whether drafter i's difference to the first is none to speak of: its interval includes zero, or it is small and has none."""
    span = row.intervals[i] if row.intervals else None
    return abs(share) <= NOISE if span is None else span.low <= 0 <= span.high


def _span(low: float, high: float) -> str:
    return f"{low:+.1%}" if low == high else f"{low:+.1%} to {high:+.1%}"


def _number(fact: Fact | None) -> float:
    return fact.number if fact is not None else float("nan")


def _settling(drafters: Sequence[Drafter], found: Sequence[Axis]) -> tuple[str, ...]:
    """Return the runs that would settle the question, unless nothing decisive stands in the way."""
    if all(a.state == "equal" for a in found if a.decisive):
        return ()
    return reruns.settling(drafters, [_depth(drafter) for drafter in drafters])


def _implications(drafters: Sequence[Drafter]) -> tuple[tuple[Estimate, ...], tuple[Unknown, ...], tuple[Levers, ...]]:
    """Return all that follows from the figures: per drafter its own estimates, then what others would give at its depth and cost."""
    found: list[Estimate | Unknown] = []
    tables: list[Levers] = []
    for drafter in drafters:
        others = _partners(drafter, drafters)
        found += _implied_lengths(drafter, others)
        brought = list(_brought(others, _depth(drafter)))
        found += [b for o in others for b in _brought([drafter], _depth(o))]
        top_length, cost = costs.ceiling_length(drafter), costs.cycle(drafter)
        found += [x for x in (top_length, cost) if x is not None]
        if isinstance(cost, Estimate):
            known = [b for b in brought if isinstance(b, Estimate)]
            top, table = costs.ceiling_speed(drafter, cost), costs.levers(drafter, cost, known)
            found += [*costs.what_if(drafter, cost, known), *([top] if top else [])]
            tables += [table] if table else []
    kept = list({_key(f): f for f in reversed(found)}.values())[::-1]
    good = tuple(f for f in kept if isinstance(f, Estimate))
    return good, tuple(f for f in kept if isinstance(f, Unknown)), tuple(tables)


def _partners(drafter: Drafter, drafters: Sequence[Drafter]) -> list[Drafter]:
    """Return whom a drafter is brought to one scale with: all others while they are few, else the first one alone."""
    others = [d for d in drafters if d is not drafter]
    return others if len(drafters) <= FEW or drafter is drafters[0] else [drafters[0]]


def _key(found: Estimate | Unknown) -> tuple[str, ...]:
    if isinstance(found, Unknown):
        return (found.metric, found.reason)
    return (found.ref, found.metric, found.title, found.label or "", f"{found.value:.6g}")


def _depth(drafter: Drafter) -> int | None:
    """Return the depth of a drafter's first length, bound or nearby."""
    return next((d.value for f in lengths(drafter) if (d := estimates.depth_of(drafter, f))), None)


def _brought(drafters: Iterable[Drafter], to: int | None) -> Iterator[Estimate | Unknown]:
    """Yield every length of the drafters brought to depth `to`."""
    if to is not None:
        for drafter in drafters:
            for fact in lengths(drafter):
                result = estimates.at_depth(drafter, fact, to)
                if result is not None:
                    yield result


def _implied_lengths(drafter: Drafter, others: Iterable[Drafter]) -> Iterator[Estimate]:
    """Yield the lengths a card's own speedups imply, as they are and at the others' depths."""
    depths = [d for o in others if (d := _depth(o)) is not None]
    for estimate in estimates.implied(drafter):
        yield estimate
        for depth in dict.fromkeys(depths):
            moved = estimates.implied_at(drafter, estimate, depth)
            yield from (moved,) if moved else ()
