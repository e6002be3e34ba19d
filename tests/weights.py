"""Weight files for tests that take no room: a real header in front of bytes that are never there."""

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from hubcmp.document import BytesDocument, Bundle, Document, FileEntry
from hubcmp.facts import Source
from hubcmp.parameters import Ledger, account
from hubcmp.readers import config as config_reader
from hubcmp.tensors import DTYPE_BITS

Shapes = Mapping[str, tuple[int, ...]]


@dataclass
class SparseDocument:
    """A file that begins with `start` and goes on with zeros; counts its reads."""

    source: Source
    start: bytes
    size: int
    reads: list[tuple[int, int]] = field(default_factory=list)

    def read(self, offset: int, n: int) -> bytes:
        self.reads.append((offset, n))
        n = min(n, max(self.size - offset, 0))
        found = self.start[offset : offset + n]
        return found + bytes(min(n, 1 << 20) - len(found)) if len(found) < min(n, 1 << 20) else found

    def chunks(self) -> Iterator[bytes]:
        raise AssertionError("weights are never streamed")


def header(shapes: Shapes, dtypes: Mapping[str, str] | str = "BF16") -> dict[str, Any]:
    """A safetensors header that packs these shapes without gaps."""
    entries: dict[str, Any] = {}
    at = 0
    for name, shape in shapes.items():
        dtype = dtypes if isinstance(dtypes, str) else dtypes.get(name, "BF16")
        end = at + prod(shape) * DTYPE_BITS[dtype] // 8
        entries[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, end]}
        at = end
    return entries


def encode(value: object) -> bytes:
    """A header with its length in front."""
    text = json.dumps(value).encode()
    return struct.pack("<Q", len(text)) + text


def safetensors(entries: Mapping[str, Any], path: str = "model.safetensors") -> SparseDocument:
    """A file of full size with this header."""
    start = encode(entries)
    data = max((t["data_offsets"][1] for name, t in entries.items() if name != "__metadata__"), default=0)
    return SparseDocument(Source("test", "sha", path), start, len(start) + data)


def text(value: object, path: str) -> BytesDocument:
    """A small text file; what is no text already is written as JSON."""
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return BytesDocument(Source("test", "sha", path), content)


def bundle(*documents: Document, ref: str = "test", more: tuple[str, ...] = ()) -> Bundle:
    """A repository of these documents; `more` names files that are listed but not fetched."""
    files = tuple(FileEntry(d.source.path, d.size) for d in documents) + tuple(FileEntry(p, 1) for p in more)
    return Bundle(ref, "folder", "sha", documents=documents, files=files)


def ledger(shapes: Shapes, config: Mapping[str, Any] | None = None, dtypes: Mapping[str, str] | str = "BF16", ref: str = "test") -> Ledger:
    """The ledger of one safetensors file beside one config."""
    vocabulary = {name: "I64" if name.endswith("d2t") else "BOOL" for name in shapes if name.endswith(("d2t", "t2d"))}
    kinds = dtypes if isinstance(dtypes, str) and not vocabulary else vocabulary | (dict(dtypes) if isinstance(dtypes, Mapping) else {})
    weights = safetensors(header(shapes, kinds))
    if config is None:
        return account(bundle(weights, ref=ref))
    document = text(config, "config.json")
    return account(bundle(weights, document, ref=ref), config_reader.read(document))
