"""torch.distributed checkpoints: `.metadata` names every tensor with its size and dtype; the .distcp files hold only data."""

import io
from typing import Any

from hubcmp.document import Document, read_whole
from hubcmp.errors import FormatError
from hubcmp.readers import Reader, Reading
from hubcmp.readers._inert_pickle import Record, load
from hubcmp.tensors import DTYPE_BITS, Tensor, TensorTable, check_names, check_shapes

NAME = ".metadata"
_PREFIXES = ("model.", "state_dict.", "app.model.", "module.")
_STATE = ("optimizer.", "optim.", "app.optimizer.", "optim_state.", "lr_scheduler.", "dataloader.", "train_state.")
"""Names of training state, which is not the model."""

MAX_METADATA = 16 << 20
"""Largest .metadata that is looked at: it lists every piece of every tensor."""


def recognises(document: Document) -> bool:
    """Say whether this is the metadata of a distributed checkpoint, by its name."""
    return document.source.path.rpartition("/")[2] == NAME


def read(document: Document) -> Reading:
    """Return the tensor table; offsets are those of one file that held all tensors in order. Raises FormatError, SourceError."""
    where = str(document.source)
    content = load(io.BytesIO(read_whole(document, MAX_METADATA)), where)
    listed = content.fields.get("state_dict_metadata") if isinstance(content, Record) else None
    if not isinstance(listed, dict):
        raise FormatError(f"{where}: not the metadata of a torch.distributed checkpoint")
    kinds = {str(name): _kind(item) for name, item in listed.items() if not str(name).startswith(_STATE)}
    found = {name: kind for name, kind in kinds.items() if kind is not None}
    check_names(tuple(found), where)
    check_shapes([shape for _, shape in found.values()], where)
    tensors, at = [], 0
    for name, (dtype, shape) in found.items():
        size = Tensor(name, dtype, shape, 0, 0).elements * DTYPE_BITS[dtype] // 8
        tensors.append(Tensor(name, dtype, shape, at, at + size, document.source.path))
        at += size
    return Reading("distcp", tensors=TensorTable.of(tensors, format="distcp", file=document.source.path))


def _kind(item: Any) -> tuple[str, tuple[int, ...]] | None:
    """Return (dtype, shape) of a tensor's metadata, None for bytes and other objects."""
    fields = item.fields if isinstance(item, Record) else {}
    size, properties = fields.get("size"), fields.get("properties")
    if not isinstance(size, tuple) or not isinstance(properties, Record):
        return None
    values = (*properties.fields.values(), *properties.arguments)
    flat = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    dtype = next((d for part in flat if (d := getattr(part, "dtype", None)) in DTYPE_BITS), None)
    return (dtype, size) if dtype else None


PLUGIN = Reader(format="distcp", kind="weights", recognises=recognises, read=read)
