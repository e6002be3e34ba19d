"""What the smaller commands answer: cards, ledgers, benchmarks, depths; the large one, Comparison, has its own room."""

from dataclasses import dataclass
from typing import ClassVar

from hubcmp.acceptance import Estimate
from hubcmp.errors import Problem
from hubcmp.measurements import Benchmark
from hubcmp.parameters import Ledger
from hubcmp.readers import Reading


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
    """The answer of `hubcmp card`."""

    view: ClassVar[str] = "card"
    items: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Ledgers:
    """The answer of `hubcmp params`; `tensors` asks for one row per tensor as well."""

    view: ClassVar[str] = "params"
    items: tuple[Ledger, ...]
    tensors: bool = False


@dataclass(frozen=True, slots=True)
class Benchmarks:
    """The answer of `hubcmp bench`, one Benchmark per source in order."""

    view: ClassVar[str] = "bench"
    items: tuple[Benchmark, ...]


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
    items: tuple[DepthAnswer, ...]
