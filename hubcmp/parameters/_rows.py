"""Single rows of a stored matrix, read by range and never more than a few: where they lie, and their numbers."""

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hubcmp.document import Document, Gathering
from hubcmp.tensors import DTYPE_BITS, Tensor, TensorTable

CODES = {"F32": "f", "F16": "e", "BF16": "H", "I64": "q", "I32": "i", "F64": "d"}
"""struct codes of the dtypes whose rows can be read."""
FLOATS = ("F16", "BF16", "F32", "F64")
"""Dtypes whose rows can be compared, from coarse to fine; the first two are equally so."""
_LOCAL_HEADER = 30
"""Bytes of a zip entry's fixed header, with the lengths of its name and extra field at 26."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A two-dimensional tensor in a document. `base` is where its data begin in the file."""

    tensor: Tensor
    document: Document
    base: int

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.tensor.shape[0]

    @property
    def row_bytes(self) -> int:
        """Bytes of one row."""
        return (self.tensor.end - self.tensor.start) // max(self.rows, 1)

    def read(self, rows: Sequence[int]) -> dict[int, bytes]:
        """Return the bytes of some rows, one range per run of neighbours; rows beyond the end are left out. Raises SourceError."""
        found: dict[int, bytes] = {}
        width = self.row_bytes
        runs = list(_runs(sorted({row for row in rows if 0 <= row < self.rows})))
        if isinstance(self.document, Gathering) and len(runs) > 1:
            self.document.gather([(self.base + first * width, self.base + (last + 1) * width) for first, last in runs])
        for first, last in runs:
            content = self.document.read(self.base + first * width, (last - first + 1) * width)
            pieces = ((row, content[(row - first) * width :][:width]) for row in range(first, last + 1))
            found |= {row: piece for row, piece in pieces if len(piece) == width}
        return found

    def values(self, raw: bytes) -> list[float]:
        """Return the numbers of one row; BF16 is widened exactly."""
        code = CODES[self.tensor.dtype]
        numbers = struct.unpack(f"<{len(raw) * 8 // DTYPE_BITS[self.tensor.dtype]}{code}", raw)
        return list(_widened(numbers)) if self.tensor.dtype == "BF16" else [float(n) for n in numbers]


def _widened(halves: Iterable[int]) -> Iterator[float]:
    words = [half << 16 for half in halves]
    return iter(struct.unpack(f"<{len(words)}f", struct.pack(f"<{len(words)}I", *words)))


def _runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Join neighbouring rows to (first, last)."""
    start = previous = rows[0] if rows else 0
    for row in rows[1:]:
        if row != previous + 1:
            yield start, previous
            start = row
        previous = row
    if rows:
        yield start, previous


def matrix(table: TensorTable, name: str, document: Document) -> Matrix | None:
    """Return a tensor of a table as a Matrix, None when its rows cannot be compared (packed, quantised, other ranks)."""
    tensor = table.find(name)
    if tensor is None or len(tensor.shape) not in (1, 2) or tensor.dtype not in CODES or table.format == "gguf":
        return None
    return Matrix(tensor, document, place(table, tensor, document))


def place(table: TensorTable, tensor: Tensor, document: Document) -> int:
    """Return where a tensor's data begin in its file. Raises SourceError."""
    base = table.header_bytes + tensor.start
    if table.format == "torch":
        fixed = document.read(base, _LOCAL_HEADER)
        base += _LOCAL_HEADER + sum(struct.unpack("<HH", fixed[26:30])) if fixed.startswith(b"PK\x03\x04") else 0
    return base


def cast(values: Sequence[float], dtype: str) -> list[float]:
    """Round numbers to a coarser dtype (to nearest, ties to even); what is beyond F16's range becomes infinite."""
    if dtype == "BF16":
        words = struct.unpack(f"<{len(values)}I", struct.pack(f"<{len(values)}f", *values))
        return list(_widened(((word + 0x7FFF + ((word >> 16) & 1)) >> 16) & 0xFFFF for word in words))
    return [_half(value) for value in values] if dtype == "F16" else list(values)


def _half(value: float) -> float:
    try:
        return float(struct.unpack("<e", struct.pack("<e", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
