"""The contract of `hubcmp params`: one ledger per reference."""

from hubcmp.contracts._base import Contract, Figure, Versioned
from hubcmp.facts import Evidence
from hubcmp.parameters import Absent, FormRow, Outside
from hubcmp.weights import LeftOut


class Family(Contract):
    """Which family a drafter is, and what decided."""

    title: str
    decided_by: str
    reasons: list[str]


class Status(Contract):
    """How the status of a role is known."""

    status: str
    """"trainable", "frozen_copy", "buffer" or "unknown"."""
    evidence: Evidence
    reason: str


class Files(Contract):
    """Which files count, and which do not."""

    counted: list[str]
    reason: str
    left_out: list[LeftOut]


class ClosedForm(Contract):
    """What the config alone implies."""

    family: str
    by_role: dict[str, int]
    total: int | None
    rest: int
    """Parameters in the header that no reason explains."""
    missing: str
    """A size that the config does not give; then there are no rows."""
    rows: list[FormRow]


class Step(Contract):
    """One step from the trainable parameters to every stored element."""

    step: str
    value: int
    adds: int
    note: str


class Proof(Contract):
    """What comparing a role's bytes with the target's said."""

    role: str
    tensor: str
    target_tensor: str
    verdict: str
    """"identical", "close", "unrelated", "different", "absent" or "not comparable"."""
    reason: str
    rows: int
    """Rows compared; those that are zero on both sides do not count."""
    equal: int
    cosine: float


class Params(Versioned):
    """The parameter ledger of one drafter; sums are null when no header could be read."""

    ref: str
    revision: str
    family: str
    decision: Family
    framework: str
    format: str
    params_total_excl_buffers: int | None
    elements_total_all_tensors: int | None
    payload_bytes: int | None
    tensor_count: int | None
    by_role: dict[str, int]
    by_status: dict[str, int]
    by_dtype: dict[str, int]
    status_evidence: dict[str, Status]
    files: Files
    closed_form: ClosedForm | None
    absent: list[Absent]
    """Roles that the engine takes from the target."""
    outside: Outside
    """Tensors of the target in whose repository the drafter lies."""
    waterfall: list[Step]
    estimate: Figure | None
    warnings: list[str]
    proof: list[Proof] | None = None
    """With --target: one per role that was compared."""
    tensors: dict[str, tuple[str, str, int]] | None = None
    """With --tensors: role, status and parameters of every tensor."""
