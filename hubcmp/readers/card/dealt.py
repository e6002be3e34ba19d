"""Settings dealt out over a list of figures: "tok/s at concurrency 1/8/32: 312/241/148"."""

import re
from collections.abc import Sequence

from hubcmp.facts import Scalar
from hubcmp.readers.card.axes import axis
from hubcmp.readers.card.figures import Figure
from hubcmp.readers.card.settings import number

_VALUES = r"\d{1,5}(?:\.\d{1,3})?"
DEALT = re.compile(
    rf"(?<![\w-])(?P<axis>concurrency|conc|batch(?:[ _]size)?|bs|k|t|temperature|temp|draft length|block size|num_speculative_tokens"
    rf"|users|streams)\s?(?:=|of|:)?\s?(?P<values>{_VALUES}(?:\s?/\s?{_VALUES}){{1,7}})(?![\d.]?\w)",
    re.IGNORECASE,
)
"""A setting with several values, which further lists of as many figures follow one by one."""
_BETWEEN = re.compile(r"\s?/\s?")


def run_of(text: str, figures: Sequence[Figure], i: int) -> tuple[int, int]:
    """Return the first and last index of the figures that stand with figure `i` between slashes."""
    first = last = i
    while first and _BETWEEN.fullmatch(text, figures[first - 1].end, figures[first].start):
        first -= 1
    while last + 1 < len(figures) and _BETWEEN.fullmatch(text, figures[last].end, figures[last + 1].start):
        last += 1
    return first, last


def dealt(text: str, figures: Sequence[Figure], i: int) -> dict[str, Scalar]:
    """Return the settings of figure `i` by its place in its list, from every setting with as many values."""
    first, last = run_of(text, figures, i)
    found: dict[str, Scalar] = {}
    for match in DEALT.finditer(text) if last > first else ():
        values = re.split(r"\s?/\s?", match["values"])
        key = axis(match["axis"])
        if key and len(values) == last - first + 1:
            found[key] = number(values[i - first])
    return found
