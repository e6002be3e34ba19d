"""Proving or refuting a frozen copy with few bytes: the same rows of drafter and target, compared value by value.

Rows are drawn from three strata: low ids (bytes and common words, which any training touches), rows spread over the vocabulary,
and the last ids (chat markers). Rows that are zero on both sides say nothing. Equal rows are no proof of all rows: if a share f
had changed, n rows would miss it with probability (1-f)**n, so n rows exclude f above 1 - 0.05**(1/n) at 95 %.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hubcmp.document import Bundle
from hubcmp.errors import HubcmpError
from hubcmp.facts import Evidence
from hubcmp.parameters._ledger import Entry, Ledger, Proof
from hubcmp.parameters._rows import Matrix, cast, matrix

Verdict = Literal["identical", "close", "unrelated", "different", "not comparable"]

LOW, SPREAD, LAST = 64, 24, 8
"""Rows of each stratum."""
CLOSE, UNRELATED = 0.99, 0.1
"""Cosines: above the first the rows began as copies and were trained, below the second they are the drafter's own."""
_HALF_ULP = 2.0**-10
"""Relative step of F16, by which a value may differ when it passed through another 16-bit dtype."""


@dataclass(frozen=True, slots=True)
class _Side:
    ledger: Ledger
    bundle: Bundle


def prove(ledger: Ledger, bundle: Bundle, target: Ledger, target_bundle: Bundle) -> Ledger:
    """Return the ledger with its embedding and head compared to the target's; equal or unequal rows settle their status.

    Reads some 64 rows per role and side, and `d2t` whole when the head is a slice. What cannot be compared is said so.
    """
    drafter, other = _Side(ledger, bundle), _Side(target, target_bundle)
    proofs = []
    for entry in ledger.entries:
        if entry.role in ("embedding", "lm_head") and entry.tensors == 1:
            try:
                proofs.append(_compare(entry, drafter, other))
            except HubcmpError as error:
                proofs.append(Proof(entry.role, entry.name, "", "not comparable", str(error)))
    return _settle(replace(ledger, proofs=tuple(proofs)))


def _compare(entry: Entry, drafter: _Side, target: _Side) -> Proof:
    """Compare one tensor with the target's of the same role; a tied target has only its embedding."""
    theirs = _entry(target.ledger, entry.role) or _entry(target.ledger, "embedding")
    left = _matrix(drafter, entry.name, entry.file)
    right = _matrix(target, theirs.name, theirs.file) if theirs else None
    if theirs is None or left is None or right is None:
        return Proof(
            entry.role, entry.name, theirs.name if theirs else "", "not comparable", "no pair of plain matrices"
        )
    if left.tensor.shape[1:] != right.tensor.shape[1:]:
        return Proof(
            entry.role, entry.name, theirs.name, "not comparable", f"{left.tensor.shape} against {right.tensor.shape}"
        )
    ids = _target_ids(drafter, left.rows, right.rows)
    if ids is None:
        return Proof(
            entry.role, entry.name, theirs.name, "not comparable", "fewer rows than the target and no d2t to place them"
        )
    return _verdict(entry, theirs, left, right, ids)


def _entry(ledger: Ledger, role: str) -> Entry | None:
    """Return a role's entry of one stored tensor."""
    return next((e for e in ledger.entries if e.role == role and e.tensors == 1), None)


def _matrix(side: _Side, name: str, file: str) -> Matrix | None:
    table = next((t for t in side.ledger.tables if t.file == file), None)
    document = side.bundle.named(file)
    return matrix(table, name, document) if table is not None and document is not None else None


def _target_ids(drafter: _Side, rows: int, target_rows: int) -> Mapping[int, int] | None:
    """Return sampled row -> the target's row; a head of a draft vocabulary is placed by d2t, which holds offsets."""
    sample = _sample(rows)
    if rows == target_rows:
        return {row: row for row in sample}
    for table in drafter.ledger.tables:
        name = next((n for n in table.names if n.rpartition(".")[2] == "d2t"), "")
        offsets = _matrix(drafter, name, table.file) if name else None
        if offsets is not None and offsets.rows == rows and offsets.tensor.dtype in ("I64", "I32"):
            raw = b"".join(offsets.read(range(rows)).values())
            values = offsets.values(raw)
            return {row: row + int(values[row]) for row in sample if row < len(values)}
    return None


def _sample(rows: int) -> list[int]:
    """Draw the rows: the same for the same size, so that a report repeats."""
    spread = random.Random(rows).sample(range(rows), min(SPREAD, rows))
    return sorted({*range(min(LOW, rows)), *spread, *range(max(rows - LAST, 0), rows)})


def _verdict(entry: Entry, theirs: Entry, left: Matrix, right: Matrix, ids: Mapping[int, int]) -> Proof:
    """Compare the sampled rows and say what they prove."""
    ours, others = left.read(list(ids)), right.read(list(ids.values()))
    pairs = [
        (left.values(ours[row]), right.values(others[at])) for row, at in ids.items() if row in ours and at in others
    ]
    telling = [(mine, yours) for mine, yours in pairs if any(mine) or any(yours)]
    unset = "all zero" if not any(any(mine) for mine, _ in pairs) else ""
    unset = "NaN" if any(math.isnan(value) for mine, _ in pairs for value in mine) else unset
    if not telling:
        return Proof(
            entry.role, entry.name, theirs.name, "not comparable", "all sampled rows are zero on both sides", len(pairs)
        )
    if unset:
        return Proof(
            entry.role, entry.name, theirs.name, "different", f"the sampled rows are {unset}: never set", len(telling)
        )
    equal = sum(_equal(mine, yours, left.tensor.dtype, right.tensor.dtype) for mine, yours in telling)
    cosine = sum(_cosine(mine, yours) for mine, yours in telling) / len(telling)
    verdict = _word(equal, len(telling), cosine)
    return Proof(
        entry.role, entry.name, theirs.name, verdict, _sentence(verdict, len(telling)), len(telling), equal, cosine
    )


def _equal(mine: Sequence[float], yours: Sequence[float], dtype: str, target_dtype: str) -> bool:
    """Compare two rows after rounding the target's to the drafter's dtype, F16 within one step of another 16-bit dtype."""
    rounded = cast(yours, dtype)
    if mine == rounded:
        return True
    loose = {dtype, target_dtype} == {"F16", "BF16"}
    return loose and all(
        math.isclose(a, b, rel_tol=_HALF_ULP, abs_tol=2.0**-14) for a, b in zip(mine, rounded, strict=True)
    )


def _cosine(mine: Sequence[float], yours: Sequence[float]) -> float:
    scale = math.sqrt(math.fsum(a * a for a in mine) * math.fsum(b * b for b in yours))
    return math.fsum(a * b for a, b in zip(mine, yours, strict=True)) / scale if scale and math.isfinite(scale) else 0.0


def _word(equal: int, rows: int, cosine: float) -> Verdict:
    if equal == rows:
        return "identical"
    if cosine > CLOSE:
        return "close"
    return "unrelated" if abs(cosine) < UNRELATED else "different"


def _sentence(verdict: Verdict, rows: int) -> str:
    if verdict == "identical":
        return f"{rows} sampled rows equal the target's: more than {100 * (1 - 0.05 ** (1 / rows)):.1f} % changed rows are excluded at 95 %"
    return {
        "close": "the rows began as the target's and were trained",
        "unrelated": "the rows are the drafter's own",
        "different": "the rows differ from the target's",
    }.get(verdict, "")


def _settle(ledger: Ledger) -> Ledger:
    """Let each verdict that compared rows overrule the assumed status of its entry and tensors."""
    settled = {p.role: p for p in ledger.proofs if p.verdict != "not comparable"}
    status = {role: "frozen_copy" if p.verdict == "identical" else "trainable" for role, p in settled.items()}
    entries = tuple(
        replace(e, status=status[e.role], evidence=Evidence.VERIFIED, reason=settled[e.role].reason)
        if e.role in settled
        else e
        for e in ledger.entries
    )
    labels = {key: (role, status.get(role, name), n) for key, (role, name, n) in ledger.labels.items()}
    return replace(ledger, entries=entries, labels=labels)
