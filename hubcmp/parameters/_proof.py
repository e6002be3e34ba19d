"""Proving or refuting a frozen copy with few bytes: the same rows of drafter and target, compared value by value.

Rows that are zero on both sides say nothing. Equal rows are no proof of all rows: if a share f had changed, n rows would miss it
with probability (1-f)**n, so n rows exclude f above 1 - 0.05**(1/n) at 95 %.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hubcmp.document import Bundle
from hubcmp.errors import HubcmpError
from hubcmp.facts import Evidence
from hubcmp.parameters._groups import Key, pattern
from hubcmp.parameters._ledger import Entry, Ledger, Proof
from hubcmp.parameters._likeness import likeness
from hubcmp.parameters._rows import FLOATS, Matrix, matrix
from hubcmp.parameters._sample import affordable, sample

ROLES = ("embedding", "lm_head")
"""Roles that a drafter may have from its target."""


@dataclass(frozen=True, slots=True)
class _Side:
    ledger: Ledger
    bundle: Bundle

    def matrix(self, entry: Entry) -> Matrix | None:
        """Return an entry's largest tensor, None when its rows are no plain numbers. Raises SourceError."""
        found = self.named(entry.name, entry.file)
        return found if found is not None and found.tensor.dtype in FLOATS else None

    def named(self, name: str, file: str) -> Matrix | None:
        """Return a tensor by name and file."""
        table = next((t for t in self.ledger.tables if t.file == file), None)
        document = self.bundle.named(file)
        return matrix(table, name, document) if table is not None and document is not None else None


@dataclass(frozen=True, slots=True)
class _Pair:
    """One tensor of the drafter beside the target's of the same role; without matrices `why` says why not."""

    entry: Entry
    target: str
    left: Matrix | None = None
    right: Matrix | None = None
    why: str = ""

    def proof(self, verdict: str, reason: str, rows: int = 0, equal: int = 0, cosine: float = 0.0) -> Proof:
        """Return what was found of this pair."""
        return Proof(self.entry.role, self.entry.name, self.target, verdict, reason, rows, equal, cosine)


def prove(ledger: Ledger, bundle: Bundle, target: Ledger, target_bundle: Bundle, rows: int = 0) -> Ledger:
    """Return the ledger with its embedding and head compared to the target's; equal or unequal rows settle their status.

    Reads `rows` rows of each on both sides, by default as many as stay below 1 MB a side, and the entries of `d2t` that place
    them when the head is a slice. What the drafter lacks is "absent"; what cannot be compared is said so.
    """
    drafter, other = _Side(ledger, bundle), _Side(target, target_bundle)
    booked = [entry for entry in ledger.entries if entry.role in ROLES and entry.tensors == 1]
    pairs = [_pair(entry, drafter, other) for entry in booked]
    widths = [(pair.left.row_bytes, pair.right.row_bytes) for pair in pairs if pair.left and pair.right]
    wanted = rows or affordable(widths)
    found = tuple(_proof(pair, drafter, wanted) for pair in pairs)
    return _settle(replace(ledger, proofs=(*found, *_absent(ledger, target))))


def _absent(ledger: Ledger, target: Ledger) -> Iterator[Proof]:
    """Yield what the drafter does not store."""
    for item in ledger.absent:
        if item.role in ROLES:
            theirs = _entry(target, item.role)
            yield Proof(item.role, "", theirs.name if theirs else "", "absent", item.reason)


def _pair(entry: Entry, drafter: _Side, target: _Side) -> _Pair:
    """Find the target's tensor of the same role; a tied target has only its embedding."""
    theirs = _entry(target.ledger, entry.role) or _entry(target.ledger, "embedding")
    if theirs is None:
        return _Pair(entry, "", why="the target's weights hold no such tensor")
    try:
        left, right = drafter.matrix(entry), target.matrix(theirs)
    except HubcmpError as error:
        return _Pair(entry, theirs.name, why=str(error))
    if left is None or right is None:
        return _Pair(entry, theirs.name, why=_unreadable(entry if left is None else theirs))
    if left.tensor.shape[1:] != right.tensor.shape[1:]:
        return _Pair(entry, theirs.name, why=f"{left.tensor.shape} against {right.tensor.shape}")
    return _Pair(entry, theirs.name, left, right)


def _unreadable(entry: Entry) -> str:
    """Say why rows of a tensor cannot be compared."""
    if entry.dtypes and entry.dtypes[0] not in FLOATS:
        return f"{entry.name} is stored as {entry.dtypes[0]}; name the repository with weights of 16 or 32 bits"
    return f"{entry.name} is no plain matrix"


def _entry(ledger: Ledger, role: str) -> Entry | None:
    """Return a role's entry of the largest tensor: the vocabulary's, where a vision tower has embeddings, too."""
    return max((e for e in ledger.entries if e.role == role), key=lambda e: e.parameters, default=None)


def _proof(pair: _Pair, drafter: _Side, wanted: int) -> Proof:
    """Compare one pair's sampled rows and say what they prove."""
    if pair.left is None or pair.right is None:
        return pair.proof("not comparable", pair.why)
    try:
        ids = _target_ids(drafter, sample(pair.left.rows, wanted), pair.left.rows, pair.right.rows)
        if ids is None:
            return pair.proof("not comparable", "fewer rows than the target and no d2t to place them")
        found = likeness(pair.left, pair.right, ids)
    except HubcmpError as error:
        return pair.proof("not comparable", str(error))
    return pair.proof(found.verdict, found.reason, found.rows, found.equal, found.cosine)


def _target_ids(drafter: _Side, rows: Sequence[int], held: int, target_held: int) -> Mapping[int, int] | None:
    """Return row -> the target's row; a head of a draft vocabulary is placed by d2t, which holds offsets. Raises SourceError."""
    if held == target_held:
        return {row: row for row in rows}
    for table in drafter.ledger.tables:
        name = next((n for n in table.names if n.rpartition(".")[2] == "d2t"), "")
        offsets = drafter.named(name, table.file) if name else None
        if offsets is not None and offsets.rows == held and offsets.tensor.dtype in ("I64", "I32"):
            read = offsets.read(rows)
            return {row: row + int(offsets.values(raw)[0]) for row, raw in read.items()}
    return None


def _settle(ledger: Ledger) -> Ledger:
    """Let each verdict that compared rows overrule the assumed status of its tensor."""
    settled = {(p.role, pattern(p.name)): p for p in ledger.proofs if p.verdict not in ("not comparable", "absent")}
    labels = {key: _label(key, label, settled) for key, label in ledger.labels.items()}
    return replace(ledger, entries=tuple(_entry_settled(e, settled) for e in ledger.entries), labels=labels)


def _entry_settled(entry: Entry, settled: Mapping[tuple[str, str], Proof]) -> Entry:
    proof = settled.get((entry.role, pattern(entry.name))) if entry.tensors == 1 else None
    if proof is None:
        return entry
    return replace(entry, status=_status(proof), evidence=Evidence.VERIFIED, reason=proof.reason)


def _label(key: Key, label: tuple[str, str, int], settled: Mapping[tuple[str, str], Proof]) -> tuple[str, str, int]:
    proof = settled.get((label[0], key[0]))
    return (label[0], _status(proof), label[2]) if proof else label


def _status(proof: Proof) -> str:
    return "frozen_copy" if proof.verdict == "identical" else "trainable"
