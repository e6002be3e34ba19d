"""The structure of a card: headings, prose, list items, tables and fences, each with its lines, from Markdown tokens."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from hubcmp.readers.card.html_text import HtmlTable, blocks_of_html
from hubcmp.readers.card.text import Text

MAX_NESTING = 20
"""Depth of quotes, lists and emphasis that is followed."""
MAX_INLINE = 16 * 1024
"""Characters of one paragraph whose emphasis and links are resolved; a longer one is taken as it stands."""
MAX_BRACKETS = 400
"""Opening brackets and emphasis marks in one paragraph beyond which it is taken as it stands."""
_MARKS = re.compile(r"[\[*_`<!~]")
_BREAK = re.compile(r"<br\s{0,3}/?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    text: Text


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph or list item. `lead` is the bold text it starts with; `depth` is the list depth, 0 outside lists."""

    text: Text
    lead: str = ""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A table as a full grid (spans filled in): `heads` says how many of its rows are head rows."""

    rows: tuple[tuple[Text, ...], ...]
    heads: int = 1


@dataclass(frozen=True, slots=True)
class Fence:
    """A code block; `info` is the language named on its fence."""

    info: str
    text: Text


Block = Heading | Prose | Table | Fence


def parse(body: str, first_line: int = 1) -> tuple[Block, ...]:
    """Return the blocks of a card's body in order; `first_line` is the line of the card on which the body starts."""
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING, "html": True}).enable("table")
    parser.disable(["inline", "text_join"])
    tokens = parser.parse(body)
    return tuple(_Walk(parser, first_line).blocks(tokens))


class _Walk:
    """One pass over the block tokens; remembers list depth and the table being filled."""

    def __init__(self, parser: MarkdownIt, first_line: int) -> None:
        self._parser = parser
        self._first = first_line
        self._depth = 0

    def blocks(self, tokens: Sequence[Token]) -> Iterator[Block]:
        """Yield the blocks of a token stream."""
        rows: list[list[Text]] = []
        for before, token in zip([None, *tokens], tokens, strict=False):
            kind = token.type
            self._depth += (kind == "list_item_open") - (kind == "list_item_close")
            if kind == "tr_open":
                rows.append([])
            elif kind == "table_close":
                yield Table(_rectangle(rows), 1)
                rows = []
            elif kind == "inline" and before is not None:
                yield from self._inline(token, before, rows)
            elif kind in ("fence", "code_block"):
                yield Fence(token.info.strip(), _verbatim(token.content, self._line(token) + (kind == "fence")))
            elif kind == "html_block":
                yield from self._html(token)

    def _inline(self, token: Token, before: Token, rows: list[list[Text]]) -> Iterator[Block]:
        """Turn the inline content of a heading, cell or paragraph into its block, or add it to the table's last row."""
        text, lead = self._plain(token)
        if before.type in ("th_open", "td_open"):
            rows[-1].append(text)
        elif before.type == "heading_open":
            yield Heading(int(before.tag[1]), text)
        elif text:
            yield Prose(text, lead, self._depth)

    def _html(self, token: Token) -> Iterator[Block]:
        """Read the tables and texts of an HTML block."""
        for part in blocks_of_html(token.content, self._line(token)):
            if isinstance(part, HtmlTable):
                yield Table(part.rows, part.heads)
            else:
                yield Heading(part.level, part.text) if part.level else Prose(part.text, "", self._depth)

    def _line(self, token: Token) -> int:
        return (token.map[0] if token.map else 0) + self._first

    def _plain(self, token: Token) -> tuple[Text, str]:
        """Return the text without markup, and the bold text it starts with."""
        content, line = token.content, self._line(token)
        if len(content) > MAX_INLINE or len(_MARKS.findall(content)) > MAX_BRACKETS:
            return _verbatim(content, line, " "), ""
        children: list[Token] = []
        self._parser.inline.parse(content, self._parser, {}, children)
        return _flatten(children, line)


def _flatten(children: Iterable[Token], line: int) -> tuple[Text, str]:
    """Join inline tokens to text: pictures and tags vanish, a line break becomes a space whose offset is kept."""
    parts: list[str] = []
    breaks: list[int] = []
    length, strong, lead = 0, 0, ""
    for token in children:
        strong += (token.type == "strong_open") - (token.type == "strong_close")
        piece = _piece(token)
        if token.type in ("softbreak", "hardbreak"):
            breaks.append(length + 1)
        if strong and len(lead) == length:
            lead += piece
        parts.append(piece)
        length += len(piece)
    return Text("".join(parts), line, tuple(breaks)), lead.strip()


def _piece(token: Token) -> str:
    """Return what one inline token says."""
    if token.type in ("text", "code_inline", "text_special"):
        return token.content
    if token.type == "html_inline":
        return "^" if token.content.lower() == "<sup>" else " / " if _BREAK.fullmatch(token.content) else ""
    return " " if token.type in ("softbreak", "hardbreak") else ""


def _verbatim(content: str, line: int, newline: str = "\n") -> Text:
    """Return text as it stands, with its line starts."""
    breaks = tuple(i + 1 for i, c in enumerate(content) if c == "\n")
    return Text(content.replace("\n", newline), line, breaks)


def _rectangle(rows: Sequence[Sequence[Text]]) -> tuple[tuple[Text, ...], ...]:
    """Pad short rows with empty cells."""
    width = max(map(len, rows), default=0)
    return tuple((*row, *[Text("", row[0].line if row else 0)] * (width - len(row))) for row in rows)
