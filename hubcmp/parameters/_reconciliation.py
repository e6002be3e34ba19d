"""The gap between two drafters, role by role down to a rest: each row with the reason that the headers give."""

from dataclasses import dataclass

from hubcmp.parameters._ledger import Entry, Ledger


@dataclass(frozen=True, slots=True)
class Row:
    """One difference: parameters on both sides, `gap` = right - left, what each side holds in words, and the reason."""

    role: str
    status: str
    left: int
    right: int
    left_text: str
    right_text: str
    reason: str

    @property
    def gap(self) -> int:
        """Right less left."""
        return self.right - self.left


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """How the right drafter's stored parameters come about from the left's. `rest` is what no row explains."""

    left: int
    right: int
    rows: tuple[Row, ...]

    @property
    def gap(self) -> int:
        """Right less left, parameters stored."""
        return self.right - self.left

    @property
    def rest(self) -> int:
        """Parameters of the gap without a known reason: the sum of rows that have none, and what the rows miss."""
        return self.gap - sum(row.gap for row in self.rows if row.reason)


def reconcile(left: Ledger, right: Ledger) -> Reconciliation:
    """Return the rows that lead from the left drafter's stored parameters to the right's, the largest gap first."""
    ours, theirs = _by_role(right), _by_role(left)
    rows = [
        _row(role, theirs.get(role, []), ours.get(role, []), left, right) for role in dict.fromkeys((*theirs, *ours))
    ]
    return Reconciliation(
        left=left.params_total_excl_buffers,
        right=right.params_total_excl_buffers,
        rows=tuple(sorted(rows, key=lambda row: -abs(row.gap))),
    )


def _by_role(ledger: Ledger) -> dict[str, list[Entry]]:
    held: dict[str, list[Entry]] = {}
    for entry in ledger.entries:
        if entry.status != "buffer":
            held.setdefault(entry.role, []).append(entry)
    return held


def _row(role: str, left: list[Entry], right: list[Entry], theirs: Ledger, ours: Ledger) -> Row:
    reason = _reason(role, left, right, theirs, ours)
    return Row(
        role=role,
        status=(right or left)[0].status,
        left=sum(e.parameters for e in left),
        right=sum(e.parameters for e in right),
        left_text=_text(role, left, theirs),
        right_text=_text(role, right, ours),
        reason=f"{reason}{_recast(left, right)}" if reason else "",
    )


def _text(role: str, entries: list[Entry], ledger: Ledger) -> str:
    """Say what one side holds: a shape, a number of tensors, or why nothing is there."""
    if not entries:
        return next((f"absent: {a.reason}" for a in ledger.absent if a.role == role), "absent")
    largest = max(entries, key=lambda e: e.parameters)
    tensors = sum(e.tensors for e in entries)
    shape = " x ".join(f"{n:,}" for n in largest.shape)
    return shape if tensors == 1 else f"{tensors:,} tensors, the largest {shape}"


def _reason(role: str, left: list[Entry], right: list[Entry], theirs: Ledger, ours: Ledger) -> str:
    """Return why the sides differ, "" when the headers give no reason."""
    if sum(e.parameters for e in left) == sum(e.parameters for e in right):
        return "equal on both sides"
    if left and right:
        return _shape_reason(role, left, right)
    holder, lacking = (theirs, ours) if left else (ours, theirs)
    what = "frozen copy of the target's" if (left or right)[0].status == "frozen_copy" else "own"
    borrowed = next((a.reason for a in lacking.absent if a.role == role), "")
    if borrowed:
        return f"{what} {role}, stored by {holder.ref}; in {lacking.ref} it is {borrowed}"
    return f"only {holder.decision.title} has it" if holder.family != lacking.family else ""


def _recast(left: list[Entry], right: list[Entry]) -> str:
    """Say that two stored roles are of different dtypes; the reason for a gap in bytes without one in parameters."""
    before, after = (" and ".join(dict.fromkeys(d for e in side for d in e.dtypes)) for side in (left, right))
    return f"; stored as {before} against {after}" if left and right and before != after else ""


def _shape_reason(role: str, left: list[Entry], right: list[Entry]) -> str:
    """Explain a difference of two stored roles by rows, width or number of tensors."""
    a, b = max(left, key=lambda e: e.parameters), max(right, key=lambda e: e.parameters)
    if len(a.shape) == len(b.shape) == 2 and a.shape != b.shape:
        axis = 0 if a.shape[0] != b.shape[0] else 1
        unit = ("rows", "columns")[axis]
        vocabulary = " (draft vocabulary)" if role == "lm_head" and a.shape[1] == b.shape[1] else ""
        return f"{a.shape[axis]:,} against {b.shape[axis]:,} {unit}{vocabulary}"
    tensors = sum(e.tensors for e in left), sum(e.tensors for e in right)
    return f"{tensors[0]:,} against {tensors[1]:,} tensors" if tensors[0] != tensors[1] else ""
