"""How far a statement reaches: headings, section intros, run-in heads, lead-ins and footnotes bind to the figures they cover."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from hubcmp.facts import Scalar
from hubcmp.readers.card import settings
from hubcmp.readers.card.claims import bind
from hubcmp.readers.card.figures import figures
from hubcmp.readers.card.footnotes import is_note
from hubcmp.readers.card.meaning import Meaning, benchmarks_in, mask, meaning_of, single
from hubcmp.readers.card.outline import outline_of
from hubcmp.readers.card.page import Block, Fence, Heading, Prose, Table
from hubcmp.readers.card.places import SETTINGS_RE, about_training, place_of
from hubcmp.readers.card.text import Text
from hubcmp.readers.card.wording import set_named

MAX_STATEMENT = 2000
"""Characters of a paragraph that can bind to figures elsewhere."""
MAX_STATEMENTS = 24
"""Settings lines of one section that bind to a figure, the nearest ones."""
_FOOTNOTE = re.compile(
    r"^\W{0,4}(?:columns?\b|rows?\b|run (?:with|on)|ran on|tab(?:le|\.)\s?\d|fig(?:ure|\.)\s?\d|表\s?\d"
    r"|measured|note|notes|tested|evaluated|all\b|averaged?\b|results|numbers|figures"
    r"|values|benchmarked|settings?|setup|conditions?|with\b|using\b|\d\b|注|以上|†|‡)",
    re.IGNORECASE,
)

_BRACKET = re.compile(r"\([^()]{0,120}\)")


@dataclass(frozen=True, slots=True)
class Context:
    """What binds to a block from outside it: settings, the set, the metrics of its caption (nearest first), and its place.

    `sets` are the names that the card's own tables give to what was measured, to be known in its prose as well.
    """

    conditions: Mapping[str, Scalar] = field(default_factory=dict)
    label: str | None = None
    captions: tuple[Meaning, ...] = ()
    place: str = ""
    sets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Statement:
    """What one text can bind to figures that it covers; `caption` is None when it gives figures of its own."""

    conditions: Mapping[str, Scalar]
    label: str | None
    caption: Meaning | None


class Reach:
    """The reach of every statement on one page; `at(i)` gives the Context of block `i`."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._outline = outline_of(blocks)
        heads = (i for i, block in enumerate(blocks) if isinstance(block, Heading) and set_named(block.text.plain))
        self._naming = {self._outline.paths[i] for i in heads}
        self._settings: dict[tuple[int, ...], list[int]] = {}
        for i in range(len(blocks)):
            if self._gives_settings(i) and self.place(i) not in ("usage", "training"):
                self._settings.setdefault(self._covered(i), []).append(i)

    def place(self, i: int) -> str:
        """Return what the nearest telling heading of block `i` says it is about: "measured", "training", "usage", "spec", ""."""
        places = (place_of(self._text(h)) for h in reversed(self._outline.paths[i]))
        return next((p for p in places if p), "")

    def at(self, i: int) -> Context:
        """Return what binds to block `i`, the nearest statement winning."""
        statements = [_statement(self._text(j)) for j in self._binding(i)]
        labels = [s.label for s in statements if s.label]
        captions = tuple(s.caption for s in reversed(statements) if s.caption)
        return Context(
            bind(*(s.conditions for s in statements)),
            labels[-1] if labels else self._as_siblings(i),
            captions,
            self.place(i),
        )

    def _as_siblings(self, i: int) -> str | None:
        """Return the heading above block `i` as the name of a set, when a heading beside it is one ("HumanEval", "math_reasoning")."""
        path = self._outline.paths[i]
        text = self._text(path[-1]).strip() if path else ""
        meaning = meaning_of(text)
        plain = bool(text) and len(text.split()) <= 3 and not (meaning.metric or meaning.conditions or place_of(text))
        return text if plain and self._outline.paths[path[-1]] in self._naming else None

    def _binding(self, i: int) -> Iterator[int]:
        """Yield the blocks that bind to block `i`, from general to specific."""
        path = self._outline.paths[i]
        for depth in range(len(path) + 1):
            lines = self._settings.get(path[:depth], [])
            end = bisect_left(lines, i)
            yield from lines[max(0, end - MAX_STATEMENTS) : end]
        for h in path or (-1, self._outline.title):
            if path:
                yield h
            if h < 0 or place_of(self._text(h)) not in ("usage", "training"):
                yield from (j for j in self._outline.openings.get(h, ()) if j < i and not self._siblings(j, i))
        yield from self._after(i)
        if self._outline.run_ins[i] >= 0:
            yield self._outline.run_ins[i]
        yield from self._lead_in(i)

    def _covered(self, s: int) -> tuple[int, ...]:
        """Return the path below which the settings of block `s` bind: its parent's when its section is one of settings."""
        own = self._outline.paths[s]
        return own[:-1] if own and SETTINGS_RE.search(self._text(own[-1])) else own

    def _gives_settings(self, i: int) -> bool:
        """Whether a block says that it gives the settings of the runs, or stands below a heading or run-in that does."""
        block, path, lead = self._blocks[i], self._outline.paths[i], self._outline.leads[i]
        if not isinstance(block, Prose):
            return False
        above = [self._text(path[-1])] if path else []
        above += [self._text(lead)] if block.depth and lead >= 0 and isinstance(self._blocks[lead], Prose) else []
        sentences = (sentence.plain for sentence in Text(self._text(i), 1).sentences())
        if any(SETTINGS_RE.search(text) for text in (*above, *sentences)):
            return True
        return not block.depth and bool(path) and _only_settings(self._text(i))

    def _siblings(self, j: int, i: int) -> bool:
        """Whether two blocks are items of a list: one does not introduce the other."""
        a, b = self._blocks[j], self._blocks[i]
        return isinstance(a, Prose) and isinstance(b, Prose) and a.depth > 0 and b.depth > 0

    def _lead_in(self, i: int) -> list[int]:
        """Return the prose right before a table or fence: one paragraph, or a list with the paragraph that introduces it."""
        block = self._blocks[i]
        if isinstance(block, Heading) or (isinstance(block, Prose) and not block.depth):
            return []
        if isinstance(block, Prose):
            return self._list_lead(i)
        found: list[int] = []
        for j in range(i - 1, max(-1, i - 1 - MAX_STATEMENTS), -1):
            block = self._blocks[j]
            if not isinstance(block, Prose):
                break
            found.insert(0, j)
            if not block.depth:
                break
        return found

    def _list_lead(self, i: int) -> list[int]:
        """Return the paragraph that introduces the list of item `i` ("Subset of MTBench:"), when it ends with a colon."""
        lead = self._outline.leads[i]
        block = self._blocks[lead] if lead >= 0 else None
        return [lead] if isinstance(block, Prose) and block.text.plain.rstrip().endswith((":", "：")) else []

    def _after(self, i: int) -> list[int]:
        """Return the footnotes right after a table."""
        following = self._blocks[i + 1 : i + 3] if isinstance(self._blocks[i], Table) else ()
        found = []
        for j, block in enumerate(following, i + 1):
            if not isinstance(block, Prose) or is_note(block):
                break
            first = next((s.plain for s in block.text.sentences()), "")
            if not _FOOTNOTE.search(block.text.plain) and not _only_settings(first):
                break
            found.append(j)
        return found

    def _text(self, i: int) -> str:
        block = self._blocks[i]
        return "" if isinstance(block, Table | Fence) else block.text.plain[:MAX_STATEMENT]


@lru_cache(maxsize=1024)
def _statement(text: str) -> _Statement:
    """Return what a text can bind; what it says about training does not."""
    told = " ".join(s.plain.strip() for s in Text(text, 1).sentences() if not about_training(s.plain))
    own = _states_figures(text)
    if own:  # a bracket that names a set speaks of its own figure only
        told = _BRACKET.sub(lambda m: " " if benchmarks_in(m[0]) else m[0], told)
    return _Statement(single(settings.find(told)), None if own else set_named(told), None if own else meaning_of(text))


def _only_settings(text: str) -> bool:
    """Whether a short paragraph holds settings and little else ("3-token draft", "vLLM 0.20.0, TP=8")."""
    found = settings.find(text)
    return (
        bool(found)
        and len(text) < 200
        and len(re.findall(r"[^\W\d]{2,}", mask(text, found))) <= 2
        and not _states_figures(text)
    )


def _states_figures(text: str) -> bool:
    """Whether a text gives figures of its own, and so is no caption for others."""
    return any(f.form != "plain" or "." in f.raw for f in figures(mask(text, settings.find(text))))
