"""Which weight files of a repository count as the model, decided from names alone, so that a source can ask before it fetches.

Exactly one set counts, because a repository may hold the same weights several times (shards and a consolidated copy, fp16
beside bf16, safetensors beside a pickle). What an index lists comes first, then the usual single names, then what is left.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hubcmp.errors import FormatError
from hubcmp.strictjson import parse_object

Format = Literal["safetensors", "torch", "gguf", "distcp", "none"]

INDEX_LIMIT = 32 << 20
"""Largest index that is read; that of a 1 T target has 10 to 20 MB."""

MAX_LISTED = 500_000
"""Most tensors of an index; that of a 1 T target lists 140,000."""
MAX_SHARDS = 5_000
"""Most files that an index names; large targets have a few hundred."""

_FORMATS: tuple[tuple[Format, tuple[str, ...]], ...] = (
    ("safetensors", (".safetensors",)),
    ("torch", (".bin", ".pt", ".pth", ".ckpt")),
    ("gguf", (".gguf",)),
    ("distcp", (".metadata", ".distcp")),
)
_PREFERRED = (
    "model.safetensors", "pytorch_model.bin", "medusa_lm_head.safetensors", "medusa_lm_head.pt", "hydra_lm_head.pt", "model.pt",
)  # fmt: skip
_STATE = re.compile(
    r"(training_state|optimizer|optim|scheduler|scaler|rng_state|random_states|training_args|trainer_state|zero_pp_|mp_rank_\d+_optim"
    r"|bf16_zero|global_step|events\.out|tokenizer|vocab|imatrix|ggml-vocab|mmproj)[^/]*|[^/]*_(optim|optimizer)_states?[^/]*"
)
_SHARD = re.compile(r"(.+?)-(\d{1,6})-of-(\d{1,6})(\.[a-z]+)")
_VARIANT = re.compile(r"(model|pytorch_model)\.([A-Za-z0-9_]{1,16})(-\d{1,6}-of-\d{1,6})?(\.safetensors|\.bin)")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A weight file that does not count, why, and its size in bytes where the file list has it."""

    path: str
    reason: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Index:
    """A shard index, with every name checked: `shards` maps tensor to file, `files` are these
    files in order, `refused` are names that may not be opened.

    `declared` are the totals that the index states about itself (`total_size` in bytes, `total_parameters`).
    """

    path: str
    shards: Mapping[str, str] = field(default_factory=dict)
    declared: Mapping[str, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WeightChoice:
    """Which files count, in order, why they were chosen, and what was left out. `missing` shards are named but not there."""

    format: Format
    counted: tuple[str, ...] = ()
    reason: str = ""
    index: str = ""
    left_out: tuple[LeftOut, ...] = ()
    missing: tuple[str, ...] = ()


def index_of(paths: Iterable[str]) -> str:
    """Return the path of the shard index that should be read first, "" when there is none."""
    found = sorted(p for p in paths if p.endswith((".safetensors.index.json", ".bin.index.json")) and "/" not in p)
    order = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
    return next((p for p in (*order, *found) if p in found), "")


def parse_index(raw: bytes, path: str) -> Index:
    """Return the checked index. Names that are no plain relative weight file are refused. Raises FormatError."""
    if raw.count(b'"') > 5 * MAX_LISTED:  # before anything is built
        raise FormatError(f"{path}: lists more than {MAX_LISTED:,} tensors; refused, because no real index does")
    value = parse_object(raw, path)
    mapping, metadata = value.get("weight_map"), value.get("metadata")
    mapping = mapping if isinstance(mapping, dict) else {}
    totals = {k: v for k, v in metadata.items() if type(v) is int} if isinstance(metadata, dict) else {}
    strange = [n for n in mapping.values() if type(n) is not str] if {*map(type, mapping.values())} - {str} else []
    names = {n for n in mapping.values() if type(n) is str} if strange else set(mapping.values())
    if len(names) > MAX_SHARDS or len(strange) > MAX_SHARDS:
        raise FormatError(f"{path}: names more than {MAX_SHARDS:,} files; refused, because no real index does")
    unsafe = {n for n in names if not contained(n)}
    if strange or unsafe:
        mapping = {t: n for t, n in mapping.items() if type(n) is str and n not in unsafe}
    return Index(
        path=path,
        shards=mapping,
        declared={key: totals[key] for key in ("total_size", "total_parameters") if key in totals},
        files=tuple(sorted(names - unsafe)),
        refused=tuple(sorted({ascii(n)[:120] for n in (*unsafe, *strange)})),
    )


def contained(name: str) -> bool:
    """Say whether a shard name may be opened: relative, inside the folder, printable, with a weight file's ending."""
    parts = name.split("/")
    plain = name.isprintable() and not any(c in name for c in "\\:?#%") and len(name) <= 512
    return plain and not {"", ".", ".."} & set(parts) and _format(name) in ("safetensors", "torch")


def weight_documents(paths: Iterable[str], index: Index | None = None) -> WeightChoice:
    """Return which of the listed files hold the model. `index` is the parsed `index_of(paths)`, once it was read.

    Training state (optimiser, scheduler, training_state.pt) never counts. Without `index` a complete set of shards counts
    by its names.
    """
    listed = sorted({p for p in paths if _format(p) != "none"})
    state = [LeftOut(p, "training state or a side file, not the model") for p in listed if _is_state(p)]
    models = [p for p in listed if not _is_state(p)]
    counted, reason, missing = _choose(models, index)
    rest = [LeftOut(p, _why_not(p, counted, reason)) for p in models if p not in counted]
    form = _format(counted[0]) if counted else "none"
    return WeightChoice(
        form, counted, reason, index.path if index and counted == index.files else "", (*rest, *state), missing
    )


def told_by_names(choice: WeightChoice) -> bool:
    """Say whether the names alone tell which files count: a whole set of shards. A single file beside an index may be a stray."""
    return len(choice.counted) > 1 and not choice.missing


def _choose(models: list[str], index: Index | None) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """Return (files, reason, missing shards) of the first rule that finds any."""
    present = set(models)
    top = [p for p in models if "/" not in p]
    pickled = (
        index is not None and index.path.endswith(".bin.index.json") and any(_format(p) == "safetensors" for p in top)
    )
    if index and present.intersection(index.files) and not pickled:
        return index.files, f"listed by {index.path}", tuple(f for f in index.files if f not in present)
    for group in (top, models):
        for form, _ in _FORMATS:
            found = [p for p in group if _format(p) == form]
            if found:
                return _best(found)
    return (), "no weight file", ()


def _best(found: list[str]) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """Choose among files of one format: a usual name, a set of shards, else the first name without a variant."""
    for name in _PREFERRED:
        if name in found:
            return (name,), "the usual single file", ()
    shards = _shards(found)
    if shards:
        stem, files = shards
        total = int(_SHARD.fullmatch(files[0])[3])  # type: ignore[index]
        return (
            files,
            f"{len(files)} of {total} shards of {stem}",
            () if len(files) == total else (f"{total - len(files)} shards",),
        )
    metadata = [p for p in found if p.endswith(".metadata")]
    if metadata or found[0].endswith(".distcp"):
        return tuple(metadata[:1]), "it describes the torch.distributed checkpoint beside it", ()
    plain = [p for p in found if not _is_copy(p)] or found
    return (plain[0],), "the only weight file" if len(found) == 1 else "first by name of several", ()


def _shards(found: list[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return the first complete-looking set of numbered shards, one that is no variant before one that is."""
    sets: dict[str, list[str]] = {}
    for path in found:
        if match := _SHARD.fullmatch(path):
            sets.setdefault(f"{match[1]}-of-{match[3]}{match[4]}", []).append(path)
    stem = min(sets, key=lambda s: (_is_copy(sets[s][0]), s), default=None)
    return (stem, tuple(sets[stem])) if stem else None


def _is_copy(path: str) -> bool:
    return bool(_VARIANT.fullmatch(path)) or path.startswith("consolidated")


def _why_not(path: str, counted: tuple[str, ...], reason: str) -> str:
    name = path.rpartition("/")[2]
    if match := _VARIANT.fullmatch(name):
        return f"variant {match[2]} of the counted weights"
    if name.startswith("consolidated"):
        return "consolidated copy of the counted weights"
    if path.endswith(".distcp"):
        return "data of a torch.distributed checkpoint, described by .metadata"
    if counted and _format(path) != _format(counted[0]):
        return f"another format of the model; {counted[0]} counts ({reason})"
    return f"one set counts: {reason}"


def _format(path: str) -> Format:
    return next((form for form, endings in _FORMATS if path.endswith(endings)), "none")


def _is_state(path: str) -> bool:
    return bool(_STATE.fullmatch(path.rpartition("/")[2]))
