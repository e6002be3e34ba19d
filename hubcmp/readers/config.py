"""config.json in all its dialects: every figure and setting as a fact with the place where it stands.

The dialects themselves are rows of `_settings`; here is only how a row is looked up, converted and checked.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hubcmp.document import Document, read_whole
from hubcmp.errors import Problem
from hubcmp.facts import Evidence, Fact, Source, Span, Value
from hubcmp.readers import Reader, Reading
from hubcmp.readers._settings import NESTS, SETTINGS, UNITS, Kind, Setting
from hubcmp.strictjson import parse_object

MAX_FIGURE = 2**53
"""Largest size that is believed."""
MAX_IDS = 256
"""Longest list of layer ids that is believed."""


def recognises(document: Document) -> bool:
    """Say whether this is a model's config, by its path."""
    return document.source.path.rpartition("/")[2] == "config.json"


def read(document: Document) -> Reading:
    """Return every setting that the table knows, each with its JSON pointer; the rest is handed back in `leftover`.

    `metadata` is the whole object as it stood there. Raises FormatError for content that is not one sound JSON object,
    SourceError.
    """
    config = parse_object(read_whole(document), str(document.source))
    facts, problems = [], []
    for setting in SETTINGS:
        found = list(_find(config, setting))
        fact, doubts = _settle(setting, found, document.source)
        facts += fact
        problems += doubts
    leftover = {key: value for key, value in config.items() if key not in _UNDERSTOOD}
    return Reading("config", tuple(facts), metadata=config, leftover=leftover, problems=tuple(problems))


def _find(config: Mapping[str, Any], setting: Setting) -> Iterator[tuple[str, Any]]:
    """Yield every place where the setting stands, the strongest first; null says nothing and is passed over."""
    for nest in ("", *NESTS) if setting.nested else ("",):
        for path in setting.paths:
            spot, value = _walk(config, f"{nest}.{path}" if nest else path)
            if value is not None:
                yield spot, value


def _walk(value: Any, path: str) -> tuple[str, Any]:
    """Follow a path and return the concrete place with what stands there, None when nothing does."""
    spot = []
    for key in path.split("."):
        if key == "*":
            key, value = _first(value)
        elif isinstance(value, dict):
            value = value.get(key)
        else:
            return path, None
        spot.append(key)
    return ".".join(spot), value


def _first(value: Any) -> tuple[str, Any]:
    if isinstance(value, dict) and value:
        return next(iter(value.items()))
    return ("0", value[0]) if isinstance(value, list) and value else ("*", None)


def _settle(setting: Setting, found: list[tuple[str, Any]], source: Source) -> tuple[list[Fact], list[Problem]]:
    """Take the first usable value; name the places that are unusable or say something else."""
    chosen: list[Fact] = []
    problems = []
    for path, raw in found:
        value = _CONVERT[setting.kind](raw)
        spot = source.at(f"$.{path}")
        if value is None:
            problems.append(Problem(str(spot), f"{str(raw)[:60]!r} is not a usable {setting.metric}; ignored"))
        elif not chosen:
            unit = UNITS.get(setting.metric, "")
            chosen.append(
                Fact(
                    setting.metric, value, unit, Evidence.DECLARED, "read from the config", (spot,), raw=str(raw)[:200]
                )
            )
        elif value != chosen[0].value and setting.metric not in _PER_LEVEL:
            problems.append(
                Problem(
                    str(spot),
                    f"{setting.metric} is {raw!r} here, but {chosen[0].raw} at {chosen[0].sources[0].where}"[:300],
                )
            )
    return chosen, problems


_UNDERSTOOD = frozenset(path.split(".")[0] for s in SETTINGS for path in (*s.paths, *NESTS))
_PER_LEVEL = frozenset({"model_type", "dtype", "tie_word_embeddings", "rope_type", "quantisation", "quant_format"})
"""Settings that a wrapper and the config inside it may each have for themselves."""


def _count(raw: object) -> Value | None:
    return Span.of(raw) if type(raw) is int and 0 <= raw <= MAX_FIGURE else None


def _figure(raw: object) -> Value | None:
    return Span.of(float(raw)) if type(raw) in (int, float) and math.isfinite(raw) and abs(raw) <= MAX_FIGURE else None  # type: ignore[arg-type]


def _flag(raw: object) -> Value | None:
    return raw if isinstance(raw, bool) else None


def _text(raw: object) -> Value | None:
    return raw[:200] if isinstance(raw, str) and raw else None


def _first_text(raw: object) -> Value | None:
    return _text(raw[0]) if isinstance(raw, list) and raw else _text(raw)


def _ids(raw: object) -> Value | None:
    whole = isinstance(raw, list) and 0 < len(raw) <= MAX_IDS and all(type(n) is int and abs(n) < 10**6 for n in raw)
    return tuple(raw) if whole and isinstance(raw, list) else None


_CONVERT: Mapping[Kind, Callable[[object], Value | None]] = {
    "count": _count, "figure": _figure, "flag": _flag, "text": _text, "first": _first_text, "ids": _ids,
}  # fmt: skip

PLUGIN = Reader(format="config", kind="config", recognises=recognises, read=read)
