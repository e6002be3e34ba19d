"""How a drafter was trained, as far as its card says: epochs, learning rate, lengths, start, trainer. Settings, not claims.

One row per spelling; a new one is one more row. A key that the card gives several values keeps them all, in order.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hubcmp.readers.card.page import Block, Fence, Heading, Prose, Table
from hubcmp.readers.card.places import about_training
from hubcmp.readers.card.reach import Reach
from hubcmp.readers.card.text import Text

_IS = r"[`*'\"]{0,3}\s?(?:=|:|of|was|is|at)?\s?[`*'\"~≈]{0,3}\s?"
_TARGETS = r"(?:by|with|from) the target(?: model)?"
_LENGTH = r"(?:max(?:imum)?[_ -](?:seq(?:uence)?[_ -])?len(?:gth)?|seq(?:uence)?[_ -]len(?:gth)?)"
_FROM = r"(?:initiali[sz]ed|warm[- ]started|(?:further )?fine-?tuned|continued|resumed|trained further) from"
_TRAINERS = (
    r"(SpecForge|TorchSpec|speculators|ModelOpt|Model[- ]Optimizer|AngelSlim|NeMo[ -]?Automodel|DeepSpec"
    r"|EAGLE(?:'s own)? code)"
)
_NAME = r"`?([A-Za-z][\w.-]{1,60}/[\w.-]{2,90}|[A-Z][\w.-]{3,80})`?"
SPELLINGS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (key, re.compile(pattern, re.IGNORECASE))
    for key, pattern in (
        ("train_epochs", r"(?<![\w.])(\d{1,3}(?:\.\d{1,2})?)[\s-]epochs?\b(?!\s(?:per|each))"),
        ("train_epochs", rf"\b(?:num(?:ber)?[_ ](?:of[_ ])?(?:train[_ ])?)?epochs?\b{_IS}(\d{{1,3}}(?:\.\d{{1,2}})?)(?!\w|\.\d)"),
        ("train_epochs", r"训练了?\s?(\d{1,3})\s?(?:个\s?)?(?:epochs?|轮)"),
        ("learning_rate", rf"\b(?:learning[_ -]rate|lr)\b{_IS}(\d{{1,2}}(?:\.\d{{1,4}})?e-?\d{{1,2}}|0\.\d{{2,8}})"),
        ("learning_rate", r"学习率\s?[:=：为]?\s?(\d{1,2}(?:\.\d{1,4})?e-?\d{1,2}|0\.\d{2,8})"),
        ("train_max_length", rf"\b{_LENGTH}\b{_IS}(\d{{1,3}}(?:,\d{{3}}|\d{{0,4}})[kK]?)(?!\w)"),
        ("ttt_length", rf"\b(?:ttt|training[- ]time[- ]test)(?:[_ -](?:length|steps?|depth))?\b{_IS}(\d{{1,2}})(?!\w|\.\d)"),
        ("ttt_length", r"(?<![\w.])(\d{1,2})[\s-](?:ttt|training[- ]time[- ]test)[\s-](?:steps?|positions?)\b"),
        ("answers_regenerated", rf"\b((?:re-?generated|self-generated)(?: {_TARGETS})?)\b"),
        ("answers_regenerated", rf"\b(?:answers|responses|completions) (?:were )?((?:generated|sampled) {_TARGETS})\b"),
        ("started_from", rf"\b{_FROM} (?:the )?{_NAME}"),
        ("trainer", rf"\b(?:trained|fine-?tuned|built) (?:with|using|by|in) (?:the )?{_TRAINERS}\b"),
        ("trainer", r"^\W{0,3}(?:trainer|training (?:framework|code|library))\W{1,4}([A-Za-z][\w.-]{2,40})"),
    )
)  # fmt: skip
"""(setting, pattern with its value as group 1), tried in order."""
_FREE = frozenset({"started_from", "trainer", "ttt_length", "answers_regenerated"})
"""Settings whose wording can only be about training; the others count where the card speaks of it."""
MOST_VALUES = 4


@dataclass(frozen=True, slots=True)
class Stated:
    """One setting of the training with its line."""

    key: str
    value: str
    line: int


def recipe_of(blocks: Sequence[Block], reach: Reach) -> tuple[Stated, ...]:
    """Return what a card says of the training: one entry per setting, several values joined by "; "."""
    found: dict[str, dict[str, int]] = {}
    for text, trains in (pair for i, block in enumerate(blocks) for pair in _texts(block, reach.place(i))):
        for key, pattern in SPELLINGS:
            if trains or key in _FREE:
                for match in pattern.finditer(text.plain):
                    found.setdefault(key, {}).setdefault(match[1].strip(" ."), text.line_at(match.start(1)))
    return tuple(
        Stated(key, "; ".join(list(values)[:MOST_VALUES]), next(iter(values.values()))) for key, values in found.items()
    )


def _texts(block: Block, place: str) -> Iterator[tuple[Text, bool]]:
    """Yield the texts of a block, each with whether it is about training; tables of names and values as "name: value"."""
    if isinstance(block, Table):
        pairs = (row for row in block.rows if len(row) >= 2)
        yield from (
            (Text(f"{name.plain.strip(' :*')}: {value.plain}", value.line), place == "training")
            for name, value, *_ in pairs
        )
    elif isinstance(block, Prose | Heading):
        for sentence in block.text.sentences():
            yield sentence, place == "training" or about_training(sentence.plain)
    elif isinstance(block, Fence) and place == "training":
        yield Text(block.text.plain[:2000], block.text.line, block.text.breaks), True
