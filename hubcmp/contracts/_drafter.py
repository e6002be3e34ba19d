"""A drafter as the contract of `compare` holds it: settings, facts, ledger and runs."""

from hubcmp import drafter, facts, parameters
from hubcmp.acceptance import Run
from hubcmp.contracts._base import Contract, Gap, Named, settings
from hubcmp.errors import Problem
from hubcmp.facts import Scalar
from hubcmp.families._frameworks import Framework
from hubcmp.families._recognition import Decision
from hubcmp.parameters import Absent, ClosedForm, Entry, Outside, Proof
from hubcmp.weights import WeightChoice


class Totals(Contract):
    """The sums of a parameter ledger."""

    format: str
    params_total_excl_buffers: int
    elements_total_all_tensors: int
    payload_bytes: int
    tensor_count: int
    by_role: dict[str, int]
    by_status: dict[str, int]


class Ledger(Contract):
    """The parameter ledger, entry by entry."""

    decision: Decision
    framework: Framework
    format: str
    entries: tuple[Entry, ...]
    files: WeightChoice
    closed_form: ClosedForm | None
    absent: tuple[Absent, ...]
    outside: Outside
    dtypes: dict[str, int]
    declared: dict[str, int]
    """What the repository states about itself, by its place."""
    proofs: tuple[Proof, ...]
    warnings: tuple[str, ...]
    problems: tuple[Problem, ...]

    def as_ledger(self, ref: str, revision: str) -> parameters.Ledger:
        """Return the Ledger of one drafter."""
        return parameters.Ledger(ref, revision, **dict(self))


class Drafter(Contract):
    """One drafter: what it is and every figure its sources give."""

    ref: str
    resolved: str
    """The repository's present name."""
    kind: str
    """"hub", "folder", "file" or "recorded"."""
    revision: str
    """Commit sha of the Hub, or a digest over what was read of a local folder."""
    private: bool
    """Whether the Hub says that the repository is."""
    family: str | None
    target: str | None
    params: Totals | None
    """null when no weights were read."""
    settings: dict[str, Named]
    facts: tuple[Named, ...]
    rivals: tuple[Named, ...]
    """Weaker statements of the same figures."""
    given: dict[str, Scalar]
    """Conditions said by the user."""
    unknown: tuple[Gap, ...]
    ledger: Ledger | None
    runs: tuple[Run, ...]
    """Measurements in the normal form."""
    plains: tuple[Run, ...]
    """The same server without speculation."""
    problems: tuple[Problem, ...]

    def as_drafter(self) -> drafter.Drafter:
        """Return the Drafter."""
        return drafter.Drafter(
            ref=self.ref,
            kind=self.kind,
            revision=self.revision,
            resolved=self.resolved,
            ledger=None if self.ledger is None else self.ledger.as_ledger(self.ref, self.revision),
            settings={name: named.as_fact() for name, named in self.settings.items()},
            figures=facts_of(self.facts),
            rivals=facts_of(self.rivals),
            unknowns=tuple(gap.unknown() for gap in self.unknown),
            runs=self.runs,
            plains=self.plains,
            given=settings(self.given),
            problems=self.problems,
            private=self.private,
        )


def facts_of(found: tuple[Named, ...]) -> tuple[facts.Fact, ...]:
    """Return figures as Facts."""
    return tuple(named.as_fact() for named in found)
