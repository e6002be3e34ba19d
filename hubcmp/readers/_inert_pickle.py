"""Pickles without execution: an allow-list of opcodes first, then an unpickler that only knows inert stand-ins.

A pickle is a program. Here it may build tables, lists and texts, and name the few classes that torch writes into a weight
file; each of these is replaced by a stand-in that keeps its arguments and does nothing. Any other name is refused.
"""

import io
import pickle
import pickletools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from hubcmp.errors import FormatError
from hubcmp.tensors import MAX_TENSORS

MAX_PICKLE = 32 << 20
"""Largest pickle that is looked at; that of a drafter has a few kB."""
_MAX_STEPS = 40 * MAX_TENSORS

_OPCODES = frozenset(
    "PROTO FRAME STOP MARK EMPTY_DICT EMPTY_LIST EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 DICT LIST APPEND APPENDS SETITEM SETITEMS "
    "NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 INT LONG LONG1 BINFLOAT BINUNICODE SHORT_BINUNICODE UNICODE BINSTRING "
    "SHORT_BINSTRING BINBYTES SHORT_BINBYTES BINGET LONG_BINGET BINPUT LONG_BINPUT MEMOIZE GLOBAL STACK_GLOBAL REDUCE NEWOBJ BUILD "
    "BINPERSID".split()
)
"""Opcodes that torch writes; EXT, INST, OBJ and the like are not among them."""

_STORAGES = {
    "DoubleStorage": "F64", "FloatStorage": "F32", "HalfStorage": "F16", "BFloat16Storage": "BF16", "LongStorage": "I64",
    "IntStorage": "I32", "ShortStorage": "I16", "CharStorage": "I8", "ByteStorage": "U8", "BoolStorage": "BOOL",
    "ComplexFloatStorage": "C64", "UntypedStorage": "U8",
}  # fmt: skip
_DTYPES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32", "int16": "I16",
    "int8": "I8", "uint8": "U8", "bool": "BOOL", "uint16": "U16", "uint32": "U32", "uint64": "U64", "complex64": "C64",
    "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "float8_e8m0fnu": "F8_E8M0", "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2fnuz": "F8_E5M2FNUZ", "float4_e2m1fn_x2": "U8",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Storage:
    """A storage by its key: `dtype` and `count` of elements, nothing loaded."""

    dtype: str
    key: str
    count: int


@dataclass(frozen=True, slots=True)
class View:
    """A tensor as a view into a storage: offset, shape and strides in elements of `dtype`."""

    storage: Storage
    dtype: str
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]


class Table(dict[Any, Any]):
    """Stands for dict and OrderedDict; attributes that a pickle wants to set on it are dropped."""

    def __setstate__(self, state: object) -> None:
        """Ignore attributes (torch's `_metadata`)."""


class Record:
    """Stands for a class that only carries fields: they are kept as `fields`, nothing runs."""

    # on the class, because a pickle makes objects without calling __init__
    fields: Mapping[str, Any] = MappingProxyType({})
    arguments: tuple[object, ...] = ()

    def __init__(self, *arguments: object) -> None:
        self.arguments = arguments

    def __setstate__(self, state: object) -> None:
        """Keep the fields; a state that is no table is kept as the arguments."""
        if isinstance(state, dict):
            self.fields = state
        else:
            self.arguments = (state,)


@dataclass(frozen=True, slots=True)
class _Named:
    """Stands for a name that is a value: a storage type or a dtype."""

    dtype: str


def load(raw: bytes, where: str) -> tuple[Any, int]:
    """Return (what the pickle at the start of `raw` builds out of stand-ins, its length in bytes). Raises FormatError."""
    length = _check(raw, where)
    try:
        return _Inert(io.BytesIO(raw[:length]), where).load(), length
    except FormatError:
        raise
    except Exception as error:  # a hostile pickle may make any opcode fail in any way; none of it matters but that it did
        raise FormatError(f"{where}: the pickle cannot be followed ({type(error).__name__}); refused") from None


def _check(raw: bytes, where: str) -> int:
    """Walk the opcodes without running them; return where the pickle ends."""
    steps = 0
    try:
        for opcode, argument, position in pickletools.genops(raw):
            steps += 1
            if opcode.name not in _OPCODES:
                raise FormatError(f"{where}: the pickle uses {opcode.name}, which no weight file needs; refused without running it")
            if steps > _MAX_STEPS or ("PUT" in opcode.name and isinstance(argument, int) and argument > steps):
                raise FormatError(f"{where}: the pickle is made to take endless time or memory; refused")
            if opcode.name == "GLOBAL":
                module, _, name = str(argument).partition(" ")
                _stand_in(module, name, where)
            if opcode.name == "STOP" and position is not None:
                return position + 1
    except ValueError as error:
        raise FormatError(f"{where}: the pickle is broken ({str(error)[:80]}); fetch it again") from None
    raise FormatError(f"{where}: the pickle has no end; fetch it again")


class _Inert(pickle.Unpickler):
    """An unpickler for which every class is a stand-in."""

    def __init__(self, file: io.BytesIO, where: str) -> None:
        super().__init__(file, encoding="utf-8")
        self._where = where

    def find_class(self, module: str, name: str) -> Any:
        """Return the stand-in. Raises FormatError for any other name."""
        return _stand_in(module, name, self._where)

    def persistent_load(self, pid: Any) -> Storage:
        """Return a storage by what its id says: ("storage", type, key, device, elements, ...)."""
        if not isinstance(pid, tuple) or len(pid) < 5 or not isinstance(pid[1], _Named) or type(pid[4]) is not int:
            raise FormatError(f"{self._where}: a storage is described in an unknown way; refused")
        return Storage(pid[1].dtype, str(pid[2]), pid[4])


def _stand_in(module: str, name: str, where: str) -> Any:
    if module in ("torch", "torch.storage", "torch.cuda") and name in _STORAGES:
        return _Named(_STORAGES[name])
    if module == "torch" and name in _DTYPES:
        return _Named(_DTYPES[name])
    if module.startswith("torch.distributed.checkpoint") and name.isidentifier():
        return Record
    found = _CLASSES.get((module, name))
    if found is None:
        raise FormatError(
            f"{where}: the pickle names {ascii(f'{module}.{name}')[1:81]}, which no weight file needs; refused without running it "
            "(a pickle can run code: ask for safetensors)"
        )
    return found


def _view(storage: Storage, offset: int, shape: tuple[int, ...], stride: tuple[int, ...], *_: object) -> View:
    return View(storage, storage.dtype, offset, tuple(shape), tuple(stride))


def _view_of_dtype(
    storage: Storage, offset: int, shape: tuple[int, ...], stride: tuple[int, ...], grad: object, hooks: object, dtype: _Named, *_: object
) -> View:
    return View(storage, dtype.dtype, offset, tuple(shape), tuple(stride))


def _same(value: object, *_: object) -> object:
    return value


def _tensor_subclass(function: Callable[..., object], _: object, arguments: tuple[object, ...], state: object) -> object:
    return function(*arguments) if function in (_view, _view_of_dtype, _same) else None


_CLASSES: Mapping[tuple[str, str], Callable[..., Any]] = {
    ("collections", "OrderedDict"): Table,
    ("torch", "Size"): tuple,
    ("torch", "device"): Record,
    ("torch", "Tensor"): Record,
    ("torch.nn.parameter", "Parameter"): Record,
    ("torch._utils", "_rebuild_tensor"): _view,
    ("torch._utils", "_rebuild_tensor_v2"): _view,
    ("torch._utils", "_rebuild_tensor_v3"): _view_of_dtype,
    ("torch._utils", "_rebuild_parameter"): _same,
    ("torch._utils", "_rebuild_parameter_with_state"): _same,
    ("torch._tensor", "_rebuild_from_type_v2"): _tensor_subclass,
    ("torch.serialization", "_get_layout"): Record,
    ("torch", "strided"): Record,
    ("pathlib", "PosixPath"): Record,
}
"""Every other name that torch writes into weight files and checkpoints, with its stand-in."""
