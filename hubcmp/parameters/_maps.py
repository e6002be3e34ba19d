"""The map of a reduced draft vocabulary: `d2t` (offsets to the target's ids) and `t2d` (which ids are kept), read whole."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubcmp.document import Bundle
from hubcmp.errors import SourceError
from hubcmp.parameters._ledger import Ledger
from hubcmp.parameters._rows import place
from hubcmp.tensors import Tensor

MOST_ROWS = 1 << 20
"""Ids of one map that are read: 8 MB."""


@dataclass(frozen=True, slots=True)
class TokenMap:
    """The values of a map: `offsets` by draft id, `kept` marks by target id (empty when it is not stored)."""

    name: str
    offsets: tuple[int, ...]
    kept: bytes = b""


def token_map(ledger: Ledger, bundle: Bundle) -> TokenMap | None:
    """Return the map that the weights hold, None when there is none or it is of another dtype than I64 or I32."""
    offsets = _stored(ledger, bundle, "d2t")
    if offsets is None or offsets[0].dtype not in ("I64", "I32"):
        return None
    tensor, raw = offsets
    width = 8 if tensor.dtype == "I64" else 4
    values = tuple(int.from_bytes(raw[i : i + width], "little", signed=True) for i in range(0, len(raw), width))
    kept = _stored(ledger, bundle, "t2d")
    return TokenMap(tensor.name, values, kept[1] if kept is not None and kept[0].dtype in ("BOOL", "U8", "I8") else b"")


def _stored(ledger: Ledger, bundle: Bundle, ending: str) -> tuple[Tensor, bytes] | None:
    """Return a one-dimensional tensor with its bytes."""
    for table in ledger.tables:
        name = next((n for n in table.names if n.rpartition(".")[2] == ending), "")
        tensor, document = (table.find(name) if name else None), bundle.named(table.file)
        if tensor is None or document is None or len(tensor.shape) != 1 or tensor.shape[0] > MOST_ROWS:
            continue
        try:
            raw = document.read(place(table, tensor, document), tensor.end - tensor.start)
        except SourceError:
            continue
        if len(raw) == tensor.end - tensor.start:
            return tensor, raw
    return None


def mapped(offsets: Sequence[int]) -> list[int]:
    """Return the target's ids that offsets lead to."""
    return [i + offset for i, offset in enumerate(offsets)]
