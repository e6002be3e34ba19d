"""A log that is still being written: what came since the last look, in whole lines."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from hubcmp.document import BytesDocument
from hubcmp.errors import SourceError
from hubcmp.facts import Source

MOST = 8 << 20
"""Bytes taken at one look; what a log grows by beyond it between two looks is left to the final reading."""


@dataclass(slots=True)
class Tail:
    """A growing file, followed from its end. `began_anew` counts how often it was truncated or replaced by a new one."""

    path: str
    began_anew: int = 0
    _offset: int = field(default=-1)
    _file: int = field(default=-1)
    _rest: bytes = field(default=b"")

    def new(self) -> BytesDocument:
        """Return the whole lines written since the last look; the first look only remembers the end. Raises SourceError."""
        try:
            with Path(self.path).expanduser().open("rb", buffering=0) as file:
                status = os.fstat(file.fileno())
                self._place(status)
                file.seek(max(self._offset, status.st_size - MOST))
                content = self._rest + file.read(MOST)
                self._offset = file.tell()
        except OSError as error:
            raise SourceError(f"{self.path}: {error.strerror}; is it still there?", "unreadable") from None
        whole, _, self._rest = content.rpartition(b"\n")
        return BytesDocument(Source(self.path, path=self.path), whole)

    def _place(self, status: os.stat_result) -> None:
        """Set where to read on: the end at first, the start of a file that was truncated or replaced."""
        if self._offset < 0:
            self._offset = status.st_size
        elif status.st_ino != self._file or status.st_size < self._offset:
            self._offset, self._rest = 0, b""
            self.began_anew += 1
        self._file = status.st_ino
