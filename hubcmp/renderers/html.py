"""HTML: one self-contained page, light and dark, no script, a strict content policy, real tables, plots as inline SVG."""

from collections.abc import Callable

from markupsafe import Markup

from hubcmp.renderers import Renderer, _plots
from hubcmp.renderers._blocks import Plot, View
from hubcmp.renderers._plain import visible
from hubcmp.renderers._templates import fill

Artist = Callable[[Plot], str]
"""Turns a plot into an `svg` element; what it returns is taken as it is, so it escapes for itself."""


def draw(view: View) -> str:
    """Return the report as a page that loads nothing from anywhere."""
    return page(view, _plots.inline if _plots.available() else None)


def page(view: View, artist: Artist | None) -> str:
    """Return the page with its plots drawn by `artist`; without one their figures stand as tables, and the page says how to get plots."""
    report = view.layout()
    missing = _plots.ADVICE if artist is None and _plots.plots(report) else ""
    filters: dict[str, Callable[..., str]] = {
        "visible": visible,
        "picture": lambda plot: Markup("" if artist is None else artist(plot)),
    }
    return fill("report.html.j2", filters, autoescape=True, report=report, missing=missing)


PLUGIN = Renderer(endings=(".html", ".htm"), draw=draw)
