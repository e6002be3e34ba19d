"""Warnings that save a day: what looks like a measurement and is none."""

from collections.abc import Callable, Iterator, Sequence

from hubcmp.acceptance import Run
from hubcmp.errors import Problem

DEAD = 1.02
"""An accept length up to here means that hardly any draft is accepted."""
NEAR = 0.97
"""Share of the ceiling from which a figure is too good to be natural text."""
APART = 0.01
"""Relative difference from which two ways of averaging are worth a word."""


def doubts(runs: Sequence[Run], where: str) -> list[Problem]:
    """Return what looks wrong about the runs of one source, each warning once."""
    messages = [message for run in runs for doubt in _DOUBTS for message in doubt(run)]
    return [Problem(where, message) for message in dict.fromkeys(messages)]


def _simulated(run: Run) -> Iterator[str]:
    if run.conditions.get("simulated_acceptance"):
        yield (
            "acceptance simulated by a server setting: the lengths say nothing about the drafter; compare throughputs only "
            "with runs simulated alike"
        )


def _dead(run: Run) -> Iterator[str]:
    if run.accept_length is not None and run.accept_length <= DEAD:
        yield (
            f"accept length {run.accept_length:.2f}: hardly any draft is accepted; mostly wiring (wrong layer ids, head or "
            "algorithm flag), or a fallback of the tool for 'not measured'"
        )


def _lifetime(run: Run) -> Iterator[str]:
    if run.window and run.window.startswith(("server lifetime", "cumulative")):
        yield (
            f"{run.format}: {run.window}; warm-up and earlier traffic are in it, so it is not this run's value unless the server "
            "was fresh (give BEFORE..AFTER where there are counters)"
        )


def _ceiling(run: Run) -> Iterator[str]:
    depth = run.conditions.get("draft_length") or run.num_spec_tokens
    if run.accept_length is None or not isinstance(depth, int) or depth < 1:
        return
    if run.accept_length > depth + 1.005:
        yield (
            f"accept length {run.accept_length:.2f} is above the ceiling of {depth + 1} at {depth} drafted tokens: two settings "
            "or two servers are mixed"
        )
    elif run.accept_length - 1 >= NEAR * depth:
        yield (
            f"accept length {run.accept_length:.2f} is at the ceiling of {depth + 1}: looping output, simulated acceptance, or a "
            "draft that is too short"
        )


def _looping(run: Run) -> Iterator[str]:
    depth = run.conditions.get("draft_length") or run.num_spec_tokens
    if not isinstance(depth, int) or depth < 2 or len(run.samples) < 6:
        return
    full = sum(1 for s in run.samples if s.accepted >= 0.99 * depth * s.steps)
    if 0.1 * len(run.samples) <= full < len(run.samples):
        yield (
            f"{full} of {len(run.samples)} windows or requests accept every draft: probably looping output; look at the texts "
            "before trusting the mean"
        )


def _tree(run: Run) -> Iterator[str]:
    topk = run.conditions.get("topk")
    if isinstance(topk, int) and topk > 1:
        yield f"a tree (topk {topk}): its length and its rate are on another scale than those of a chain"


def _weights(run: Run) -> Iterator[str]:
    mean = run.reported.get("request_mean_accept_length")
    if isinstance(mean, float) and run.accept_length and abs(mean - run.accept_length) > APART * run.accept_length:
        yield f"mean over requests {mean:.3f}, pooled over steps {run.accept_length:.3f}: compare only figures averaged alike"


_DOUBTS: tuple[Callable[[Run], Iterator[str]], ...] = (
    _simulated,
    _dead,
    _lifetime,
    _ceiling,
    _looping,
    _tree,
    _weights,
)
