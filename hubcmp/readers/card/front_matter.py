"""Front matter as the Hub means it, also from broken YAML: what could be read, and what could not and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from hubcmp.errors import Problem

LIMIT = 256 * 1024
"""Bytes of front matter that are read."""
MAX_ALIASES = 50
MAX_DEPTH = 20
MAX_NODES = 20_000
_FENCE = "---"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The metadata of a card: values are strings, lists and dicts as written ("no" stays text). `body_line` is where the body starts.

    `lines` gives the line of each top-level key, `model_index` that key's value as a YAML node, whose lines count from `first_line`.
    """

    data: Mapping[str, object] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    body: str = ""
    body_line: int = 1
    problems: tuple[Problem, ...] = ()
    model_index: Node | None = None
    first_line: int = 1


class _Refused(ValueError):
    """YAML that is not followed: too deep, too large, or full of aliases."""


def split(text: str, where: str) -> FrontMatter:
    """Return the front matter and the body of a card. `where` names the card in problems.

    A card that starts with text and has a block of metadata further down is read as well, because authors paste it there.
    """
    lines = text.split("\n")
    start = 0 if lines and lines[0].rstrip() == _FENCE else _misplaced(lines)
    end = (
        next((i for i in range(start + 1, len(lines)) if lines[i].rstrip() == _FENCE), None)
        if start is not None
        else None
    )
    if start is None or end is None:
        return FrontMatter(body=text)
    body = "\n".join([*lines[:start], *[""] * (end + 1 - start), *lines[end + 1 :]])
    return replace(_read("\n".join(lines[start + 1 : end]), start + 2, where), body=body, first_line=start + 2)


def _misplaced(lines: list[str]) -> int | None:
    """Return where a metadata block starts that does not stand at the top: a rule, then known keys only."""
    for i, line in enumerate(lines[:400]):
        if line.rstrip() == _FENCE and i and not lines[i - 1].strip() and i + 1 < len(lines):
            key = lines[i + 1].partition(":")[0].strip()
            if (
                key in ("license", "base_model", "library_name", "tags", "language", "pipeline_tag", "datasets")
                and ":" in lines[i + 1]
            ):
                return i
    return None


def _read(content: str, first_line: int, where: str) -> FrontMatter:
    """Read YAML leniently: the whole when it is sound, else nothing of it with one warning that names the line."""
    if len(content.encode("utf-8", "replace")) > LIMIT:
        return _unread(
            f"{where} line {first_line}", f"front matter is larger than {LIMIT:,} bytes; not read, the body is"
        )
    try:
        return _mapping(yaml.compose(content, Loader=_Loader), first_line, where)
    except _Refused as error:
        return _unread(f"{where} line {first_line}", f"front matter not read ({error}); the body is")
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = first_line + mark.line if mark else first_line
        reason = getattr(error, "problem", None) or "not YAML"
        advice = f"front matter unreadable ({reason}); correct the YAML; the body is read without it"
        return _unread(f"{where} line {line}", advice)


def _unread(where: str, why: str) -> FrontMatter:
    return FrontMatter(problems=(Problem(where, why),))


class _Loader(yaml.SafeLoader):
    """Composes nodes only, and counts what could explode when printed."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._aliases = 0
        self._nodes = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        """Compose one node. Raises _Refused beyond the limits."""
        self._nodes += 1
        if self.check_event(yaml.AliasEvent):
            self._aliases += 1
        if self._aliases > MAX_ALIASES or self._nodes > MAX_NODES:
            raise _Refused(
                f"more than {MAX_ALIASES} aliases" if self._aliases > MAX_ALIASES else f"more than {MAX_NODES:,} values"
            )
        return super().compose_node(parent, index)


def _mapping(node: Node | None, first_line: int, where: str) -> FrontMatter:
    """Return the top-level keys with their lines; a key given twice with two values is a conflict that names both."""
    if node is None:
        return FrontMatter()
    if not isinstance(node, MappingNode):
        why = "front matter unreadable (not a mapping of keys to values); the body is read without it"
        return _unread(f"{where} line {first_line}", why)
    data: dict[str, object] = {}
    lines: dict[str, int] = {}
    problems: list[Problem] = []
    budget = _Budget()
    for key_node, value_node in node.value:
        key, value = str(key_node.value)[:200], _value(value_node, 0, budget)
        line = first_line + key_node.start_mark.line
        if key in data and data[key] != value:
            both = f"front matter gives {key} twice: {data[key]} (line {lines[key]}) and {value}"
            problems.append(Problem(f"{where} line {line}", f"{both}; the last one is used, as the Hub does"))
        data[key], lines[key] = value, line
    index = next((value for key, value in node.value if key.value == "model-index"), None)
    return FrontMatter(data, lines, problems=tuple(problems), model_index=index)


@dataclass(slots=True)
class _Budget:
    """Values left before an expansion is refused: aliases are few, but what they repeat may be large."""

    left: int = MAX_NODES


def _value(node: Node, depth: int, budget: _Budget) -> object:
    """Return a node as text, list or dict. Raises _Refused when it is too deep or expands too far."""
    budget.left -= 1
    if depth > MAX_DEPTH or budget.left < 0:
        raise _Refused("aliases expand too far" if budget.left < 0 else f"nested deeper than {MAX_DEPTH}")
    if isinstance(node, SequenceNode):
        return [_value(item, depth + 1, budget) for item in node.value]
    if isinstance(node, MappingNode):
        return {str(k.value)[:200]: _value(v, depth + 1, budget) for k, v in node.value}
    return str(node.value) if isinstance(node, ScalarNode) else ""


def texts(value: object) -> tuple[str, ...]:
    """Return a metadata value as its texts: a single value or a list of them; anything else gives none."""
    if isinstance(value, str):
        return (value.strip(),) if value.strip() and value.strip().lower() not in ("null", "~") else ()
    return tuple(v.strip() for v in value if isinstance(v, str) and v.strip()) if isinstance(value, list) else ()
