"""JSON and JSON lines as benchmark tools write them: keys for detection, values one by one, numbers that can be trusted."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from hubcmp.document import Document
from hubcmp.engines._events import FIELD, replies
from hubcmp.engines._text import LARGEST, head, is_json, lines, sane
from hubcmp.errors import FormatError

LIMIT = 64 << 20
"""Largest JSON value in bytes that is parsed whole; results with every prompt in them stay below it."""
_KEY = re.compile(rb'"([A-Za-z_][^"\\\n]{0,100})"\s{0,20}:')


def keys(document: Document) -> frozenset[str]:
    """Return every key that stands in the head of a JSON document, at any level; empty for anything else."""
    return _keys(head(document))


@lru_cache(maxsize=2)
def _keys(start: bytes) -> frozenset[str]:
    if not is_json(start):
        return frozenset()
    return frozenset(key.decode("utf-8", "replace") for key in _KEY.findall(start))


def outline(document: Document, limit: int) -> bytes:
    """Return an object with every key of the first `limit` bytes of a JSON document: what is left of it without its texts."""
    found: set[bytes] = set()
    rest, seen = b"", 0
    for chunk in document.chunks():
        found.update(_KEY.findall(rest + chunk))
        rest, seen = chunk[-200:], seen + len(chunk)
        if seen >= limit:
            break
    return b"{" + b", ".join(b'"%s": 0' % key for key in sorted(found)) + b"}"


def values(document: Document) -> Iterator[tuple[str, Any]]:
    """Yield (where, value): one per line of JSON lines or per streamed reply, otherwise the values of the whole text.

    A list at the top is yielded item by item. A broken line (a cut last one) is left out. Raises FormatError for content
    that is no JSON at all.
    """
    if FIELD.encode() in document.read(0, 4096).partition(b"{")[0]:
        yield from replies(lines(document, LIMIT), parse)
        return
    whole: list[str] = []
    parsed = 0
    for number, line in enumerate(lines(document, LIMIT), 1):
        if whole:
            whole.append(line)
        elif line.strip():
            try:
                value = parse(line)
            except ValueError:
                whole = [] if parsed else [line]
                continue
            parsed += 1
            yield from _spread(f"line {number}", value)
    if whole:
        for value in _decode(document, "\n".join(whole)):
            yield from _spread("$", value)


def objects(document: Document) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (where, object) for every value that is an object."""
    return ((where, value) for where, value in values(document) if isinstance(value, dict))


def parse(text: str) -> Any:
    """Return the JSON value of `text`; NaN and Infinity become None. Raises ValueError."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _decode(document: Document, text: str) -> Iterator[Any]:
    """Yield the values that stand one behind the other in `text`; what follows a broken one is left out."""
    if len(text) > LIMIT:
        raise FormatError(
            f"{document.source}: larger than {LIMIT:,} bytes in one JSON value; split it, or give the log instead"
        )
    decoder, at, found = json.JSONDecoder(parse_constant=lambda _: None), 0, 0
    while at < len(text):
        at = _skip(text, at)
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            if at < len(text) and not found:
                raise FormatError(
                    f"{document.source}: not valid JSON ({str(error)[:80]}); check that the file is whole"
                ) from None
            return
        found += 1
        yield value


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,\ufeff":
        at += 1
    return at


def _spread(where: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        yield from ((f"{where}[{i}]", item) for i, item in enumerate(value))
    else:
        yield where, value


def get(value: Any, *path: str | int) -> Any:
    """Return what lies at `path`, or None where a step is missing."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def items(value: Any, *path: str | int) -> list[Any]:
    """Return the list at `path`, or an empty one for anything else."""
    found = get(value, *path)
    return found if isinstance(found, list) else []


def number(value: Any, *path: str | int) -> float | None:
    """Return the figure at `path` when it is finite and between 0 and LARGEST, otherwise None."""
    value = get(value, *path) if path else value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST:
        return None
    return sane(float(value))


def whole(value: Any, *path: str | int) -> int | None:
    """Return the count at `path`, or None when it is no whole number."""
    found = number(value, *path)
    return int(found) if found is not None and found.is_integer() else None


def word(value: Any, *path: str | int) -> str | None:
    """Return the text at `path` (at most 300 characters), or None."""
    found = get(value, *path)
    return found[:300] if isinstance(found, str) and found else None


def counts(value: Any) -> list[float]:
    """Return a list of figures, empty when an item is none; {"1": 5, "3": 2} gives [0, 5, 0, 2]."""
    if isinstance(value, dict):
        pairs = {int(k): v for k, v in value.items() if str(k).isdecimal() and len(str(k)) <= 3}
        value = [pairs.get(i, 0) for i in range(max(pairs, default=-1) + 1)] if len(pairs) == len(value) else None
    items = [number(item) for item in value] if isinstance(value, list) and len(value) <= 1 << 20 else []
    found = [item for item in items if item is not None]
    return found if len(found) == len(items) else []
