"""Figures that never lose their origin: Evidence, Source, Span, Fact, Unknown, and how new facts are derived."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

Scalar = str | int | float | bool
"""What a condition may hold: a name, a count, a temperature, a yes or no."""


class Evidence(IntEnum):
    """How a figure is known, weakest first; a derived figure is only as strong as its weakest input."""

    ESTIMATED = 1
    """A model's result; carries an interval."""
    ASSUMED = 2
    """A convention that hubcmp supplied."""
    STATED = 3
    """Prose or table of a card."""
    GIVEN = 4
    """Said by the user on the command line."""
    DECLARED = 5
    """A machine-readable field."""
    OBSERVED = 6
    """Counted in headers, measured in a log."""
    VERIFIED = 7
    """Bytes compared."""

    @property
    def word(self) -> str:
        """Lower-case name as reports and JSON print it."""
        return self.name.lower()

    @classmethod
    def _missing_(cls, value: object) -> "Evidence | None":
        """Take the word as well as the number."""
        return next((kind for kind in cls if kind.word == value), None)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a figure was read: `where` is "line 31", a JSON pointer such as "$.hidden_size" or "header: lm_head.weight"."""

    ref: str
    revision: str = ""
    path: str = ""
    where: str = ""

    def at(self, where: str) -> "Source":
        """Return the same document at another spot."""
        return Source(self.ref, self.revision, self.path, where)

    def __str__(self) -> str:
        spot = self.path or self.ref
        return f"{spot} {self.where}".strip()


@dataclass(frozen=True, slots=True)
class Span:
    """A figure with its bounds: (x, x) is exact, (3, inf) is "at least 3", (3.17, 3.49) a stated range."""

    low: float
    high: float

    @classmethod
    def of(cls, value: float) -> "Span":
        """Return the span of one exact value."""
        return cls(value, value)

    @property
    def exact(self) -> bool:
        """Whether low and high are one value."""
        return self.low == self.high

    @property
    def middle(self) -> float:
        """The value of an exact span, the middle of a range, the finite end of an open one."""
        if self.exact or math.isinf(self.high):
            return self.low
        return self.high if math.isinf(self.low) else (self.low + self.high) / 2


Value = Span | str | bool | tuple[int, ...]
"""A figure, or for settings a name, a yes or no, or a list of ids."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure with everything needed to believe or doubt it.

    `subject` is "self", "baseline" or "other:NAME". `label` is the benchmark as written. `position` counts
    from 1. `stat` is "low", "high", "up to", "at least", "estimate" or "per user". `conditions` hold what the
    source binds to the figure, `nearby` what stands elsewhere on the page. `raw` is the text as found.
    """

    metric: str
    value: Value
    unit: str
    evidence: Evidence
    method: str
    sources: tuple[Source, ...]
    subject: str = "self"
    label: str | None = None
    position: int | None = None
    stat: str | None = None
    approx: bool = False
    conditions: Mapping[str, Scalar] = field(default_factory=dict)
    nearby: Mapping[str, Scalar] = field(default_factory=dict)
    interval: Span | None = None
    raw: str = ""

    @property
    def number(self) -> float:
        """The figure as one number. Raises TypeError for a fact that is not a figure."""
        if not isinstance(self.value, Span):
            raise TypeError(f"{self.metric} is not a figure: {self.value!r}")
        return self.value.middle

    @property
    def text(self) -> str:
        """The value of a setting as text. Raises TypeError for a figure."""
        if isinstance(self.value, Span):
            raise TypeError(f"{self.metric} is a figure: {self.value!r}")
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A figure that is missing, and why: reports print the reason instead of a guess.

    `state` is the cell state: "not stated", "absent", "unreadable", "conflict", "not applicable" or "not checked".
    """

    metric: str
    reason: str
    state: str = "not stated"
    sources: tuple[Source, ...] = ()


def derive(
    metric: str,
    value: Value,
    unit: str,
    method: str,
    inputs: Iterable[Fact],
    *,
    evidence: Evidence | None = None,
    interval: Span | None = None,
    label: str | None = None,
    conditions: Mapping[str, Scalar] | None = None,
) -> Fact:
    """Return a fact computed from others: evidence is the weakest of all inputs (and of `evidence`), sources are all inputs'."""
    used = tuple(inputs)
    weakest = min((fact.evidence for fact in used), default=Evidence.ASSUMED)
    sources = tuple(dict.fromkeys(source for fact in used for source in fact.sources))
    return Fact(
        metric=metric,
        value=value,
        unit=unit,
        evidence=weakest if evidence is None else min(weakest, evidence),
        method=method,
        sources=sources,
        label=label,
        conditions=dict(conditions or {}),
        interval=interval,
    )
