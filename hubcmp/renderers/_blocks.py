"""The neutral blocks of a report: what every format draws, with text still raw (each renderer escapes for itself)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Mark = Literal["value", "approximate", "estimated", "unknown", "conflict", "code", "strong"]
"""How a cell wants to be seen; renderers map it to code spans, colour plus a word, and so on. Never colour alone."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One piece of text. `note` is a short remark shown beside it (such as "n not stated"), `refs` are numbers in the list of
    sources, `link` is an https address of our own choosing (never one from outside).
    """

    text: str
    mark: Mark = "value"
    note: str = ""
    refs: tuple[int, ...] = ()
    link: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or two. `tone` "warning" and "note" are drawn as alerts (at most two per report)."""

    text: str
    tone: Literal["plain", "strong", "warning", "note"] = "plain"


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Commands:
    """Commands to copy, one per line."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table: `head` names the columns, `numeric` the columns set flush right (by index); the first column heads its row."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that a reader may skip, behind a summary line. `shed` orders what is left out first when space is short (0: never)."""

    summary: str
    blocks: tuple["Block", ...]
    shed: int = 0


Block = Paragraph | Bullets | Commands | Table | Fold


@dataclass(frozen=True, slots=True)
class Section:
    """A headed part of a report; `keep` marks those that are shortened last when space is short."""

    title: str
    blocks: tuple[Block, ...]
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report: title line, sections in order, footer lines."""

    title: str
    sections: tuple[Section, ...]
    footer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """One answer laid out twice: `data` is plain JSON data, `layout` builds the report (only when a format draws it)."""

    data: object
    layout: Callable[[], Report] = field(repr=False)
