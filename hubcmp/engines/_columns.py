"""Many log lines at once: dense blocks of equal lines are summed by column, in C, instead of being matched one by one.

A gigabyte of vLLM log holds millions of lines. In a block where every line has the same layout, cutting the text between
literals leaves lists of figures that Python's own functions convert and sum. Any line that does not fit makes the whole
block be read line by line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import mod, mul

_START = b"Accepted: "
_BETWEEN = b" tokens, Drafted: "
_RATES = b" tokens, Per-position acceptance rate: "
_EMPTY = b"0 tokens, Drafted: 0 "
_AVERAGE = b", Avg"


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over one block: lines, accepted, drafted, and per position drafted tokens x printed rate."""

    lines: int
    accepted: int
    drafted: int
    weighted: list[float]


def sums(block: bytes, depth: int) -> Sums | None:
    """Return the sums of a block whose lines all have `depth` positions and whole drafts; None when any line does not."""
    lines = block.split(_START)
    del lines[0]
    try:
        return _sums(lines, depth)
    except ValueError:
        pass
    try:
        return _sums([line for line in lines if not line.startswith(_EMPTY)], depth)
    except ValueError:
        return None


def _sums(lines: Sequence[bytes], depth: int) -> Sums:
    """Sum lines that begin with the accepted tokens. Raises ValueError for a line of another layout."""
    width = len(_RATES) + 7 * depth - 2
    average = bool(lines) and _AVERAGE in lines[0]
    # what follows the rates shows whether a line has more of them: ", Avg" gives a field of its own, a line end none
    width += len(_AVERAGE) if average else 1
    text = b", ".join([line[: line.find(_RATES) + width] for line in lines])
    fields = text.replace(_BETWEEN, b", ").replace(_RATES, b", ").split(b", ")
    stride = depth + 2 + average
    if not lines or len(fields) != stride * len(lines) or (average and set(fields[depth + 2 :: stride]) != {b"Avg"}):
        raise ValueError("lines of different layout")
    accepted, drafted = sum(map(int, fields[::stride])), list(map(int, fields[1::stride]))
    if sum(map(mod, drafted, repeat(depth))):
        raise ValueError("drafts of different length")
    weighted = [sum(map(mul, map(float, fields[2 + i :: stride]), drafted)) for i in range(depth)]
    return Sums(len(lines), accepted, sum(drafted), weighted)
