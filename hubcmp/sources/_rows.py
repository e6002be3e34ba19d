"""Counting training samples: lines of JSON Lines, rows of Parquet and Arrow files; nothing is held whole, no sample is decoded."""

import glob
import importlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hubcmp.compression import expand
from hubcmp.errors import FormatError, SourceError, UsageError
from hubcmp.facts import Source
from hubcmp.sources._files import MOST_FILES, open_document

_SPACE = b" \t\r\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Rows:
    """The samples of one file, or of all files of a pattern, and how they were counted."""

    count: int
    how: str
    source: Source


def count_rows(text: str) -> Rows:
    """Return the samples of a file or a pattern such as train/*.parquet. Raises SourceError, FormatError and UsageError."""
    paths = (
        [text]
        if Path(text).expanduser().is_file() or not glob.has_magic(text)
        else sorted(glob.glob(text, recursive=True))
    )
    if not 0 < len(paths) <= MOST_FILES:
        found = "no file matches" if not paths else f"more than {MOST_FILES} files match"
        raise SourceError(f"{text}: {found}; check the pattern", "absent")
    counted = [_count(path) for path in paths]
    ways = " and ".join(dict.fromkeys(how for _, how in counted))
    where = "" if len(paths) == 1 else f"{len(paths)} files"
    return Rows(sum(rows for rows, _ in counted), ways, Source(text, path=text, where=where))


def _count(path: str) -> tuple[int, str]:
    """Return the rows of one file and how they were counted; the format is told from the first bytes."""
    document = open_document(path)
    start = document.read(0, 8)
    if start.startswith(b"PAR1"):
        return _with_arrow(path, _parquet), "rows by the file's own metadata"
    if start.startswith(b"ARROW1"):
        return _with_arrow(path, _arrow_file), "rows of all record batches"
    if start.startswith(b"\xff\xff\xff\xff"):
        return _with_arrow(path, _arrow_stream), "rows of all record batches"
    return _lines(expand(document).chunks(), path), "lines, each one JSON object"


def _with_arrow(path: str, count: Callable[[Any, Any], int]) -> int:
    """Count with pyarrow. Raises UsageError when it is not installed, FormatError for a file that it refuses."""
    try:
        pyarrow = importlib.import_module("pyarrow")
    except ImportError:
        raise UsageError(f"{path}: counting Parquet and Arrow rows needs pyarrow; pip install 'hubcmp[data]'") from None
    try:
        with pyarrow.memory_map(str(Path(path).expanduser())) as file:
            return count(pyarrow, file)
    except (pyarrow.ArrowException, OSError) as error:
        why = str(error).partition("\n")[0][:120]
        raise FormatError(f"{path}: no whole Parquet or Arrow file ({why}); fetch it again") from None


def _parquet(_: Any, file: Any) -> int:
    return int(importlib.import_module("pyarrow.parquet").read_metadata(file).num_rows)


def _arrow_file(pyarrow: Any, file: Any) -> int:
    reader = pyarrow.ipc.open_file(file)
    return sum(int(reader.get_batch(i).num_rows) for i in range(reader.num_record_batches))


def _arrow_stream(pyarrow: Any, file: Any) -> int:
    return sum(int(batch.num_rows) for batch in pyarrow.ipc.open_stream(file))


def _lines(chunks: Iterable[bytes], path: str) -> int:
    """Count lines that are JSON objects as far as their ends show; blank lines are none. Raises FormatError for others."""
    rows = 0
    for number, (first, last) in enumerate(_ends(chunks), start=1):
        if (first, last) == (b"{", b"}"):
            rows += 1
        elif first:
            raise FormatError(
                f"{path}: line {number} is no JSON object of its own; a training file has one sample per line "
                "(JSON Lines), or is Parquet or Arrow"
            )
    return rows


def _ends(chunks: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the first and last character of every line, empty for a blank one; a line may be longer than memory."""
    first = last = b""
    for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            text = piece.strip(_SPACE)
            yield first or text[:1], text[-1:] or last
            first = last = b""
        text = rest.strip(_SPACE)
        first, last = first or text[:1], text[-1:] or last
    yield first, last
