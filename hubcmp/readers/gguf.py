"""GGUF headers (llama.cpp): counts, key/value pairs and tensor infos in front of the data; every length is bounded."""

import io
import struct
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any, cast

from hubcmp.document import Document
from hubcmp.errors import FormatError
from hubcmp.readers import Reader, Reading
from hubcmp.readers._ranged import RangedFile
from hubcmp.tensors import MAX_RANK, MAX_TENSORS, Tensor, TensorTable, check_names, check_shapes

MAGIC = b"GGUF"
MAX_PAIRS = 10_000
"""Most key/value pairs of a header."""
MAX_ITEMS = 1_000_000
"""Most texts in lists, all lists together; a vocabulary with its merges has half of that."""
MAX_TEXT = 1 << 20
"""Longest text in bytes; chat templates are the longest that occur."""

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9

BLOCKS: dict[int, tuple[str, int, int]] = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22), 7: ("Q5_1", 32, 24),
    8: ("Q8_0", 32, 34), 9: ("Q8_1", 32, 36), 10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110), 12: ("Q4_K", 256, 144),
    13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210), 15: ("Q8_K", 256, 292), 16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74),
    18: ("IQ3_XXS", 256, 98), 19: ("IQ1_S", 256, 50), 20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82),
    23: ("IQ4_XS", 256, 136), 24: ("I8", 1, 1), 25: ("I16", 1, 2), 26: ("I32", 1, 4), 27: ("I64", 1, 8), 28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56), 30: ("BF16", 1, 2), 34: ("TQ1_0", 256, 54), 35: ("TQ2_0", 256, 66), 39: ("MXFP4", 32, 17),
}  # fmt: skip
"""ggml types: name, elements per block, bytes per block."""


def recognises(document: Document) -> bool:
    """Say whether this is GGUF, by its magic bytes or, for a broken file, its ending."""
    return document.source.path.endswith(".gguf") or document.read(0, 4) == MAGIC


def read(document: Document) -> Reading:
    """Return the tensor table (shapes in the usual order, the last dimension fastest) and the scalar settings as texts.

    Raises FormatError for a header that does not fit its file, SourceError.
    """
    where = str(document.source)
    if document.size is None:
        raise FormatError(f"{where}: a GGUF file needs a known size; give a file")
    cursor = _Cursor(io.BufferedReader(cast("Any", RangedFile(document, document.size)), 1 << 16), where)
    if cursor.take(4) != MAGIC or (version := cursor.number("I")) not in (2, 3):
        raise FormatError(f"{where}: not GGUF of version 2 or 3; convert it again with a current llama.cpp")
    tensors, pairs = cursor.number("Q"), cursor.number("Q")
    if tensors > MAX_TENSORS or pairs > MAX_PAIRS:
        raise FormatError(
            f"{where}: claims {tensors:,} tensors and {pairs:,} settings; refused, because no real file has so many"
        )
    settings = dict(_pair(cursor) for _ in range(pairs))
    infos = [_info(cursor) for _ in range(tensors)]
    alignment = settings.get("general.alignment", "32")
    table = _table(infos, cursor.position, int(alignment) if alignment.isdecimal() else 0, document)
    return Reading("gguf", tensors=table, metadata={**settings, "gguf.version": str(version)})


class _Cursor:
    """Reads numbers and texts in order and counts what it has seen of lists."""

    def __init__(self, file: io.BufferedReader, where: str) -> None:
        self._file = file
        self._items = 0
        self.where = where

    @property
    def position(self) -> int:
        """Bytes from the beginning of the file."""
        return self._file.tell()

    def take(self, n: int) -> bytes:
        """Return exactly `n` bytes."""
        content = self._file.read(n)
        if len(content) < n:
            raise FormatError(f"{self.where}: the header ends too early; fetch the file again")
        return content

    def number(self, code: str) -> int:
        """Return one little-endian number of a struct code."""
        return int(struct.unpack(f"<{code}", self.take(struct.calcsize(code)))[0])

    def text(self) -> str:
        """Return one text with its length in front."""
        length = self.number("Q")
        if length > MAX_TEXT:
            raise FormatError(f"{self.where}: a text claims {length:,} bytes; refused")
        return self.take(length).decode("utf-8", "replace")

    def value(self, kind: int) -> str:
        """Return a scalar or text as text; lists are passed over and give ""."""
        if kind == _TEXT:
            return self.text()
        if kind in _SCALARS:
            return str(struct.unpack(f"<{_SCALARS[kind]}", self.take(struct.calcsize(_SCALARS[kind])))[0])
        if kind != _LIST:
            raise FormatError(f"{self.where}: unknown kind {kind} of a setting; refused")
        self._skip(self.number("I"), self.number("Q"))
        return ""

    def _skip(self, kind: int, count: int) -> None:
        if kind in _SCALARS:
            self._file.seek(min(count, 1 << 40) * struct.calcsize(_SCALARS[kind]), io.SEEK_CUR)
            return
        self._items += count
        if kind != _TEXT or self._items > MAX_ITEMS:
            raise FormatError(
                f"{self.where}: a list in the header is nested or has more than {MAX_ITEMS:,} texts; refused"
            )
        for _ in range(count):
            self.text()


@dataclass(frozen=True, slots=True)
class _Info:
    name: str
    kind: str
    shape: tuple[int, ...]
    offset: int
    bytes: int


def _pair(cursor: _Cursor) -> tuple[str, str]:
    key = cursor.text()
    return key[:200], cursor.value(cursor.number("I"))[:2000]


def _info(cursor: _Cursor) -> _Info:
    name, rank = cursor.text(), cursor.number("I")
    if rank > MAX_RANK:
        raise FormatError(f"{cursor.where}: {name[:80]} has {rank:,} dimensions; refused")
    shape = tuple(cursor.number("Q") for _ in range(rank))[::-1]
    kind, offset = cursor.number("I"), cursor.number("Q")
    if kind not in BLOCKS:
        raise FormatError(f"{cursor.where}: {name[:80]} has the unknown type {kind}; a newer hubcmp may know it")
    label, block, size = BLOCKS[kind]
    if shape and shape[-1] % block:
        raise FormatError(f"{cursor.where}: {name[:80]} does not fill its last {label} block; refused")
    return _Info(name, label, shape, offset, prod(shape) // block * size)


def _table(infos: list[_Info], end: int, alignment: int, document: Document) -> TensorTable:
    """Check names, shapes and ranges, and return the table."""
    where, path = str(document.source), document.source.path
    names = [info.name for info in infos]
    check_names(names, where)
    check_shapes([info.shape for info in infos], where)
    if len(set(names)) != len(names) or not 0 < alignment <= 1 << 20:
        raise FormatError(f"{where}: a tensor stands there twice, or the alignment is no sensible number; refused")
    base = -(-end // alignment) * alignment
    ranges = sorted((info.offset, info.offset + info.bytes) for info in infos)
    overlap = any(first[1] > second[0] for first, second in pairwise(ranges))
    if overlap or (ranges and document.size is not None and base + ranges[-1][1] > document.size):
        raise FormatError(f"{where}: the tensors overlap or lie beyond the end of the file; fetch it again")
    tensors = [Tensor(i.name, i.kind, i.shape, i.offset, i.offset + i.bytes, path) for i in infos]
    return TensorTable.of(tensors, format="gguf", file=path, header_bytes=base)


PLUGIN = Reader(format="gguf", kind="weights", recognises=recognises, read=read)
