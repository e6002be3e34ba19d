"""HTML: text from outside stays text, nothing is loaded or run, and the page is built so that everybody can read it."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hubcmp.comparison import compare
from hubcmp.renderers import html, render
from hubcmp.renderers._blocks import (
    Bullets,
    Cell,
    Commands,
    Fold,
    Paragraph,
    Plot,
    Point,
    Report,
    Section,
    Series,
    Table,
    View,
)
from hubcmp.renderers._plot_parts import PALETTE
from tests.build import drafter, figure
from tests.renderers.test_markdown import HOSTILE

TEMPLATE = (Path(__file__).parents[2] / "templates" / "report.html.j2").read_text()
MORE = [
    "</script><script>alert(1)</script>",
    '" onmouseover=alert(1) x="',
    "</style>",
    "</title>",
    "]]>",
    "javascript:alert(1)",
]


class Tree(HTMLParser):
    """The tags of a page with the names of their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def report(text: str) -> Report:
    table = Table(("a", text), ((Cell(text), Cell(text, "unknown", text, (1,))), (Cell("b"), Cell(text, "code"))), text)
    plot = Plot("dots", text, "x", "", (Series(text, 0),), (Point(0, 1.5, 0, text, text, text),), table)
    blocks = (Paragraph(text), Paragraph(text, "strong"), Bullets((Cell(text), Cell(text, "estimated", text))))
    sources = Section(text, (Table(("no.",), ((Cell("1", anchor="source-1"),),)),))
    return Report(text, (Section("s", (*blocks, Commands((text,)), Fold(text, (table,)), plot)), sources), (text,))


def page(text: str) -> Tree:
    return Tree(html.page(View(None, lambda: report(text)), None))


@pytest.mark.parametrize("text", [*HOSTILE, *MORE])
def test_hostile_text_keeps_the_tree(text: str) -> None:
    found = page(text)
    assert found.tags == page("harmless").tags
    assert not any(name.startswith("on") for _, name, _ in found.attributes)


@given(st.text(min_size=1, max_size=40))
@settings(max_examples=40)
def test_any_text_keeps_the_tree(text: str) -> None:
    assert page(text).tags == page("harmless").tags


def story() -> str:
    full = {"num_steps": 3, "topk": 1, "num_draft_tokens": 4}
    gain = figure(1.4, metric="speedup", batch_size=1, **full)
    found = compare([drafter("org/a", figure(2.5, **full), gain), drafter("org/b", figure(2.1, num_steps=2, topk=1))])
    return render(found, "html")


def test_nothing_is_loaded_or_run() -> None:
    found = Tree(story())
    tags = {tag for tag, _ in found.tags}
    assert not tags & {"script", "iframe", "object", "embed", "base", "form", "img", "audio", "video"}
    policy = next(value for tag, name, value in found.attributes if tag == "meta" and value.startswith("default-src"))
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    reached = [v for tag, name, v in found.attributes if name in ("href", "src", "xlink:href", "action")]
    assert all(v.startswith(("#", "https://", "data:,")) for v in reached)
    assert "@import" not in TEMPLATE
    assert "url(" not in TEMPLATE


def test_ids_are_single_and_every_link_inside_the_page_arrives() -> None:
    found = Tree(story())
    ids = [value for _, name, value in found.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    inside = {v[1:] for _, name, v in found.attributes if name in ("href", "xlink:href") and v.startswith("#")}
    assert inside <= set(ids)
    assert any(name.startswith("source-") for name in inside)


def test_tables_are_real_tables() -> None:
    found = Tree(story())
    heads = [(tag, names) for tag, names in found.tags if tag == "th"]
    assert heads
    assert all("scope" in names for _, names in heads)
    boxes = [names for tag, names in found.tags if tag == "div"]
    assert all({"tabindex", "role", "aria-label"} <= set(names) for names in boxes)


def test_plots_stand_in_the_page_with_their_figures_below() -> None:
    text = story()
    assert text.count("<svg") == text.count("<figure>") == text.count("Figures of this plot") == 2
    assert "Plots are not drawn" not in text


def palettes() -> list[dict[str, str]]:
    """The colours of the light and the dark theme."""
    light, dark = re.findall(r":root \{([^{}]*--ink[^{}]*)\}", TEMPLATE)
    return [dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{3,6})", part)) for part in (light, dark)]


def luminance(color: str) -> float:
    digits = color[1:] if len(color) == 7 else "".join(c * 2 for c in color[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colors", [*palettes(), dict(PALETTE)], ids=["light", "dark", "file"])
def test_contrast(colors: dict[str, str]) -> None:
    for ground in ("paper", "shade"):
        for ink in ("ink", "faint", "estimate", "link"):
            if ground in colors and ink in colors:
                assert contrast(colors[ink], colors[ground]) >= 4.5, (ink, ground)
    for shape in ("p0", "p1", "p2", "p3", "gap"):
        assert contrast(colors[shape], colors["paper"]) >= 3, shape


def test_pages_have_every_colour_that_plots_use() -> None:
    assert all(set(PALETTE) <= set(colors) for colors in palettes())
