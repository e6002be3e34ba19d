"""Counts of one run: verify steps N, drafted D, accepted A, accepted per position; summed first, divided once."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hubcmp.acceptance import Run
from hubcmp.engines._samples import Samples

ROUNDING = 0.006
"""Largest gap between A/N and the sum of per-position rates that rounding explains."""


@dataclass
class Counts:
    """Sums over requests or windows. `drafted` stays None while no part told it; `reached[i]` counts steps that accepted draft i."""

    steps: float = 0.0
    accepted: float = 0.0
    drafted: float | None = None
    reached: list[float] = field(default_factory=list)
    units: int = 0
    samples: Samples = field(default_factory=Samples)

    def add(self, steps: float, accepted: float, drafted: float | None = None, reached: Sequence[float] = ()) -> None:
        """Add one request or window."""
        self.steps += steps
        self.accepted += accepted
        if drafted is not None:
            self.drafted = (self.drafted or 0.0) + drafted
        self.reached += [0.0] * (len(reached) - len(self.reached))
        for i, count in enumerate(reached):
            self.reached[i] += count
        self.units += 1
        self.samples.add(steps, accepted)

    def fill(self, run: Run) -> Run:
        """Return `run` with everything that follows from the counts; nothing when there was no step."""
        n, drafted = self.steps, self.drafted
        if n <= 0:
            return replace(run, why={**run.why, "accept_length": "no verify step was counted"})
        whole = self.reached and abs(sum(self.reached) - self.accepted) <= ROUNDING * n
        return replace(
            run,
            weighting="steps",
            steps=n,
            accepted=self.accepted,
            drafted=drafted,
            accept_length=1 + self.accepted / n,
            draft_acceptance_rate=self.accepted / drafted if drafted else None,
            per_position=tuple(r / n for r in self.reached) if whole else None,
            samples=self.samples.freeze(),
        )


FALLBACK = "1.0 is the fallback of the tool for 'not measured'"
"""Why a printed accept length of 1.0 is none; a drafter whose drafts are never accepted is told by counts."""


def told(length: float | None) -> tuple[float | None, dict[str, str]]:
    """Return a printed accept length with nothing to explain, or None with the reason where one was printed and is none."""
    if length is not None and length > 1:
        return length, {}
    return None, {"accept_length": FALLBACK} if length else {}


def reached(histogram: Sequence[float]) -> list[float]:
    """Return how many steps accepted draft i, from histogram[j] = steps that accepted j drafts."""
    totals: list[float] = []
    for count in reversed(histogram[1:]):
        totals.append(count + (totals[-1] if totals else 0.0))
    return totals[::-1]


def accepted(histogram: Sequence[float]) -> float:
    """Return the accepted drafts in histogram[j] = steps that accepted j drafts."""
    return sum(j * count for j, count in enumerate(histogram))


def ratio(part: float, whole: float) -> int | None:
    """Return `part` / `whole` when it is a whole number of at least 1, such as drafted tokens per step."""
    value = part / whole if whole else 0.0
    return round(value) if value >= 1 and abs(value - round(value)) < 1e-9 * value else None
