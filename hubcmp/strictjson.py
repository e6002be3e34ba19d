"""JSON from strangers: one strict parse that refuses what Python's parser lets through (duplicate keys, NaN, endless nesting)."""

import json
from collections import Counter
from typing import Any

from hubcmp.errors import FormatError

MAX_DEPTH = 32
"""Deepest nesting that is accepted; real configs stay below ten."""


def parse_object(raw: bytes, where: str) -> dict[str, Any]:
    """Return the JSON object in `raw` (UTF-8, a BOM is allowed); NaN and Infinity become None.

    Raises FormatError for anything that is not one object, for a key given twice with different values, and for nesting
    deeper than MAX_DEPTH.
    """
    try:
        value = _parse(raw.decode("utf-8-sig"))
    except RecursionError:
        raise FormatError(f"{where}: nested too deeply; refused, because no real file of this kind is") from None
    except ValueError as error:
        raise FormatError(f"{where}: not valid JSON ({str(error)[:120]}); check the file, or fetch it again") from None
    if not isinstance(value, dict):
        raise FormatError(
            f"{where}: a JSON object was expected, found {type(value).__name__}; check that this is the right file"
        )
    return value


def _parse(text: str) -> Any:
    """Parse with Python's own dict where that is proven to drop no key, which is many times faster than looking at pairs."""
    value = json.loads(text, parse_constant=_nothing)
    if "\\" not in text and text.count('"') == 2 * _strings(value):
        return value
    return json.loads(text, object_pairs_hook=_object, parse_constant=_nothing)


def _nothing(_: str) -> None:
    """Stand for NaN and the infinities."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object and refuse a key that says two things."""
    value = dict(pairs)
    if len(value) != len(pairs):
        for key, item in pairs:
            if value[key] != item:
                raise ValueError(f"key {key[:60]!r} stands there twice with different values")
    return value


def _strings(value: object) -> int:
    """Count keys and texts, each of which costs two quotation marks, without recursion. Raises RecursionError below MAX_DEPTH."""
    strings, level = 0, [value]
    for _ in range(MAX_DEPTH + 1):
        strings += sum(len(item) for item in level if isinstance(item, dict))
        parts = [item.values() if isinstance(item, dict) else item for item in level if isinstance(item, dict | list)]
        kinds = [Counter(map(type, part)) for part in parts]
        strings += sum(kind[str] for kind in kinds)
        level = [item for part, kind in zip(parts, kinds, strict=True) if kind.keys() & {dict, list} for item in part]
        if not level:
            return strings
    raise RecursionError
