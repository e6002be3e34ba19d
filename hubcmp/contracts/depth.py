"""The contract of `hubcmp depth`: one object per answer."""

from typing import Literal

from hubcmp.contracts._base import Contract, Versioned


class Given(Contract):
    """One accept length and the depth it was measured at."""

    accept_length: float
    depth: int


class Depth(Versioned):
    """An accept length brought to another draft depth."""

    given: float | list[Given]
    depth: int | list[int]
    to: int
    accept_length: float
    low: float
    high: float
    bounds: list[float]
    """What cannot be exceeded: [least, greatest]."""
    method: Literal["exact", "interpolated", "estimated"]
    """exact: low = high = value."""
