"""Warnings that save a day: what looks like a measurement and is none."""

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

from hubcmp.acceptance import Run, draft_length
from hubcmp.engines._counts import FALLBACK
from hubcmp.errors import Problem

DEAD = 1.02
"""An accept length up to here means that hardly any draft is accepted."""
NEAR = 0.97
"""Share of the ceiling from which a figure is too good to be natural text."""
APART = 0.01
"""Relative difference from which two ways of averaging are worth a word."""
ENOUGH = 6
"""Windows or requests from which their regularity says something."""
REGULAR = 0.0051
"""Span of window lengths that their rounding to two decimals explains."""
SMALL = 10_000
"""Verify steps of a window below which chance alone moves its length by more than REGULAR."""
_SETTINGS = ("draft", "topk", "temperature", "num_steps", "num_draft_tokens")
"""Settings under which figures are figures of their own."""


def doubts(runs: Sequence[Run], where: str) -> list[Problem]:
    """Return what looks wrong about the runs of one source, each warning once."""
    messages = [message for run in runs for doubt in _DOUBTS for message in doubt(run)]
    groups: dict[object, list[Run]] = {}
    for run in runs:
        groups.setdefault((run.dataset, run.batch_size, _whose(run)), []).append(run)
    messages += [message for group in groups.values() for doubt in (_several, _spread) for message in doubt(group)]
    return [Problem(where, message) for message in dict.fromkeys(messages)]


def _whose(run: Run) -> str:
    """Return the drafter that a run names."""
    return str(run.conditions.get("drafter", run.reported.get("drafter", "")))


def _depth(run: Run) -> int | None:
    """Return the draft depth; the drafted tokens of a tree are more than its depth."""
    topk = run.conditions.get("topk")
    tree = isinstance(topk, int) and topk > 1
    return draft_length(run.conditions) or (None if tree else run.num_spec_tokens)


def _simulated(run: Run) -> Iterator[str]:
    if run.conditions.get("simulated_acceptance"):
        yield (
            "acceptance simulated by a server setting: the lengths say nothing about the drafter; compare throughputs only "
            "with runs simulated alike"
        )


def _fallback(run: Run) -> Iterator[str]:
    if run.accept_length is None and run.why.get("accept_length") == FALLBACK:
        yield f"an accept length of {FALLBACK}: the run did not speculate, or the tool did not see it; no figure is taken"


def _dead(run: Run) -> Iterator[str]:
    if run.accept_length is not None and run.accept_length <= DEAD:
        yield (
            f"accept length {run.accept_length:.2f}: hardly any draft is accepted; mostly wiring (wrong layer ids, head or "
            "algorithm flag), or a fallback of the tool for 'not measured'"
        )


def _lifetime(run: Run) -> Iterator[str]:
    if not run.window or not run.window.startswith(("server lifetime", "cumulative")):
        return
    if run.accept_length is None and not run.drafted:
        yield f"{run.format}: {run.window}; no verify step yet: send requests, and measure them with --for"
        return
    yield (
        f"{run.format}: {run.window}; warm-up and earlier traffic are in it, so it is not this run's value unless the server "
        "was fresh (measure with --for, or give BEFORE..AFTER, where there are counters)"
    )


def _ceiling(run: Run) -> Iterator[str]:
    depth = _depth(run)
    if run.accept_length is None or depth is None or depth < 1:
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
    depth = _depth(run)
    if depth is None or depth < 2 or len(run.samples) < ENOUGH:
        return
    full = sum(1 for s in run.samples if s.accepted >= 0.99 * depth * s.steps)
    if 0.1 * len(run.samples) <= full < len(run.samples):
        yield (
            f"{full} of {len(run.samples)} windows or requests accept every draft: probably looping output; look at the texts "
            "before trusting the mean"
        )


def _regular(run: Run) -> Iterator[str]:
    """Real text accepts now more, now fewer: windows that all say the same were made up, or one text goes round."""
    rates = [s.accepted / s.steps for s in run.samples]
    small = all(s.steps < SMALL for s in run.samples)
    if len(rates) < ENOUGH or max(rates) - min(rates) > REGULAR or run.conditions.get("simulated_acceptance"):
        return
    if small and run.accept_length is not None and run.accept_length > DEAD:
        yield (
            f"all {len(rates)} windows or requests have an accept length of {1 + rates[0]:.2f}: simulated acceptance or looping "
            "output, as real text varies; look at the server's environment and at the texts"
        )


def _tree(run: Run) -> Iterator[str]:
    topk = run.conditions.get("topk")
    if (isinstance(topk, int) and topk > 1) or run.conditions.get("draft") == "tree":
        kind = f" (topk {topk})" if topk is not None else ""
        yield f"a tree{kind}: its length and its rate are on another scale than those of a chain"


def _weights(run: Run) -> Iterator[str]:
    mean = run.reported.get("request_mean_accept_length")
    if not isinstance(mean, float) and len(run.samples) == run.n_requests and run.samples:
        mean = 1 + fmean(s.accepted / s.steps for s in run.samples)
    if isinstance(mean, float) and run.accept_length and abs(mean - run.accept_length) > APART * run.accept_length:
        yield f"mean over requests {mean:.3f}, pooled over steps {run.accept_length:.3f}: compare only figures averaged alike"


def _several(runs: Sequence[Run]) -> Iterator[str]:
    """Yield why there is no single figure for what was measured under several settings."""
    found = {name: list(dict.fromkeys(str(run.conditions.get(name)) for run in runs)) for name in _SETTINGS}
    differing = [
        f"{name.replace('_', ' ')}: {', '.join(values[:6])}" for name, values in found.items() if len(values) > 1
    ]
    if differing and all(run.accept_length is not None for run in runs):
        yield f"{len(runs)} results under settings that differ ({'; '.join(differing)}): each stands for itself, none for all"


def _spread(runs: Sequence[Run]) -> Iterator[str]:
    """Yield how far like runs differ: what lies inside that says nothing."""
    groups: dict[object, list[Run]] = {}
    for run in runs:
        groups.setdefault((run.num_spec_tokens, *sorted(map(str, run.conditions.items()))), []).append(run)
    for like in groups.values():
        for title, style, values in _repeated(like):
            low, high, mean = min(values), max(values), fmean(values)
            if low <= 0 or high / low - 1 < APART:
                continue
            yield (
                f"{len(values)} runs of the same stated settings: {title} {low:{style}} to {high:{style}}, mean {mean:{style}}, a spread "
                f"of {high / low - 1:.0%} of the least: no verdict from one run, and none on a difference inside it"
            )
            yield from _flaky(like, low, high)


def _repeated(runs: Sequence[Run]) -> Iterator[tuple[str, str, list[float]]]:
    """Yield (title, style, values) of what several runs measured alike: the length, or where there is none the first position."""
    lengths = [run.accept_length for run in runs if run.accept_length is not None]
    firsts = [run.per_position[0] for run in runs if run.per_position and run.accept_length is None]
    for title, style, values in (("accept length", ".3f", lengths), ("acceptance at position 1", ".4g", firsts)):
        if len(values) > 1:
            yield title, style, values


def _flaky(runs: Sequence[Run], low: float, high: float) -> Iterator[str]:
    limits = {limit for run in runs if isinstance(limit := run.reported.get("threshold"), int | float)}
    for limit in sorted(limits):
        if low <= limit <= high:
            yield f"the threshold {limit:g} lies inside that spread: a check against it is flaky, it passes or fails by chance"


_DOUBTS: tuple[Callable[[Run], Iterator[str]], ...] = (
    _simulated,
    _fallback,
    _dead,
    _lifetime,
    _ceiling,
    _looping,
    _regular,
    _tree,
    _weights,
)
