"""Streamed replies (server-sent events): the "data: {...}" lines up to "data: [DONE]" are one reply."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

FIELD = "data:"
"""What a line with content starts with."""


def replies(lines: Iterable[str], parse: Callable[[str], Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (where, reply) per stream: its chunks one over the other, so that of figures told in every chunk the last counts.

    A reply ends at [DONE], at llama.cpp's `"stop": true`, and where another id begins. A broken chunk is left out.
    """
    reply: dict[str, Any] = {}
    start = 0
    for number, line in enumerate(lines, 1):
        chunk = _chunk(line, parse)
        if chunk is None:
            continue
        if reply and (not chunk or chunk.get("id", reply.get("id")) != reply.get("id")):
            yield f"line {start}", reply
            reply = {}
        start = start if reply else number
        reply |= {key: value for key, value in chunk.items() if value not in (None, "", [])}
        if chunk.get("stop") is True:
            yield f"line {start}", reply
            reply = {}
    if reply:
        yield f"line {start}", reply


def _chunk(line: str, parse: Callable[[str], Any]) -> dict[str, Any] | None:
    """Return the object of one line, an empty one for the end of a stream, None for anything else."""
    if not line.startswith(FIELD):
        return None
    content = line[len(FIELD) :].strip()
    if content == "[DONE]":
        return {}
    try:
        value = parse(content)
    except ValueError:
        return None
    return value if isinstance(value, dict) and value else None
