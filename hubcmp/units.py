"""Numbers as people write them: "1.4M", "37k", "2.6B", "+80%", "1.8x" to exact values, and back for tables."""

import re
from decimal import Decimal, InvalidOperation

SCALES = {"": 1, "k": 10**3, "thousand": 10**3, "m": 10**6, "million": 10**6, "b": 10**9, "billion": 10**9,
          "t": 10**12, "trillion": 10**12, "mn": 10**6, "bn": 10**9, "万": 10**4, "亿": 10**8}  # fmt: skip
"""What a letter or word after a number multiplies it by, in lower case."""
MAX_DIGITS = 30
"""Digits of a number beyond which it is refused."""
_QUANTITY = re.compile(r"([+-]?\d[\d,]*(?:\.\d+)?)\s*([a-z万亿]*)", re.IGNORECASE)


def parse_quantity(text: str) -> int | float:
    """Return the exact value of "1.4M", "37k", "1,739,710" or "2.6B" (units: k, M, B, T, the words, 万, 亿).

    Raises ValueError for anything else, and for numbers of more than 30 digits.
    """
    match = _QUANTITY.fullmatch(text.strip())
    if not match or len(match[1]) > MAX_DIGITS or match[2].lower() not in SCALES:
        raise ValueError(f"not a quantity: {text[:40]!r}; write a number such as 37000, 37K or 1.4M")
    return plain(Decimal(match[1].replace(",", "")) * SCALES[match[2].lower()])


def plain(number: Decimal) -> int | float:
    """Return an int when the number is whole, otherwise the nearest float. Raises ValueError when it is not finite."""
    try:
        whole = number == number.to_integral_value()
    except InvalidOperation:
        whole = False
    if not number.is_finite():
        raise ValueError(f"not a finite number: {number}")
    return int(number) if whole else float(number)


def count(value: float) -> str:
    """Return a count for a table: 1190948864 -> "1.191B", 37000 -> "37K", 410 -> "410"."""
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if abs(value) >= size:
            digits = f"{value / size:.3f}" if size >= 1e9 else f"{value / size:.1f}"
            return digits.rstrip("0").rstrip(".") + letter
    return f"{value:,.0f}"


def exact(value: float) -> str:
    """Return a count with thousands separators: 1190948864 -> "1,190,948,864"."""
    return f"{value:,.0f}"


def percent(fraction: float) -> str:
    """Return a fraction as a percentage with one decimal: 0.548 -> "54.8%"."""
    return f"{100 * fraction:.1f}%"


def gain(ratio: float) -> str:
    """Return a ratio as a signed gain: 1.0586 -> "+5.9%"."""
    return f"{100 * (ratio - 1):+.1f}%"


def size(n: float) -> str:
    """Return bytes in decimal units: 5190135808 -> "5.19 GB"."""
    for scale, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n >= scale:
            return f"{n / scale:.2f} {unit}"
    return f"{n:.0f} B"
