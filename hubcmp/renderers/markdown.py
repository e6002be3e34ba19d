"""Markdown for GitHub: what is read from outside can neither draw structure, nor notify anybody, nor link anywhere."""

import re
from collections.abc import Callable

from hubcmp.renderers import Renderer
from hubcmp.renderers._blocks import Cell, View
from hubcmp.renderers._plain import visible
from hubcmp.renderers._templates import fill

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~$!{}])")
_PING = re.compile(r"(\\?[@#])(?=[\w-])")
_ISSUE = re.compile(r"\b(GH)-(?=\d)")
_START = re.compile(r"^(\d{1,9}(?=[.)](?:\s|$))|(?=([-+=])(?:\s|$|\2)))")
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|www)(?=[:.])")
_SHA = re.compile(r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,64}")
ZERO_WIDTH = "\u200b"


def escape(text: str) -> str:
    """Return raw text so that it shows as itself: no markup, no mention, no issue link, no commit link, no address link."""
    text = visible(text).strip().replace("&", "&amp;")
    text = _SPECIAL.sub(r"\\\1", text)
    text = _PING.sub(lambda m: m[1] + ZERO_WIDTH, text)
    text = _ADDRESS.sub(lambda m: m[1] + ZERO_WIDTH, text)
    text = _ISSUE.sub(lambda m: f"{m[1]}{ZERO_WIDTH}-", text)
    return _START.sub(lambda m: m[1] + "\\", text)


def code(text: str) -> str:
    """Return raw text as a code span, with enough backticks around it to hold any text."""
    plain = _unmarked(visible(text)).replace("|", "¦")
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if plain.startswith("`") or plain.endswith("`") or not plain.strip() else ""
    return f"{fence}{pad}{plain}{pad}{fence}"


def span(cell: Cell) -> str:
    """Return one cell: its text by its mark, its remark, its source numbers."""
    text = escape(cell.text)
    if cell.mark == "code" or (cell.mark == "value" and _SHA.fullmatch(cell.text)):
        text = code(cell.text)
    elif cell.mark == "strong":
        text = f"**{text}**"
    elif cell.mark == "unknown":
        text = f"*{text}*"
    elif cell.mark == "estimated":
        text = f"≈ {text}"
    if cell.link:
        text = f"[{text}]({address(cell.link)})"
    note = f" ({escape(cell.note)})" if cell.note else ""
    refs = f" <sup>{', '.join(str(r) for r in cell.refs)}</sup>" if cell.refs else ""
    return f"{text}{note}{refs}"


def address(link: str) -> str:
    """Return an address of ours; issues of other projects go through the redirect host, so that a report does not show up there."""
    return link.replace("https://github.com/", "https://redirect.github.com/").replace(")", "%29").replace(" ", "%20")


def fenced(line: str) -> str:
    """Return one line for inside a fence: it cannot close it."""
    return _unmarked(visible(line)).replace("```", "'''")


def _unmarked(text: str) -> str:
    """Break what could pass for a hidden marker where characters are not escaped."""
    return text.replace("<!--", f"<!{ZERO_WIDTH}--")


def draw(view: View) -> str:
    """Return the report as Markdown."""
    filters: dict[str, Callable[..., str]] = {"escape_markdown": escape, "span": span, "fenced": fenced}
    text = fill("report.md.j2", filters, report=view.layout())
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


PLUGIN = Renderer(endings=(".md", ".markdown"), draw=draw)
