"""How each kind of plot is drawn. Everything is placed in units of 1/72 inch from the top left, so that nothing depends on fonts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hubcmp import units
from hubcmp.renderers._blocks import Guide, Kind, Plot
from hubcmp.renderers._plot_parts import (
    KEY,
    NOTE,
    PALETTE,
    cut,
    key,
    key_height,
    label,
    mark,
    ray,
    shade,
    stroke,
    words,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE, HEAD, FOOT = 14, 22, 38
GROUP, ROW = 19, 32
BOLD = 13.5
"""Size that bold letters of 11 to 12 units take the room of."""
NAMED = 8
"""Points over two axes that are named; where there are more, names would hide the points, and the table has them."""
HOLLOW = "hollow: estimated, with its interval"


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot with its height in units; `draw` puts it into a figure, `top` units above its lower edge, of `total`."""

    plot: Plot
    head: int
    height: int

    def draw(self, figure: "Figure", top: float, total: float) -> None:
        """Draw title, body and axis."""
        plot, kind = self.plot, KINDS[self.plot.kind]
        width = figure.get_figwidth() * 72
        if self.head:
            title = cut(plot.title, width - 2 * SIDE, BOLD)
            figure.text(SIDE / width, (top - 14) / total, title, fontsize=12, weight="bold", color=PALETTE["ink"])
        above, foot = key_height(plot) if kind.keyed else 0, _foot(plot)
        body, room = self.height - self.head - foot - above, width - kind.left - SIDE
        box = (kind.left / width, (top - self.height + foot) / total, room / width, body / total)
        axes = figure.add_axes(box, facecolor="none")
        axes.tick_params(colors=PALETTE["faint"], labelsize=10, length=3)
        axes.set_xlabel(plot.x, color=PALETTE["ink"], fontsize=11)
        axes.set_ylabel(plot.y, color=PALETTE["ink"], fontsize=11)
        axes.spines[:].set_color(PALETTE["line"])
        kind.body(axes, plot, room, body)
        if kind.keyed:
            key(axes, plot, room, body)
        place = SIDE / width, (top - self.height + 5) / total
        figure.text(*place, "; ".join(_remarks(plot)), fontsize=NOTE, color=PALETTE["faint"])


@dataclass(frozen=True, slots=True)
class Drawing:
    """One kind: its height without title and axis, what draws it into axes of so many units, whether a key stands above them."""

    tall: Callable[[Plot], int]
    body: Callable[["Axes", Plot, float, float], None]
    left: int = SIDE
    keyed: bool = False


def panel(plot: Plot, titled: bool) -> Panel:
    """Return a plot laid out: how high it is is known before anything is drawn."""
    head = HEAD if titled else 0
    return Panel(plot, head, head + KINDS[plot.kind].tall(plot) + _foot(plot))


def _foot(plot: Plot) -> int:
    return FOOT + (KEY if _remarks(plot) else 0)


def _remarks(plot: Plot) -> list[str]:
    """Say below the axes what a hollow marker is, and what is not shown."""
    hollow = any(p.look == "estimated" for p in plot.points)
    return [
        *([HOLLOW] if hollow else []),
        *([f"{plot.left_out} more in the tables"] if plot.left_out else []),
    ]


def _listed(plot: Plot) -> int:
    """Return the height of a list: a line per guide, a heading per group, a row per point."""
    return GROUP * len({p.group for p in plot.points}) + ROW * len(plot.points) + KEY * len(plot.guides) + 10


def _dots(axes: "Axes", plot: Plot, width: float, height: float) -> None:
    """One row per figure below the name of its benchmark: words above, the figure on its track."""
    reach = [*(p.high for p in plot.points), *(p.x for p in plot.points), *(g.x0 for g in plot.guides)]
    _scale(axes, (1 if min(p.x for p in plot.points) >= 1 else 0, max(reach) * 1.06), height)
    y = KEY * len(plot.guides) + 4.0
    tracks = []
    group = None
    for point in plot.points:
        if point.group != group:
            group = point.group
            place = axes.get_yaxis_transform()
            axes.text(0, y + 12, cut(group, width, BOLD), weight="bold", color=PALETTE["ink"], transform=place)
            y += GROUP
        words(axes, plot.series[point.series].name, point, y + 11, width)
        axes.axhline(y + 22, color=PALETTE["line"], lw=0.8, zorder=0)
        mark(axes, plot, point, y + 22)
        tracks.append(y + 22)
        y += ROW
    for i, guide in enumerate(plot.guides):
        _upright(axes, guide, KEY * i + 9, tracks, width)


def _upright(axes: "Axes", guide: Guide, y: float, tracks: Sequence[float], width: float) -> None:
    """Draw a length to read points against, as a tick on each track, named above them on the side where there is room."""
    low, high = axes.get_xlim()
    tops, ends = [y - 6, *(t - 7 for t in tracks)], [y + 6, *(t + 7 for t in tracks)]
    axes.vlines([guide.x0] * len(tops), tops, ends, color=PALETTE["faint"], lw=1.2, zorder=1)
    right = (guide.x0 - low) / (high - low) > 0.5
    room = (guide.x0 - low if right else high - guide.x0) / (high - low) * width - 8
    axes.annotate(
        cut(guide.label, room, NOTE), (guide.x0, y), (-5 if right else 5, 0), textcoords="offset points", fontsize=NOTE,
        ha="right" if right else "left", va="center", color=PALETTE["faint"],
    )  # fmt: skip


def _scale(axes: "Axes", reach: tuple[float, float], height: float) -> None:
    """Let x run over `reach` and y downwards in units."""
    axes.set_xlim(*reach)
    axes.set_ylim(height, 0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)


def _stairs(plot: Plot) -> int:
    return ROW * len(plot.points) + 6


def _bars(axes: "Axes", plot: Plot, width: float, height: float) -> None:
    """A waterfall downwards: each bar begins where the one above ended; a decrease is hatched."""
    _scale(axes, (0, max(max(p.low, p.high) for p in plot.points) * 1.02), height)
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter(lambda value, _: units.count(value))
    for i, point in enumerate(plot.points):
        y = ROW * i
        words(axes, point.group, point, y + 12, width)
        start, end = sorted((point.low, point.high))
        color, down = shade(plot.series[point.series]), point.low > point.high
        fill, hatch = (PALETTE["paper"], "////") if down else (color, "")
        axes.barh(y + 23, end - start, 11, start, color=fill, ec=color, lw=1, hatch=hatch)
        if i + 1 < len(plot.points):
            axes.vlines([point.high] * 2, [y + 29, y + ROW + 14], [y + 33, y + ROW + 17], color=PALETTE["faint"], lw=1)


def _curves(axes: "Axes", plot: Plot, width: float, height: float) -> None:
    """One line per series over the draft positions."""
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_xticks(sorted({p.x for p in plot.points}))
    axes.set_xlim(min(p.x for p in plot.points) - 0.2, max(p.x for p in plot.points) + 0.2)
    axes.grid(axis="y", color=PALETTE["line"], lw=0.6)
    for i, series in enumerate(plot.series):
        points = [p for p in plot.points if p.series == i]
        line = [p.x for p in points], [p.y for p in points]
        axes.plot(*line, ls=stroke(plot, i), color=shade(series), lw=1.5)
        for point in points:
            mark(axes, plot, point, point.y)


def _scatter(axes: "Axes", plot: Plot, width: float, height: float) -> None:
    """Points over two axes with their lines, each point named beside it."""
    xs = [*(p.high for p in plot.points), *(g.x1 for g in plot.guides)]
    ys = [*(p.y for p in plot.points), *(g.y1 for g in plot.guides), 1.0]
    axes.set_xlim(1, max(xs) * 1.03)
    axes.set_ylim(min(0.8, *(y * 0.95 for y in ys)), max(ys) * 1.06)
    for guide in plot.guides:
        ends = [guide.x0, guide.x1], [guide.y0, guide.y1]
        axes.plot(*ends, color=PALETTE["faint"], lw=1, ls=ray(guide), zorder=1)
    for point in plot.points:
        mark(axes, plot, point, point.y)
    if len(plot.points) <= NAMED:
        label(axes, plot.points, width, height)


KINDS: Mapping[Kind, Drawing] = {
    "dots": Drawing(_listed, _dots),
    "bars": Drawing(_stairs, _bars),
    "curves": Drawing(lambda plot: 200 + key_height(plot), _curves, 54, keyed=True),
    "scatter": Drawing(lambda plot: 250 + key_height(plot), _scatter, 50, keyed=True),
}
"""Every kind of plot by name."""
