"""Claims of a sentence: each figure with the metric, the set, the drafter and the settings that the sentence ties it to."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from hubcmp.facts import Scalar
from hubcmp.labels import slug
from hubcmp.readers.card.claims import CALLED_A_RATE, DRAFT_KEYS, Claim, bind
from hubcmp.readers.card.counts import Count, counts, datasets
from hubcmp.readers.card.dealt import dealt
from hubcmp.readers.card.figures import Figure, figures
from hubcmp.readers.card.meaning import single
from hubcmp.readers.card.naming import named_by, plausible
from hubcmp.readers.card.owners import owner_of, spoken_of_before
from hubcmp.readers.card.reach import Context
from hubcmp.readers.card.sentence import Sentence, understand
from hubcmp.readers.card.sets import in_set_name, set_of
from hubcmp.readers.card.settings import Setting
from hubcmp.readers.card.subjects import BASELINE, SELF, Identity
from hubcmp.readers.card.text import Text
from hubcmp.readers.card.values import metric_for, value_of
from hubcmp.readers.card.vocabulary import Mention
from hubcmp.readers.card.wording import ESTIMATE

_WITHDRAWN = re.compile(
    r"\b(?:withdrawn|retract\w*|invalid|no longer|was wrong|were wrong|superseded figure|mistaken\w*"
    r"|previously (?:reported|claimed)|incorrect\w*)\b|作废",
    re.IGNORECASE,
)
_PEAK = re.compile(r"\b(?:peak|maximum|best[- ]case)\b[^\d;.]{0,40}$", re.IGNORECASE)
_PER_USER = re.compile(r"\s?(?:/\s?user|per user|per (?:request|stream)|/req)")
_TRAINED_ON = re.compile(r"\btrained (?:on|with|using) ")
_LISTED = re.compile(
    r"\s?[/,|、;→]\s?(?:and\s)?|\s(?:and\s)?"
    r"|\s?[,;]\s?(?:and\s)?(?:the\s)?(?:second|third|fourth|fifth|2nd|3rd|4th|5th)\s(?:(?:draft(?:ed)?\s)?(?:token|position)s?\s)?(?:at\s)?"
)
_PER_POSITION = re.compile(r"per[- ]position|position(?:al|s)?|pos[-_ ]?\d|\ba\d\b|acc@|@\d", re.IGNORECASE)
_POSITION = re.compile(r"(?:pos(?:ition|\.)?[-_ ]?|\ba|@|α_?)(\d)(?!\d)", re.IGNORECASE)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_ORDINAL = re.compile(rf"\s?(?:for|at|on)\s(?:the\s)?({'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_ORDINAL_TOKEN = re.compile(rf"\b({'|'.join(_ORDINALS)})\s(?:\w{{2,10}}\s)?(?:token|position)s?\b", re.IGNORECASE)
_LATER = re.compile(rf"\b(?:{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_POSITION_ZERO = re.compile(r"(?:pos(?:ition|\.)?[-_ ]?|\ba|@|α_?)0", re.IGNORECASE)
_RIGHT_AFTER = re.compile(r"\s?(?:tok(?:ens)?/s\s)?[(\[]?(?:at|with|for|under|on|when|using|@)?\s?", re.IGNORECASE)
_MOST_PROMPTS = 20_000


def claims_of_sentence(
    text: Text, context: Context, identity: Identity, block: int, spoken_of: str = "", item: bool = False
) -> Iterator[Claim]:
    """Yield the claims of one sentence of block `block`; `spoken_of` and `item` as in `understand`."""
    if not any(c.isdigit() for c in text.plain) or _WITHDRAWN.search(text.plain):
        return
    sentence = understand(text.plain, context, identity, spoken_of, item)
    seen = set()
    for claim, offset in (*_counted(sentence, block), *_measured(sentence, block)):
        placed = replace(claim, line=text.line_at(offset))
        key = (claim.metric, claim.value, claim.position, claim.label, claim.subject, placed.line, claim.stat)
        if key not in seen:  # a figure seen twice in one sentence is one claim
            seen.add(key)
            yield placed


def _counted(sentence: Sentence, block: int) -> Iterator[tuple[Claim, int]]:
    """Yield training data and sizes with their offsets; those of another drafter are no claims."""
    for count in counts(sentence.counted, figures(sentence.counted), sentence.context.place == "training"):
        figure = count.figure
        if (spoken_of_before(sentence, figure.start) or SELF) == SELF:
            bound = _dataset(sentence, count)
            yield (
                Claim(
                    count.metric,
                    figure.value,
                    figure.raw,
                    0,
                    block,
                    None,
                    SELF,
                    bound,
                    {},
                    None,
                    figure.stat,
                    figure.approx,
                ),
                figure.start,
            )


def _dataset(sentence: Sentence, count: Count) -> dict[str, Scalar]:
    if count.metric == "parameters":
        return {}
    names = [n for n in datasets(sentence.text) if slug(n) not in sentence.identity.targets]
    return {"dataset": ", ".join(names)} if names else {}


def _measured(sentence: Sentence, block: int) -> Iterator[tuple[Claim, int]]:
    """Yield the measured claims with their offsets."""
    for i, figure in enumerate(sentence.figures):
        named = named_by(sentence, i) or (named_by(sentence, i + 1) if figure.stat == "low" else None)
        metric = metric_for(figure, named.metric) if named else None
        value = value_of(figure, metric) if metric else None
        if named is None or metric is None or value is None or in_set_name(sentence, i):
            continue
        label = set_of(sentence, i)
        if plausible(sentence, figure, metric, label is not None):
            yield _claim(sentence, i, metric, value, named, label, block), figure.start


def _claim(
    sentence: Sentence, i: int, metric: str, value: int | float, named: Mention, label: str | None, block: int
) -> Claim:
    """Return a measured claim; an estimate takes no set and no settings but those of its own sentence."""
    figure, context = sentence.figures[i], sentence.context
    subject = owner_of(sentence, i, metric)
    estimate = bool(ESTIMATE.search(sentence.clause(figure)))
    outside: Mapping[str, Scalar] = {} if estimate else context.conditions
    conditions = bind(outside, _own_conditions(sentence, figure))
    if subject == BASELINE:
        conditions = {k: v for k, v in conditions.items() if k not in DRAFT_KEYS}
    if sentence.item and (label is None or slug(label) in slug(sentence.item)):
        label = sentence.item
    label = label or (None if estimate else context.label)
    position = _position(sentence, i, named) if metric == "accept_rate" else None
    stat = figure.stat or _stat(sentence, figure, estimate, named)
    inferred = CALLED_A_RATE if (named.metric, metric) == ("accept_rate", "accept_length") else ""
    approx = figure.approx
    return Claim(metric, value, figure.raw, 0, block, label, subject, conditions, {}, position, stat, approx, inferred)


def _stat(sentence: Sentence, figure: Figure, estimate: bool, named: Mention) -> str | None:
    if _PEAK.search(sentence.before(figure, 48)):
        return "up to"
    if estimate:
        return "estimate"
    per_user = _PER_USER.match(sentence.masked, figure.end) or _PER_USER.match(sentence.masked, named.end)
    return "per user" if per_user and named.metric == "throughput_tok_s" else None


def _own_conditions(sentence: Sentence, figure: Figure) -> dict[str, Scalar]:
    """Return the sentence's settings; of several values of one key, the one nearest to the figure in its clause.

    A later clause keeps its settings when it has figures of its own.
    """
    end = sentence.text.find(";", figure.end)
    alone = end >= 0 and any(f.start > end for f in sentence.figures)
    found = tuple(s for s in sentence.settings if not (alone and s.start > end))
    chosen = single(found)
    for key in {s.key for s in found} - set(chosen) - {""}:
        if nearest := _nearest(sentence, figure, [s for s in found if s.key == key]):
            chosen[key] = nearest.value
    chosen |= dealt(sentence.text, sentence.figures, sentence.figures.index(figure))
    return {k: v for k, v in chosen.items() if not _of_training(sentence, k, v)}


def _nearest(sentence: Sentence, figure: Figure, same: list[Setting]) -> Setting | None:
    """Return the last of several settings before a figure in its clause, else the next one after it in the clause."""
    before = [s for s in same if sentence.clause_start(figure) <= s.start < figure.start]
    right = next((s for s in same if s.start >= figure.end), None)
    if right and _RIGHT_AFTER.fullmatch(sentence.text, figure.end, right.start):
        return right
    after = [s for s in same if s.start >= figure.end and ";" not in sentence.text[figure.end : s.start]]
    return before[-1] if before else after[0] if after else None


def _of_training(sentence: Sentence, key: str, value: Scalar) -> bool:
    """Whether a setting tells about training: the hardware right after "trained on", a number of prompts too large for a test."""
    trained = _TRAINED_ON.search(sentence.text)
    if not trained:
        return False
    if key == "hardware":
        return any(s.key == key and 0 <= s.start - trained.end() < 12 for s in sentence.settings)
    return key == "prompts" and isinstance(value, int) and value > _MOST_PROMPTS


def _position(sentence: Sentence, i: int, named: Mention) -> int | None:
    """Return the position of a rate: given by its wording ("a0", "pos-1"), or by its place in a list "0.71 / 0.56 / 0.46"."""
    start = (
        named.start if any(c.isdigit() for c in sentence.text[named.start : named.end]) else max(0, named.start - 12)
    )
    if ordinal := _ORDINAL.match(sentence.text, sentence.figures[i].end):
        return _ORDINALS.index(ordinal[1].lower()) + 1
    between = _ORDINAL_TOKEN.search(sentence.text, named.start, sentence.figures[i].start)
    if between and not _LATER.search(sentence.text, between.end(), sentence.figures[i].start):
        return _ORDINALS.index(between[1].lower()) + 1
    own = _POSITION.search(sentence.text, start, named.end + 2)
    if own:
        return int(own[1]) + bool(_POSITION_ZERO.search(sentence.text))
    wording = sentence.text[max(0, named.start - 12) : named.end + 12]
    run = _run(sentence, i, named)
    return i - run[0] + 1 if len(run) > 2 or (len(run) == 2 and _PER_POSITION.search(wording)) else None


def _run(sentence: Sentence, i: int, named: Mention) -> list[int]:
    """Return the indices of the figures listed together with figure `i` after one mention."""
    run = [j for j, f in enumerate(sentence.figures) if f.start >= named.end and f.form == sentence.figures[i].form]
    listed = [j for j in run if j == run[0] or _LISTED.fullmatch(sentence.gap(j - 1))]
    return listed if i in listed else []
