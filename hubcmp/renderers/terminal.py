"""The terminal, drawn by rich: the same sections as Markdown; obeys NO_COLOR and the width, lists below 60 columns."""

import io
import sys
from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from hubcmp.renderers import Renderer
from hubcmp.renderers._blocks import Block, Bullets, Cell, Commands, Fold, Paragraph, Plot, Report, Table, View
from hubcmp.renderers._plain import visible

NARROW = 60
"""Columns below which a table becomes a list."""
DEFAULT_WIDTH = 80
STYLES = {"unknown": "dim", "estimated": "yellow", "conflict": "red", "code": "cyan", "strong": "bold"}
TONES = {"plain": "", "strong": "bold", "warning": "bold yellow", "note": "italic"}


def draw(view: View) -> str:
    """Return the report for the terminal that stdout is, or for 80 columns without colour when it is none."""
    tty = sys.stdout.isatty()
    console = Console(
        file=io.StringIO(),
        width=None if tty else DEFAULT_WIDTH,
        force_terminal=tty,
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.file = io.StringIO()
    for item in _report(view.layout(), console.width):
        console.print(item)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"


def _report(report: Report, width: int) -> Iterator[RenderableType]:
    yield Text(visible(report.title), style="bold")
    for section in report.sections:
        yield Text("")
        if section.title:
            yield Text(section.title.upper(), style="bold underline")
        for block in section.blocks:
            yield _block(block, width)
    yield Text("")
    for line in report.footer:
        yield Text(visible(line), style="dim")


def _block(block: Block, width: int) -> RenderableType:
    if isinstance(block, Paragraph):
        return Text(visible(block.text), style=TONES[block.tone])
    if isinstance(block, Commands):
        return Group(*(Text(f"  {visible(line)}", style="cyan", overflow="fold") for line in block.lines))
    if isinstance(block, Bullets):
        return _bullets(block)
    if isinstance(block, Plot):
        return Group()
    if isinstance(block, Fold):
        inner = (_block(item, width) for item in block.blocks)
        return Group(Text(visible(block.summary), style="italic"), *inner)
    return _list(block) if width < NARROW else _table(block)


def _bullets(block: Bullets) -> RenderableType:
    grid = RichTable.grid(padding=(0, 1))
    for item in block.items:
        grid.add_row(" -", _cell(item))
    return grid


def _table(block: Table) -> RenderableType:
    table = RichTable(
        title=visible(block.caption) or None,
        title_justify="left",
        title_style="italic",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    for index, title in enumerate(block.head):
        numeric = index in block.numeric
        table.add_column(visible(title), justify="right" if numeric else "left", overflow="fold")
    for row in block.rows:
        table.add_row(*(_cell(cell) for cell in row))
    return table


def _list(block: Table) -> RenderableType:
    """A table for narrow terminals: one block of "head: value" lines per row."""
    lines: list[RenderableType] = [Text(visible(block.caption), style="italic")] if block.caption else []
    for row in block.rows:
        lines.append(Text.assemble(_cell(row[0])))
        lines += [Text.assemble(f"  {visible(t)}: ", _cell(c)) for t, c in zip(block.head[1:], row[1:], strict=True)]
    return Group(*lines)


def _cell(cell: Cell) -> Text:
    text = f"≈ {visible(cell.text)}" if cell.mark == "estimated" else visible(cell.text)
    note = f" ({visible(cell.note)})" if cell.note else ""
    refs = f" [{','.join(str(r) for r in cell.refs)}]" if cell.refs else ""
    return Text.assemble((text, STYLES.get(cell.mark, "")), note, (refs, "dim"))


PLUGIN = Renderer(endings=(".txt",), draw=draw)
