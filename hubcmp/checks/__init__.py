"""Checks: one file per wiring fault; each looks at an assembled Drafter, its target and the engine where they are known.

Adding a check is one new module that ends with `PLUGIN = Check(...)`. What cannot be told yields a finding that says so, and what
was looked at and found right yields one as well: a report shows faults and warnings only, `hubcmp check` shows all.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

from hubcmp.drafter import Drafter
from hubcmp.facts import Fact, Source, Span
from hubcmp.parameters import Entry, TokenMap
from hubcmp.shelf import plugins
from hubcmp.tensors import Tensor

State = Literal["found", "fine", "not checked"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check says of one drafter. `severe` faults decide the verdict; `state` "found" is a fault or a warning."""

    check: str
    ref: str
    message: str
    severe: bool
    sources: tuple[Source, ...] = ()
    state: State = "found"


@dataclass(frozen=True, slots=True)
class Subject:
    """What is checked: a drafter, its target and the serving engine ("sglang", "vllm") where known, and the map of its vocabulary."""

    drafter: Drafter
    target: Drafter | None = None
    engine: str = ""
    token_map: TokenMap | None = None

    def fault(self, message: str, sources: Sequence[Source] = ()) -> Finding:
        """Return what makes the drafter useless as it is served."""
        return self._says(message, sources, severe=True)

    def warning(self, message: str, sources: Sequence[Source] = ()) -> Finding:
        """Return what may cost acceptance."""
        return self._says(message, sources)

    def fine(self, message: str, sources: Sequence[Source] = ()) -> Finding:
        """Return what was looked at and found right."""
        return self._says(message, sources, state="fine")

    def untold(self, message: str, sources: Sequence[Source] = ()) -> Finding:
        """Return what could not be checked, and why."""
        return self._says(message, sources, state="not checked")

    def _says(self, message: str, sources: Sequence[Source], severe: bool = False, state: State = "found") -> Finding:
        return Finding("", self.drafter.ref, f"{self.drafter.ref}: {message}", severe, tuple(sources), state)

    @property
    def family(self) -> str:
        """Name of the drafter's family, "unknown" when nothing decided."""
        return self.drafter.ledger.family if self.drafter.ledger else "unknown"

    @property
    def headers(self) -> bool:
        """Whether the headers of its weights were read; a saved comparison keeps the sums only."""
        return self.drafter.ledger is not None and any(table.names for table in self.drafter.ledger.tables)

    def role(self, role: str) -> Entry | None:
        """Return the plain matrices of one role as the ledger books them; packed ones, whose shape says nothing, are left out."""
        entries = self.drafter.ledger.entries if self.drafter.ledger and self.headers else ()
        return next((e for e in entries if e.role == role and e.tensors == 1 and e.parameters == prod(e.shape)), None)

    def whole(self, metric: str) -> int | None:
        """Return a whole number of the drafter's config, None when it states none."""
        return whole(self.drafter, metric)

    def tensor(self, *names: str) -> Tensor | None:
        """Return the first stored tensor whose name ends with one of `names`, None when there is none."""
        found = (t for name in names for t in tensors(self.drafter, name))
        return next(found, None)

    def sources(self, *metrics: str, tensors: Sequence[Tensor | None] = ()) -> tuple[Source, ...]:
        """Return where these settings and tensors stand."""
        facts = [fact for m in metrics if (fact := self.drafter.settings.get(m))]
        headers = (Source(self.drafter.ref, self.drafter.revision, "", f"header: {t.name}") for t in tensors if t)
        return (*(s for fact in facts for s in fact.sources), *headers)


@dataclass(frozen=True, slots=True)
class Check:
    """One wiring fault: `look(subject)` yields a Finding for each place where it shows, is ruled out, or cannot be told."""

    title: str
    look: Callable[[Subject], Iterator[Finding]]


def whole(drafter: Drafter | None, metric: str) -> int | None:
    """Return a whole number among a drafter's settings, None when it states none."""
    fact: Fact | None = drafter.settings.get(metric) if drafter else None
    number = fact.value.low if fact is not None and isinstance(fact.value, Span) else None
    return int(number) if number is not None and number == int(number) else None


def tensors(drafter: Drafter, ending: str) -> Iterator[Tensor]:
    """Yield the stored tensors whose names end with `ending` as whole parts."""
    tables = drafter.ledger.tables if drafter.ledger else ()
    names = ((table, name) for table in tables for name in table.names if f".{name}".endswith(f".{ending}"))
    yield from (tensor for table, name in names if (tensor := table.find(name)))


def inspect(subject: Subject) -> tuple[Finding, ...]:
    """Return the faults and warnings about one drafter."""
    return tuple(finding for finding in examine(subject) if finding.state == "found")


def examine(subject: Subject) -> tuple[Finding, ...]:
    """Return everything that the checks say about one drafter."""
    checks = plugins(__name__, Check)
    return tuple(replace(finding, check=name) for name, check in checks.items() for finding in check.look(subject))
