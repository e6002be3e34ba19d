"""Weight files for tests that take no room: a real header in front of bytes that are never there."""

import io
import json
import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from hubcmp.document import Bundle, BytesDocument, Document, FileEntry
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


STORAGES = {
    "BF16": "BFloat16",
    "F16": "Half",
    "F32": "Float",
    "I64": "Long",
    "BOOL": "Bool",
    "U8": "Byte",
    "I32": "Int",
}


def pickled(shapes: Shapes, dtypes: Mapping[str, str] | str = "BF16") -> bytes:
    """A state dict as torch pickles it (protocol 2), written by hand, so that no torch is needed."""
    out = b"\x80\x02}("
    for key, (name, shape) in enumerate(shapes.items()):
        dtype = dtypes if isinstance(dtypes, str) else dtypes.get(name, "BF16")
        storage = (
            _text("storage")
            + b"ctorch\n%sStorage\n" % STORAGES[dtype].encode()
            + _text(str(key))
            + _text("cpu")
            + _number(prod(shape))
        )
        strides = [prod(shape[at + 1 :]) for at in range(len(shape))]
        out += _text(name) + b"ctorch._utils\n_rebuild_tensor_v2\n((" + storage + b"tQ" + _number(0)
        out += _tuple(shape) + _tuple(strides) + b"\x89ccollections\nOrderedDict\n)RtR"
    return out + b"u."


def _text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def _number(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def _tuple(values: Iterable[int]) -> bytes:
    return b"(" + b"".join(map(_number, values)) + b"t"


def torch_zip(content: bytes, sizes: Iterable[int], root: str = "archive") -> bytes:
    """A file as torch.save writes it: data.pkl and one stored entry per storage."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"{root}/data.pkl", content)
        for key, size in enumerate(sizes):
            archive.writestr(f"{root}/data/{key}", bytes(size))
        archive.writestr(f"{root}/version", "3\n")
    return buffer.getvalue()


def text(value: object, path: str) -> BytesDocument:
    """A small text file; what is no text already is written as JSON."""
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return BytesDocument(Source("test", "sha", path), content)


def bundle(*documents: Document, ref: str = "test", more: tuple[str, ...] = ()) -> Bundle:
    """A repository of these documents; `more` names files that are listed but not fetched."""
    files = tuple(FileEntry(d.source.path, d.size) for d in documents) + tuple(FileEntry(p, 1) for p in more)
    return Bundle(ref, "folder", "sha", documents=documents, files=files)


def ledger(
    shapes: Shapes, config: Mapping[str, Any] | None = None, dtypes: Mapping[str, str] | str = "BF16", ref: str = "test"
) -> Ledger:
    """The ledger of one safetensors file beside one config."""
    vocabulary = {name: "I64" if name.endswith("d2t") else "BOOL" for name in shapes if name.endswith(("d2t", "t2d"))}
    kinds = (
        dtypes
        if isinstance(dtypes, str) and not vocabulary
        else vocabulary | (dict(dtypes) if isinstance(dtypes, Mapping) else {})
    )
    weights = safetensors(header(shapes, kinds))
    if config is None:
        return account(bundle(weights, ref=ref))
    document = text(config, "config.json")
    return account(bundle(weights, document, ref=ref), config_reader.read(document))
