"""Which runs of two benchmark sources belong together, and why two of them may not be set against each other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hubcmp.acceptance import Run, draft_length, simulated
from hubcmp.axes import TITLES, model_name
from hubcmp.facts import Scalar
from hubcmp.labels import canonical, language
from hubcmp.measurements import Benchmark

POOLED = ("steps", "drafted tokens", "windows by running requests")
"""Ways of averaging that give the same length: sums over all steps."""
_DECISIVE: Mapping[str, Callable[[Scalar], object]] = {
    "target_model": lambda value: model_name(str(value)),
    "dataset": lambda value: canonical(str(value)),
    "language": str,
    "draft": str,
    "topk": str,
    "temperature": lambda value: float(value) if isinstance(value, int | float) else value,
}
"""Conditions whose difference makes two accept lengths incomparable, and how their values are compared; the draft depth can be
brought to one value."""
_CONTRIBUTING = ("engine", "engine_version", "target_dtype", "batch_size", "tensor_parallel", "hardware", "algorithm")
"""Conditions that change a figure a little: named beside a difference."""


@dataclass(frozen=True, slots=True)
class Side:
    """What is compared: a source, or one drafter's part of a source that holds several. `text` is the source as given."""

    text: str
    name: str
    runs: tuple[Run, ...]


def sides(items: Sequence[Benchmark]) -> tuple[Side, ...]:
    """Return the sources as sides; one that names several drafters, or holds saved results of several sources, is a side for each."""
    return tuple(side for item in items for side in _split(item))


def _split(item: Benchmark) -> Iterator[Side]:
    names = dict.fromkeys(map(_whose, item.runs))
    if len(names) < 2:
        yield Side(item.text, item.text, item.runs)
        return
    for name in names:
        runs = tuple(run for run in item.runs if _whose(run) == name)
        yield Side(item.text, f"{item.text}: {name or 'drafter not named'}", runs)


def _whose(run: Run) -> str:
    """Return the drafter that a run names, else the source that a saved result was made from."""
    return str(condition(run, "drafter") or run.reported.get("drafter") or run.reported.get("saved_from") or "")


def pairs(first: Side, other: Side, once: bool = True) -> Iterator[tuple[Run, Run]]:
    """Yield the runs of two sides that belong together: the only ones, else the best fit of the same data and batch.

    `once` uses each run of the first side once at most.
    """
    if len(first.runs) == len(other.runs) == 1:
        yield first.runs[0], other.runs[0]
        return
    free = list(first.runs)
    for run in other.runs:
        like = [candidate for candidate in free if _place(candidate) == _place(run) and not any(unlike(candidate, run))]
        if like:
            best = max(like, key=lambda candidate: _agreement(candidate, run))
            free = [candidate for candidate in free if not once or candidate is not best]
            yield best, run


def _place(run: Run) -> tuple[str, int | None]:
    return canonical(run.dataset or ""), run.batch_size


def _agreement(first: Run, second: Run) -> int:
    """Count what two runs have in common, their depth included."""
    shared = sum(value == second.conditions.get(name) for name, value in first.conditions.items())
    return shared + (depth_of(first) == depth_of(second))


def condition(run: Run, name: str) -> Scalar | None:
    """Return a setting of a run, wherever it is kept."""
    value = run.conditions.get(name)
    if name == "language" and value is None:
        return language(run.dataset or "") or None
    return value if value is not None else getattr(run, name, None)


def unlike(first: Run, second: Run) -> Iterator[str]:
    """Yield why the accept lengths of two runs cannot be set against each other."""
    for name, normal in _DECISIVE.items():
        one, two = condition(first, name), condition(second, name)
        if one is not None and two is not None and normal(one) != normal(two):
            yield f"{TITLES.get(name, name)} differs ({one} and {two}), so the accept lengths are not comparable"
    if simulated(first) != simulated(second):
        yield "acceptance is simulated on one side, so the accept lengths are not comparable"
    ways = {"steps" if w in POOLED else w for w in (first.weighting, second.weighting) if w is not None}
    if len(ways) > 1 and not (first.samples and second.samples):
        yield f"averaged differently ({first.weighting}; {second.weighting}), and there are no units to average alike"


def apart(first: Run, second: Run) -> tuple[str, ...]:
    """Return what else differs between two runs, as "engine version (0.5.10 and 0.5.23)"."""
    found = ((name, condition(first, name), condition(second, name)) for name in _CONTRIBUTING)
    return tuple(
        f"{TITLES.get(n, n)} ({a} and {b})"
        for n, a, b in found
        if str(a).lower() != str(b).lower() and None not in (a, b)
    )


def depth_of(run: Run) -> int | None:
    """Return the drafted tokens per cycle along the chain, or None when the source does not tell them."""
    stated = draft_length(run.conditions)
    if stated is None and run.num_spec_tokens is None and run.per_position:
        return len(run.per_position)
    return run.num_spec_tokens if stated is None else stated


def what(run: Run) -> str:
    """Return data and batch of a run, as far as they are stated."""
    return ", ".join(filter(None, (run.dataset, f"batch {run.batch_size}" if run.batch_size else "")))
