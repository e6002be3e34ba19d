"""Tables and texts of HTML blocks, with the line of each cell's text; spans are filled in, so a table is a full grid."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from hubcmp.readers.card.text import Text

MAX_SPAN = 64
"""Columns or rows that one cell may cover; more is taken as this many."""
MAX_CELLS = 64 * 2000
_SKIPPED = frozenset({"script", "style", "svg"})
_BLOCKS = frozenset(
    {"p", "div", "summary", "details", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "br", "caption", "center"}
)


@dataclass(slots=True)
class _Cell:
    text: str = ""
    line: int = 0
    head: bool = False
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table of an HTML block as a full grid with its number of head rows."""

    rows: tuple[tuple[Text, ...], ...]
    heads: int


@dataclass(frozen=True, slots=True)
class HtmlText:
    """A text of an HTML block; `level` is 1 to 6 for a heading, else 0."""

    text: Text
    level: int = 0


@dataclass(slots=True)
class _Rows:
    rows: list[list[_Cell]] = field(default_factory=list)


def blocks_of_html(content: str, line: int) -> Iterator[HtmlText | HtmlTable]:
    """Yield the texts and tables of an HTML block that starts on `line`, in order; scripts, styles and comments vanish."""
    parser = _Parser(line)
    parser.feed(content)
    parser.close()
    yield from parser.finish()


class _Parser(HTMLParser):
    """Collects texts and table cells with their lines."""

    def __init__(self, first_line: int) -> None:
        super().__init__(convert_charrefs=True)
        self._first = first_line
        self._found: list[HtmlText | _Rows] = []
        self._text: _Cell = _Cell()
        self._tables: list[_Rows] = []
        self._skipping = 0
        self._level = 0

    def finish(self) -> Iterator[HtmlText | HtmlTable]:
        """Yield everything found, after the last tag."""
        self._flush()
        for part in self._found:
            yield part if isinstance(part, HtmlText) else _grid(part.rows)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a table, row or cell."""
        self._skipping += tag in _SKIPPED
        if tag == "table":
            self._flush()
            self._tables = [_Rows()]
            self._found.append(self._tables[0])
        elif tag == "tr" and self._tables:
            self._tables[0].rows.append([])
        elif tag in ("td", "th") and self._tables:
            self._open_cell(tag, dict(attrs))
        elif tag == "sup":
            self.handle_data("^")
        elif tag in _BLOCKS and not self._in_cell():
            self._flush()
            self._level = int(tag[1]) if tag[0] == "h" else 0

    def handle_endtag(self, tag: str) -> None:
        """Close a table or a block of text."""
        self._skipping -= tag in _SKIPPED and self._skipping > 0
        if tag == "table":
            self._tables = []
            self._text = _Cell()
        elif tag in _BLOCKS and not self._in_cell():
            self._flush()
            self._level = 0

    def handle_data(self, data: str) -> None:
        """Add text to the open cell, or to the text outside tables."""
        words = " ".join(data.split())
        if self._skipping or not words:
            return
        if not self._text.text:
            leading = len(data) - len(data.lstrip())
            self._text.line = self.getpos()[0] - 1 + self._first + data.count("\n", 0, leading)
        glue = " " if self._text.text and data[:1].isspace() else ""
        self._text.text += glue + words + (" " if data[-1:].isspace() else "")

    def _open_cell(self, tag: str, attributes: dict[str, str | None]) -> None:
        rows = self._tables[0].rows or [[]]
        self._tables[0].rows = rows
        line = self.getpos()[0] - 1 + self._first
        self._text = _Cell("", line, tag == "th", _span(attributes.get("colspan")), _span(attributes.get("rowspan")))
        rows[-1].append(self._text)

    def _in_cell(self) -> bool:
        return bool(self._tables and self._tables[0].rows)

    def _flush(self) -> None:
        """Close a text; a caption goes before its table."""
        if self._text.text and not self._in_cell():
            at = len(self._found) - bool(self._tables)
            self._found.insert(at, HtmlText(Text(self._text.text.strip(), self._text.line), self._level))
            self._text = _Cell()


def _span(value: str | None) -> int:
    """Return a colspan or rowspan between 1 and MAX_SPAN."""
    digits = (value or "1").strip()[:3]
    return max(1, min(int(digits), MAX_SPAN)) if digits.isascii() and digits.isdigit() else 1


def _grid(rows: list[list[_Cell]]) -> HtmlTable:
    """Fill spans: a cell that covers several columns or rows stands in each of them."""
    taken: dict[tuple[int, int], _Cell] = {}
    for y, row in enumerate(rows):
        x = 0
        for cell in row:
            while (y, x) in taken:
                x += 1
            if len(taken) < MAX_CELLS and x < MAX_SPAN:
                _cover(taken, cell, y, x)
            x += cell.columns
    width = max((x for _, x in taken), default=-1) + 1
    heads = _head_rows(rows)
    empty = _Cell()
    grid = tuple(tuple(_as_text(taken.get((y, x), empty)) for x in range(width)) for y in range(len(rows)))
    return HtmlTable(grid, heads)


def _cover(taken: dict[tuple[int, int], _Cell], cell: _Cell, y: int, x: int) -> None:
    for down in range(cell.rows):
        for right in range(cell.columns):
            taken.setdefault((y + down, x + right), cell)


def _as_text(cell: _Cell) -> Text:
    return Text(cell.text.strip(), cell.line)


def _head_rows(rows: list[list[_Cell]]) -> int:
    """Count the rows at the top that consist of head cells only (at least one row is a head)."""
    count = 0
    for row in rows:
        if not row or not all(cell.head for cell in row):
            break
        count += 1
    return max(count, 1)
