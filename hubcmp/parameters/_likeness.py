"""How alike sampled rows of two matrices are: equal in the coarser dtype, close in direction, or unrelated."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hubcmp.parameters._rows import FLOATS, Matrix, cast

Verdict = Literal["identical", "close", "unrelated", "different", "not comparable"]

CLOSE, UNRELATED = 0.99, 0.1
"""Cosines: above the first a row began as a copy and was trained, below the second rows are the drafter's own."""
_KEPT = 0.1
"""Share of equal rows that does not come about by chance: the others were changed."""
_STRAIGHT = 0.9999
"""Cosine above which rows differ by a factor only."""
_HALF_ULP = 2.0**-10
"""Relative step of F16, by which a value may differ when it passed through another 16-bit dtype."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What the rows say: a verdict with its reason, the rows that tell anything, how many are equal, the mean cosine."""

    verdict: Verdict
    reason: str
    rows: int = 0
    equal: int = 0
    cosine: float = 0.0


@dataclass(frozen=True, slots=True)
class _Row:
    """One pair of rows: `factor` is the length of the drafter's against the target's."""

    equal: bool
    cosine: float
    factor: float
    silent: bool = False
    unset: str = ""


def likeness(left: Matrix, right: Matrix, ids: Mapping[int, int]) -> Likeness:
    """Compare rows; `ids` maps the drafter's rows to the target's. Raises SourceError."""
    ours, theirs = left.read(list(ids)), right.read(list(ids.values()))
    pairs = ((ours[row], theirs[at]) for row, at in ids.items() if row in ours and at in theirs)
    rows = list(_rows(pairs, left, right))
    telling = [row for row in rows if not row.silent]
    if not telling:
        return Likeness("not comparable", "all sampled rows are zero on both sides", len(rows))
    unset = "NaN" if any(row.unset == "NaN" for row in telling) else ""
    unset = "all zero" if not unset and all(row.unset for row in telling) else unset
    if unset:
        return Likeness("different", f"the sampled rows are {unset}: never set", len(telling))
    return _judged(telling)


def _rows(pairs: Iterator[tuple[bytes, bytes]], left: Matrix, right: Matrix) -> Iterator[_Row]:
    """Compare pair by pair; equal bytes of one dtype need no arithmetic."""
    same = left.tensor.dtype == right.tensor.dtype
    for ours, theirs in pairs:
        mine = left.values(ours)
        if not any(mine) or any(map(math.isnan, mine)):
            silent = not any(right.values(theirs)) and not any(mine)
            yield _Row(False, 0.0, 0.0, silent, "all zero" if not any(mine) else "NaN")
        elif same and ours == theirs:
            yield _Row(True, 1.0, 1.0)
        else:
            yield _row(mine, right.values(theirs), left.tensor.dtype, right.tensor.dtype)


def _row(mine: Sequence[float], yours: Sequence[float], dtype: str, target_dtype: str) -> _Row:
    lengths = math.sqrt(math.fsum(a * a for a in mine)), math.sqrt(math.fsum(b * b for b in yours))
    scale = lengths[0] * lengths[1]
    cosine = (
        math.fsum(a * b for a, b in zip(mine, yours, strict=True)) / scale if scale and math.isfinite(scale) else 0.0
    )
    return _Row(_equal(mine, yours, dtype, target_dtype), cosine, lengths[0] / lengths[1] if lengths[1] else 0.0)


def _equal(mine: Sequence[float], yours: Sequence[float], dtype: str, target_dtype: str) -> bool:
    """Compare two rows in the coarser dtype of the two; F16 and BF16 within one step of F16."""
    finer = FLOATS.index(dtype) > FLOATS.index(target_dtype)
    coarse, rounded = (yours, cast(mine, target_dtype)) if finer else (mine, cast(yours, dtype))
    if coarse == rounded:
        return True
    loose = {dtype, target_dtype} == {"F16", "BF16"}
    return loose and all(
        math.isclose(a, b, rel_tol=_HALF_ULP, abs_tol=2.0**-14) for a, b in zip(coarse, rounded, strict=True)
    )


def _judged(rows: Sequence[_Row]) -> Likeness:
    """Return the verdict on rows that tell something."""
    n, equal = len(rows), sum(row.equal for row in rows)
    cosine = sum(row.cosine for row in rows) / n
    near = sum(row.equal or row.cosine > CLOSE for row in rows)
    if equal == n:
        excluded = 100 * (1 - 0.05 ** (1 / n))
        reason = f"{n} sampled rows equal the target's: more than {excluded:.1f} % changed rows are excluded at 95 %"
        return Likeness("identical", reason, n, equal, cosine)
    if 2 * near > n or equal >= _KEPT * n:
        return Likeness("close", _began(rows, equal), n, equal, cosine)
    if abs(cosine) < UNRELATED:
        return Likeness("unrelated", "the rows are the drafter's own", n, equal, cosine)
    return Likeness("different", "the rows differ from the target's", n, equal, cosine)


def _began(rows: Sequence[_Row], equal: int) -> str:
    """Say how rows differ that began as the target's."""
    factors = [row.factor for row in rows]
    if (
        min(row.cosine for row in rows) > _STRAIGHT
        and max(factors) < 1.01 * min(factors)
        and abs(factors[0] - 1) > 0.02
    ):
        return f"the rows are the target's times {factors[0]:.4g}"
    kept = f"; {equal} of {len(rows)} sampled rows still equal them" if equal else ""
    return f"the rows began as the target's and were trained{kept}"
