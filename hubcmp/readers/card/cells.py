"""What one table cell says: several figures, changes (a -> b), alternatives (a / b), lists by position, remarks in brackets."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hubcmp.readers.card.figures import Figure, figures
from hubcmp.readers.card.meaning import mask
from hubcmp.readers.card.settings import find

_ARROW = re.compile(r"\s?(?:→|->|⟶|➜|=>|⇒)\s?")
_SLASH = re.compile(r"\s?[/|]\s?")
_ALTERNATIVES = re.compile(
    r"\s/\s|(?<=[a-zA-Z])(?<!tok)(?<!token)(?<!tokens)(?<!\bt)(?<!\bw)(?<!req)(?<!CNN)/(?=[A-Za-z])(?!s\b"
    r"|sec|step|fwd|user|req|forward|DM|Daily)"
)
_VERSUS = re.compile(r"\s(?:vs\.?|\|)\s")
_REMARK = re.compile(r"\([^()]{0,40}\)")
_LIST = re.compile(r"[\[(]\s?\d[\d.%]*\s?(?:,\s?\d[\d.%]*\s?){1,31}[\])]")


@dataclass(frozen=True, slots=True)
class Part:
    """One figure of a cell. `place` is its index among alternatives ("a / b"), `of` how many there are, `kind` how they are joined."""

    figure: Figure
    kind: str = "one"
    place: int = 0
    of: int = 1
    aside: bool = False


def parts(text: str) -> Iterator[Part]:
    """Yield the figures of a cell in order; `aside` marks those in brackets after another figure."""
    masked = mask(text, find(text))
    found = figures(masked)
    if not found:
        return
    kind = (
        "list"
        if _LIST.search(masked)
        else "arrow"
        if _ARROW.search(masked)
        else "slash"
        if _slashed(masked, found)
        else "one"
    )
    asides = [kind != "list" and _in_brackets(masked, f) and i > 0 for i, f in enumerate(found)]
    main = [f for f, aside in zip(found, asides, strict=True) if not aside]
    place = -1
    for figure, aside in zip(found, asides, strict=True):
        place += not aside
        yield Part(figure, "one" if aside and kind == "list" else kind, max(place, 0), len(main), aside)


def split_head(text: str) -> list[str]:
    """Split a head or label that names alternatives: "Baseline → Ours", "tok/s / speedup", "chat en / zh"."""
    for pattern in (_ARROW, _ALTERNATIVES, _VERSUS):
        pieces = [p.strip() for p in pattern.split(text) if p.strip()]
        if len(pieces) > 1:
            return pieces
    return [text]


def shared_stem(pieces: Sequence[str]) -> list[str]:
    """Give each alternative of a label its own words: "chat en", "zh" becomes "chat en", "chat zh"."""
    stem = pieces[0].split()[:-1]
    return [p if i == 0 or len(p.split()) > 1 else " ".join([*stem, p]) for i, p in enumerate(pieces)]


def _slashed(text: str, found: Sequence[Figure]) -> bool:
    gaps = [_REMARK.sub("", text[a.end : b.start]) for a, b in pairwise(found)]
    return any(_SLASH.fullmatch(gap) for gap in gaps) or any(_SLASH.search(gap) and ")" in gap for gap in gaps)


def _in_brackets(text: str, figure: Figure) -> bool:
    before = text[: figure.start]
    return before.count("(") > before.count(")")
