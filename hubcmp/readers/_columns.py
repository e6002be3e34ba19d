"""Many log lines at once: dense blocks of equal lines are summed by column, in C, instead of being matched one by one.

A gigabyte of vLLM log holds millions of lines. In a block where every line has the same layout, cutting the text between
literals leaves lists of figures that Python's own functions convert and sum. Any line that does not fit makes the whole
block be read line by line.
"""

from dataclasses import dataclass
from itertools import repeat
from operator import mod, mul

_BETWEEN = b" tokens, Drafted: "
_RATES = b" tokens, Per-position acceptance rate: "


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over one block: lines, accepted, drafted, and per position drafted tokens x printed rate."""

    lines: int
    accepted: int
    drafted: int
    weighted: list[float]


def sums(block: bytes, depth: int) -> Sums | None:
    """Return the sums of a block whose lines all have `depth` positions and whole drafts; None when any line does not."""
    pieces = block.split(_BETWEEN)
    lines = [piece for piece in pieces[1:] if piece[:2] != b"0 "]
    ends = [line.find(b" ") for line in lines]
    width = len(_RATES) + 7 * depth - 2
    text = b"".join([line[end : end + width] for line, end in zip(lines, ends, strict=True)])
    rates = text.replace(_RATES, b", ").split(b", ")
    try:
        accepted = sum(map(int, [piece[piece.rfind(b" ") :] for piece in pieces[:-1]]))
        drafted = [int(line[:end]) for line, end in zip(lines, ends, strict=True)]
        printed = list(map(float, rates[1:]))
    except ValueError:
        return None
    if not lines or len(printed) != depth * len(lines) or sum(map(mod, drafted, repeat(depth))):
        return None
    if any(line[end + width : end + width + 3] == b", 0" for line, end in zip(lines, ends, strict=True)):
        return None
    weighted = [sum(map(mul, printed[i::depth], drafted)) for i in range(depth)]
    return Sums(len(lines), accepted, sum(drafted), weighted)
