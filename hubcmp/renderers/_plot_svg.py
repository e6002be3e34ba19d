"""matplotlib's SVG made part of a page: colours from the page's style sheet, words for those who do not see, no clashing ids."""

import hashlib
import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from hubcmp.renderers._blocks import Plot
from hubcmp.renderers._plain import visible
from hubcmp.renderers._plot_parts import PALETTE

SVG = "http://www.w3.org/2000/svg"
XLINK = "{http://www.w3.org/1999/xlink}href"
_LONG = re.compile(r"-?\d+\.\d{3,}")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_FONT = re.compile(r"'DejaVu Sans'[^;]*")
_GEOMETRY = ("d", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "transform", "points")


def themed(svg: bytes, plot: Plot) -> str:
    """Return the `svg` element of a picture that matplotlib drew, ready to stand in a page."""
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK[1:-5])
    root = ElementTree.fromstring(svg)
    prefix = "p" + hashlib.sha256(repr((plot.title, plot.points)).encode()).hexdigest()[:8]
    for metadata in root.findall(f"{{{SVG}}}metadata"):
        root.remove(metadata)
    elements = list(root.iter())
    kept = {name for element in elements for name in _references(element)}
    for element in elements:
        _rename(element, kept, prefix)
        _restyle(element)
    _describe(root, plot, prefix)
    return ElementTree.tostring(root, encoding="unicode")


def _references(element: Element) -> list[str]:
    """Return the ids that an element refers to."""
    found = [name for value in element.attrib.values() for name in _REFERENCE.findall(value)]
    return [*found, element.attrib.get(XLINK, "").removeprefix("#")]


def _rename(element: Element, kept: set[str], prefix: str) -> None:
    """Drop ids that nothing refers to, and set the rest apart from those of other pictures in the page."""
    name = element.attrib.pop("id", "")
    if name in kept and name:
        element.set("id", f"{prefix}-{name}")
    if XLINK in element.attrib:
        element.set(XLINK, f"#{prefix}-{element.attrib[XLINK].removeprefix('#')}")
    for key, value in element.attrib.items():
        element.set(key, _REFERENCE.sub(lambda m: f"url(#{prefix}-{m[1]})", value))


def _restyle(element: Element) -> None:
    """Give colours and letters to the page, and shorten numbers to hundredths of a unit."""
    style = element.attrib.get("style", "")
    if element.attrib.get("fill") in PALETTE.values():  # a style may name a colour of the page, an attribute need not
        style = f"fill: {element.attrib.pop('fill')}; {style}"
    for name, color in PALETTE.items():
        style = style.replace(color, f"var(--{name})")
    if style:
        element.set("style", _FONT.sub("system-ui, sans-serif", style))
    for key in _GEOMETRY:
        if key in element.attrib:
            element.set(key, _LONG.sub(lambda m: f"{float(m[0]):.2f}", element.attrib[key]))


def _describe(root: Element, plot: Plot, prefix: str) -> None:
    """Name the picture and say it in words."""
    for size in ("width", "height", "version"):
        root.attrib.pop(size, None)
    title, words = Element(f"{{{SVG}}}title", id=f"{prefix}-t"), Element(f"{{{SVG}}}desc", id=f"{prefix}-d")
    title.text, words.text = visible(plot.title), visible(plot.alt)
    root.insert(0, title)
    root.insert(1, words)
    root.attrib |= {"role": "img", "aria-labelledby": f"{prefix}-t", "aria-describedby": f"{prefix}-d"}
