"""What containers, launchers and terminals put around a benchmark's output: prefixes of every line, JSON envelopes, colours.

A layer is taken off only when nearly every line of the head has it and its text hardly changes from line to line, so that a
report's own first column stays. Server logs do not come here: their readers search for what they know inside any line.
"""

import codecs
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hubcmp.document import Document, piece
from hubcmp.engines._text import COLOUR, blocks, head
from hubcmp.facts import Source

SHARE = 0.9
"""Share of the head's lines that must have a prefix before it is taken for a wrapper."""
MOST_LAYERS = 6
LONGEST = 64 << 20
"""Longest line in bytes; a JSON result may be one line."""
_CLOCK = rb"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_TIGHT = (
    rb"\[\d{1,6},\d{1,6}\](?:<std(?:out|err)>)?:",  # mpirun
    rb"\[default\d{1,5}\]:",  # torchrun
    rb"[^\t\n]{1,80}\t[^\t\n]{1,80}\t(?=\d{4}-)",  # gh run view
)
_SPACED = (
    rb"\d{4}-\d\d-\d\d[T ]" + _CLOCK + rb" ?(?:Z|[+-]\d\d:?\d\d)?",  # docker, kubectl and CI time stamps
    rb"[A-Z][a-z]{2} [ \d]\d " + _CLOCK,  # journald, ts
    _CLOCK,
    rb"[\w.-]{1,64} [\w./@-]{1,64}\[\d{1,8}\]:",  # journald: host unit[pid]
    rb"(?:stdout|stderr) [FP]|\d\d[OE]\+?",  # container runtimes, GitLab
    rb"[\w./-]{1,80} {0,40}\|",  # compose
    rb"\[(?:pod/|rank|local_rank)[^\[\]\n]{0,150}\]:?|\[[A-Za-z][\w ./-]{0,60}\]",  # kubectl, launchers
    rb"\([A-Za-z][^()\n]{0,80}\b(?:pid|rank)=[^()\n]{1,80}\)",  # ray
    rb" {0,6}\d{1,5}:",  # srun --label
    rb"(?:>[ \t]?){1,4}",  # quoted in a mail or an issue
)
"""What is followed by a blank, which goes too; trailing blanks may be gone from an empty line."""
_PREFIXES = tuple(map(re.compile, (*_TIGHT, *(rb"(?:" + pattern + rb")(?:[ \t]|$)" for pattern in _SPACED))))
_BAR = re.compile(rb"[^\n|]{0,80}\d{1,3}%\|[^|\n]{0,300}\|[^\n]{0,200}")
_JSON = re.compile(rb'\{\s*(?:"|$)|\[\s*(?:[\[{]|$)')
_DIGITS = re.compile(rb"[\d.,:TZ+ \t-]+")
_KEYS = ("log", "message", "msg", "MESSAGE", "textPayload", "@message", "line")
"""Where JSON envelopes (docker, journald -o json, cloud logs) keep the line."""
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
Peel = Callable[[bytes], bytes]
"""Takes one layer off one line; a line without it stays as it is."""


def unwrap(document: Document) -> Document:
    """Return the document without its wrappers, or itself when it has none."""
    base: Document = document
    start = head(document)
    encoding = next((name for mark, name in _MARKS.items() if start.startswith(mark)), "")
    if encoding:
        base = Transcoded(document, encoding)
        start = head(base)
    bare = clean(start)
    layers = tuple(_layers(_whole_lines(bare)))
    return Unwrapped(base, layers) if layers or encoding or bare != start else document


def behind_noise(document: Document) -> Document:
    """Return the document from its first line that looks like JSON on: what was printed before it is left out."""
    lines = clean(head(document)).split(b"\n")
    skip = next((number for number, line in enumerate(lines) if _JSON.match(line)), 0)
    return Unwrapped(document, (), skip) if skip else document


def _whole_lines(start: bytes) -> list[bytes]:
    """Return the lines of a head that say something; the last one of a full head is cut, so it is left out."""
    lines = start.split(b"\n")
    return [line for line in (lines[:-1] if len(lines) > 2 else lines) if line.strip()]


def clean(block: bytes) -> bytes:
    """Return whole lines without byte order mark, colours, carriage returns and progress bars."""
    block = block.removeprefix(codecs.BOM_UTF8)
    if b"\x1b" in block:
        block = COLOUR.sub(b"", block)
    if b"\r" not in block and b"%|" not in block:
        return block
    lines = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return b"\n".join(line for line in lines if not (b"%|" in line and _BAR.fullmatch(line)))


def _layers(lines: Sequence[bytes]) -> Iterator[Peel]:
    """Yield the layers around the lines of the head, the outermost first."""
    for _ in range(MOST_LAYERS):
        peel = _envelope(lines) or _prefix(lines) or _indent(lines)
        if peel is None:
            return
        yield peel
        lines = [line for line in map(peel, lines) if line.strip()]


def _prefix(lines: Sequence[bytes]) -> Peel | None:
    """Return what takes off the prefix that nearly all lines have; a prefix with another word per line is a column."""
    for pattern in _PREFIXES:
        found = [match[0] for line in lines if (match := pattern.match(line))]
        kinds = {_DIGITS.sub(b"", prefix) for prefix in found}
        if found and len(found) >= SHARE * len(lines) and len(kinds) <= max(1, len(lines) // 4):
            return _Cut(pattern)
    return None


def _indent(lines: Sequence[bytes]) -> Peel | None:
    """Return what takes off the blanks that all lines begin with."""
    depth = min((len(line) - len(line.lstrip(b" \t")) for line in lines), default=0)
    return _Cut(re.compile(rb"[ \t]{%d}" % depth)) if 0 < depth <= 64 and len(lines) > 1 else None


def _envelope(lines: Sequence[bytes]) -> Peel | None:
    """Return what takes the text out of JSON objects, one per line, that hold a line of somebody's output."""
    for key in _KEYS:
        found = [text for line in lines if (text := _held(line, key)) is not None]
        if found and len(found) >= SHARE * len(lines):
            return _Open(key)
    return None


def _held(line: bytes, key: str) -> bytes | None:
    if not line.startswith(b"{") or key.encode() not in line:
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    text = value.get(key) if isinstance(value, dict) else None
    return text.rstrip("\r\n").encode("utf-8", "replace") if isinstance(text, str) else None


@dataclass(frozen=True, slots=True)
class _Cut:
    """Takes a prefix off."""

    pattern: re.Pattern[bytes]

    def __call__(self, line: bytes) -> bytes:
        found = self.pattern.match(line)
        return line[found.end() :] if found else line


@dataclass(frozen=True, slots=True)
class _Open:
    """Opens a JSON envelope."""

    key: str

    def __call__(self, line: bytes) -> bytes:
        text = _held(line, self.key)
        return line if text is None else text


class _Stream:
    """A document of unknown size that is worked out anew for every read, so it holds nothing and pickles."""

    document: Document

    @property
    def source(self) -> Source:
        """The wrapped file."""
        return self.document.source

    @property
    def size(self) -> None:
        """Not known before everything is read."""
        return None

    def chunks(self) -> Iterator[bytes]:
        """Yield the content in pieces."""
        raise NotImplementedError

    def read(self, offset: int, n: int) -> bytes:
        """Return up to `n` bytes from `offset`."""
        return piece(self.chunks(), offset, n)


@dataclass(frozen=True)
class Transcoded(_Stream):
    """UTF-16, as some shells write it, as UTF-8."""

    document: Document
    encoding: str

    def chunks(self) -> Iterator[bytes]:
        """Yield the content in pieces."""
        decoder = codecs.getincrementaldecoder(self.encoding)("replace")
        for chunk in self.document.chunks():
            yield decoder.decode(chunk).removeprefix("\ufeff").encode("utf-8", "replace")


@dataclass(frozen=True)
class Unwrapped(_Stream):
    """A document without the layers around each of its lines, and without its first `skip` lines."""

    document: Document
    layers: tuple[Peel, ...]
    skip: int = 0

    def chunks(self) -> Iterator[bytes]:
        """Yield the content in pieces of whole lines."""
        skip = self.skip
        for block in blocks(self.document, LONGEST):
            lines = clean(block).split(b"\n")[skip:]
            skip = 0
            yield b"\n".join(map(self._bare, lines) if self.layers else lines)

    def _bare(self, line: bytes) -> bytes:
        for peel in self.layers:
            line = peel(line)
        return line
