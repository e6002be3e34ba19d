"""Which metric a sentence means by a figure: its unit, the nearest wording before it, or one right after it."""

import re
from collections.abc import Sequence
from functools import lru_cache

from hubcmp.readers.card.figures import Figure
from hubcmp.readers.card.sentence import Sentence
from hubcmp.readers.card.subjects import BASELINE, SELF, subject_of
from hubcmp.readers.card.vocabulary import BASELINE_RE, GAIN_RE, Mention, algorithm
from hubcmp.readers.card.wording import ESTIMATE, GENERIC

_SHRINK = re.compile(
    r"\s?(?:smaller|larger|bigger|fewer|less|longer|shorter|cheaper|lower|more data|more samples"
    r"|more (?:parameters|params)|compression|the size|as (?:big|large|small|many|much))\b",
    re.IGNORECASE,
)
_RATIO_OF_LENGTHS = re.compile(r"\s?(?:the\s|as\s)?(?:longer|higher)?\s?accept", re.IGNORECASE)
_REACHES = re.compile(r"\b(?:reach\w*|gives?|gets?|yields?|achiev\w*|deliver\w*)\b", re.IGNORECASE)
_CHANGE = re.compile(r"\bfrom\b|[由从]|→|->|\bto\s$", re.IGNORECASE)
_CHANGED_BY = re.compile(r"\b(?:by|another|extra|additional|plus)\s(?:about\s|around\s|~)?$", re.IGNORECASE)
_COUNTED = re.compile(
    r"[\s-](?!(?:of|on|at|with|in|over|vs|to|and|or|per|for|x|under|when|using|against|across"
    r"|by|as|from|after|without|but|while|alone)\b|tok|accepted)[a-z]"
    r"|\s?\+\s?[a-z]"
)
_BOUND = re.compile(
    r"\b(?:(?:stay|remain|keep)s?\s(?:above|over|below|under)|"
    r"exceed\w*|ceiling|maximum|cap(?:ped)?|limit\w*|upper bound|theoretical|at most|bound(?:ed)? by|beyond"
    r"|threshold|chance)\b[^.;]{0,16}$",
    re.IGNORECASE,
)
_RELATION = r"(?:over|vs\.?|versus|than|against|compared (?:to|with)|relative to|above|below)"
_AGAINST = re.compile(rf"\b{_RELATION}\s(?:the\s|an?\s)?((?:[\w./+-]{{1,40}}\s){{0,2}}[\w./+-]{{1,40}})", re.IGNORECASE)
_RIVAL = re.compile(rf"\s?{_RELATION}\s(?:the\s|an?\s)?([^,.;(]{{1,40}})", re.IGNORECASE)
_TOKENS = re.compile(r"\s(?:draft(?:ed)? )?tokens?\b(?!\s?(?:/|per (?:second|prompt|request)|each))")
_CLOSE = 28
"""Characters after a figure within which a wording still names it."""
_SPEED = ("speedup", "throughput_tok_s")
_LONGEST = 64


def named_by(sentence: Sentence, i: int) -> Mention | None:
    """Return the mention that names figure `i`'s metric, or None when the sentence ties it to none."""
    figure = sentence.figures[i]
    before = [n for n in sentence.named if n.end <= figure.start]
    close = _close_after(sentence, i)
    if figure.form == "rate" and before and not before[-1].metric and figure.start - before[-1].end < 4:
        return None  # "prompt processing: 1240 tok/s"
    if figure.form == "rate":
        return Mention(figure.start, figure.end, "throughput_tok_s")
    if figure.form == "times":
        return _times(sentence, figure)
    if figure.form == "percent":
        return _percent(sentence, figure, before, close)
    if figure.form == "count":
        return None
    if close and close.metric and not sentence.masked[figure.end : close.start].strip(" *_("):
        return close
    if "." in figure.raw and 1 < figure.value <= _LONGEST and _TOKENS.match(sentence.masked, figure.end) and not before:
        return Mention(figure.start, figure.end, "accept_length")
    following = sentence.figures[i + 1 : i + 2]
    if not before and following and following[0].form == "rate" and sentence.starts_change(i):
        return Mention(figure.start, figure.end, "throughput_tok_s")
    nearest = before[-1] if before else close or _part_of_change(sentence, figure) or _introduced(sentence, figure)
    return nearest if nearest and nearest.metric else None


def plausible(sentence: Sentence, figure: Figure, metric: str, labelled: bool) -> bool:
    """Whether a figure can be a claim: no promise in general, no gain over another drafter, no bound, count or difference."""
    if metric == "speedup":
        clause = sentence.clause(figure)
        promise = GENERIC.search(clause) and not labelled and not ESTIMATE.search(clause)
        return not promise and not _over_a_rival(sentence, figure)
    if figure.raw.isdigit() and sentence.before(figure, 4).endswith("of "):
        return False  # "2.9 of 5 drafts"
    if _CHANGED_BY.search(sentence.before(figure, 24)) or (figure.form == "plain" and figure.signed):
        return False
    if figure.form == "plain" and (
        _counts_something(sentence.masked, figure) or _BOUND.search(sentence.before(figure, 60))
    ):
        return False
    most = {"accept_length": _LONGEST, "accept_rate": 100 if figure.form == "percent" else 1}
    return figure.value <= most.get(metric, figure.value)


def _close_after(sentence: Sentence, i: int) -> Mention | None:
    """Return the next mention after a figure when it is near and no other figure stands between."""
    end = sentence.figures[i].end
    after = next((n for n in sentence.named if n.start >= end), None)
    return after if after and after.start - end <= _CLOSE and after.start <= sentence.next_start(i) else None


def _times(sentence: Sentence, figure: Figure) -> Mention | None:
    """A ratio is a speedup unless the sentence compares sizes, costs or lengths by it."""
    text = sentence.masked
    if _SHRINK.match(text, figure.end) or _RATIO_OF_LENGTHS.match(text, figure.end):
        return None
    if any(n.metric == "" and abs(n.start - figure.end) < _CLOSE for n in sentence.named):
        return None
    before = [n for n in sentence.named if n.end <= figure.start]
    if before and not before[-1].metric and not any(n.metric in _SPEED for n in sentence.named):
        return None  # a ratio of latencies
    worded = any(n.metric in _SPEED for n in sentence.named) or _speaks_of_speed(text)
    worded = worded or any(f.form == "rate" for f in sentence.figures)
    worded = worded or any(n.metric == "accept_length" for n in sentence.named if n.start < figure.start)
    worded = worded or bool(sentence.sets)
    captioned = any(m in _SPEED for c in sentence.context.captions for m in c.metrics)
    return Mention(figure.start, figure.end, "speedup") if worded or captioned else None


@lru_cache(maxsize=64)
def _speaks_of_speed(text: str) -> bool:
    """Whether a sentence compares speeds in words, without a metric's name."""
    return any(p.search(text) for p in (GAIN_RE, BASELINE_RE, _REACHES, ESTIMATE))


def _percent(sentence: Sentence, figure: Figure, before: Sequence[Mention], close: Mention | None) -> Mention | None:
    """A percentage is a rate or a gain in speed, as the nearest wording says."""
    if close and close.metric == "accept_rate" and not sentence.masked[figure.end : close.start].strip():
        return close
    nearest = before[-1] if before else close
    if nearest and nearest.metric == "accept_rate":
        return None if figure.signed else nearest
    if nearest is None and sentence.listed and sentence.spoken_of == "accept_rate" and not figure.signed:
        return Mention(figure.start, figure.end, "accept_rate")
    if (nearest and nearest.metric not in _SPEED) or sentence.compares_drafters():
        return None
    gain = GAIN_RE.search(sentence.masked) or figure.signed
    speedy = (
        nearest or any(n.metric in _SPEED for n in sentence.named) or any(f.form == "rate" for f in sentence.figures)
    )
    return Mention(figure.start, figure.end, "speedup") if gain and speedy else None


def _part_of_change(sentence: Sentence, figure: Figure) -> Mention | None:
    """A bare figure beside a throughput in the same sentence ("from 90 to 220") is one as well."""
    changing = _CHANGE.search(sentence.before(figure, 16)) and figure.value > 5
    rates = any(f.form == "rate" for f in sentence.figures)
    return Mention(figure.start, figure.end, "throughput_tok_s") if rates and changing else None


def _introduced(sentence: Sentence, figure: Figure) -> Mention | None:
    """A list item of figures that names no metric takes that of the line which introduces the list."""
    if not sentence.listed or sentence.named or "." not in figure.raw:
        return None
    told = next((m for c in sentence.context.captions for m in c.metrics), sentence.spoken_of)
    return Mention(figure.start, figure.end, told) if told in ("accept_length", "accept_rate") else None


def _over_a_rival(sentence: Sentence, figure: Figure) -> bool:
    """Whether a gain is measured against another drafter."""
    start = sentence.clause_start(figure)
    for match in _AGAINST.finditer(sentence.clause(figure)):
        if any(figure.end <= f.start < start + match.start() for f in sentence.figures):
            continue  # said of a later figure
        method = algorithm(match[1])
        if method and subject_of(method, sentence.identity) != SELF and not BASELINE_RE.search(match[1]):
            return True
    rival = _RIVAL.match(sentence.masked, figure.end)
    named = re.split(r" on | at ", rival[1])[0] if rival else ""
    return (subject_of(named, sentence.identity) or BASELINE).startswith("other:")


def _counts_something(text: str, figure: Figure) -> bool:
    """Whether a whole number counts the noun after it ("7 benchmarks") or is part of a formula ("1 + accepted")."""
    return figure.raw.isdigit() and _COUNTED.match(text, figure.end) is not None
