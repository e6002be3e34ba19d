"""Which set a sentence ties a figure to: named right after it, right before it, or for the whole sentence."""

import re

from hubcmp.readers.card.meaning import benchmarks_in
from hubcmp.readers.card.sentence import Sentence
from hubcmp.readers.card.wording import judged_set

_TIES = re.compile(r"\b(?:on|over|across|for|in|auf|sur)\b|\($", re.IGNORECASE)
_LEADS = re.compile(r"(?:^\W{0,4}|[,;.:]\s|\band\s)(?:on|over|across|for|in|auf|sur)\s(?:the\s)?$", re.IGNORECASE)
_LISTED_WITH = re.compile(r"\s?[,/]\s?(?:and\s)?|\s(?:and|&)\s")


def set_of(sentence: Sentence, i: int) -> str | None:
    """Return the set of figure `i` as written, or None when the sentence names none for it."""
    if i and sentence.starts_change(i - 1):
        return set_of(sentence, i - 1) or _beside(sentence, i)
    return _respectively(sentence, i) or _beside(sentence, i) or _of_the_whole(sentence, i)


def in_set_name(sentence: Sentence, i: int) -> bool:
    """Whether figure `i` is part of a set's name."""
    return any(start <= sentence.figures[i].start < end for start, end, _ in sentence.sets)


def _beside(sentence: Sentence, i: int) -> str | None:
    """Return the set between figure `i` and its neighbours; both ends of a range share one."""
    figure = sentence.figures[i]
    first, last = i - (figure.stat == "high"), i + (figure.stat == "low")
    previous = sentence.figures[first - 1].end if first > 0 else 0
    after = [s for s in sentence.sets if figure.end <= s[0] < sentence.next_start(last)]
    before = [s for s in sentence.sets if previous <= s[0] < figure.start]
    led = bool(before) and _LEADS.search(sentence.text[: before[-1][0]])
    gap = sentence.text[figure.end : after[0][0]] if after else ""
    if after and not led and (not before or ("," not in gap and ";" not in gap and _TIES.search(gap))):
        return after[0][2]
    return before[-1][2] if before else None


def _of_the_whole(sentence: Sentence, i: int) -> str | None:
    """Return a set named before the first figure, a validation set named shortly before, or the only one named after."""
    figure = sentence.figures[i]
    earlier = [s for s in sentence.sets if s[0] < figure.start]
    later = [s for s in sentence.sets if s[0] >= figure.end]
    if judged := judged_set(sentence.masked, figure.start):
        return judged
    if earlier:
        return earlier[-1][2] if earlier[-1][0] < sentence.figures[0].start else None
    return later[0][2] if len(later) == 1 else None


def _respectively(sentence: Sentence, i: int) -> str | None:
    """Pair figures listed in a row with as many sets listed in a row ("3.1, 2.7 and 2.2 on A, B and C")."""
    first, last = i, i
    while first > 0 and _LISTED_WITH.fullmatch(sentence.gap(first - 1)):
        first -= 1
    while _LISTED_WITH.fullmatch(sentence.gap(last)):
        last += 1
    for _, _, label in sentence.sets if last > first else ():
        names = [m[0] for m in benchmarks_in(label)]
        if len(names) == last - first + 1:
            return names[i - first]
    return None
