"""trtllm-bench's statistics over requests, brought back to counts.

Per request with `it` iterations after the context step: drafted k x (it + 1), accepted tokens - it - 1, length tokens / (it + 1).
So the totals give iterations, and without one context iteration per request the verify steps.
"""

from dataclasses import dataclass, replace

from hubcmp.acceptance import Run
from hubcmp.engines._counts import Counts
from hubcmp.facts import Scalar


@dataclass(frozen=True, slots=True)
class Averages:
    """Means over requests: output tokens, drafted and accepted tokens, length, rate."""

    tokens: float | None
    drafted: float | None
    accepted: float | None
    length: float | None
    rate: float | None


def recovered(run: Run, means: Averages) -> Run:
    """Return `run` with the counts behind the means, or only the printed mean length where they do not add up."""
    printed = {"request_mean_accept_length": means.length, "request_mean_rate": means.rate}
    run = replace(run, reported={**run.reported, **{k: v for k, v in printed.items() if v is not None}})
    n, counts = run.n_requests, Counts()
    if not n or means.tokens is None or means.accepted is None or means.drafted is None:
        length = means.length if means.length and means.length > 1 else None
        return replace(run, kind="reported", accept_length=length, weighting="requests" if length else None)
    taken = round(means.accepted * n)
    iterations = round(means.tokens * n) - taken
    steps = iterations - n
    k = means.drafted * n / iterations if iterations > 0 else 0.0
    if steps <= 0 or k <= 0 or taken < 0:
        return run
    fixed = round(k) if abs(k - round(k)) < 0.01 else None
    counts.add(steps, taken, fixed * steps if fixed else None)
    known: dict[str, Scalar] = {"num_speculative_tokens": fixed, "draft_length": fixed} if fixed else {}
    filled = counts.fill(replace(run, kind="exact", num_spec_tokens=fixed, conditions={**run.conditions, **known}))
    return replace(filled, samples=())
