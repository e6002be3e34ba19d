"""What a report must not tell: local paths, and on request the names of private repositories.

Pure: an answer goes in, and the same answer comes out with other names, the same one everywhere, before anything is laid
out. So every format, a saved JSON and a template show the same.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import count
from pathlib import PurePath
from typing import Any, TypeVar

from hubcmp.reference import HUBS

T = TypeVar("T")

_END = r"\s\"'`,;:()\[\]{}<>|=*"
_PATH = re.compile(
    rf"(?<![\w./~\\-])(?:(?:file://)?~?(?!//)/[^/{_END}]+/[^{_END}]*|~/[^{_END}]+|[A-Za-z]:[\\/][^{_END}]+|\\\\[^\\{_END}]+\\[^{_END}]+)"
)
"""An absolute path inside a text: at least two parts, so that "/ 2" and "tok/s" are none."""
_PAIR = re.compile(r"(?<=[^/.])\.\.(?=/|~|[A-Za-z]:[\\/])")
"""Between the two scrapes of BEFORE..AFTER."""
_ABSOLUTE = re.compile(r"file://|/|~|[A-Za-z]:[\\/]|\\\\")
_REFS = ("ref", "resolved")
_NAMES = (*_REFS, "path")
"""Fields that hold a reference or a path and nothing else, so that it may contain spaces."""


def redact(answer: T, here: str, private: bool = False) -> T:
    """Return the answer with local paths relative to the folder `here`, or by their last part where they lie elsewhere.

    `private` turns them, servers and the ids of private repositories into labels instead ("private-1"), in order of appearance.
    """
    known = tuple(dict.fromkeys(_references(answer, set())))
    names = _Names(here, private, frozenset(_references(answer, set(), _REFS)))
    for text in known:
        if _ABSOLUTE.match(text) or (private and _is_server(text)):
            names.of(text)
    for name in (*_private_ids(answer), *_origins(answer)) if private else ():
        names.of(name)
    return names.applied(answer)


def _references(value: Any, seen: set[int], named: tuple[str, ...] = _NAMES) -> Iterator[str]:
    """Yield what an answer names in the fields `named`, in order; an object that stands in many places is looked at once."""
    if value is None or isinstance(value, str | int | float) or id(value) in seen:
        return
    seen.add(id(value))
    if names := _visible(value):
        for name in names:
            item = getattr(value, name)
            if isinstance(item, str):
                yield from (item,) if item and name in named else ()
            else:
                yield from _references(item, seen, named)
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _references(item, seen, named)


def _visible(value: object) -> tuple[str, ...]:
    """Return a dataclass's fields that can hold a name, none for anything else."""
    kind: Any = type(value)
    return _visible_fields(kind)


@cache
def _visible_fields(kind: Any) -> tuple[str, ...]:
    """Return the fields by class; tensor tables, left out of `repr`, are large and hold no name."""
    return tuple(field.name for field in fields(kind) if field.repr and field.init) if is_dataclass(kind) else ()


def _is_server(text: str) -> bool:
    """Whether a reference is the address of somebody's server, not a page of the Hub."""
    return text.startswith(("http://", "https://")) and not text.startswith(HUBS)


def _private_ids(answer: Any) -> Iterator[str]:
    """Yield the ids of all repositories that their Hub calls private, as they were asked for and as they are called now."""
    yield from getattr(answer, "private", ())
    for drafter in getattr(answer, "drafters", ()):
        if drafter.private:
            yield from {repository_id(drafter.ref), drafter.resolved}


def _origins(answer: Any) -> Iterator[str]:
    """Yield the servers whose saved results an answer holds."""
    runs = (run for item in getattr(answer, "items", ()) for run in getattr(item, "runs", ()))
    yield from (text for run in runs if _is_server(text := str(run.reported.get("saved_from", ""))))


def repository_id(ref: str) -> str:
    """Return a reference to a repository without its revision and part."""
    return ref.removeprefix("hub:").partition("@")[0].partition("#")[0]


class _Names:
    """Gives each secret one name and puts it wherever the secret stands."""

    def __init__(self, here: str, private: bool, refs: frozenset[str]) -> None:
        self._here, self._private = here.rstrip("/\\"), private
        self._taken = {text for text in refs if not _ABSOLUTE.match(text)}
        self._names: dict[str, str] = {}
        self._seen: dict[int, tuple[object, object]] = {}
        self._known: re.Pattern[str] | None = None

    def of(self, secret: str) -> str:
        """Return the name of a secret, a new one for a new secret."""
        key = secret.removeprefix("file://").rstrip("/\\") or secret
        if key not in self._names:
            self._names[key] = self._new(key)
            self._taken.add(self._names[key])
        return self._names[key]

    def _new(self, secret: str) -> str:
        if self._private:
            return self._free(f"private-{i}" for i in count(1))
        if secret == self._here:
            return "."
        if len(pair := _PAIR.split(secret)) == 2:
            return "..".join(map(self.of, pair))
        if len(self._here) > 1 and secret.startswith((self._here + "/", self._here + "\\")):
            return "./" + secret[len(self._here) + 1 :]
        last = PurePath(secret.replace("\\", "/")).name or "folder"
        return self._free(last if i == 1 else f"{last}-{i}" for i in count(1))

    def _free(self, names: Iterator[str]) -> str:
        return next(name for name in names if name not in self._taken)

    def applied(self, value: T) -> T:
        """Return a value with every secret replaced; what has none stays the object it was."""
        secrets = sorted(self._names, key=len, reverse=True)
        joined = "|".join(map(re.escape, secrets))
        self._known = re.compile(rf"(?<![\w.-])(?:file://)?(?:{joined})(?![\w-])(?!\.\w)") if secrets else None
        result: T = self._mapped(value)
        return result

    def _mapped(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value) if "/" in value or "\\" in value else value
        if value is None or isinstance(value, int | float):
            return value
        if isinstance(value, list | tuple):
            items = [self._mapped(item) for item in value]
            same = all(new is old for new, old in zip(items, value, strict=True))
            return value if same else type(value)(items)
        if isinstance(value, Mapping):
            pairs = {self._mapped(key): self._mapped(item) for key, item in value.items()}
            same = all(key in pairs and pairs[key] is item for key, item in value.items())
            return value if same else pairs
        return self._record(value) if _visible(value) else value

    def _record(self, value: Any) -> Any:
        """Return a dataclass with its fields replaced; one object stays one object."""
        if id(value) not in self._seen:
            old = {name: getattr(value, name) for name in _visible(value)}
            new = {name: self._mapped(item) for name, item in old.items()}
            changed = {name: item for name, item in new.items() if item is not old[name]}
            self._seen[id(value)] = (value, replace(value, **changed) if changed else value)
        return self._seen[id(value)][1]

    def _text(self, text: str) -> str:
        new = text if self._known is None else self._known.sub(lambda found: self.of(found[0]), text)
        new = _PATH.sub(self._found, new)
        return text if new == text else new

    def _found(self, found: re.Match[str]) -> str:
        path = found[0].rstrip("./\\") or found[0]
        return self.of(path) + found[0][len(path) :].lstrip("/\\")
