"""The terminal, drawn by rich: the same sections as Markdown; obeys NO_COLOR and the width; what is too wide is listed."""

import io
import sys
from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from hubcmp.renderers import Renderer
from hubcmp.renderers._blocks import Block, Bullets, Cell, Commands, Fold, Paragraph, Plot, Report, Table, View
from hubcmp.renderers._plain import visible

BETWEEN = 3
"""Columns between two of a table's columns."""
LONGEST = 32
"""Columns that the longest word of a table's column may take before it is broken."""
BROKEN = (32, 24, 16, 12)
"""The same for tables whose names may be broken, from the best to the last."""
DEFAULT_WIDTH = 80
STYLES = {"unknown": "dim", "estimated": "yellow", "conflict": "red", "code": "cyan", "strong": "bold"}
TONES = {"plain": "", "strong": "bold", "warning": "bold yellow", "note": "italic"}


def draw(view: View) -> str:
    """Return the report for the terminal that stdout is, or for 80 columns without colour when it is none."""
    tty = sys.stdout.isatty()
    return drawn(view.layout(), None if tty else DEFAULT_WIDTH, tty)


def drawn(report: Report, width: int | None, styled: bool) -> str:
    """Return a report as lines of at most `width` columns (None: as the terminal has); commands to copy may be longer."""
    paper = io.StringIO()
    console = Console(file=paper, width=width, force_terminal=styled, highlight=False, markup=False, emoji=False)
    for item in _report(report, console.width):
        console.print(item, soft_wrap=isinstance(item, Command))
    return "\n".join(line.rstrip() for line in paper.getvalue().splitlines()) + "\n"


def _report(report: Report, width: int) -> Iterator[RenderableType]:
    yield Text(visible(report.title), style="bold")
    for section in report.sections:
        yield Text("")
        if section.title:
            yield Text(visible(section.title), style="bold underline")
        for index, block in enumerate(block for block in section.blocks if not isinstance(block, Plot)):
            yield from (Text(""),) if index else ()
            yield from _block(block, width)
    yield Text("")
    for line in report.footer:
        yield Text(visible(line), style="dim")


class Command(Text):
    """A line to copy: the terminal itself breaks it, so that what is copied is one line."""


def _block(block: Block, width: int) -> Iterator[RenderableType]:
    if isinstance(block, Paragraph):
        yield Text(visible(block.text), style=TONES[block.tone])
    elif isinstance(block, Commands):
        yield from (Command(f"  {visible(line)}", style="cyan") for line in block.lines)
    elif isinstance(block, Bullets):
        yield _bullets(block)
    elif isinstance(block, Fold):
        yield Text(visible(block.summary), style="italic")
        for item in block.blocks:
            yield from _block(item, width)
    elif isinstance(block, Table):
        yield _table(block, width)


def _bullets(block: Bullets) -> RenderableType:
    grid = RichTable.grid(padding=(0, 1))
    for item in block.items:
        grid.add_row(" -", _cell(item))
    return grid


def _table(block: Table, width: int) -> RenderableType:
    """Return a table that breaks no word below LONGEST (BROKEN), or the same as a list where there is no room for it."""
    columns = [[visible(title), *(_cell(row[i]).plain for row in block.rows)] for i, title in enumerate(block.head)]
    tries = (_widths(columns, width, longest) for longest in (BROKEN if block.breaks else (LONGEST,)))
    widths = next(filter(None, tries), [])
    if not widths:
        return _list(block)
    table = RichTable(
        title=visible(block.caption) or None,
        title_justify="left",
        title_style="italic",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )
    for index, title in enumerate(block.head):
        side: JustifyMethod = "right" if index in block.numeric else "left"
        table.add_column(visible(title), justify=side, overflow="fold", width=widths[index])
    for row in block.rows:
        table.add_row(*(_cell(cell) for cell in row))
    return table


def _widths(columns: Sequence[Sequence[str]], width: int, longest: int) -> list[int]:
    """Return a width per column: its longest word, and an equal share of what is left; none when there is no room."""
    words = [max((cell_len(word) for text in texts for word in text.split()), default=1) for texts in columns]
    wishes = [max(map(cell_len, texts)) for texts in columns]
    widths = [min(longest, word) for word in words]
    spare = width - sum(widths) - BETWEEN * (len(widths) - 1)
    if spare < 0:
        return []
    while spare > 0 and (wanting := [i for i, wish in enumerate(wishes) if wish > widths[i]]):
        for i in wanting[:spare]:
            added = min(max(1, spare // len(wanting)), wishes[i] - widths[i])
            widths[i], spare = widths[i] + added, spare - added
    return widths


def _list(block: Table) -> RenderableType:
    """A table for narrow terminals: one block of "head: value" lines per row."""
    lines: list[RenderableType] = [Text(visible(block.caption), style="italic")] if block.caption else []
    for row in block.rows:
        lines.append(_cell(row[0]))
        fields = [(head, cell) for head, cell in zip(block.head[1:], row[1:], strict=True) if cell.text]
        lines += [Padding(Text.assemble(f"{visible(head)}: ", _cell(cell)), (0, 0, 0, 2)) for head, cell in fields]
    return Group(*lines)


def _cell(cell: Cell) -> Text:
    text = f"≈ {visible(cell.text)}" if cell.mark == "estimated" else visible(cell.text)
    note = f" ({visible(cell.note)})" if cell.note else ""
    refs = f" [{','.join(str(r) for r in cell.refs)}]" if cell.refs else ""
    return Text.assemble((text, STYLES.get(cell.mark, "")), note, (refs, "dim"))


PLUGIN = Renderer(endings=(".txt",), draw=draw)
