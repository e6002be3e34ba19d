"""Markdown: hostile text shows as itself, and the same tree comes out whatever the text says."""

import re

import cmarkgfm
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubcmp.renderers import markdown
from hubcmp.renderers._blocks import Bullets, Cell, Commands, Fold, Paragraph, Report, Section, Table, View

HOSTILE = [
    "@octocat",
    "fixes #1",
    "org/repo#12",
    "GH-4",
    "a|b",
    "<img src=x onerror=alert(1)>",
    "**bold**",
    "`code`",
    "``x``",
    "\\|",
    "&#64;octocat",
    "&lt;b&gt;",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/x.png)",
    "https://evil.example",
    "www.evil.example",
    "line\nbreak",
    "# heading",
    "- item",
    "1. item",
    "> quote",
    "---",
    "```\nfence",
    "$x$",
    "~~x~~",
    "<!-- hubcmp:marker -->",
    "</details>",
    "\u202egnp.exe",
    "a\u200bb",
    "\x1b[31mred",
    "[^1]",
    ":smile:",
    "http://a.example/b",
    "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "{{ 7*7 }}",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
]


def page(text: str) -> str:
    report = Report(
        "title " + text,
        (
            Section(
                "section",
                (
                    Paragraph(text),
                    Paragraph(text, "strong"),
                    Bullets((Cell(text), Cell(text, "code", text))),
                    Commands((text,)),
                    Fold(
                        "more",
                        (Table(("a", text), ((Cell(text), Cell(text, "unknown")), (Cell("b"), Cell(text, "code")))),),
                    ),
                ),
            ),
        ),
        (text,),
    )
    return markdown.draw(View(None, lambda: report))


def tree(text: str) -> list[str]:
    html = cmarkgfm.github_flavored_markdown_to_html(page(text))
    return re.findall(r"</?[a-z0-9]+", html)


def plain(text: str) -> list[str]:
    """The tree for harmless text, which a hostile one must share."""
    return tree("harmless")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_keeps_the_tree(text: str) -> None:
    assert [t for t in tree(text) if t not in ("<code", "</code")] == [
        t for t in plain(text) if t not in ("<code", "</code")
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_notifies_nobody_and_links_nowhere(text: str) -> None:
    html = cmarkgfm.github_flavored_markdown_to_html(page(text))
    outside = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", html, flags=re.S)
    shown = re.sub(r"<[^>]+>", "", outside)
    assert not re.search(r"(?<![\w/])@\w", shown)
    assert not re.search(r"#\d", shown)
    assert "<a " not in html
    assert "<img" not in html


@given(st.text(min_size=1, max_size=60).filter(lambda text: text.strip() != ""))
def test_any_text_keeps_the_tree(text: str) -> None:
    assert [t for t in tree(text) if t not in ("<code", "</code")] == [
        t for t in plain(text) if t not in ("<code", "</code")
    ]


def test_links_of_ours_go_through_the_redirect_host() -> None:
    cell = Cell("seen", link="https://github.com/sgl-project/sglang/pull/4247")
    assert markdown.span(cell) == "[seen](https://redirect.github.com/sgl-project/sglang/pull/4247)"


def test_estimates_and_sources_are_marked() -> None:
    assert markdown.span(Cell("2.37", "estimated", "2.32 to 2.42", (4, 7))) == "≈ 2.37 (2.32 to 2.42) <sup>4, 7</sup>"
