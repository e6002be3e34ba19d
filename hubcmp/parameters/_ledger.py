"""The ledger: every tensor of a drafter booked under one role and one status, with totals, residue and what is missing."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hubcmp.errors import Problem
from hubcmp.facts import Evidence, Fact, Source, Span
from hubcmp.families._frameworks import Framework
from hubcmp.families._recognition import Decision
from hubcmp.parameters._groups import Key, keys_of
from hubcmp.tensors import TensorTable
from hubcmp.weights import WeightChoice


@dataclass(frozen=True, slots=True)
class Entry:
    """All tensors of one role and status. `parameters` are logical (unpacked), `elements` and `bytes` as stored.

    `shape` and `name` are those of the largest tensor, `dtypes` those of all, the widest share first; `evidence` and `reason`
    say how the status is known.
    """

    role: str
    status: str
    parameters: int
    elements: int
    bytes: int
    tensors: int
    evidence: Evidence
    reason: str
    name: str
    shape: tuple[int, ...]
    file: str = ""
    dtypes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Absent:
    """A role that the file leaves out and the engine takes from the target; `implied` parameters, 0 when the config is silent."""

    role: str
    reason: str
    implied: int = 0
    shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FormRow:
    """One role of the closed form: what the config implies, what the header holds, and why they differ ("" when equal)."""

    role: str
    implied: int
    stored: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """What the config alone implies. `missing` names a size that the config lacks; then there are no rows."""

    family: str
    rows: tuple[FormRow, ...] = ()
    missing: str = ""

    @property
    def rest(self) -> int:
        """Parameters in the header that no reason explains."""
        return sum(abs(row.stored - row.implied) for row in self.rows if row.reason.startswith("unexplained"))


@dataclass(frozen=True, slots=True)
class Outside:
    """Tensors of the target in whose repository the drafter lies: named, not counted."""

    tensors: int = 0
    elements: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Proof:
    """What comparing bytes said of one role: the pair of tensors, the verdict with its reason, rows compared and equal, mean cosine.

    `verdict` is "identical", "close" (began as the target's), "unrelated", "different", "absent" or "not comparable"; rows that are
    zero on both sides do not count.
    """

    role: str
    name: str
    target_name: str
    verdict: str
    reason: str
    rows: int = 0
    equal: int = 0
    cosine: float = 0.0


@dataclass(frozen=True, slots=True)
class Ledger:
    """The parameter ledger of one drafter. Empty `entries` mean that no weight file could be read; `estimate` may stand in.

    `labels` gives (role, status, parameters of one tensor) for each kind of tensor in `tables`; `declared` holds totals that the
    repository states about itself (index metadata, Hub) by their place.
    """

    ref: str
    revision: str
    decision: Decision
    framework: Framework = field(default_factory=Framework)
    format: str = "none"
    entries: tuple[Entry, ...] = ()
    files: WeightChoice = field(default_factory=lambda: WeightChoice("none"))
    closed_form: ClosedForm | None = None
    absent: tuple[Absent, ...] = ()
    outside: Outside = field(default_factory=Outside)
    dtypes: Mapping[str, int] = field(default_factory=dict)
    tables: tuple[TensorTable, ...] = field(default=(), repr=False)
    labels: Mapping[Key, tuple[str, str, int]] = field(default_factory=dict, repr=False)
    declared: Mapping[str, int] = field(default_factory=dict)
    estimate: Fact | None = None
    proofs: tuple[Proof, ...] = ()
    warnings: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def family(self) -> str:
        """Name of the family, "unknown" when nothing decided."""
        return self.decision.family

    @property
    def params_total_excl_buffers(self) -> int:
        """Logical parameters stored; buffers, maps and scales left out."""
        return sum(e.parameters for e in self.entries if e.status != "buffer")

    @property
    def elements_total_all_tensors(self) -> int:
        """Stored elements of every tensor, buffers included: what a count that adds up shapes shows."""
        return sum(e.elements for e in self.entries)

    @property
    def payload_bytes(self) -> int:
        """Bytes of all tensors."""
        return sum(e.bytes for e in self.entries)

    @property
    def tensor_count(self) -> int:
        """Tensors stored."""
        return sum(e.tensors for e in self.entries)

    @property
    def by_role(self) -> Mapping[str, int]:
        """Parameters by role (elements for roles that are buffers)."""
        return self._sum("role")

    @property
    def by_status(self) -> Mapping[str, int]:
        """Parameters by status; trainable, frozen_copy and buffer are always there."""
        return {"trainable": 0, "frozen_copy": 0, "buffer": 0, **self._sum("status")}

    def _sum(self, column: str) -> dict[str, int]:
        sums: Counter[str] = Counter()
        for entry in self.entries:
            sums[getattr(entry, column)] += entry.parameters
        return dict(sums)

    def tensors(self) -> Iterator[tuple[str, str, str, int]]:
        """Yield (name, role, status, parameters) of every tensor in the files' order."""
        for table in self.tables:
            for name, key in zip(table.names, keys_of(table), strict=True):
                yield (name, *self.labels[key])

    def source(self, entry: Entry) -> Source:
        """Return where an entry's largest tensor stands."""
        return Source(self.ref, self.revision, entry.file, f"header: {entry.name}")

    def facts(self) -> tuple[Fact, ...]:
        """Return the ledger as facts: totals, counts by status and by role ("params.<role>"); none when nothing was read."""
        if not self.entries:
            return (self.estimate,) if self.estimate else ()
        buffers = [e for e in self.entries if e.status == "buffer"]
        stored = [e for e in self.entries if e.status != "buffer"]
        return (
            self._fact("params_stored", stored, "params", Evidence.OBSERVED),
            self._fact("params_trainable", [e for e in stored if e.status == "trainable"], "params"),
            self._fact("params_frozen", [e for e in stored if e.status == "frozen_copy"], "params"),
            self._fact("buffer_elements", buffers, "elements", Evidence.OBSERVED),
            self._fact("payload_bytes", list(self.entries), "B", Evidence.OBSERVED),
            *(
                self._fact(f"params.{r}", [e for e in stored if e.role == r], "params", Evidence.OBSERVED)
                for r in self._roles(stored)
            ),
        )

    @staticmethod
    def _roles(entries: list[Entry]) -> list[str]:
        return list(dict.fromkeys(e.role for e in entries))

    def _fact(self, metric: str, entries: list[Entry], unit: str, evidence: Evidence | None = None) -> Fact:
        """Sum entries; without `evidence` a figure is as strong as what is known of the statuses, its own and all others'."""
        column = "bytes" if unit == "B" else "parameters"
        weakest = evidence or min(e.evidence for e in self.entries)
        return Fact(
            metric=metric,
            value=Span.of(sum(getattr(e, column) for e in entries)),
            unit=unit,
            evidence=weakest,
            method="counted in the header" if evidence else "counted in the header; status by family and trainer",
            sources=tuple(self.source(e) for e in entries),
        )
