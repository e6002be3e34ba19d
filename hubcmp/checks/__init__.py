"""Checks: one file per wiring fault; each looks at an assembled Drafter and says what is wrong with its wiring.

Adding a check is one new module that ends with `PLUGIN = Check(...)`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hubcmp.drafter import Drafter
from hubcmp.facts import Source
from hubcmp.shelf import plugins


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: which check, about which drafter, what is wrong and what to do. `severe` ones decide the verdict."""

    check: str
    ref: str
    message: str
    severe: bool
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One wiring fault: `look(drafter)` yields a Finding for each place where it shows."""

    title: str
    look: Callable[[Drafter], Iterator[Finding]]


def inspect(drafter: Drafter) -> tuple[Finding, ...]:
    """Return the findings of every check about one drafter."""
    return tuple(finding for check in plugins(__name__, Check).values() for finding in check.look(drafter))
