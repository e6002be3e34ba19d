"""What a reader should take away: sentences that follow from the comparison, each with the facts it rests on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hubcmp import acceptance
from hubcmp.drafter import Drafter, throughput
from hubcmp.estimates import Estimate, depth_of, lengths
from hubcmp.facts import Evidence, Fact
from hubcmp.parameters import Reconciliation
from hubcmp.units import exact, gain


@dataclass(frozen=True, slots=True)
class Takeaway:
    """One sentence and the facts it rests on."""

    text: str
    inputs: tuple[Fact, ...] = ()


def takeaways(
    drafters: Sequence[Drafter], gaps: Sequence[tuple[int, Reconciliation]], found: Sequence[Estimate]
) -> tuple[Takeaway, ...]:
    """Return the sentences in the order a reader needs them: size, reach, implied equality, levers."""
    return (
        *(_gap(drafters[0], drafters[i], gap) for i, gap in gaps),
        *_unreachable(drafters, found),
        *_implied(drafters, found),
        *_cost(drafters, found),
    )


def _gap(left: Drafter, right: Drafter, gap: Reconciliation) -> Takeaway:
    """Say what the difference in stored parameters is made of."""
    parts = [f"{row.gap:+,.0f} {row.role}: {row.reason or 'no reason found'}" for row in gap.rows if row.gap]
    trained = [fact for drafter in (left, right) for fact in drafter.own("params_trainable")]
    inputs = (*(f for d in (left, right) for f in d.own("params_stored")), *trained)
    if not parts:
        return Takeaway(f"{left.ref} and {right.ref} store the same number of parameters in every role", inputs)
    text = f"{right.ref} stores {exact(abs(gap.gap))} parameters {'more' if gap.gap > 0 else 'fewer'} than {left.ref}"
    text += f": {'; '.join(parts)}; unexplained rest {exact(gap.rest)}"
    if len(trained) == 2:
        text += f". Of all that is stored, {exact(trained[1].number)} against {exact(trained[0].number)} are trainable"
    return Takeaway(text, inputs)


def _unreachable(drafters: Sequence[Drafter], found: Sequence[Estimate]) -> Iterator[Takeaway]:
    """Say when one drafter's lengths lie above what another's depth allows at all."""
    known = [(d, fact) for d in drafters for fact in lengths(d)]
    for drafter in drafters:
        others = [fact for d, fact in known if d is not drafter]
        longest = max((fact.number for fact in others), default=0.0)
        for fact in (fact for d, fact in known if d is drafter):
            depth = depth_of(drafter, fact)
            if depth is None or not depth.bound:
                continue
            top = acceptance.ceiling(depth.value)
            if longest > top:
                above = [f for f in others if f.number > top]
                least = min(f.number for f in above)
                yield Takeaway(
                    f"{drafter.ref} ran at draft depth {depth.value}, where no accept length exceeds {top:.1f}: "
                    f"{least:g} and above was never reachable there{_elsewhere(fact, found)}",
                    (fact, *above),
                )
                break


def _elsewhere(fact: Fact, found: Sequence[Estimate]) -> str:
    """Say what a length would be at the depth of the others, where that was estimated."""
    brought = next(
        (e for e in found if e.inputs == (fact,) and e.title.startswith("accept length at draft depth")), None
    )
    return "" if brought is None else f"; {_at(brought)} its {fact.number:.2f} would be about {brought.value:.2f}"


def _implied(drafters: Sequence[Drafter], found: Sequence[Estimate]) -> Iterator[Takeaway]:
    """Say when a length that one card's speedups imply agrees with what another drafter measured at that depth."""
    for estimate in found:
        if estimate.metric != "accept_length" or "implied" not in estimate.title or "draft depth" not in estimate.title:
            continue
        for drafter in (d for d in drafters if d.ref != estimate.ref):
            for fact in lengths(drafter):
                if fact.evidence >= Evidence.OBSERVED and estimate.span.low <= fact.number <= estimate.span.high:
                    where = fact.label or "benchmark not stated"
                    yield Takeaway(
                        f"On {estimate.label}, for which {estimate.ref} states no accept length, its own speedups imply about "
                        f"{estimate.value:.2f} {_at(estimate)}; {drafter.ref} measured {fact.number:.2f} ({where}): "
                        "there the two may be equal",
                        (*estimate.inputs, fact),
                    )


def _at(estimate: Estimate) -> str:
    return f"at draft depth {estimate.title.rpartition(' ')[2]}"


def _cost(drafters: Sequence[Drafter], found: Sequence[Estimate]) -> Iterator[Takeaway]:
    """Say where break-even lies, and what no accept length can exceed at this depth and cycle cost."""
    for cost in (e for e in found if e.metric == "cycle_cost"):
        drafter = next(d for d in drafters if d.ref == cost.ref)
        top = next((e for e in found if e.ref == cost.ref and e.title.startswith("hard ceiling")), None)
        text = f"One cycle of {cost.ref} costs {cost.value:.2f} plain decode steps, so {cost.value:.2f} is its break-even accept length"
        plain = throughput(drafter.plains[0]) or 0.0
        if top is not None and plain > 0:
            text += (
                f"; at this depth and cost no drafter, whatever it was trained on, gives more than {top.value:.1f} tok/s "
                f"({gain(top.value / plain)} over plain): more depth and a cheaper cycle are levers beside more data"
            )
        yield Takeaway(text, cost.inputs)
