"""The neutral blocks of a report: what every format draws, with text still raw (each renderer escapes for itself)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Mark = Literal["value", "approximate", "estimated", "unknown", "conflict", "code", "strong"]
"""How a cell wants to be seen; renderers map it to code spans, colour plus a word, and so on. Never colour alone."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One piece of text. `note` is a short remark shown beside it (such as "n not stated"), `refs` are numbers in the list of
    sources, `link` is an https address of our own choosing (never one from outside), `anchor` a name by which a page links to its row.
    """

    text: str
    mark: Mark = "value"
    note: str = ""
    refs: tuple[int, ...] = ()
    link: str = ""
    anchor: str = ""


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
    """A table: `head` names the columns, `numeric` the columns set flush right (by index); the first column heads its row.

    `breaks` says that the long names in it may be broken where space is short, so that it stays a table.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    numeric: frozenset[int] = frozenset()
    breaks: bool = False

    def without_empty(self) -> "Table":
        """Return the table without the columns in which nothing stands."""
        kept = [i for i in range(len(self.head)) if any(row[i].text for row in self.rows)]
        rows = tuple(tuple(row[i] for i in kept) for row in self.rows)
        numeric = frozenset(at for at, i in enumerate(kept) if i in self.numeric)
        return Table(tuple(self.head[i] for i in kept), rows, self.caption, numeric, self.breaks)


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that a reader may skip, behind a summary line. `shed` orders what is left out first when space is short (0: never)."""

    summary: str
    blocks: tuple["Block", ...]
    shed: int = 0


Kind = Literal["dots", "bars", "curves", "scatter"]
"""How a plot is drawn: figures along one axis, a waterfall, lines over positions, points over two axes."""
Look = Literal["measured", "estimated", "range"]
"""How a point is drawn: filled, hollow with its interval, or its interval alone. Never colour alone."""


@dataclass(frozen=True, slots=True)
class Series:
    """What belongs together in a plot; `tone` picks colour and marker (0 is the drafter that others are set against)."""

    name: str
    tone: int


@dataclass(frozen=True, slots=True)
class Point:
    """One figure of a plot. `low` and `high` are its interval along x, for bars the two ends.

    `series` is an index into the plot's series, `group` the benchmark or role, `text` the figure as written, `note` how it is known.
    """

    series: int
    x: float
    y: float
    group: str
    text: str
    note: str = ""
    low: float = 0.0
    high: float = 0.0
    look: Look = "measured"


@dataclass(frozen=True, slots=True)
class Guide:
    """A straight line to read points against, from (x0, y0) to (x1, y1); in "dots" an upright at x0."""

    label: str
    x0: float
    x1: float
    y0: float = 0.0
    y1: float = 0.0


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture of figures that also stand in `table`; formats without pictures leave it out. `x` and `y` name axes with units."""

    kind: Kind
    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    points: tuple[Point, ...]
    table: Table
    guides: tuple[Guide, ...] = ()
    left_out: int = 0

    @property
    def alt(self) -> str:
        """The whole picture in words."""
        said = (f"{p.group}, {self.series[p.series].name}: {p.text}" for p in self.points)
        lines = (guide.label for guide in self.guides)
        return "; ".join((*said, *lines))


Block = Paragraph | Bullets | Commands | Table | Fold | Plot


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
