"""Text from outside made visible: control codes, bidirectional marks and invisible characters shown as escapes, one line."""

import unicodedata

_HIDDEN = frozenset(
    chr(c)
    for c in (
        *(0x00AD, 0x034F, 0x061C, 0xFEFF),  # soft hyphen, joiner, Arabic mark, byte order mark
        *range(0x200B, 0x2010),  # zero-width characters and marks
        *range(0x2028, 0x202F),  # line separators, bidirectional embeddings
        *range(0x2060, 0x2070),  # word joiner, bidirectional isolates
    )
)


def visible(text: str) -> str:
    """Return text on one line with every control, bidi or zero-width character written as \\xNN or \\uNNNN."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(c) for c in text)


def _shown(c: str) -> str:
    if c in "\n\t":
        return " "
    if c in _HIDDEN or unicodedata.category(c) in ("Cc", "Cs", "Co"):
        return f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}"
    return c
