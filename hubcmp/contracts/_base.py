"""What all contracts share: strict models, and how a figure stands in JSON."""

import math
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hubcmp import facts
from hubcmp.facts import Evidence, Scalar, Source, Span, Value

FLOATS = ("temperature", "top_p", "min_p", "request_rate")
"""Conditions that are measured, not counted; JSON writes a whole one without its point."""

NONE: dict[str, Scalar] = Field(default_factory=dict)
"""An optional object that is left out when it is empty."""


class Contract(BaseModel):
    """Base of all models: nothing is converted, numbers are finite, and keys that a newer hubcmp adds are passed over."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False, use_attribute_docstrings=True)


class Measure(Contract):
    """A value with its ends and conditions; optional keys stand only where they apply."""

    value: Scalar | tuple[int, ...] | None
    """The value; null for a range or a bound, which `low` and `high` give."""
    low: float | None
    """Least value or lower end of the interval; null when open or when the value is no number."""
    high: float | None
    """Greatest value or upper end of the interval; null when open or when the value is no number."""
    sources: tuple[Source, ...]
    position: int | None = None
    """Draft position, from 1."""
    stat: str | None = None
    """Kind of figure: "low", "high", "up to", "at least", "estimate", "per user"."""
    approx: bool = False
    conditions: dict[str, Scalar] = NONE
    """What the source binds to the figure."""
    nearby: dict[str, Scalar] = NONE
    """What stands elsewhere on the page; never compared."""
    benchmark: str | None = None
    """The benchmark as written; in a row's cell only where it is spelled otherwise than the row's."""

    @property
    def is_number(self) -> bool:
        """Whether the value is a number, or a range with at least one end."""
        if isinstance(self.value, bool | str | tuple):
            return False
        return self.value is not None or self.low is not None or self.high is not None


class Figure(Measure):
    """A figure or setting with everything that says how far to trust it."""

    unit: str
    evidence: Evidence
    method: str
    """How the figure was come by."""
    raw: str
    """The text as found."""

    def fact(self, metric: str, label: str | None, subject: str = "self") -> facts.Fact:
        """Return the figure as a Fact of one metric."""
        value, interval = self._value()
        return facts.Fact(
            metric=metric, value=value, unit=self.unit, evidence=self.evidence, method=self.method, sources=self.sources,
            subject=subject, label=label, position=self.position, stat=self.stat, approx=self.approx,
            conditions=settings(self.conditions), nearby=settings(self.nearby), interval=interval, raw=self.raw,
        )  # fmt: skip

    def _value(self) -> tuple[Value, Span | None]:
        """Return the value and, where it is another, its interval."""
        ends = Span(-math.inf if self.low is None else self.low, math.inf if self.high is None else self.high)
        if isinstance(self.value, bool | str | tuple):
            return self.value, None
        if self.value is None:
            return ends, None
        exact = Span.of(float(self.value))
        return exact, None if ends == exact else ends


class Named(Figure):
    """A figure with its metric, whose it is, and its benchmark."""

    metric: str
    subject: str
    """"self", "baseline" or "other:NAME"."""

    def as_fact(self) -> facts.Fact:
        """Return the Fact."""
        return self.fact(self.metric, self.benchmark, self.subject)


class Gap(Contract):
    """A figure that is missing, and why."""

    metric: str
    reason: str
    state: str

    def unknown(self) -> facts.Unknown:
        """Return the Unknown."""
        return facts.Unknown(self.metric, self.reason, self.state)


class Versioned(Contract):
    """Base of the objects that a command prints."""

    schema_version: int
    """1; it changes when a key changes its meaning or goes."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.schema_version != 1:
            raise ValueError(f"schema_version {self.schema_version} is not known to this hubcmp; it knows 1")
        return self


def settings(found: dict[str, Scalar]) -> dict[str, Scalar]:
    """Return conditions as they were before JSON dropped the point of whole numbers."""
    return {key: float(value) if key in FLOATS and isinstance(value, int) else value for key, value in found.items()}
