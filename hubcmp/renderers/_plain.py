"""Text from outside made visible: control codes, bidirectional marks and invisible characters shown as escapes, one line."""

import unicodedata

_EMPTY = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters and marks that show nothing: a joiner and fillers."""
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories that are escaped: controls, formats (zero-width, bidirectional, tags), surrogates, private, unassigned, breaks."""


def visible(text: str) -> str:
    """Return text on one line with every control, bidi or zero-width character written as \\xNN or \\uNNNN."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(c) for c in text)


def _shown(c: str) -> str:
    if c in "\n\t":
        return " "
    if c in _EMPTY or unicodedata.category(c) in _HIDDEN:
        return f"\\x{ord(c):02x}" if ord(c) < 256 else c.encode("ascii", "backslashreplace").decode()
    return c
