"""Plain local files, several files that belong together, and stdin, as Documents."""

import glob
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from hubcmp.compression import expand
from hubcmp.document import CHUNK, Document, piece
from hubcmp.errors import SourceError
from hubcmp.facts import Source

MOST_FILES = 1000
"""Most files that one pattern may name."""


@dataclass(frozen=True, slots=True)
class FileDocument:
    """A local file, opened anew for every read, so it pickles and holds no handle."""

    path: str
    source: Source

    @property
    def size(self) -> int:
        """Length in bytes. Raises SourceError."""
        with self._open() as file:
            return file.seek(0, 2)

    def read(self, offset: int, n: int) -> bytes:
        """Return up to `n` bytes from `offset`. Raises SourceError."""
        with self._open() as file:
            file.seek(offset)
            return file.read(n)

    def chunks(self) -> Iterator[bytes]:
        """Yield the content in order. Raises SourceError."""
        with self._open() as file:
            while chunk := file.read(CHUNK):
                yield chunk

    def _open(self) -> BinaryIO:
        try:
            return open(self.path, "rb", buffering=0)
        except OSError as error:
            raise SourceError(
                f"{self.path}: {error.strerror}; check the path and its permissions", "unreadable"
            ) from None


@dataclass(frozen=True, slots=True)
class SeriesDocument:
    """Several files read as one: rotated logs, or one log per rank. Compressed members are unpacked."""

    parts: tuple[Document, ...]
    source: Source

    @property
    def size(self) -> None:
        """Not known before everything is read."""
        return None

    def read(self, offset: int, n: int) -> bytes:
        """Return up to `n` bytes from `offset` of all files joined. Raises SourceError."""
        return piece(self.chunks(), offset, n)

    def chunks(self) -> Iterator[bytes]:
        """Yield the files' content in order, each ended by a line end. Raises SourceError."""
        for part in self.parts:
            last = b"\n"
            for chunk in part.chunks():
                yield chunk
                last = chunk[-1:]
            if last != b"\n":
                yield b"\n"


@dataclass(frozen=True, slots=True)
class SpooledDocument:
    """What came in through a pipe, kept in a temporary file, because detection and reading both start at the front."""

    file: IO[bytes]
    size: int
    source: Source

    def read(self, offset: int, n: int) -> bytes:
        """Return up to `n` bytes from `offset`."""
        self.file.seek(offset)
        return self.file.read(n)

    def chunks(self) -> Iterator[bytes]:
        """Yield the content in order."""
        for start in range(0, self.size, CHUNK):
            yield self.read(start, CHUNK)


def open_document(path: str) -> Document:
    """Return a local file as a Document. Raises SourceError when it is no readable file."""
    place = Path(path).expanduser()
    if not place.is_file():
        what = "a folder" if place.is_dir() else "not a file" if place.exists() else "no such file"
        raise SourceError(f"{path}: {what}; give a benchmark's output, a log or a scrape", "absent")
    return FileDocument(str(place), Source(path, path=path))


def open_benchmark(text: str) -> tuple[Document, ...]:
    """Return the documents of one benchmark source: a file, "-", a pattern of files joined, or two for BEFORE..AFTER.

    `..` separates two scrapes only where files lie on both sides of it. Raises SourceError.
    """
    if text == "-":
        return (spool(sys.stdin.buffer),)
    if not Path(text).expanduser().exists():
        for found in re.finditer(r"\.\.", text):
            before, after = text[: found.start()], text[found.end() :]
            if Path(before).expanduser().is_file() and Path(after).expanduser().is_file():
                return open_document(before), open_document(after)
        if glob.has_magic(text):
            return (_series(text),)
    return (open_document(text),)


def spool(stream: BinaryIO) -> Document:
    """Return everything that `stream` gives as a Document in bounded memory."""
    # the file lives as long as the document that holds it
    file = tempfile.TemporaryFile()  # noqa: SIM115
    size = 0
    while chunk := stream.read(CHUNK):
        size += file.write(chunk)
    return SpooledDocument(file, size, Source("-", path="stdin"))


def _series(pattern: str) -> Document:
    paths = [path for path in glob.glob(pattern, recursive=True) if Path(path).is_file()]
    if not paths or len(paths) > MOST_FILES:
        found = "no file matches" if not paths else f"more than {MOST_FILES} files match"
        raise SourceError(f"{pattern}: {found}; check the pattern", "absent")
    parts = tuple(expand(open_document(path)) for path in sorted(paths, key=_age))
    return parts[0] if len(parts) == 1 else SeriesDocument(parts, Source(pattern, path=pattern))


def _age(path: str) -> tuple[str, int]:
    """Sort rotated logs from the oldest to the newest: run.log.2.gz, run.log.1, run.log."""
    name = re.sub(r"\.(gz|xz|zst)$", "", path)
    turn = re.fullmatch(r"(.*)\.(\d{1,6})", name)
    return (turn[1], -int(turn[2])) if turn else (name, 0)
