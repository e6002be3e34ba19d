"""Plain text that still knows the line of each character, so every claim can name the line it stands on."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

_SENTENCE_END = re.compile(r"(?<=[A-Za-z0-9%)\]×])[.!?](?=\s{1,3}\S)|[。！？]|\.$")
_ABBREVIATION = re.compile(
    r"\b(?:vs|e\.g|i\.e|approx|avg|ca|no|fig|incl|resp|etc|cf|spd|acc|max|min|temp|std|num"
    r"|inc|al|st|dr|tab|(?-i:[A-Z]))\.$",
    re.IGNORECASE,
)
MAX_QUESTION = 40
"""Characters of a question that is read together with its answer ("Without speculation? 1,402 tok/s.")."""
MAX_SENTENCE = 1000
"""Characters of one sentence that are read together."""


@dataclass(frozen=True, slots=True)
class Text:
    """Text with markup removed. `line` is the 1-based line of its start, `breaks` the offsets where a new line begins."""

    plain: str
    line: int
    breaks: tuple[int, ...] = ()

    def line_at(self, offset: int) -> int:
        """Return the 1-based line of the character at `offset`."""
        return self.line + bisect_right(self.breaks, offset)

    def part(self, start: int, end: int) -> "Text":
        """Return the text between two offsets, with its lines."""
        inside = tuple(b - start for b in self.breaks[bisect_right(self.breaks, start) : bisect_left(self.breaks, end)])
        return Text(self.plain[start:end], self.line_at(start), inside)

    def sentences(self) -> Iterator["Text"]:
        """Yield the sentences in order; decimals, versions and common abbreviations do not end one."""
        start = 0
        for match in _SENTENCE_END.finditer(self.plain):
            if match[0] == "?" and match.start() - start < MAX_QUESTION:
                continue  # a short question heads its answer
            if not _ABBREVIATION.search(self.plain, max(start, match.start() - 8), match.end()):
                yield from self._pieces(start, match.end())
                start = match.end()
        if self.plain[start:].strip():
            yield from self._pieces(start, len(self.plain))

    def _pieces(self, start: int, end: int) -> Iterator["Text"]:
        """Yield a part, cut at spaces when it is longer than any sentence: the work per sentence stays bounded."""
        while end - start > MAX_SENTENCE:
            cut = self.plain.rfind(" ", start + 1, start + MAX_SENTENCE)
            cut = cut if cut > start else start + MAX_SENTENCE
            yield self.part(start, cut)
            start = cut
        yield self.part(start, end)

    def __bool__(self) -> bool:
        return bool(self.plain.strip())
