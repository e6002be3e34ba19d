"""Tensor tables: names, shapes, dtypes and sizes of a weight file, validated before anything is counted."""

from collections.abc import Mapping
from dataclasses import dataclass, field

DTYPE_BITS: Mapping[str, int] = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
    "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32,
    "C64": 64, "F64": 64, "I64": 64, "U64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}  # fmt: skip
"""Bits per element of every dtype that safetensors 0.8 knows."""


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
        product = 1
        for n in self.shape:
            product *= n
        return product


@dataclass(frozen=True, slots=True)
class TensorTable:
    """All tensors of one weight set. `header_bytes` is where the data section of a single file starts."""

    tensors: tuple[Tensor, ...]
    format: str = "safetensors"
    header_bytes: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)
