"""One sentence and everything it names: figures, metrics, settings and sets, each with its place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hubcmp.readers.card import settings
from hubcmp.readers.card.dealt import DEALT
from hubcmp.readers.card.figures import Figure, figures
from hubcmp.readers.card.meaning import mask, meaning_of
from hubcmp.readers.card.places import place_of
from hubcmp.readers.card.reach import Context
from hubcmp.readers.card.subjects import Identity, subject_of
from hubcmp.readers.card.vocabulary import DECOY_RE, GAIN_RE, Mention, metrics
from hubcmp.readers.card.wording import DOMAIN_RE, label_groups

_POSITIONS = re.compile(
    r"\b(?:positions?|pos|hops?|steps?)\s\d{1,2}(?:\s?(?:[-–/,]|to)\s?\d{1,2}){1,9}\b|\b[01](?:/\d){1,8}\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|that|this|which|these|those|they|ours)\b|它", re.IGNORECASE)
_ACCURACY_AT = re.compile(r"\b(?:final|last|best|train(?:ing)?|val(?:idation)?)\s(?:\w{1,12}\s)?acc", re.IGNORECASE)
_ACCURACY_OF = re.compile(
    r"\b(?:accuracy|acc\.?|agreement|loss|match\w*)\s(?:at|for|on|of)\s(?:the\s|draft\s)?$", re.IGNORECASE
)
"""What stands before "position 1" when that is a place in training, not a rate."""
_FROM = re.compile(r"(?:\bfrom\s|从\s?|由\s?)[~≈]?$", re.IGNORECASE)
_TO = re.compile(r"\s?(?:to|提升到|提升至|增至|到|至|提高到)\s?(?:about |around )?[~≈]?", re.IGNORECASE)
_ARROW = re.compile(r"\s?(?:→|->|⟶|➜)\s?")
_KIND = re.compile(
    r"(?!(?:peak|max|min|median|before|after|with|without|results?|speed|total|single|decode|prefill|hardware|note|update|data"
    r"|size|model|draft|target|memory|tl;?dr|on|for|at|in)\b)[a-z]{4,20}(?:\s[a-z]{3,20}){0,2}"
)
"""A lower-case lead of a list item that can only say what was measured ("refactoring: 61.8 t/s")."""
_AVERAGE = re.compile(r"\W{0,3}(?:avg|average|mean|overall|all)\b", re.IGNORECASE)
_BRACKETED = re.compile(r"\s?\([^()]{0,60}\)")
_ITEM = re.compile(r"^\W{0,3}([^:|;()\d]{3,40}):\s")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence taken apart. `masked` has its settings blanked out, `counted` keeps the numbers of prompts.

    `named` holds metrics in order ("" is a decoy), `sets` the benchmarks as (start, end, label), `item` the words before
    a list item's colon when they name what was measured, `listed` that it is a list item at all, `spoken_of` the metric of what
    was said before.
    """

    text: str
    masked: str
    counted: str
    figures: tuple[Figure, ...]
    settings: tuple[settings.Setting, ...]
    named: tuple[Mention, ...]
    sets: tuple[tuple[int, int, str], ...]
    item: str | None
    context: Context
    identity: Identity
    listed: bool = False
    spoken_of: str = ""

    def clause(self, figure: Figure) -> str:
        """Return the part between semicolons in which a figure stands."""
        end = self.text.find(";", figure.end)
        return self.text[self.clause_start(figure) : end if end >= 0 else len(self.text)]

    def clause_start(self, figure: Figure) -> int:
        """Return the offset where a figure's clause starts."""
        return self.text.rfind(";", 0, figure.start) + 1

    def before(self, figure: Figure, width: int) -> str:
        """Return up to `width` characters before a figure, settings blanked out."""
        return self.masked[max(0, figure.start - width) : figure.start]

    def after(self, i: int, width: int) -> str:
        """Return up to `width` characters between figure `i` and the next one, settings blanked out."""
        end = self.figures[i].end
        return self.masked[end : min(self.next_start(i), end + width)]

    def next_start(self, i: int) -> int:
        """Return where the figure after figure `i` starts, or the end of the sentence."""
        return self.figures[i + 1].start if i + 1 < len(self.figures) else len(self.masked)

    def gap(self, i: int) -> str:
        """Return the text between figure `i` and the next one; "" for the last."""
        return self.masked[self.figures[i].end : self.figures[i + 1].start] if i + 1 < len(self.figures) else ""

    def starts_change(self, i: int) -> bool:
        """Whether a change starts at figure `i`: "from 187 to 365", "52.8% -> 66.4%"."""
        gap = _BRACKETED.sub("", self.gap(i))
        told = _FROM.search(self.masked[: self.figures[i].start]) and _TO.fullmatch(gap)
        return bool(told) or bool(_ARROW.fullmatch(gap))

    def compares_drafters(self) -> bool:
        """Whether its changes start from another drafter: plain decoding has no acceptance to start from."""
        for i, figure in enumerate(self.figures):
            named = [n for n in self.named if n.end <= figure.start]
            if named and named[-1].metric in ("accept_rate", "accept_length") and self.starts_change(i):
                return True
        return False


def understand(text: str, context: Context, identity: Identity, spoken_of: str = "", item: bool = False) -> Sentence:
    """Take a sentence apart; `spoken_of` is the metric that "it" may mean, `item` says that it is a list item."""
    found = settings.find(text)
    lists = (m for pattern in (DEALT, _POSITIONS) for m in pattern.finditer(text))
    positions = [settings.Setting(m.start(), m.end(), "", "") for m in lists]
    masked = mask(text, tuple(sorted((*found, *positions), key=lambda s: (s.start, s.end))))
    numbers = figures(masked)
    named = _with_pronoun(_named(masked, numbers), text, numbers, spoken_of)
    numbers = tuple(
        f
        for f in numbers
        if f.form == "rate" or not any(n.metric and n.start < f.start and f.end <= n.end for n in named)
    )
    counted = mask(text, tuple(s for s in found if s.key != "prompts"))
    label = _item_label(text, identity) if item else None
    return Sentence(
        text,
        masked,
        counted,
        numbers,
        found,
        named,
        tuple(label_groups(text, context.sets)),
        label,
        context,
        identity,
        item,
        spoken_of,
    )


def metric_spoken_of(sentence: str) -> str:
    """Return the metric that a sentence is about, for a following one that says "it"; "" when it names none or several."""
    named = {m.metric for m in metrics(sentence)}
    return named.pop() if len(named) == 1 else ""


def _named(masked: str, numbers: Sequence[Figure]) -> tuple[Mention, ...]:
    """Return the metrics and decoys in order; the unit of a figure ("187 tokens/s") is no mention of its own."""
    units = [(f.start, f.end) for f in numbers if f.form == "rate"]
    named = [m for m in metrics(masked) if not any(a <= m.start < b for a, b in units)]
    named = [m for m in named if not _ACCURACY_OF.search(masked, max(0, m.start - 24), m.start)]
    if _ACCURACY_AT.search(masked):
        named = [m for m in named if "@" not in masked[m.start : m.end]]
    decoys = [Mention(m.start(), m.end(), "") for m in DECOY_RE.finditer(masked)]
    free = [d for d in decoys if all(d.end <= m.start or d.start >= m.end for m in named)]
    return tuple(sorted([*named, *free], key=lambda m: m.start))


def _with_pronoun(
    named: tuple[Mention, ...], text: str, numbers: Sequence[Figure], spoken_of: str
) -> tuple[Mention, ...]:
    """Let "it" before the first figure stand for the metric spoken of, when nothing else is named there."""
    first = numbers[0].start if numbers else 0
    pronoun = _PRONOUN.search(text, 0, first) if spoken_of else None
    if pronoun is None or any(n.metric and n.end <= first for n in named):
        return named
    return (Mention(pronoun.start(), pronoun.end(), spoken_of), *named)


def _item_label(text: str, identity: Identity) -> str | None:
    """Return the words before the colon when they can only be what was measured ("story writing: 15.0 t/s")."""
    lead = _ITEM.match(text)
    if (
        not lead
        or not (DOMAIN_RE.search(lead[1]) or _AVERAGE.match(lead[1]) or _KIND.fullmatch(lead[1].strip()))
        or place_of(lead[1])
        or subject_of(lead[1], identity)
        or GAIN_RE.search(lead[1])
    ):
        return None
    meaning = meaning_of(lead[1])
    return None if meaning.metric or meaning.role or meaning.decoy or meaning.conditions else lead[1].strip()
