"""HTML: one self-contained page, light and dark, no script, a strict content policy, real tables."""

from hubcmp.renderers import Renderer
from hubcmp.renderers._blocks import View
from hubcmp.renderers._plain import visible
from hubcmp.renderers._templates import fill


def draw(view: View) -> str:
    """Return the report as a page that loads nothing from anywhere."""
    return fill("report.html.j2", {"visible": visible}, autoescape=True, report=view.layout())


PLUGIN = Renderer(endings=(".html", ".htm"), draw=draw)
