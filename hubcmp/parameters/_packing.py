"""Packed weights: how many parameters a tensor of integers holds, from its name, its dtype and the tensors beside it."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from hubcmp.parameters._groups import Group
from hubcmp.parameters._schemes import Schemes

Shapes = Mapping[str, tuple[int, ...]]
"""Shapes by tensor name."""


@dataclass(frozen=True, slots=True)
class Packing:
    """One layout: the last component of the name, the container's dtypes and bits, and siblings of which one must exist.

    `bits` is the width of one parameter when the config does not say; `fixed` layouts never ask the config.
    """

    name: str
    tensor: str
    dtypes: tuple[str, ...]
    container: int
    siblings: tuple[str, ...] = ()
    bits: int = 4
    fixed: bool = False


PACKINGS: tuple[Packing, ...] = (
    Packing("compressed-tensors packed integers", r"weight_packed", ("I32", "U32"), 32),
    Packing("compressed-tensors packed FP4", r"weight_packed", ("U8",), 8, fixed=True),
    Packing("AWQ or GPTQ", r"qweight", ("I32", "U32"), 32),
    Packing("MXFP4 blocks", r"(\w*_)?blocks", ("U8",), 8, fixed=True),
    Packing("MLX", r"weight", ("U32",), 32, ("scales",)),
    Packing(
        "NVFP4 or MXFP4", r"weight", ("U8",), 8, ("weight_scale", "weight_scale_2", "weight_scale_inv"), fixed=True
    ),
    Packing("bitsandbytes 4-bit", r"weight", ("U8",), 8, ("weight.absmax", "weight.quant_map"), fixed=True),
    Packing("FP4 in bytes", r"weight", ("I8", "U8"), 8, ("scale",), fixed=True),
    Packing(
        "packed experts",
        r"(gate_up_proj|down_proj)",
        ("U8",),
        8,
        ("{}_scale", "{}_weight_scale", "{}_scales"),
        fixed=True,
    ),
)
"""Every layout that is known, the first that fits decides."""

WHOLE_NUMBERS = frozenset({"BOOL", "U8", "I16", "U16", "I32", "U32", "I64", "U64"})
"""Dtypes that hold no parameters unless they are packed; I8 is left out, because weights of 8 bits are stored in it."""


def packing_of(group: Group, names: Set[str]) -> Packing | None:
    """Return the layout of a group, or None when it holds its parameters one by one. `names` are all names without digits."""
    stem, _, last = _digitless(group.name).rpartition(".")
    for packing in PACKINGS:
        if group.dtype in packing.dtypes and re.fullmatch(packing.tensor, last):
            beside = (f"{stem}.{sibling.format(last)}" for sibling in packing.siblings)
            if not packing.siblings or any(name in names for name in beside):
                return packing
    return None


def parameters(group: Group, packing: Packing | None, shapes: Shapes, schemes: Schemes) -> int:
    """Return the parameters that a group holds; `shapes` are those of all tensors, `schemes` what the config says."""
    if packing is None:
        return group.elements
    bits = packing.bits if packing.fixed else _bits(group, packing, shapes, schemes)
    return group.elements * packing.container // bits


def _bits(group: Group, packing: Packing, shapes: Shapes, schemes: Schemes) -> int:
    """Return the bits of one parameter: as the tensors beside it show, else as the config says, else the usual ones."""
    stem = group.name.rpartition(".")[0]
    shown = _shown(group.shape, stem, packing.container, shapes)
    if shown:
        return shown
    scales = next((shapes[n] for n in (f"{stem}.scales", f"{stem}.weight_scale") if n in shapes), ())
    width = group.shape[-1] if group.shape else 0
    scheme = schemes.of(stem, width, scales[-1] if scales else 0, packing.container)
    return scheme.bits if scheme and scheme.bits <= packing.container else packing.bits


def _shown(shape: Sequence[int], stem: str, container: int, shapes: Shapes) -> int:
    """Return the bits that AWQ's and GPTQ's companions show: scales have one column per output, g_idx one entry per input.

    AWQ packs outputs, GPTQ inputs, and the zero points are packed along the outputs by both. 0 when nothing shows them.
    """
    scales, order, zeros = (shapes.get(f"{stem}.{name}", ()) for name in ("scales", "g_idx", "qzeros"))
    if len(shape) != 2 or len(scales) != 2:
        return 0
    if shape[1] != scales[1]:
        return _quotient(shape[1] * container, scales[1])
    if order:
        return _quotient(shape[0] * container, order[0])
    return _quotient(zeros[1] * container, scales[1]) if len(zeros) == 2 else 0


def _quotient(bits: int, parameters: int) -> int:
    """Return the bits per parameter where they are whole and possible, else 0."""
    whole = bits // parameters if parameters and bits % parameters == 0 else 0
    return whole if 2 <= whole <= 8 else 0


def _digitless(name: str) -> str:
    return re.sub(r"\d", "", name)
