"""Answer files that list every verify step of every turn."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts, accepted, reached
from hubcmp.engines._json import get, items, number, objects


def stepwise(run: Run, document: Document, key: str, bonus: int) -> Run:
    """Return the run over all steps listed under `choices[].<key>`; `bonus` is what an entry counts beside accepted drafts."""
    total, questions = Counts(), 0
    for _, answer in objects(document):
        questions += 1
        for choice in items(answer, "choices"):
            histogram = _histogram(get(choice, key), bonus)
            total.add(sum(histogram), accepted(histogram), reached=reached(histogram))
    return total.fill(replace(run, n_requests=questions))


def _histogram(steps: Any, bonus: int) -> list[float]:
    """Return how many steps accepted j drafts; an entry below the bonus is no step."""
    seen = Counter(int(value) - bonus for value in _flat(steps) if bonus <= value <= 1000)
    return [float(seen[j]) for j in range(max(seen, default=-1) + 1)]


def _flat(steps: Any) -> Iterator[float]:
    """Yield the entries of a list, or of one list per turn."""
    for item in steps if isinstance(steps, list) else ():
        value = number(item)
        if value is not None:
            yield value
        elif isinstance(item, list):
            yield from (entry for one in item if (entry := number(one)) is not None)
