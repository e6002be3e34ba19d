"""Many log lines at once: the layout of one line is learned, and one pattern then finds all such lines of a block, in C.

In a layout the figures may change and the text between them may not. A line that begins like one and goes on differently makes
the whole block be read line by line instead, so that nothing is missed and both ways give the same sums.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from operator import mod, mul

Row = tuple[bytes, ...]
"""The wanted figures of one line, as printed."""

_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_RATES = {b"%.3f" % (n / 1000): n / 1000 for n in range(1001)}
"""Every rate that is printed with three decimals: looking one up is faster than converting it."""


@dataclass
class Columns:
    """Finds the lines that begin with `mark`. `line` matches one of them with bounded effort; its groups hold the figures.

    At least two figures are wanted. Lines that go on with the pattern `passed` behind the mark count for nothing.
    """

    mark: bytes
    line: re.Pattern[bytes]
    passed: bytes = b""
    layout: re.Pattern[bytes] | None = None

    def rows(self, block: bytes) -> list[Row] | None:
        """Return the figures of every line of a block of whole lines, None when they are not all of one layout."""
        rows = self._found(block)
        if rows is None:
            ends = (block.find(self.mark), block.rfind(self.mark))
            found = next((line for at in ends if at >= 0 and (line := self.line.match(block, at))), None)
            self.layout = self._learned(found) if found else None
            rows = self._found(block)
        return rows

    def _found(self, block: bytes) -> list[Row] | None:
        if self.layout is None:
            return None
        rows: list[Row] = self.layout.findall(block)
        return None if (b"",) * self.layout.groups in rows else rows

    def _learned(self, line: re.Match[bytes]) -> re.Pattern[bytes]:
        """Return the pattern of all lines like this one; one that begins alike and goes on differently gives empty figures."""
        text, at, parts = line[0], len(self.mark), list[bytes]()
        wanted = [line.span(group) for group in range(1, self.line.groups + 1)]
        for number in _NUMBER.finditer(text, at):
            place = line.start() + number.start()
            inside = any(start <= place < end for start, end in wanted)
            parts += [_fixed(text[at : number.start()]), (b"(%s)" if inside else b"%s") % _shape(number[0])]
            at = number.end()
        rest = b"".join(parts) + _fixed(text[at:]) + rb"(?![\d.]|, \d)"
        skip = b"(?!%s)" % self.passed if self.passed else b""
        return re.compile(b"%s%s(?:%s|)" % (re.escape(self.mark), skip, rest))


def _shape(number: bytes) -> bytes:
    """Return the pattern of figures like this one. A small decimal has a fixed width, and dots are faster than digits."""
    whole, _, decimals = number.partition(b".")
    if decimals and len(whole) == 1:
        return b"." * len(number)
    return rb"\d+" + (rb"\." + rb"\d" * len(decimals) if decimals else b"")


def _fixed(text: bytes) -> bytes:
    """Return the pattern of text between figures; a printed truth value may change."""
    return re.sub(rb"True|False", rb"(?:True|False)", re.escape(text))


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over rows of accepted tokens, drafted tokens and rates per position: per position drafted x rate."""

    lines: int
    accepted: int
    drafted: int
    weighted: list[float]


def sums(rows: Iterable[Row]) -> Sums | None:
    """Return the sums of rows (accepted, drafted, rate 1, rate 2 ...); None when a draft had not as many tokens as there are rates."""
    accepted, printed, *rates = zip(*rows, strict=True)
    drafted = list(map(int, printed))
    if not rates or sum(map(mod, drafted, repeat(len(rates)))):
        return None
    try:
        weighted = [sum(map(mul, map(_RATES.__getitem__, column), drafted)) for column in rates]
    except KeyError:
        return None
    # an interval of one step without a draft prints rates, and is no measurement
    return Sums(len(drafted) - drafted.count(0), sum(map(int, accepted)), sum(drafted), weighted)
