"""The contract of `hubcmp check`: one object per drafter."""

from typing import Literal

from hubcmp.contracts._base import Contract, Versioned


class Finding(Contract):
    """What one check says."""

    check: str
    state: Literal["fault", "warning", "not checked", "fine"]
    message: str
    sources: list[str]


class Check(Versioned):
    """One drafter's wiring."""

    ref: str
    revision: str
    family: str
    target: str
    """The target it was held against; "" without one."""
    engine: str
    faulty: bool
    """Whether a fault was found."""
    checks: list[Finding]
    warnings: list[str]
