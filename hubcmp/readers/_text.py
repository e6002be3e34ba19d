"""Text as engines write it: whole lines in blocks, colours and container prefixes, and figures that cannot be trusted.

Server logs reach gigabytes, so they are cut into blocks that end at a line end and searched for literals; a regular
expression only ever sees a short, bounded piece.
"""

import math
import re
from collections.abc import Iterator

from hubcmp.document import Document
from hubcmp.readers import PROBE

BLOCK = 1 << 18
"""Bytes per block: small enough to stay in the processor's cache, large enough to keep Python out of the way."""
LINE_LIMIT = 1 << 20
"""Longest line that is kept whole; a longer one is cut (no known engine writes any)."""
LARGEST = 1e15
"""No count or rate of a benchmark is larger; anything above is an attack or a bug."""

_COLOUR = re.compile(rb"\x1b\[[0-9;?]{0,20}[ -/]{0,4}[@-~]")


def head(document: Document) -> bytes:
    """Return the first PROBE bytes, which are what detection may look at."""
    return document.read(0, PROBE)


def is_json(start: bytes) -> bool:
    """Return whether the content starts like JSON; a log that begins with "[2026-..." or a container's {"log": ...} does not."""
    text = start[:256].lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b'{"log":"'):
        return False
    return text.startswith(b"{") or bool(re.match(rb"\[\s*[\[{]", text))


def blocks(document: Document) -> Iterator[bytes]:
    """Yield the content in pieces of about BLOCK bytes that end at a line end (the last one may not)."""
    rest = b""
    for chunk in document.chunks():
        for start in range(0, len(chunk), BLOCK):
            piece = chunk[start : start + BLOCK]
            end = piece.rfind(b"\n") + 1
            if end:
                yield rest + piece[:end]
                rest = piece[end:]
            else:
                rest = (rest + piece)[-LINE_LIMIT:]
    if rest:
        yield rest


def lines(document: Document) -> Iterator[str]:
    """Yield the lines as text without colours and line ends; undecodable bytes become replacement characters."""
    for block in blocks(document):
        if b"\x1b" in block:
            block = _COLOUR.sub(b"", block)
        yield from block.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def text(document: Document, limit: int) -> str:
    """Return at most `limit` bytes as text without colours and with plain line ends, for short printed reports."""
    content = _COLOUR.sub(b"", document.read(0, limit))
    return content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def figure(raw: str | bytes | None) -> float | None:
    """Return a printed figure as a number ("1,302.70" too), or None for nan, inf, negatives and absurd sizes."""
    if raw is None or len(raw) > 40:
        return None
    try:
        value = float(raw.replace(b",", b"") if isinstance(raw, bytes) else raw.replace(",", ""))
    except ValueError:
        return None
    return sane(value)


def sane(value: float) -> float | None:
    """Return the value when it is finite and between 0 and LARGEST, otherwise None."""
    return value if math.isfinite(value) and 0 <= value <= LARGEST else None
