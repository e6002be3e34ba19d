"""Pictures of a report, drawn by matplotlib (the extra `plots`): as SVG inside a page, and as files of their own."""

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from hubcmp.errors import UsageError
from hubcmp.renderers._blocks import Block, Fold, Plot, Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ADVICE = "pip install 'hubcmp[plots]' adds them"
WIDTH = 360
"""Units (1/72 inch) of every picture: as wide as a telephone, so that its letters stay readable there."""
GAP = 24
RESOLUTION = 200
"""Dots per inch of a PNG file."""
SETTINGS: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 11,
    "text.parse_math": False,  # "$" in a name is a dollar sign, never a formula
    "text.usetex": False,
    "svg.fonttype": "none",  # text stays text: small, selectable, in the reader's own font
    "svg.hashsalt": "hubcmp",  # the same picture has the same ids in every run
    "axes.unicode_minus": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.8,
}
_LOCK = Lock()
"""matplotlib's settings belong to the whole process; two threads that draw take turns."""


def available() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def require() -> None:
    """Raise UsageError, with how to get plots, when matplotlib is not installed."""
    if not available():
        raise UsageError(f"plots are drawn by matplotlib, which is not installed; {ADVICE}")


def plots(report: Report) -> tuple[Plot, ...]:
    """Return every picture of a report in order."""
    return tuple(plot for section in report.sections for plot in _within(section.blocks))


def _within(blocks: Sequence[Block]) -> Iterator[Plot]:
    for block in blocks:
        if isinstance(block, Plot):
            yield block
        elif isinstance(block, Fold):
            yield from _within(block.blocks)


def inline(plot: Plot) -> str:
    """Return a picture as an `svg` element for a page whose style sheet has the colours; its words stand in `title` and `desc`."""
    from hubcmp.renderers._plot_svg import themed

    with _settings():
        return themed(_file(_figure([plot], titled=False), "svg"), plot)


def save(found: Sequence[Plot], format: Literal["svg", "png"]) -> bytes:
    """Return all pictures below one another as one file, dark on white; no pictures give no bytes. Raises UsageError without matplotlib."""
    require()
    if not found:
        return b""
    with _settings():
        return _file(_figure(found, titled=True), format)


@contextmanager
def _settings() -> Iterator[None]:
    """Draw with our settings alone: neither the user's matplotlibrc nor one in this folder changes a report."""
    import matplotlib

    with _LOCK, matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the bundled font lacks: the reader's own has them
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


def _figure(found: Sequence[Plot], titled: bool) -> "Figure":
    from matplotlib.figure import Figure

    from hubcmp.renderers._plot_kinds import panel
    from hubcmp.renderers._plot_parts import PALETTE

    panels = [panel(plot, titled) for plot in found]
    total = sum(one.height for one in panels) + GAP * (len(panels) - 1)
    figure = Figure(figsize=(WIDTH / 72, total / 72), dpi=72, facecolor=PALETTE["paper"])
    top = total
    for one in panels:
        one.draw(figure, top, total)
        top -= one.height + GAP
    return figure


def _file(figure: "Figure", format: Literal["svg", "png"]) -> bytes:
    """Write a figure without the date and the name of the program, so that equal figures are equal files."""
    target = io.BytesIO()
    unset = {"Date": None, "Creator": None, "Format": None, "Type": None} if format == "svg" else {"Software": None}
    figure.savefig(target, format=format, dpi=RESOLUTION if format == "png" else 72, metadata=unset)
    return target.getvalue()
