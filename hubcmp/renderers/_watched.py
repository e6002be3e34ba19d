"""The live table of `hubcmp bench --watch`: the last interval of each source, and how it went."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from hubcmp.live import Point
from hubcmp.renderers._plain import visible

if TYPE_CHECKING:
    from hubcmp.feeds import Feed

WIDTH = 24
"""Intervals that a sparkline shows."""
_BARS = "▁▂▃▄▅▆▇█"


def table(feeds: "Sequence[Feed]", second: float) -> Table:
    """Return the table at one moment."""
    drawn = Table(title=f"{second:.0f} s; Ctrl-C ends and reports", title_justify="left")
    for name in ("source", "accept length", "per position", "tok/s", "accept length over time"):
        drawn.add_column(name, justify="right" if name in ("accept length", "tok/s") else "left")
    for feed in feeds:
        drawn.add_row(*(Text(text) for text in _row(feed)))
    return drawn


def _row(feed: "Feed") -> tuple[str, ...]:
    last = feed.points[-1] if feed.points else Point(0.0)
    positions = " ".join(f"{p:.2f}" for p in last.per_position)
    lengths = [p.accept_length for p in feed.points[-WIDTH:]]
    return (
        visible(feed.text),
        _shown(last.accept_length, ".3f"),
        positions or "-",
        _shown(last.throughput, ",.1f"),
        sparkline(lengths),
    )


def _shown(value: float | None, style: str) -> str:
    return "-" if value is None else format(value, style)


def sparkline(values: Sequence[float | None]) -> str:
    """Return values as bars between their least and greatest; a gap where nothing was measured."""
    known = [v for v in values if v is not None]
    low, span = (min(known), max(known) - min(known)) if known else (0.0, 0.0)
    return "".join(" " if v is None else _BARS[round((v - low) / span * 7) if span else 3] for v in values)
