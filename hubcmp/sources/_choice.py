"""Which files of a repository or folder are read, decided from the file list alone."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hubcmp.document import FileEntry
from hubcmp.errors import Problem
from hubcmp.sources._layout import read_json

CONFIG = "config.json"
CARD = "README.md"
SINGLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
_SHARD = re.compile(r"(.{1,200})-(\d{5})-of-(\d{5})\.safetensors")
_STATE = re.compile(
    r"(training_?state|trainer_state|optimizer|optim|scheduler|rng_state|scaler)[a-z0-9_.-]*", re.IGNORECASE
)
_OTHER = (".bin", ".pt", ".pth", ".gguf")


@dataclass(frozen=True, slots=True)
class Choice:
    """Paths of the weight files to read, and what was left out and why."""

    read: tuple[str, ...] = ()
    left_out: Mapping[str, str] | None = None


def is_safe(path: object) -> bool:
    """Whether a path from outside stays below its repository: relative, with plain parts, no control characters."""
    if not isinstance(path, str) or not 0 < len(path) <= 1000 or "\\" in path or ":" in path.partition("/")[0]:
        return False
    return path.isprintable() and all(part not in ("", ".", "..") for part in path.split("/"))


def is_training_state(path: str) -> bool:
    """Whether a file holds an optimizer or trainer state, which no drafter needs and no count may include."""
    return _STATE.fullmatch(path.rpartition("/")[2]) is not None


def choose(files: Sequence[FileEntry]) -> Choice:
    """Return which weight files make one set: the single file, else its shards, else the only other weights."""
    paths = [f.path for f in files if not is_training_state(f.path)]
    safetensors = [path for path in paths if path.endswith(".safetensors")]
    single = [path for path in safetensors if path == SINGLE or len(safetensors) == 1]
    shards = _shards(safetensors, "model") or _shards(safetensors, None)
    chosen = single or shards or [path for path in paths if path.endswith(_OTHER)]
    weights = [path for path in paths if path.endswith((".safetensors", *_OTHER))]
    return Choice(
        tuple(chosen), {path: "not part of the weight set that was read" for path in weights if path not in chosen}
    )


def _shards(paths: Iterable[str], stem: str | None) -> list[str]:
    """Return the shards of one set, named STEM-00001-of-0000N, in order (with `stem` None: of the only set there is)."""
    sets: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        if (match := _SHARD.fullmatch(path)) and stem in (None, match[1]):
            sets.setdefault((match[1], match[3]), []).append(path)
    return sorted(next(iter(sets.values()))) if len(sets) == 1 else []


def check_index(where: str, content: bytes | None, paths: Iterable[str]) -> list[Problem]:
    """Return what is wrong with a shard index: names that lead elsewhere, and shards that are not there.

    The index never decides what is opened; the file list does.
    """
    weight_map = (read_json(content) or {}).get("weight_map")
    if not isinstance(weight_map, dict):
        return [Problem(where, "is no shard index (no weight_map); the shards were found by their names", failed=True)]
    names = list(dict.fromkeys(name if isinstance(name, str) else repr(name)[:100] for name in weight_map.values()))
    refused = [name for name in names if not is_safe(name) or not name.endswith(".safetensors")]
    known = {*paths, *refused}
    missing = [name for name in names if name not in known]
    problems = []
    if refused:
        problems.append(Problem(where, f"names files outside the repository, refused: {_shown(refused)}", failed=True))
    if missing:
        problems.append(
            Problem(where, f"names shards that are not there: {_shown(missing)}; fetch them again", failed=True)
        )
    return problems


def _shown(names: Sequence[str]) -> str:
    """List names escaped, at most eight of them."""
    listed = ", ".join(ascii(name[:200]) for name in names[:8])
    return listed + (f" and {len(names) - 8} more" if len(names) > 8 else "")
