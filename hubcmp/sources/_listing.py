"""File lists: which names are usual, which are safe, and which files a caller will read."""

from collections.abc import Iterable, Mapping, Sequence

from hubcmp.document import FileEntry
from hubcmp.sources import Access, Part

CONFIG = "config.json"
CARD = "README.md"
SINGLE = "model.safetensors"
TEXTS: Mapping[Part, str] = {"config": CONFIG, "card": CARD}
"""The file that holds each part beside the weights."""
WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".gguf", ".distcp")
"""Endings of files that are read in ranges; all others are texts."""


def is_safe(path: object) -> bool:
    """Whether a path from outside stays below its repository: relative, with plain parts, no control characters."""
    if not isinstance(path, str) or not 0 < len(path) <= 1000 or "\\" in path or ":" in path.partition("/")[0]:
        return False
    return path.isprintable() and all(part not in ("", ".", "..") for part in path.split("/"))


def entries(rows: Iterable[Mapping[str, object]], key: str) -> tuple[FileEntry, ...]:
    """Return the file list in `rows` of outside JSON; `key` names the path. Unsafe names are left out."""
    found = []
    for row in rows:
        path, size = row.get(key), row.get("size")
        if is_safe(path):
            found.append(FileEntry(str(path), size if isinstance(size, int) and size >= 0 else None))
    return tuple(found)


def part_of(path: str) -> Part:
    """Return which part of a drafter a file belongs to; an index belongs to the weights."""
    return next((part for part, name in TEXTS.items() if name == path), "weights")


def texts(access: Access, paths: Sequence[str] | None = None) -> list[str]:
    """Return the config and card that the caller reads, of `paths` where those are known."""
    return [path for part, path in TEXTS.items() if part in access.parts and (paths is None or path in paths)]
