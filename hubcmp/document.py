"""The parcels between sources and readers: a Document is one file, Evidence of a drafter is a bundle of them.

Readers see documents only, so they work the same on a local file, a ranged URL, a recording or bytes in a test.
A 1 GB log or a 5 GB weight file is never held whole: `read` takes a range, `chunks` streams.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from hubcmp.errors import FormatError, Problem
from hubcmp.facts import Source, Unknown

CHUNK = 1 << 20
"""Bytes per streamed piece."""
TEXT_LIMIT = 2 << 20
"""Largest card or config that is read whole (security: bounded input)."""


class Document(Protocol):
    """One file's content, wherever it lies. `size` is None while unknown (a pipe, a growing log)."""

    @property
    def source(self) -> Source:
        """Where the content comes from, without a spot inside it."""
        ...

    @property
    def size(self) -> int | None:
        """Length in bytes, or None while it is not known."""
        ...

    def read(self, offset: int, n: int) -> bytes:
        """Return up to `n` bytes from `offset`; fewer only at the end. Raises SourceError."""
        ...

    def chunks(self) -> Iterator[bytes]:
        """Yield the content in order, in pieces of at most a few MiB. Raises SourceError."""
        ...


@runtime_checkable
class Gathering(Protocol):
    """A document far away, of which several ranges are better asked for at once."""

    def gather(self, spans: Sequence[tuple[int, int]]) -> None:
        """Fetch several spans (start, stop), so that reading them waits for nothing. Raises SourceError."""
        ...


@dataclass(frozen=True, slots=True)
class BytesDocument:
    """A document held in memory: a small reply, a recording, a test."""

    source: Source
    content: bytes

    @property
    def size(self) -> int:
        """Length in bytes."""
        return len(self.content)

    def read(self, offset: int, n: int) -> bytes:
        """Return up to `n` bytes from `offset`."""
        return self.content[offset : offset + n]

    def chunks(self) -> Iterator[bytes]:
        """Yield the content in pieces."""
        for start in range(0, len(self.content), CHUNK):
            yield self.content[start : start + CHUNK]


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file that a source lists, fetched or not; `size` in bytes, None when the listing does not say."""

    path: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything one reference gave: its pinned revision, the documents, the file list, and what failed and why.

    `revision` is a commit sha, or "sha256:..." over what was read of a local folder. `info` is the Hub's own reply
    (unvalidated JSON). `resolved` differs from `ref` when the repository was renamed. `part` is the drafter meant of those inside
    ("" lets the tensors decide), or "target" for the model around it.
    """

    ref: str
    kind: str
    revision: str = ""
    resolved: str = ""
    documents: tuple[Document, ...] = ()
    files: tuple[FileEntry, ...] = ()
    info: Mapping[str, object] = field(default_factory=dict)
    unknowns: tuple[Unknown, ...] = ()
    problems: tuple[Problem, ...] = ()
    part: str = ""

    def named(self, path: str) -> Document | None:
        """Return the document at `path`, or None when the source has none there."""
        return next((d for d in self.documents if d.source.path == path), None)


def read_whole(document: Document, limit: int = TEXT_LIMIT) -> bytes:
    """Return the whole content. Raises FormatError when it is larger than `limit` bytes, unread where its size is known."""
    known = document.size or 0
    content = document.read(0, limit + 1) if known <= limit else b""
    if max(known, len(content)) > limit:
        raise FormatError(f"{document.source} is larger than {limit:,} bytes; refused, because no such file needs that")
    return content


def piece(chunks: Iterable[bytes], offset: int, n: int) -> bytes:
    """Return up to `n` bytes from `offset` of a content that can only be streamed; what lies before is not kept."""
    content = b""
    for chunk in chunks:
        content += chunk
        if offset >= len(content):
            offset, content = offset - len(content), b""
        elif len(content) >= offset + n:
            break
    return content[offset : offset + n]
