"""What the smaller commands answer: cards, ledgers, benchmarks, depths; the large one, Comparison, has its own room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TYPE_CHECKING, ClassVar

from hubcmp.errors import Problem

if TYPE_CHECKING:  # each command imports only what its own answer holds
    from hubcmp.acceptance import Estimate
    from hubcmp.checks import Finding
    from hubcmp.drafter import Drafter
    from hubcmp.facts import Fact
    from hubcmp.measurements import Benchmark
    from hubcmp.parameters import Ledger
    from hubcmp.readers import Reading
    from hubcmp.trials import Speed, Trial


@dataclass(frozen=True, slots=True)
class Card:
    """One card: where it came from and what it claims (`reading` is None when there was nothing to read)."""

    ref: str
    revision: str
    path: str
    reading: Reading | None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Cards:
    """The answer of `hubcmp card`; `private` are the ids of repositories that are not public."""

    view: ClassVar[str] = "card"
    items: tuple[Card, ...]
    private: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What went wrong, with the card it belongs to."""
        return tuple(p.of(card.ref) for card in self.items for p in _card_problems(card))

    @property
    def failed(self) -> bool:
        """Whether a source failed; a card without claims, or none at all, is no failure."""
        return any(p.failed for p in self.problems)

    @property
    def nothing(self) -> bool:
        """Whether no card could be read because every source failed."""
        return all(card.reading is None and any(p.failed for p in card.problems) for card in self.items)


def _card_problems(card: Card) -> tuple[Problem, ...]:
    return card.problems if card.reading is None else (*card.problems, *card.reading.problems)


@dataclass(frozen=True, slots=True)
class Ledgers:
    """The answer of `hubcmp params`; `tensors` asks for one row per tensor as well, `private` are ids that are not public.

    `claims` are the counts that each drafter's card states of it, in the order of `items`.
    """

    view: ClassVar[str] = "params"
    items: tuple[Ledger, ...]
    tensors: bool = False
    private: tuple[str, ...] = ()
    claims: tuple[tuple[Fact, ...], ...] = ()

    @property
    def stated(self) -> tuple[tuple[Ledger, tuple[Fact, ...]], ...]:
        """Each ledger with the claims of its card."""
        return tuple(zip(self.items, chain(self.claims, repeat(())), strict=False))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What went wrong, with the drafter it belongs to."""
        return tuple(p.of(ledger.ref) for ledger in self.items for p in ledger.problems)

    @property
    def failed(self) -> bool:
        """Whether a source failed or a weight file was refused."""
        return any(p.failed for p in self.problems)

    @property
    def nothing(self) -> bool:
        """Whether every source failed and no tensor was counted."""
        return all(not i.entries and not i.estimate and any(p.failed for p in i.problems) for i in self.items)


@dataclass(frozen=True, slots=True)
class Benchmarks:
    """The answer of `hubcmp bench`: one Benchmark per source in order, each set against the first, and against plain decoding."""

    view: ClassVar[str] = "bench"
    items: tuple[Benchmark, ...]
    trials: tuple[Trial, ...] = ()
    plains: tuple[Benchmark, ...] = ()
    speeds: tuple[Speed, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What went wrong, source by source."""
        return tuple(p for item in (*self.items, *self.plains) for p in item.problems)

    @property
    def failed(self) -> bool:
        """Whether a source gave no result, or was lost before its run was over."""
        lost = any(problem.failed for problem in self.problems)
        return lost or any(not item.runs for item in (*self.items, *self.plains))

    @property
    def nothing(self) -> bool:
        """Whether no source gave a result."""
        return not any(item.runs for item in self.items)


@dataclass(frozen=True, slots=True)
class DepthAnswer:
    """Accept lengths (each with its draft depth) brought to another depth."""

    given: tuple[tuple[float, int], ...]
    to: int
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Depths:
    """The answer of `hubcmp depth`."""

    view: ClassVar[str] = "depth"
    failed: ClassVar[bool] = False
    nothing: ClassVar[bool] = False
    problems: ClassVar[tuple[Problem, ...]] = ()
    items: tuple[DepthAnswer, ...]


def depths(lengths: Sequence[tuple[float, int]], to: int) -> Depths:
    """Return accept lengths brought to depth `to`: two around it are interpolated, otherwise each is estimated on its own.

    Raises ValueError for lengths that their depth does not allow, and for depths at which the decay was never seen.
    """
    from hubcmp.acceptance import at_depth, between

    around = between(lengths, to)
    if around is not None:
        return Depths((DepthAnswer(tuple(lengths), to, around),))
    return Depths(tuple(DepthAnswer(((length, k),), to, at_depth(length, k, to)) for length, k in lengths))


@dataclass(frozen=True, slots=True)
class Checked:
    """One drafter with everything that the checks say of it."""

    drafter: Drafter
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Checks:
    """The answer of `hubcmp check`: each drafter, the target they were held against ("" without one) and the engine."""

    view: ClassVar[str] = "check"
    items: tuple[Checked, ...]
    target: str = ""
    engine: str = ""
    troubles: tuple[Problem, ...] = ()
    private: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What went wrong, the target's troubles last."""
        return (*(p.of(item.drafter.ref) for item in self.items for p in item.drafter.problems), *self.troubles)

    @property
    def failed(self) -> bool:
        """Whether a source failed."""
        return any(p.failed for p in self.problems)

    @property
    def nothing(self) -> bool:
        """Whether no drafter could be read at all."""
        return not any(item.drafter.revision for item in self.items)

    @property
    def faulty(self) -> bool:
        """Whether a fault was found (exit 1)."""
        return any(f.severe and f.state == "found" for item in self.items for f in item.findings)
