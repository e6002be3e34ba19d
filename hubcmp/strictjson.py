"""JSON from strangers: one strict parse that refuses what Python's parser lets through (duplicate keys, NaN, endless nesting)."""

import json
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
        value = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_object, parse_constant=lambda _: None)
    except RecursionError:
        raise FormatError(f"{where}: nested too deeply; refused, because no real file of this kind is") from None
    except ValueError as error:
        raise FormatError(f"{where}: not valid JSON ({str(error)[:120]}); check the file, or fetch it again") from None
    if not isinstance(value, dict):
        raise FormatError(
            f"{where}: a JSON object was expected, found {type(value).__name__}; check that this is the right file"
        )
    if _depth(value) > MAX_DEPTH:
        raise FormatError(
            f"{where}: nested deeper than {MAX_DEPTH} levels; refused, because no real file of this kind is"
        )
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object and refuse a key that says two things."""
    value = dict(pairs)
    if len(value) != len(pairs):
        for key, item in pairs:
            if value[key] != item:
                raise ValueError(f"key {key[:60]!r} stands there twice with different values")
    return value


def _depth(value: object) -> int:
    """Count nesting levels without recursion."""
    depth, level = 0, [value]
    while level := [item for outer in level for item in _containers(outer)]:
        depth += 1
    return depth


def _containers(value: object) -> list[Any]:
    """Return the objects and lists directly inside; a table of nothing but texts is passed over at once."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [] if {*map(type, items)} <= {str} else [item for item in items if isinstance(item, dict | list)]
