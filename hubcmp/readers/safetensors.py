"""safetensors: 8 bytes of length, a JSON header, then the data; only the header is read, and it must fit its file.

Nothing in the header is trusted before the whole of it holds together: every tensor's bytes must equal its shape times
its dtype, and the ranges must cover the data section from its first byte to its last without a gap or an overlap.
"""

import json
import re
from collections.abc import Mapping
from itertools import chain, repeat
from math import prod
from operator import gt, itemgetter, mul, sub
from typing import Any, cast

from hubcmp.document import Document
from hubcmp.errors import FormatError, Problem
from hubcmp.readers import Reader, Reading
from hubcmp.tensors import DTYPE_BITS, MAX_TENSORS, Tensor, TensorTable, check_names, check_shapes, collector_paused

MAX_HEADER = 25_000_000
"""Longest header that is read, as huggingface_hub has it; the format itself allows 100,000,000."""
SMALL = 1 << 20
"""Bytes of a header that can build nothing large, whatever it holds."""
LONG_TEXTS = 4 << 20
"""Bytes of all texts together that are longer than any name: what training tools keep in the metadata."""
_LONG = re.compile(rb'"[^"]{513,}')
ENDING = ".safetensors"


def recognises(document: Document) -> bool:
    """Say whether this is safetensors: by the name, else by a plausible length in front of a brace."""
    if document.source.path.endswith(ENDING):
        return True
    start = document.read(0, 9)
    return len(start) == 9 and start[8:] == b"{" and int.from_bytes(start[:8], "little") <= MAX_HEADER


def read(document: Document) -> Reading:
    """Return the validated tensor table. Raises FormatError for a header that does not fit its file, SourceError."""
    where = str(document.source)
    raw = _header(document, where)
    with collector_paused():
        table, problems = _table(_parse(raw, where), document, len(raw), where)
    return Reading(format="safetensors", tensors=table, metadata=table.metadata, problems=problems)


def _header(document: Document, where: str) -> bytes:
    """Return the header's bytes. A remote document serves both reads from one first range, so no size is guessed here."""
    start = document.read(0, 9)
    if len(start) < 8:
        raise FormatError(f"{where}: {len(start)} bytes are too few for a safetensors file; fetch it again")
    length = int.from_bytes(start[:8], "little")
    if document.size is not None and 8 + length > document.size:
        raise FormatError(
            f"{where}: the header claims {length:,} bytes, the file has {document.size:,}; fetch it again"
        )
    if not 2 <= length <= MAX_HEADER:
        raise FormatError(f"{where}: a header of {length:,} bytes is refused; 2 to {MAX_HEADER:,} are possible")
    if start[8:9] != b"{":
        raise FormatError(f"{where}: the header does not begin with a brace; this is not a safetensors file")
    header = document.read(8, length)
    if len(header) < length:
        raise FormatError(f"{where}: the header ends after {len(header):,} of {length:,} bytes; fetch it again")
    return header


def _parse(raw: bytes, where: str) -> dict[str, Any]:
    """Return the header as an object whose keys were unique."""
    if len(raw) > SMALL and _bomb(raw):
        raise FormatError(
            f"{where}: lists more than {MAX_TENSORS:,} tensors; refused, because no real weight file does"
        )
    if len(raw) > SMALL and sum(len(text[0]) for text in _LONG.finditer(raw)) > LONG_TEXTS:
        raise FormatError(f"{where}: holds more than {LONG_TEXTS >> 20} MiB of long texts; refused")
    try:
        header = json.loads(raw.decode())
        if not _keys_unique(raw, header):
            header = json.loads(raw.decode(), object_pairs_hook=_unique)
    except RecursionError:
        raise FormatError(f"{where}: the header is nested too deeply; refused") from None
    except ValueError as error:
        raise FormatError(f"{where}: the header is not valid JSON ({str(error)[:100]}); refused") from None
    return cast("dict[str, Any]", header)


def _bomb(raw: bytes) -> bool:
    """Count in the raw bytes, before anything is built: a tensor costs one object, two lists, five texts and a few numbers."""
    most = {b"{": MAX_TENSORS + 2, b",": 20 * MAX_TENSORS, b"[": 2 * MAX_TENSORS, b'"': 12 * MAX_TENSORS}
    return any(raw.count(sign) > limit for sign, limit in most.items())


def _keys_unique(raw: bytes, header: Mapping[str, Any]) -> bool:
    """Prove that the parser dropped no key: each string costs two quotation marks, and none of them is escaped.

    False means only "not proven". Counting takes a hundredth of the time of a parse that looks at every pair.
    """
    metadata = header.get("__metadata__", {})
    tensors = len(header) - ("__metadata__" in header)
    strings = 5 * tensors + ("__metadata__" in header) + 2 * len(metadata if isinstance(metadata, dict) else ())
    return b"\\" not in raw and raw.count(b'"') == 2 * strings


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands there twice")
    return value


def _table(
    header: dict[str, Any], document: Document, length: int, where: str
) -> tuple[TensorTable, tuple[Problem, ...]]:
    """Check the columns and return them as a table."""
    metadata = _metadata(header.pop("__metadata__", {}), where)
    names = tuple(header)
    check_names(names, where)
    dtypes, shapes, offsets = _columns(header, where)
    rows = check_shapes(shapes, where)
    starts, ends = tuple(map(itemgetter(0), offsets)), tuple(map(itemgetter(1), offsets))
    data = None if document.size is None else document.size - 8 - length
    table = TensorTable(names, dtypes, rows, starts, ends, "safetensors", 8 + length, metadata, document.source.path)
    strange = _check_sizes(table, where)
    _check_cover(starts, ends, data, where)
    return table, tuple(Problem(where, f"dtype {d!r} is unknown; its tensors are named, not counted") for d in strange)


def _metadata(value: object, where: str) -> Mapping[str, str]:
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise FormatError(f"{where}: __metadata__ is not a table of texts; refused")
    return value


def _columns(
    header: Mapping[str, Any], where: str
) -> tuple[tuple[str, ...], tuple[list[int], ...], tuple[list[int], ...]]:
    """Turn the entries into three columns of the right types."""
    entries = header.values()
    try:
        dtypes, shapes, offsets = (tuple(map(itemgetter(key), entries)) for key in ("dtype", "shape", "data_offsets"))
    except (TypeError, KeyError):
        raise FormatError(f"{where}: a tensor lacks dtype, shape or data_offsets; refused") from None
    if {*map(type, dtypes)} - {str} or {*map(type, shapes), *map(type, offsets)} - {list}:
        raise FormatError(f"{where}: dtype, shape or data_offsets has the wrong type; refused")
    if {*map(len, offsets)} - {2} or {*map(type, chain.from_iterable(offsets))} - {int}:
        raise FormatError(f"{where}: data_offsets are not two whole numbers; refused")
    return dtypes, shapes, offsets


def _check_sizes(table: TensorTable, where: str) -> tuple[str, ...]:
    """Refuse a tensor whose bytes are not its shape times its dtype; return the dtypes that nobody knows."""
    elements = {shape: prod(shape) for shape in set(table.shapes)}
    bits = {dtype: DTYPE_BITS.get(dtype, 0) for dtype in set(table.dtypes)}
    needed = map(mul, map(elements.__getitem__, table.shapes), map(bits.__getitem__, table.dtypes))
    if list(needed) != list(map(mul, repeat(8), map(sub, table.ends, table.starts))):
        for tensor in table.rows():
            _check_size(tensor, where)
    return tuple(sorted({*bits} - {*DTYPE_BITS}))[:8]


def _check_size(tensor: Tensor, where: str) -> None:
    """Refuse one tensor, saying how many bytes it needs and has."""
    bits, held = tensor.elements * DTYPE_BITS.get(tensor.dtype, 0), tensor.end - tensor.start
    if tensor.dtype in DTYPE_BITS and bits != 8 * held:
        kind = f"{tensor.name[:80]} {tensor.dtype} {list(tensor.shape)}"
        raise FormatError(f"{where}: {kind} needs {bits / 8:,.10g} bytes, has {held:,}; refused")


def _check_cover(starts: tuple[int, ...], ends: tuple[int, ...], data: int | None, where: str) -> None:
    """Refuse ranges that overlap, leave holes, or do not end where the file ends."""
    if starts != (0, *ends[:-1]):  # not in the file's order, as most writers have them
        ranges = sorted(zip(starts, ends, strict=True))
        starts, ends = tuple(map(itemgetter(0), ranges)), tuple(map(itemgetter(1), ranges))
    if (starts and starts != (0, *ends[:-1])) or any(map(gt, starts, ends)):
        raise FormatError(f"{where}: the tensors' byte ranges overlap or leave holes; refused")
    end = ends[-1] if ends else 0
    if data is not None and end != data:
        raise FormatError(
            f"{where}: the tensors take {end:,} bytes, the file holds {data:,} after its header; fetch it again"
        )


PLUGIN = Reader(format="safetensors", kind="weights", recognises=recognises, read=read)
