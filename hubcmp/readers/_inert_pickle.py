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

MAX_PICKLE = 4 << 20
"""Largest pickle that is looked at; that of a drafter has a few kB."""
MAX_STEPS = 500_000
"""Most opcodes; a tensor takes about 40 to 60."""

_OPCODES = frozenset(
    """
    PROTO FRAME STOP MARK EMPTY_DICT EMPTY_LIST EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 DICT LIST APPEND APPENDS SETITEM SETITEMS
    NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 INT LONG LONG1 BINFLOAT BINUNICODE SHORT_BINUNICODE UNICODE BINSTRING
    SHORT_BINSTRING BINBYTES SHORT_BINBYTES BINGET LONG_BINGET BINPUT LONG_BINPUT MEMOIZE GLOBAL STACK_GLOBAL REDUCE NEWOBJ BUILD BINPERSID
    """.split()  # noqa: SIM905 (forty quoted words would hide what is missing)
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


def _sealed(_: object, state: object) -> None:
    """Stand in for __setstate__: a pickle may not reach into a stand-in (the generated one of a dataclass would let it)."""
    raise TypeError("a stand-in has no state")


@dataclass(frozen=True, slots=True)
class Storage:
    """A storage by its key: `dtype` and `count` of elements, nothing loaded."""

    dtype: str
    key: str
    count: int
    __setstate__ = _sealed


@dataclass(frozen=True, slots=True)
class View:
    """A tensor as a view into a storage: offset, shape and strides in elements of `dtype`."""

    storage: Storage
    dtype: str
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    __setstate__ = _sealed


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
    __setstate__ = _sealed


class _Call:
    """Stands for a function: called like it, but nothing can be set on it, as could be on a function itself."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function

    def __call__(self, *arguments: object) -> object:
        return self._function(*arguments)

    __setstate__ = _sealed


def load(file: io.BytesIO, where: str) -> Any:
    """Return what the pickle at the file's position builds out of stand-ins, and leave the position behind it.

    Raises FormatError.
    """
    start = file.tell()
    _check(file, where)
    file.seek(start)
    try:
        return _Inert(file, where).load()
    except FormatError:
        raise
    except (
        Exception
    ) as error:  # a hostile pickle may make any opcode fail in any way; none of it matters but that it did
        raise FormatError(f"{where}: the pickle cannot be followed ({type(error).__name__}); refused") from None


def _check(file: io.BytesIO, where: str) -> None:
    """Walk the opcodes without running them."""
    steps = 0
    try:
        for opcode, argument, _ in pickletools.genops(file):
            steps += 1
            if opcode.name not in _OPCODES:
                raise FormatError(
                    f"{where}: the pickle uses {opcode.name}, which no weight file needs; refused without running it"
                )
            if steps > MAX_STEPS or ("PUT" in opcode.name and isinstance(argument, int) and argument > steps):
                raise FormatError(f"{where}: the pickle is made to take endless time or memory; refused")
            if opcode.name == "GLOBAL":
                module, _, name = str(argument).partition(" ")
                _stand_in(module, name, where)
    except (ValueError, OverflowError, RecursionError) as error:
        raise FormatError(f"{where}: the pickle is broken ({str(error)[:80]}); fetch it again") from None


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
    found = _NAMES.get((module, name))
    if found is None:
        raise FormatError(
            f"{where}: the pickle names {f'{module}.{name}'[:80]!a}, which no weight file needs; refused without running it "
            "(a pickle can run code: ask for safetensors)"
        )
    return found


def _view(storage: Storage, offset: int, shape: tuple[int, ...], stride: tuple[int, ...], *_: object) -> View:
    if not isinstance(storage, Storage):
        raise TypeError("a view needs a storage")
    return View(storage, storage.dtype, offset, tuple(shape), tuple(stride))


def _view_of_dtype(*arguments: Any) -> View:
    view, dtype = _view(*arguments[:4]), arguments[6]
    return View(view.storage, dtype.dtype, view.offset, view.shape, view.stride)


def _same(value: object, *_: object) -> object:
    return value


def _of_subclass(function: object, _: object, arguments: tuple[object, ...], *__: object) -> object:
    """A tensor of a subclass: what the inner call builds."""
    return function(*arguments) if isinstance(function, _Call) else None


_NAMES: Mapping[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): Table,
    ("torch", "Size"): tuple,
    ("torch", "device"): Record,
    ("torch", "Tensor"): Record,
    ("torch", "strided"): Record,
    ("torch.nn.parameter", "Parameter"): Record,
    ("torch.serialization", "_get_layout"): Record,
    ("pathlib", "PosixPath"): Record,
    ("pathlib", "WindowsPath"): Record,
    ("torch._utils", "_rebuild_tensor"): _Call(_view),
    ("torch._utils", "_rebuild_tensor_v2"): _Call(_view),
    ("torch._utils", "_rebuild_tensor_v3"): _Call(_view_of_dtype),
    ("torch._utils", "_rebuild_parameter"): _Call(_same),
    ("torch._utils", "_rebuild_parameter_with_state"): _Call(_same),
    ("torch._tensor", "_rebuild_from_type_v2"): _Call(_of_subclass),
}
"""Every other name that torch writes into weight files, with its stand-in."""
