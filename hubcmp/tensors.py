"""Tensor tables: names, shapes, dtypes and sizes of a weight file, validated before anything is counted.

A table is kept by column, not as an object per tensor: a target of 1 T parameters lists 140,000 of them, and nearly
everything that is asked of them (sums, groups) runs over whole columns.
"""

import gc
import string
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from math import prod
from typing import cast

from hubcmp.errors import FormatError

DTYPE_BITS: Mapping[str, int] = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
    "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32,
    "C64": 64, "F64": 64, "I64": 64, "U64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}  # fmt: skip
"""Bits per element of every dtype that safetensors 0.8 knows."""

MAX_TENSORS = 200_000
"""Most tensors that one file may list; the largest public shards hold a few thousand."""
MAX_NAME = 512
"""Longest tensor name, in characters."""
MAX_RANK = 16
"""Most dimensions of one tensor."""
MAX_ELEMENTS = 2**53
"""Largest count that every JSON reader still holds exactly."""
_PLAIN = f"{string.ascii_letters}{string.digits}._-/".encode()


@dataclass(frozen=True, slots=True)
class Tensor:
    """One stored tensor: `start` and `end` are byte offsets inside `file`'s data section."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int
    file: str = ""

    @property
    def elements(self) -> int:
        """Stored elements, the product of the shape (1 for a scalar)."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class TensorTable:
    """All tensors of one weight file, by column, in the file's order.

    `starts` and `ends` are byte offsets inside the data section, which begins at `header_bytes` of `file`. For a zip file of
    torch `starts` count from the beginning of the file and `header_bytes` is 0. Names are unique.
    """

    names: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    format: str = "safetensors"
    header_bytes: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)
    file: str = ""

    def __len__(self) -> int:
        return len(self.names)

    @property
    def payload_bytes(self) -> int:
        """Bytes of all tensors together."""
        return sum(self.ends) - sum(self.starts)

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Every row as an object; for tables of drafter size."""
        return tuple(self.rows())

    def rows(self) -> Iterator[Tensor]:
        """Yield the rows in order."""
        for name, dtype, shape, start, end in zip(
            self.names, self.dtypes, self.shapes, self.starts, self.ends, strict=True
        ):
            yield Tensor(name, dtype, shape, start, end, self.file)

    def find(self, name: str) -> Tensor | None:
        """Return the row of that name, or None."""
        if name not in self.names:
            return None
        at = self.names.index(name)
        return Tensor(name, self.dtypes[at], self.shapes[at], self.starts[at], self.ends[at], self.file)

    @classmethod
    def of(cls, tensors: Sequence[Tensor], *, format: str, file: str = "", header_bytes: int = 0) -> "TensorTable":
        """Return the table of these rows."""
        return cls(
            names=tuple(t.name for t in tensors),
            dtypes=tuple(t.dtype for t in tensors),
            shapes=tuple(t.shape for t in tensors),
            starts=tuple(t.start for t in tensors),
            ends=tuple(t.end for t in tensors),
            format=format,
            file=file,
            header_bytes=header_bytes,
        )


@contextmanager
def collector_paused() -> Iterator[None]:
    """Build many rows without the garbage collector: it would walk each new object again and again, for nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def check_names(names: Sequence[str], where: str) -> None:
    """Refuse names that are too many, too long, or hold control or invisible characters. Raises FormatError."""
    if len(names) > MAX_TENSORS:
        raise FormatError(
            f"{where}: lists more than {MAX_TENSORS:,} tensors; refused, because no real weight file does"
        )
    if max(map(len, names), default=0) > MAX_NAME:
        raise FormatError(f"{where}: a tensor name is longer than {MAX_NAME} characters; refused")
    joined = "".join(names)
    odd = joined.encode(errors="surrogatepass").translate(
        None, _PLAIN
    )  # five times faster than asking isprintable of all
    if odd and not joined.isprintable():
        raise FormatError(f"{where}: a tensor name holds control or invisible characters; refused")


def check_shapes(shapes: Sequence[Sequence[object]], where: str) -> tuple[tuple[int, ...], ...]:
    """Return the shapes as tuples, one object per distinct shape.

    Raises FormatError for dimensions that are no whole numbers from 0 on, and for products beyond MAX_ELEMENTS.
    """
    if max(map(len, shapes), default=0) > MAX_RANK:
        raise FormatError(f"{where}: a tensor has more than {MAX_RANK} dimensions; refused")
    if {*map(type, chain.from_iterable(shapes))} - {int}:  # over all, because True, 1 and 1.0 hash alike
        raise FormatError(f"{where}: a dimension is not a whole number; refused")
    rows = cast("list[tuple[int, ...]]", list(map(tuple, shapes)))
    distinct = {shape: shape for shape in set(rows)}
    sizes = [n for shape in distinct for n in shape]
    if sizes and not 0 <= min(sizes) <= max(sizes) <= MAX_ELEMENTS:
        raise FormatError(f"{where}: a dimension is negative or beyond 2**53; refused")
    if max(map(prod, distinct), default=0) > MAX_ELEMENTS:
        raise FormatError(f"{where}: a tensor claims more than 2**53 elements; refused")
    return tuple(map(distinct.__getitem__, rows))
