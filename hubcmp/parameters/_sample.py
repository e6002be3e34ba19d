"""Which rows of two matrices are compared: as many as a byte budget allows, in few ranges, most of them where training shows.

Three strata: low ids (bytes and common words, which any training touches), windows spread over the vocabulary, and the last ids
(chat markers). The same sizes give the same rows, so that a report repeats.
"""

import random
from collections.abc import Sequence

BUDGET = 900_000
"""Bytes of rows that are read on each side when no number of rows is asked for."""
MOST, LEAST = 96, 8
"""Rows of one matrix that the budget is spent on at most, and that are read even where it does not last."""
_LOW = 64
_WINDOW = 8
"""Neighbouring rows that are read as one range."""


def affordable(row_bytes: Sequence[tuple[int, int]]) -> int:
    """Return how many rows of each matrix the budget allows; `row_bytes` has a row's bytes on both sides for each of them."""
    dearest = max((sum(side) for side in zip(*row_bytes, strict=True)), default=0)
    return min(MOST, max(LEAST, BUDGET // dearest)) if dearest else LEAST


def sample(rows: int, wanted: int) -> list[int]:
    """Return up to `wanted` of `rows` row numbers in order."""
    if rows <= wanted:
        return list(range(rows))
    low, last = min(_LOW, wanted * 3 // 4), min(_WINDOW, wanted // 8)
    spread = wanted - low - last
    starts = range(low, rows - last, _WINDOW)
    drawn = random.Random(rows).sample(starts, min(len(starts), 1 + -(-spread // _WINDOW)))  # one may be cut short
    between = [row for start in drawn for row in range(start, min(start + _WINDOW, rows - last))][:spread]
    return sorted({*range(low), *between, *range(rows - last, rows)})
