"""Which family a drafter is: evidence in a fixed order, the decision printed with its reasons.

`architectures` alone decides nothing that tensor names can decide: a published EAGLE-3 calls itself LlamaForCausalLM, and
a repository named EAGLE-3 held a file that is none.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from hubcmp.facts import Fact, Span
from hubcmp.families import Family, families


@dataclass(frozen=True, slots=True)
class Clues:
    """What recognition looks at: config facts by metric, stripped tensor names with "#" for numbers, the repository's name."""

    facts: Mapping[str, Fact] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    repository: str = ""


Test = Callable[[Family, Clues, str], str]
"""One kind of evidence: what speaks for a family, "" when nothing does; the text holds all names, one a line."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The family ("unknown" when nothing decides), what decided, and the reasons in words."""

    family: str
    title: str
    decided_by: str
    reasons: tuple[str, ...] = ()


def recognise(clues: Clues) -> Decision:
    """Return the decision; the first kind of evidence that points to one family counts, special forms are tried after it."""
    text = "\n".join(sorted(clues.names))
    speaks = {level: _hints(test, clues, text) for level, test in _LEVELS.items()}
    for level, hints in speaks.items():
        bases = _special(hints)
        if len(bases) == 1:
            return _refine(bases[0], level, speaks)
    reason = "nothing in the config's keys, the tensor names or the repository's name is known"
    return Decision("unknown", "unknown", "", (reason,))


def _hints(test: Test, clues: Clues, text: str) -> dict[str, str]:
    """Return what one kind of evidence says for which family."""
    return {name: hint for name, family in families().items() if (hint := test(family, clues, text))}


def _refine(base: str, level: str, speaks: Mapping[str, Mapping[str, str]]) -> Decision:
    """Look for a special form of the base that any evidence speaks for, and collect what speaks for and against."""
    reasons = [f"{level}: {speaks[level][base]}"]
    hints = {name: f"{other}: {found[name]}" for other, found in reversed(list(speaks.items())) for name in found}
    name = base
    while special := _special(n for n in hints if name in families()[n].refines):
        name = special[0]
        reasons.append(hints[name])
    for other, found in speaks.items():
        against = [n for n in _special(found) if other != level and n != name and n != base]
        if against and name not in found and base not in found:
            reasons.append(f"not followed: {other} ({found[against[0]]}) would mean {families()[against[0]].title}")
    return Decision(name, families()[name].title, level, tuple(dict.fromkeys(reasons)))


def _special(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that no other of them is a special form of."""
    found = tuple(names)
    return tuple(n for n in found if not any(n in families()[other].refines for other in found))


def _wrapper(family: Family, clues: Clues, _: str) -> str:
    value = _text(clues.facts.get("speculators_model_type"))
    return f'"{value}"' if value and value.lower() in family.marks.wrapper else ""


def _tensors(family: Family, clues: Clues, text: str) -> str:
    """Return the first name that the deciding patterns found, "" when one is missing or a forbidden one is there."""
    wanted = [re.search(rf"^(?:{p})$", text, re.MULTILINE) for p in family.marks.tensors]
    if not wanted or any(re.search(rf"^(?:{p})$", text, re.MULTILINE) for p in family.marks.tensors_without):
        return ""
    return ", ".join(match[0] for match in wanted if match) if all(wanted) else ""


def _keys(family: Family, clues: Clues, _: str) -> str:
    for mark in family.marks.keys:
        key, _, want = mark.partition("=")
        fact = clues.facts.get(key)
        if fact is not None and (not want or _text(fact) == want):
            return f"{fact.sources[0].where.removeprefix('$.')} = {fact.raw[:60]}"
    return ""


def _architectures(family: Family, clues: Clues, _: str) -> str:
    value = _text(clues.facts.get("architectures"))
    return f'"{value}"' if value and _fits(family.marks.architectures, value) else ""


def _repository(family: Family, clues: Clues, _: str) -> str:
    name = clues.repository.rstrip("/").rpartition("/")[2].lower()
    return f'"{name}"' if name and _fits(family.marks.repository, name) else ""


def _fits(patterns: Iterable[str], value: str) -> bool:
    return any(re.fullmatch(pattern, value) for pattern in patterns)


def _text(fact: Fact | None) -> str:
    if fact is None or isinstance(fact.value, Span | tuple):
        return ""
    return str(fact.value).lower() if isinstance(fact.value, bool) else fact.value


_LEVELS: Mapping[str, Test] = {
    "speculators_model_type": _wrapper,
    "tensor names": _tensors,
    "config keys": _keys,
    "architectures": _architectures,
    "repository name": _repository,
}
