"""A log that is still being written: what came since the last look, in whole lines, through rotation and truncation."""

import glob
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from hubcmp.document import BytesDocument, Document
from hubcmp.errors import SourceError
from hubcmp.facts import Source
from hubcmp.sources._files import SeriesDocument, SpooledDocument

MOST = 8 << 20
"""Bytes taken at one look; what a log grows by beyond it between two looks is left to the final reading."""
LINE = 1 << 20
"""Bytes kept of a line that does not end."""
MOST_PARTS = 50
"""Rotated files that are held open."""


def can_grow(text: str) -> bool:
    """Whether a source is one file, there or still to come: no pipe, no pattern, no pair of scrapes."""
    path = Path(text).expanduser()
    pair = any(".." in part and part != ".." for part in path.parts)
    return path.is_file() or not (text == "-" or path.exists() or pair or glob.has_magic(text))


@dataclass(slots=True)
class Tail:
    """A growing file, followed from its end, or from its start when it appears later.

    A rotated file stays open, so that its last lines are read and nothing is lost when it is renamed, packed or deleted.
    `truncated` counts how often the file was cut, `dropped` the rotated files beyond MOST_PARTS.
    """

    path: str
    truncated: int = 0
    dropped: int = 0
    _file: BinaryIO | None = None
    _parts: list[BinaryIO] = field(default_factory=list)
    _offset: int = 0
    _rest: bytes = b""
    _awaited: bool = False

    def new(self) -> BytesDocument:
        """Return the whole lines since the last look; the first look only remembers the end. Raises SourceError."""
        try:
            status = Path(self.path).expanduser().stat()
            if not stat.S_ISREG(status.st_mode):
                raise OSError(0, "not a file")
        except OSError as error:
            self._awaited = True
            if left := self._lines():  # renamed a moment ago
                return self._document(left)
            raise SourceError(f"{self.path}: {error.strerror}; is it still there?", "unreadable") from None
        return self._document(self._turned(status) + self._lines())

    def __del__(self) -> None:
        """Close what is held: the documents of `whole` read from it as long as the tail lives."""
        for file in filter(None, (*self._parts, self._file)):
            file.close()

    def whole(self) -> Document | None:
        """Return all that was written since the following began, and before; None while there was no file."""
        if self._file is None:
            return None
        source = Source(self.path, path=self.path)
        held = [SpooledDocument(file, os.fstat(file.fileno()).st_size, source) for file in (*self._parts, self._file)]
        return SeriesDocument(tuple(held), source) if self._parts else held[0]

    def is_rotated(self) -> bool:
        """Whether what was followed is more than the file that now lies at the path."""
        return bool(self._parts)

    def _turned(self, status: os.stat_result) -> bytes:
        """Open the file, or the one that took its place; returns the last lines of the one before."""
        left = b""
        if self._file is not None:
            here = os.fstat(self._file.fileno())
            if (here.st_dev, here.st_ino) == (status.st_dev, status.st_ino):
                self._cut(status.st_size)
                return b""
            left = self._lines() + self._rest + b"\n"
            self._hold(self._file)
        try:
            self._file = open(Path(self.path).expanduser(), "rb", buffering=0)  # noqa: SIM115 - held while it is followed
        except OSError as error:
            raise SourceError(f"{self.path}: {error.strerror}; check its permissions", "unreadable") from None
        self._offset, self._rest = 0 if left or self._awaited else status.st_size, b""
        return left

    def _hold(self, file: BinaryIO) -> None:
        self._parts.append(file)
        if len(self._parts) > MOST_PARTS:
            self._parts.pop(0).close()
            self.dropped += 1

    def _cut(self, size: int) -> None:
        """Begin anew in a file that was truncated."""
        if size < self._offset:
            self._offset, self._rest = 0, b""
            self.truncated += 1

    def _lines(self) -> bytes:
        """Return the whole lines that the open file has got since the last look."""
        if self._file is None:
            return b""
        size = os.fstat(self._file.fileno()).st_size
        if size - self._offset > MOST:
            self._offset, self._rest = size - MOST, b""
        self._file.seek(self._offset)
        content = self._rest + self._file.read(MOST)
        self._offset = self._file.tell()
        whole, end, rest = content.rpartition(b"\n")
        self._rest = rest[-LINE:]
        return whole + end

    def _document(self, content: bytes) -> BytesDocument:
        return BytesDocument(Source(self.path, path=self.path), content)
