"""A file on the Hub of which only ranges are read: one first read serves the header's length and the header."""

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from hubcmp.document import CHUNK
from hubcmp.errors import SourceError
from hubcmp.facts import Source
from hubcmp.sources._http import Enough, Reply, Session, Wanted
from hubcmp.sources._refusals import Passing

FIRST = 64 * 1024
"""Bytes of a first read: a drafter's header is a few kB, and no request costs less for asking less."""
HEADER_LIMIT = 25_000_000
"""Longest safetensors header that is fetched; the largest published ones stay far below."""
MOST_AHEAD = 4 << 20
"""Most bytes that are read beyond what is asked for, when a long start (a GGUF vocabulary) is read on and on."""
KEPT = 32 << 20
"""Bytes of one file held in memory for further reads."""
ABREAST = 8
"""Ranges of one file that are asked for side by side."""
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")


@dataclass(frozen=True, slots=True)
class Slice:
    """Bytes of a file from `start`; `total` is the whole file's size where the server tells it; `commit` as in Reply."""

    start: int
    content: bytes
    total: int | None = None
    commit: str = ""

    @property
    def stop(self) -> int:
        """The offset behind the last byte."""
        return self.start + len(self.content)


def header_length(start: bytes | bytearray) -> int | None:
    """Return how long a safetensors header is with its 8 length bytes, or None while `start` is too short to say."""
    return 8 + struct.unpack("<Q", start[:8])[0] if len(start) >= 8 else None


def holds_header(start: bytes | bytearray) -> bool:
    """Whether the start of a safetensors file holds its whole header, or shows that it never will."""
    length = header_length(start)
    return length is not None and (len(start) >= length or length > HEADER_LIMIT)


def fetch_range(session: Session, url: str, start: int, stop: int, header: bool = False) -> Slice:
    """Return bytes start to stop of a remote file, fewer at its end. Raises SourceError.

    With `header` (only from 0) a transfer that is slow or ignores the range ends once the header is there.
    """
    enough: Enough | None = holds_header if header else None
    if start > HEADER_LIMIT:  # a server that ignores ranges would send everything before it
        enough = _never
    got = _place(session, url, start, stop, enough)
    while got.stop < min(stop, got.total or 0) and not (enough and enough(got.content)):
        more = _place(session, url, got.stop, stop, None)  # an honest 206 may cover less than was asked for
        got = Slice(start, got.content + more.content, more.total, got.commit)
    return got


def _never(content: bytes | bytearray) -> bool:
    """End a transfer at once when it is the whole file instead of a range far inside it."""
    return True


def _place(session: Session, url: str, start: int, stop: int, enough: Enough | None) -> Slice:
    """Ask once for a range and check what came; a server that mixes up ranges gets a few more chances."""
    for attempt in (1, 2, 3):
        reply = session.get(url, Wanted(limit=stop, span=(start, stop), enough=enough))
        try:
            return _checked(reply, start, stop)
        except Passing as trouble:
            if attempt == 3:
                raise trouble.error from None
    raise AssertionError("unreachable")


def _checked(reply: Reply, start: int, stop: int) -> Slice:
    """Return the slice that a reply holds. Raises Passing when its Content-Range does not fit what was asked for."""
    if reply.status == 200:
        total = _number(reply.headers.get("content-length")) or _number(reply.headers.get("x-linked-size"))
        if len(reply.body) < min(start + 1, total or 1):
            raise SourceError("the server ignores byte ranges, so this part cannot be read; set a mirror", "refused")
        return Slice(start, reply.body[start:stop], total, reply.commit)
    match = _CONTENT_RANGE.fullmatch(reply.headers.get("content-range", "")[:80])
    first, last, total = (int(n) for n in match.groups()) if match else (-1, -1, -1)
    if first != start or not first <= last < min(stop, total) or len(reply.body) > last + 1 - first:
        raise Passing(SourceError("the server sends other bytes than it was asked for; refused", "refused"))
    return Slice(start, reply.body, total, reply.commit)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() and len(text) < 19 else None


@dataclass(slots=True)
class RangedDocument:
    """A document read piece by piece through `ask(start, stop)`; what was read is kept, so nothing is asked for twice.

    `first` is how much a read takes at least. A source that failed once fails at once afterwards, so waiting stays bounded.
    """

    source: Source
    size: int | None
    ask: Callable[[int, int], Slice] = field(repr=False)
    first: int = FIRST
    slices: list[Slice] = field(default_factory=list, repr=False)
    _failure: SourceError | None = field(default=None, repr=False)

    def read(self, offset: int, n: int) -> bytes:
        """Return up to `n` bytes from `offset`, over as few requests as possible. Raises SourceError."""
        stop = offset + n if self.size is None else min(offset + n, self.size)
        if stop <= offset:
            return b""
        while (known := self._known(offset)) is None or known.stop < stop:
            got = self._ask(offset, stop) if known is None else self._ask(known.stop, stop, self._more(known))
            self.size = got.total if got.total is not None else self.size
            stop = stop if self.size is None else min(stop, self.size)
            if not got.content:
                break
            self._keep(got)
        return self._cut(offset, stop)

    def chunks(self) -> Iterator[bytes]:
        """Yield the content in order; refused above 32 MiB, because weights are never transferred whole."""
        if self.size is None or self.size > KEPT:
            raise SourceError(f"{self.source} is too large to be read whole over the network", "refused")
        for start in range(0, self.size, CHUNK):
            yield self.read(start, CHUNK)

    def gather(self, spans: Sequence[tuple[int, int]]) -> None:
        """Ask for several spans (start, stop) side by side and keep them. Raises SourceError."""
        wanted = [span for span in spans if (known := self._known(span[0])) is None or known.stop < span[1]]
        with ThreadPoolExecutor(min(ABREAST, max(1, len(wanted)))) as pool:
            for got in pool.map(lambda span: self._ask(*span), wanted):
                self._keep(got)

    @property
    def _plain(self) -> bool:
        """Whether only the start of the file has a structure; other formats have directories at their ends."""
        return self.source.path.endswith(".safetensors")

    def _known(self, offset: int) -> Slice | None:
        """Return the kept slice that reaches furthest from `offset`, if only up to it."""
        covering = [s for s in self.slices if s.start <= offset <= s.stop]
        return max(covering, key=lambda s: s.stop, default=None)

    def _cut(self, offset: int, stop: int) -> bytes:
        known = self._known(offset)
        return known.content[offset - known.start : stop - known.start] if known else b""

    def _more(self, known: Slice) -> int:
        """Return the least to read on: nothing beyond a safetensors header, otherwise as much again as is known."""
        return 0 if self._plain else min(len(known.content), MOST_AHEAD)

    def _ask(self, start: int, stop: int, least: int | None = None) -> Slice:
        """Ask for at least `least` bytes, at the start for `first`; near the end of an archive for its last ones, its directory."""
        least = (0 if start else self.first) if least is None else least
        stop = max(stop, start + least)
        if self.size is not None and stop >= self.size:
            start, stop = start if self._plain else max(0, min(start, self.size - self.first)), self.size
        if self._failure:
            raise self._failure
        try:
            return self.ask(start, stop)
        except SourceError as error:
            self._failure = error
            raise

    def _keep(self, got: Slice) -> None:
        """Keep a slice, joined to one that ends where it starts; the oldest go first when there are too many."""
        joined = next((s for s in self.slices if s.start <= got.start <= s.stop < got.stop), None)
        if joined:
            self.slices.remove(joined)
            got = Slice(joined.start, joined.content[: got.start - joined.start] + got.content, got.total, got.commit)
        self.slices.append(got)
        while len(self.slices) > 1 and sum(len(s.content) for s in self.slices) > KEPT:
            self.slices.pop(0)


def read_ahead(document: RangedDocument) -> list[Slice]:
    """Read what readers ask for first, so that they wait for nothing, and return what is new and worth keeping.

    That is a safetensors header (trimmed to its length), both ends of a zip archive, the start of anything else.
    Raises SourceError.
    """
    before = tuple(document.slices)
    if document.source.path.endswith(".safetensors"):
        length = header_length(document.read(0, 8)) or 0
        header = document.read(0, length) if length <= HEADER_LIMIT else b""
        stored = any(s.commit == "" and len(s.content) == length for s in before)
        new = [] if stored else [Slice(0, header, document.size)]
    else:
        start = document.read(0, document.first)
        if start.startswith(b"PK") and document.size is not None:
            document.read(max(0, document.size - document.first), document.first)
        new = [s for s in document.slices if s not in before]
    return [s for s in new if s.content and s.total is not None]
