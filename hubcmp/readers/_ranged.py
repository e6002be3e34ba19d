"""A document as a seekable file, read in pages, so that a zip's directory costs a few ranges and never the whole file."""

import io
from typing import Any

from hubcmp.document import Document
from hubcmp.errors import FormatError

PAGE = 128 * 1024
"""Bytes per range."""
BUDGET = 24 << 20
"""Most bytes that are read of one file before it is refused."""
ONE_READ = 4 << 20
"""Most bytes of a single read."""
KEPT = 16
"""Pages that are kept for reading again."""


class RangedFile(io.RawIOBase):
    """Seekable and read-only; keeps the pages it has read. Raises FormatError beyond its budget, SourceError."""

    def __init__(self, document: Document, size: int) -> None:
        self._document = document
        self._size = size
        self._at = 0
        self._spent = 0
        self._pages: dict[int, bytes] = {}
        self._refusal = f"{document.source}: its directory is larger than any real weight file's; refused"

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move and return the position, kept inside the file."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = min(max(base + offset, 0), self._size)
        return self._at

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def read(self, n: int = -1) -> bytes:
        """Return up to `n` bytes from the position, all that is left for -1."""
        left = self._size - self._at
        wanted = left if n < 0 else min(n, left)
        if wanted > ONE_READ:
            raise FormatError(self._refusal)
        end = self._at + wanted
        first, last = self._at // PAGE, max(end - 1, 0) // PAGE
        content = b"".join(self._page(number) for number in range(first, last + 1))[
            self._at - first * PAGE : end - first * PAGE
        ]
        self._at += len(content)
        return content

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the file goes and return how far."""
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def _page(self, number: int) -> bytes:
        if number not in self._pages:
            self._spent += PAGE
            if self._spent > BUDGET:
                raise FormatError(self._refusal)
            if len(self._pages) >= KEPT:
                del self._pages[next(iter(self._pages))]
            self._pages[number] = self._document.read(number * PAGE, PAGE)
        return self._pages[number]
