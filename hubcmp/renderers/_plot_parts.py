"""What every kind of plot is made of: colours, markers, texts that fit, the key above and the names beside points."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hubcmp.renderers._blocks import Guide, Plot, Point, Series
from hubcmp.renderers._plain import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PALETTE: Mapping[str, str] = {
    "ink": "#1b1b1c", "paper": "#fffffe", "faint": "#595958", "line": "#c9c9c8",
    "p0": "#c65300", "p1": "#0072b2", "p2": "#007a59", "p3": "#a2507f", "gap": "#767677",
}  # fmt: skip
"""Colours by name, after Okabe and Ito, dark enough on white (3:1 for shapes, 4.5:1 for text); pages replace them by their own."""
MARKERS = "osD^vPX*"
TONES = 4
LETTER = 6.1
"""Width of an average letter at 11 units."""
NOTE = 9.5
KEY = 15
NAME_STEP = 12.5
"""Units from one name beside a point to the next."""


def cut(text: str, width: float, size: float = 11) -> str:
    """Return text short enough for so many units, its end replaced by an ellipsis; nothing in it can act on its surroundings."""
    shown, room = visible(text), max(4, int(width / (LETTER * size / 11)))
    return shown if len(shown) <= room else f"{shown[: room - 1].rstrip()}…"


def shade(series: Series) -> str:
    """Return the colour of a series; tone -1 stands for no drafter."""
    return PALETTE["gap"] if series.tone < 0 else PALETTE[f"p{series.tone % TONES}"]


def shape(series: Series) -> str:
    """Return the marker of a series."""
    return MARKERS[series.tone % len(MARKERS)]


def mark(axes: "Axes", plot: Plot, point: Point, y: float) -> None:
    """Draw one point with its interval: filled when measured, hollow when estimated, its interval alone for a range."""
    series = plot.series[point.series]
    color = shade(series)
    if point.low < point.high:
        middle, half = (point.low + point.high) / 2, (point.high - point.low) / 2
        axes.errorbar(middle, y, xerr=half, color=color, capsize=3, lw=1.5, zorder=2)
    if point.look != "range":
        face = color if point.look == "measured" else PALETTE["paper"]
        axes.plot(point.x, y, shape(series), ms=7.5, mfc=face, mec=color, mew=1.6, zorder=3, clip_on=False)


def words(axes: "Axes", name: str, point: Point, y: float, width: float) -> None:
    """Write a row's name and figure, and how it is known as far as there is room."""
    figure = f": {visible(point.text)}"
    text = cut(name, width - LETTER * len(figure)) + figure
    place = axes.get_yaxis_transform()
    axes.text(0, y, text, fontsize=10.5, color=PALETTE["ink"], transform=place)
    room = width - LETTER * (len(text) + 2)
    if room > 8 * LETTER:
        axes.text(1, y, cut(point.note, room, NOTE), fontsize=NOTE, ha="right", color=PALETTE["faint"], transform=place)


def key_height(plot: Plot) -> int:
    """Return the room above the axes that the key takes."""
    return KEY * (len({p.series for p in plot.points}) + len(plot.guides)) + 6


def key(axes: "Axes", plot: Plot, width: float, height: float) -> None:
    """Name above the axes whose each marker is, and what each line says."""
    y = 1 + (key_height(plot) - KEY / 2) / height
    for i in sorted({p.series for p in plot.points}):
        series = plot.series[i]
        look = {"ls": stroke(plot, i) if plot.kind == "curves" else "", "lw": 1.5, "color": shade(series)}
        _sample(axes, look, y, width, series.name)
        axes.plot(9 / width, y, shape(series), ms=7, color=shade(series), transform=axes.transAxes, clip_on=False)
        y -= KEY / height
    for guide in plot.guides:
        _sample(axes, {"ls": ray(guide), "lw": 1, "color": PALETTE["faint"]}, y, width, guide.label)
        y -= KEY / height


def _sample(axes: "Axes", look: "dict[str, Any]", y: float, width: float, name: str) -> None:
    axes.plot([0, 18 / width], [y, y], transform=axes.transAxes, clip_on=False, **look)
    short = cut(name, width - 24, 10)
    axes.text(24 / width, y, short, fontsize=10, va="center", color=PALETTE["ink"], transform=axes.transAxes)


def stroke(plot: Plot, i: int) -> str:
    """Return the line style of a series: further ones of one drafter are dashed or dotted."""
    return ("-", "--", ":", "-.")[sum(s.tone == plot.series[i].tone for s in plot.series[:i]) % 4]


def ray(guide: Guide) -> "Any":
    """Return the line style of a guide: level ones are solid."""
    return "-" if guide.y0 == guide.y1 else (0, (4, 3))


def label(axes: "Axes", points: Sequence[Point], width: float, height: float) -> None:
    """Write names beside points, on the side with more room, pushed apart where they would touch."""
    low, high = axes.get_xlim()
    room = {point: (_ends(point)[0] - low, high - _ends(point)[1]) for point in points}
    for left in (True, False):
        chosen = [p for p in points if (room[p][0] > room[p][1]) == left]
        places = spread([p.y for p in chosen], NAME_STEP * _unit(axes, height), *axes.get_ylim())
        for point, y in zip(chosen, places, strict=True):
            space = room[point][0 if left else 1] / (high - low) * width - 12
            _beside(axes, point, (y - point.y) / _unit(axes, height), space, left)


def _ends(point: Point) -> tuple[float, float]:
    """Return where a point's drawing begins and ends along x."""
    return (min(point.low, point.x), max(point.high, point.x)) if point.low < point.high else (point.x, point.x)


def _unit(axes: "Axes", height: float) -> float:
    low, high = axes.get_ylim()
    return (high - low) / height


def _beside(axes: "Axes", point: Point, up: float, room: float, left: bool) -> None:
    """Write one name, with a thin line to its point where it had to move."""
    moved = {"arrowstyle": "-", "color": PALETTE["faint"], "lw": 0.6, "shrinkB": 5}
    name = f"≈ {point.group}" if point.look == "estimated" else point.group
    axes.annotate(
        cut(name, room, NOTE), (_ends(point)[0 if left else 1], point.y), (-9 if left else 9, up), fontsize=NOTE,
        textcoords="offset points", ha="right" if left else "left", va="center", color=PALETTE["ink"],
        arrowprops=moved if abs(up) > NAME_STEP / 3 else None, annotation_clip=False,
    )  # fmt: skip


def spread(places: Sequence[float], step: float, low: float, high: float) -> list[float]:
    """Return places at least `step` apart, in the same order by height, moved as little as a single pass allows."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    for before, i in pairwise(order):
        moved[i] = max(moved[i], moved[before] + step)
    top = high
    for i in reversed(order):
        moved[i] = max(low, min(moved[i], top))
        top = moved[i] - step
    return moved
