"""Text as engines write it: whole lines in blocks, colours and container prefixes, and figures that cannot be trusted.

Server logs reach gigabytes, so they are cut into blocks that end at a line end and searched for literals; a regular
expression only ever sees a short, bounded piece.
"""

import math
import re
from collections.abc import Iterator
from itertools import pairwise

from hubcmp.document import Document
from hubcmp.readers import PROBE

BLOCK = 1 << 17
"""Bytes per block: small enough to stay in the processor's cache, large enough to keep Python out of the way."""
LINE_LIMIT = 1 << 20
"""Longest line that is kept whole; a longer one is cut (no known engine writes any)."""
LARGEST = 1e15
"""No count or rate of a benchmark is larger; anything above is an attack or a bug."""

MOST_SECTIONS = 10_000
"""Most results that one printed report is cut into."""
REPORT_LIMIT = 4 << 20
"""Bytes of a printed report that are read."""

_JSON = re.compile(rb"\{|\[\s*[\[{]|(?:(?:event|id|retry|):[^\n]{0,200}\n){0,9}data: ?\{")
_PAIR = re.compile(r"(?m)^[ \t]{0,40}([A-Za-z#][^:\n]{0,80}?)[ \t]{0,40}:[ \t]{0,80}(\S[^\n]{0,400})")
_LEADING = re.compile(r"\d[\d,]{0,30}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?(?![\w.])")
COLOUR = re.compile(rb"\x1b\[[0-9;?]{0,20}[ -/]{0,4}[@-~]")


def head(document: Document) -> bytes:
    """Return the first PROBE bytes, which are what detection may look at."""
    return document.read(0, PROBE)


def is_json(start: bytes) -> bool:
    """Return whether the content starts like JSON, or like a stream of JSON events.

    A log that begins with "[2026-..." or a container's {"log": ...} does not.
    """
    text = start[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    return bool(_JSON.match(text)) and not re.match(rb'\{"log": ?"', text)


def blocks(document: Document, longest: int = LINE_LIMIT) -> Iterator[bytes]:
    """Yield the content in pieces of about BLOCK bytes that end at a line end (the last one may not).

    Of a line of more than `longest` bytes only the end is kept. Where figures were coloured, all colours go; those around a
    level or a time are no hindrance and cost nothing.
    """
    held: list[bytes] = []
    size = 0
    for chunk in document.chunks():
        start = 0
        while end := (chunk.rfind(b"\n", start, start + BLOCK) + 1 or chunk.find(b"\n", start + BLOCK) + 1):
            piece = chunk[start:end]
            yield _plain_figures(b"".join([*held, piece]) if held else piece)
            held, size, start = [], 0, end
        if start < len(chunk):
            held.append(chunk[start:])
            size += len(chunk) - start
        while size > longest and len(held) > 1:
            size -= len(held.pop(0))
    if size:
        yield _plain_figures(b"".join(held))


def _plain_figures(block: bytes) -> bytes:
    # looking for one byte first is much faster
    return COLOUR.sub(b"", block) if b"\x1b" in block and b": \x1b[" in block else block


def lines(document: Document, longest: int = LINE_LIMIT) -> Iterator[str]:
    """Yield the lines as text without colours and line ends; undecodable bytes become replacement characters."""
    for block in blocks(document, longest):
        if b"\x1b" in block:
            block = COLOUR.sub(b"", block)
        yield from plain(block).split("\n")[: -1 if block.endswith((b"\n", b"\r")) else None]


def plain(content: bytes) -> str:
    """Return bytes as text with plain line ends."""
    return content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def text(document: Document, limit: int) -> str:
    """Return at most `limit` bytes as text without colours and with plain line ends, for short printed reports."""
    return plain(COLOUR.sub(b"", document.read(0, limit)))


def pairs(report: str) -> dict[str, str]:
    """Return {label in lower case: value} of the "Label:   value" lines of a printed report; of repeated labels the first."""
    found: dict[str, str] = {}
    for label, value in _PAIR.findall(report):
        found.setdefault(label.strip().lower(), value.strip())
    return found


def measured(values: dict[str, str], *labels: str) -> float | None:
    """Return the leading figure of the first of these labels that has one ("9,512.40 tok/s" too), otherwise None."""
    for label in labels:
        match = _LEADING.match(values.get(label, ""))
        value = figure(match[0]) if match else None
        if value is not None:
            return value
    return None


def counted(values: dict[str, str], *labels: str) -> int | None:
    """Return the whole number of the first of these labels that has one, otherwise None."""
    value = measured(values, *labels)
    return int(value) if value is not None and value.is_integer() else None


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


def sections(report: str, title: str) -> list[tuple[int, str]]:
    """Return (line number, text) of each part of a report that begins with a line holding `title`; at most MOST_SECTIONS."""
    starts: list[int] = []
    at = report.find(title)
    while at >= 0 and len(starts) < MOST_SECTIONS:
        starts.append(report.rfind("\n", 0, at) + 1)
        # on to the next line, so that a line is looked at once, however often it holds the title
        end = report.find("\n", at)
        at = report.find(title, end) if end >= 0 else -1
    parts, line, before = [], 1, 0
    for start, end in pairwise([*starts, len(report)]):
        line, before = line + report.count("\n", before, start), start
        parts.append((line, report[start:end]))
    return parts
