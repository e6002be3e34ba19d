"""torch weight files (.bin, .pt, .pth): names, shapes and dtypes without unpickling freely and without reading the weights.

Since torch 1.6 such a file is a zip: its directory and `data.pkl` are read. Older files are a row of pickles with the
storages behind them: the pickles are read. Either way the pickle builds only inert stand-ins (`_inert_pickle`).
"""

import io
import zipfile
from collections.abc import Mapping
from typing import Any, cast

from hubcmp.document import Document
from hubcmp.errors import FormatError, Problem
from hubcmp.readers import Reader, Reading
from hubcmp.readers._inert_pickle import MAX_PICKLE, View, load
from hubcmp.readers._ranged import RangedFile
from hubcmp.tensors import DTYPE_BITS, Tensor, TensorTable, check_names, check_shapes

MAX_ENTRIES = 10_000
"""Most entries of an archive, one per tensor and a few more; larger models are in shards."""
MAX_RATIO = 100
"""Largest compression ratio that is believed."""
_ENDINGS = (".bin", ".pt", ".pth", ".ckpt")
_ZIP = b"PK\x03\x04"
_LEGACY = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
"""The magic number that begins a file of torch before 1.6, pickled."""
_WRAPPERS = ("state_dict", "model_state_dict", "model", "module", "ema", "weights")
"""Keys under which checkpoints keep the weights."""

Located = Mapping[str, tuple[int, int]]
"""Storage key -> (where its entry begins in the file, its bytes)."""


def recognises(document: Document) -> bool:
    """Say whether this is a torch file: a zip or an old pickle by its first bytes, with one of torch's endings."""
    if not document.source.path.endswith(_ENDINGS):
        return False
    start = document.read(0, len(_LEGACY))
    return start.startswith(_ZIP) or start == _LEGACY or start[:1] == b"\x80"


def read(document: Document) -> Reading:
    """Return the tensor table. A weight that two names share is listed once. Raises FormatError, SourceError."""
    where = str(document.source)
    start = document.read(0, len(_LEGACY))
    if start.startswith(_ZIP):
        content, located = _archive(document, where)
    elif start == _LEGACY:
        content, located = _legacy(document, where)
    else:
        raise FormatError(
            f"{where}: a bare pickle, not a torch weight file; it is not opened, because a pickle can run code"
        )
    tensors, problems = _tensors(content, located, where, document.source.path)
    return Reading(
        "torch", tensors=TensorTable.of(tensors, format="torch", file=document.source.path), problems=problems
    )


def _archive(document: Document, where: str) -> tuple[Any, Located]:
    """Return the content of data.pkl and where the storages lie; sizes come from the directory alone."""
    if document.size is None:
        raise FormatError(f"{where}: a zip needs a known size; give a file")
    try:
        with zipfile.ZipFile(cast("Any", RangedFile(document, document.size))) as archive:
            entries = archive.infolist()
            root = _check_entries(entries, document.size, where)
            content = load(io.BytesIO(archive.read(f"{root}data.pkl")), f"{where} data.pkl")
    except (zipfile.BadZipFile, KeyError, NotImplementedError, EOFError, ValueError, RuntimeError) as error:
        raise FormatError(f"{where}: not a sound torch zip ({str(error)[:80]}); fetch it again") from None
    prefix = f"{root}data/"
    return content, {
        e.filename.removeprefix(prefix): (e.header_offset, e.file_size)
        for e in entries
        if e.filename.startswith(prefix)
    }


def _check_entries(entries: list[zipfile.ZipInfo], size: int, where: str) -> str:
    """Refuse odd archives; return the folder in which data.pkl lies."""
    names = [e.filename for e in entries]
    if len(names) > MAX_ENTRIES or len(set(names)) != len(names):
        raise FormatError(f"{where}: the archive has too many entries or one name twice; refused")
    if any(".." in name.split("/") or name.startswith("/") or "\\" in name for name in names):
        raise FormatError(f"{where}: the archive has entries that point outside it; refused")
    if any(
        e.file_size > MAX_RATIO * max(e.compress_size, 1) or e.header_offset + e.compress_size > size for e in entries
    ):
        raise FormatError(f"{where}: the archive claims more than it holds; refused")
    pickles = [e for e in entries if e.filename.rpartition("/")[2] == "data.pkl"]
    if len(pickles) != 1 or pickles[0].file_size > MAX_PICKLE:
        raise FormatError(f"{where}: a torch file holds one data.pkl of at most {MAX_PICKLE >> 20} MiB; refused")
    return pickles[0].filename.removesuffix("data.pkl")


def _legacy(document: Document, where: str) -> tuple[Any, Located]:
    """Return the content of an old file: magic number, protocol, machine, then the weights' pickle."""
    file = io.BytesIO(document.read(0, MAX_PICKLE))
    *_, content = (load(file, where) for _ in range(4))
    storages = {view.storage.key: view.storage for view in _views(content).values()}
    sizes = {key: storage.count * DTYPE_BITS[storage.dtype] // 8 for key, storage in storages.items()}
    total = sum(sizes.values())
    if document.size is not None and file.tell() + total > document.size:
        raise FormatError(f"{where}: the storages need {total:,} bytes, the file has {document.size:,}; fetch it again")
    return content, {key: (file.tell(), size) for key, size in sizes.items()}


def _views(content: Any, depth: int = 3) -> dict[str, View]:
    """Return the tensors of a state dict; of a checkpoint, those under the first usual key that holds any."""
    table = content if isinstance(content, dict) and depth else {}
    found = {str(name): item for name, item in table.items() if isinstance(item, View)}
    inner = (_views(table[key], depth - 1) for key in _WRAPPERS if key in table)
    return found or next((views for views in inner if views), {})


def _tensors(content: Any, located: Located, where: str, path: str) -> tuple[list[Tensor], tuple[Problem, ...]]:
    """Check every view against its storage and list each weight once."""
    views = _views(content)
    if not views:
        raise FormatError(f"{where}: holds no table of tensors; is this the model's weight file?")
    check_names(tuple(views), where)
    check_shapes([view.shape for view in views.values()], where)
    seen: dict[View, str] = {}
    tensors, problems = [], []
    for name, view in views.items():
        start = _check_view(name, view, located, where)
        if seen.setdefault(view, name) == name:
            tensors.append(Tensor(name, view.dtype, view.shape, start, start + _bytes(view), path))
        else:
            problems.append(Problem(where, f"{name} is the same storage as {seen[view]} (tied); counted once"))
    return tensors, tuple(problems)


def _check_view(name: str, view: View, located: Located, where: str) -> int:
    """Refuse a view beyond its storage or a storage that is not there; return where its entry begins."""
    begin, size = located.get(view.storage.key, (0, -1))
    width = DTYPE_BITS[view.dtype] // 8
    numbers = (view.offset, view.storage.count, *view.stride)
    if len(view.stride) != len(view.shape) or any(type(n) is not int or n < 0 for n in numbers):
        raise FormatError(f"{where}: {name[:80]} is described in an unknown way; refused")
    last = (
        view.offset + sum((n - 1) * step for n, step in zip(view.shape, view.stride, strict=True))
        if all(view.shape)
        else -1
    )
    if size != view.storage.count * DTYPE_BITS[view.storage.dtype] // 8 or (last + 1) * width > size:
        raise FormatError(f"{where}: {name[:80]} needs more bytes than its storage holds; fetch the file again")
    return begin


def _bytes(view: View) -> int:
    return Tensor("", view.dtype, view.shape, 0, 0).elements * DTYPE_BITS[view.dtype] // 8


PLUGIN = Reader(format="torch", kind="weights", recognises=recognises, read=read)
