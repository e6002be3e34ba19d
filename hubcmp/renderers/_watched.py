"""The live table of `hubcmp bench --watch`: the last interval of each source, and how it went."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from hubcmp.live import Point
from hubcmp.renderers._plain import visible

if TYPE_CHECKING:
    from hubcmp.feeds import Feed

_BARS = "▁▂▃▄▅▆▇█"
_HEADS = ("source", "accept length", "", "per position", "tok/s", "")
_RIGHT = ("accept length", "tok/s")


def table(feeds: "Sequence[Feed]", second: float, width: int = 120) -> Table:
    """Return the table at one moment, for a terminal of `width` columns; what is wrong with a source stands below it."""
    wrong = "\n".join(f"{visible(feed.text)}: {visible(feed.status)}" for feed in feeds if feed.status)
    title = f"{second:.0f} s; Ctrl-C ends and reports"
    drawn = Table(title=title, title_justify="left", caption=Text(wrong), caption_justify="left")
    for name in _HEADS:
        drawn.add_column(name, justify="right" if name in _RIGHT else "left", overflow="fold", no_wrap=name == "")
    bars = min(24, max(4, (width - 70) // 2))
    for feed in feeds:
        drawn.add_row(*(Text(text) for text in _row(feed, bars)))
    return drawn


def _row(feed: "Feed", bars: int) -> tuple[str, ...]:
    """Return the cells of one source, with sparklines of its last `bars` intervals."""
    last = feed.points[-1] if feed.points else Point(0.0)
    recent = feed.points[-bars:]
    return (
        visible(feed.text),
        _shown(last.accept_length, ".3f"),
        sparkline([p.accept_length for p in recent]),
        " ".join(f"{p:.2f}" for p in last.per_position) or "-",
        _shown(last.throughput, ",.1f"),
        sparkline([p.throughput for p in recent]),
    )


def _shown(value: float | None, style: str) -> str:
    return "-" if value is None else format(value, style)


def sparkline(values: Sequence[float | None]) -> str:
    """Return values as bars between their least and greatest; a gap where nothing was measured."""
    known = [v for v in values if v is not None]
    low, span = (min(known), max(known) - min(known)) if known else (0.0, 0.0)
    return "".join(" " if v is None else _BARS[round((v - low) / span * 7) if span else 3] for v in values)
