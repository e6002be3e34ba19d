"""hubcmp.toml: a comparison that is written down once, so that `hubcmp report` runs it again. Pure; paths are relative to the file.

drafters = ["org/theirs", "./ckpt"]        # the first is the baseline, unless `baseline` names another
target = "org/target"                      # for drafters whose sources name none
benches = ["./ckpt=ours.log"]              # benches, plains, givens, facts and gates: texts as on the command line
gates = ["accept_length < 2.0"]
output = ["report.md", "report.json"]      # the endings choose the formats; without any, stdout
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePath
from typing import NoReturn

from hubcmp.errors import UsageError
from hubcmp.extras import owner

KEYS = ("drafters", "target", "baseline", "benches", "plains", "givens", "facts", "train_data", "gates", "output")
"""What a hubcmp.toml may hold: each is a string or a list of strings."""
_ELSEWHERE = ("/", "~", "http://", "https://", "hub:")
Exists = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Project:
    """One comparison as the command line would say it: texts for `api.compare`, and the files its report goes to."""

    refs: tuple[str, ...]
    bench: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    fact: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    train_data: tuple[str, ...] = ()
    baseline: str = ""
    fail_on: tuple[str, ...] = ()
    output: tuple[Path, ...] = ()


def parse(content: bytes, name: str, there: Exists) -> Project:
    """Return what the file `name` asks for; `there(path)` is truthy where something lies. Raises UsageError with advice."""
    said = _entries(content, name)
    drafters, folder = said["drafters"], PurePath(name).parent
    if len(drafters) < 2:
        _refuse(name, 'name two or more drafters: drafters = ["org/theirs", "./ckpt"]')
    for key in ("target", "baseline"):
        if len(said[key]) > 1:
            _refuse(name, f"{key} is one string")
    targets = [f"{n + 1}=target_model={text}" for text in said["target"] for n in range(len(drafters))]
    return Project(
        refs=tuple(_place(text, folder, there) for text in drafters),
        bench=tuple(_sources(said["benches"], drafters, folder, there)),
        plain=tuple(_sources(said["plains"], drafters, folder, there)),
        fact=tuple(_numbered(said["facts"], drafters)),
        given=(*targets, *_numbered(said["givens"], drafters)),
        train_data=tuple(_sources(said["train_data"], drafters, folder, there)),
        baseline=next((_number(text, drafters) for text in said["baseline"]), ""),
        fail_on=tuple(said["gates"]),
        output=tuple(Path(folder, text) for text in said["output"]),
    )


def _refuse(name: str, advice: str) -> NoReturn:
    raise UsageError(f"{name}: {advice}")


def _entries(content: bytes, name: str) -> Mapping[str, Sequence[str]]:
    """Return the texts of every key, none for those that are not there."""
    try:
        table = tomllib.loads(content.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        _refuse(name, f"no TOML ({' '.join(str(error).split())})")
    for key in table:
        if key not in KEYS:
            close = get_close_matches(key, KEYS, 1)
            hint = f"did you mean {close[0]}? " if close else ""
            _refuse(name, f"unknown key {key!r}; {hint}there are: {', '.join(KEYS)}")
    return {key: _texts(table.get(key, []), key, name) for key in KEYS}


def _texts(value: object, key: str, name: str) -> Sequence[str]:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(text, str) and text.strip() for text in found):
        _refuse(name, f"{key} is a string or a list of strings, as on the command line")
    return found


def _place(text: str, folder: PurePath, there: Exists) -> str:
    """Return a drafter as seen from the current folder: below the file's folder where something lies there, else as written."""
    below = _below(text, folder)
    return below if text.startswith(("./", "../")) or there(below) else text


def _numbered(texts: Sequence[str], drafters: Sequence[str]) -> Iterator[str]:
    """Yield texts with the number of their drafter before the =, because its name changes with the current folder."""
    for at, rest in (owner(text, drafters) for text in texts):
        yield f"{at + 1}={rest}"


def _number(text: str, drafters: Sequence[str]) -> str:
    """Return a baseline by its number; what is no drafter stays, and is refused by name."""
    return str(drafters.index(text) + 1) if text in drafters else text


def _sources(texts: Sequence[str], drafters: Sequence[str], folder: PurePath, there: Exists) -> Iterator[str]:
    for at, rest in (owner(text, drafters) for text in texts):
        yield f"{at + 1}={_source(rest, folder, there)}"


def _source(text: str, folder: PurePath, there: Exists) -> str:
    """Return a benchmark source; of BEFORE..AFTER both halves, where both lie below the file's folder."""
    start = text.find("..", 1)
    while start > 0:
        halves = _below(text[:start], folder), _below(text[start + 2 :], folder)
        if all(map(there, halves)):
            return "..".join(halves)
        start = text.find("..", start + 1)
    return _below(text, folder)


def _below(text: str, folder: PurePath) -> str:
    """Return a path below the file's folder; as written when that is the current one, or when it points elsewhere."""
    if text == "-" or text.startswith(_ELSEWHERE) or folder == PurePath("."):
        return text
    return str(folder / text)
