"""Claims of a sentence: each figure goes to the metric, the set and the drafter that the sentence ties it to."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hubcmp.facts import Scalar
from hubcmp.labels import slug
from hubcmp.readers.card import settings
from hubcmp.readers.card.claims import DRAFT_KEYS, Claim, bind
from hubcmp.readers.card.counts import counts, datasets
from hubcmp.readers.card.figures import Figure, figures
from hubcmp.readers.card.meaning import benchmarks_in, mask, single
from hubcmp.readers.card.reach import Context
from hubcmp.readers.card.subjects import BASELINE, SELF, Identity, subject_of
from hubcmp.readers.card.text import Text
from hubcmp.readers.card.values import metric_for, value_of
from hubcmp.readers.card.vocabulary import BASELINE_RE, DECOY_RE, OWN_RE, algorithm, metrics
from hubcmp.readers.card.wording import ESTIMATE, GENERIC, judged_set, label_groups

_GAIN = re.compile(
    r"\b(?:gains?|more|faster|improv\w*|increas\w*|higher|uplift|boost\w*|rises?|acceler\w*|grow\w*|up)\b|提升|加速|提高",
    re.IGNORECASE,
)
_SHRINK = re.compile(
    r"\s?(?:smaller|larger|bigger|fewer|less|longer|shorter|cheaper|lower|more data|more samples|more (?:parameters|params)|compression|the size|as (?:big|large|small))\b",
    re.IGNORECASE,
)
_POSITIONS = re.compile(
    r"\b(?:positions?|pos|hops?|steps?)\s\d{1,2}(?:\s?(?:[-–/,]|to)\s?\d{1,2}){1,9}\b|\b[01](?:/\d){1,8}\b",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s?[/,|、;→]\s?(?:and\s)?|\s")
_PER_POSITION = re.compile(r"per[- ]position|position(?:al|s)?|pos[-_ ]?\d|\ba\d\b|acc@|@\d", re.IGNORECASE)
_CHANGE = re.compile(r"\b(?:from)\b|→|->", re.IGNORECASE)
_RIVAL = re.compile(
    r"\s?(?:over|vs\.?|than|against|compared (?:to|with)|relative to|above|below)\s(?:the\s|an?\s)?", re.IGNORECASE
)
_WITHDRAWN = re.compile(
    r"\b(?:withdrawn|retract\w*|invalid|no longer|was wrong|were wrong|superseded figure|mistaken\w*|previously (?:reported|claimed)|incorrect\w*)\b|作废",
    re.IGNORECASE,
)
_RATIO_OF_LENGTHS = re.compile(r"\s?(?:the\s|as\s)?(?:longer|higher)?\s?accept", re.IGNORECASE)
_COUNTED = re.compile(
    r"[\s-](?!of\b|on\b|at\b|with\b|in\b|over\b|vs\b|to\b|and\b|or\b|per\b|for\b|x\b|tok|accepted|under\b|when\b|using\b|against\b|across\b|by\b|as\b|from\b)[a-z]|\s?\+\s?[a-z]"
)
_BOUND = re.compile(
    r"\b(?:exceed\w*|ceiling|maximum|cap(?:ped)?|limit\w*|upper bound|theoretical|at most|bound(?:ed)? by|beyond|threshold|chance)\b[^.;]{0,16}$",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:the|our)\s((?:first|old|older|previous|earlier|original|initial|prior|last|v\d)\s(?:head|version|drafter|draft|checkpoint|model|release|run|one))\b|^\W{0,3}(?:for comparison|by comparison|in comparison|by contrast)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|that|this|which)\b|它", re.IGNORECASE)
_COMPARED = re.compile(
    r"\b(?:than|over|vs\.?|versus|against|of|from|to|by|for|init\w* from)\s(?:the\s|that of\s|plain\s)?$", re.IGNORECASE
)
_FROM = re.compile(r"(?:\bfrom\s|从\s?|由\s?)[~≈]?$", re.IGNORECASE)
_TO = re.compile(r"\s?(?:to|提升到|提升至|增至|到|至|提高到)\s?(?:about |around )?[~≈]?", re.IGNORECASE)
_TRAINED_ACCURACY = re.compile(r"\btrain(?:ing)?\s(?:\w{1,12}\s)?acc", re.IGNORECASE)
_PEAK = re.compile(r"\b(?:peak|maximum|best[- ]case)\b[^\d;,.]{0,40}$", re.IGNORECASE)
_LISTED_WITH = re.compile(r"\s?[,/]\s?(?:and\s)?|\s(?:and|&)\s")
_AGAINST = re.compile(
    r"\b(?:against|over|vs\.?|versus|compared (?:to|with)|relative to|than)\s(?:the\s|an?\s)?((?:[\w./+-]{1,40}\s){0,2}[\w./+-]{1,40})",
    re.IGNORECASE,
)
_FOLLOWING = 28


@dataclass(frozen=True, slots=True)
class _Named:
    """Something a sentence names at an offset: a metric ("" for a decoy)."""

    start: int
    end: int
    metric: str


def claims_of_sentence(
    sentence: Text, context: Context, identity: Identity, block: int, spoken_of: str = ""
) -> Iterator[Claim]:
    """Yield the claims of one sentence; `spoken_of`: the metric that the sentence before was about, which "it" may mean."""
    text = sentence.plain
    if not any(c.isdigit() for c in text) or _WITHDRAWN.search(text):
        return
    reader = _Sentence(text, context, identity, spoken_of)
    training = context.place == "training"
    for count in counts(reader.masked_counts, figures(reader.masked_counts), training):
        names = (
            ", ".join(n for n in datasets(text) if slug(n) not in identity.targets)
            if count.metric != "parameters"
            else ""
        )
        if (reader.subject_before(count.figure.start) or SELF) != SELF:
            continue
        yield Claim(count.metric, count.figure.value, count.figure.raw, sentence.line_at(count.figure.start), block,
                    conditions={"dataset": names} if names else {}, stat=count.figure.stat, approx=count.figure.approx)  # fmt: skip
    seen = set()
    for claim, offset in reader.measured(block):
        line = sentence.line_at(offset)
        key = (claim.metric, claim.value, claim.position, claim.label, claim.subject, line, claim.stat)
        if key not in seen:
            seen.add(key)
            yield _at(claim, line)


def _at(claim: Claim, line: int) -> Claim:
    return Claim(claim.metric, claim.value, claim.raw, line, claim.block, claim.label, claim.subject, claim.conditions, {},
                 claim.position, claim.stat, claim.approx)  # fmt: skip


class _Sentence:
    """One sentence with everything it names, ready to tie figures to it."""

    def __init__(self, text: str, context: Context, identity: Identity, spoken_of: str = "") -> None:
        self._text, self._context, self._identity = text, context, identity
        self._settings = settings.find(text)
        spots = [(m.start(), m.end()) for m in _POSITIONS.finditer(text)]
        positions = tuple(settings.Setting(a, b, "", "") for a, b in spots)
        counted = tuple(s for s in self._settings if s.key != "prompts")
        self._masked = mask(text, tuple(sorted((*self._settings, *positions), key=lambda s: (s.start, s.end))))
        self.masked_counts = mask(text, counted)
        self._figures = figures(self._masked)
        self._groups = label_groups(text)
        self._named = self._find_named()
        first = self._figures[0].start if self._figures else 0
        pronoun = _PRONOUN.search(text, 0, first)
        if spoken_of and pronoun and not any(n.metric and n.end <= first for n in self._named):
            self._named.insert(0, _Named(pronoun.start(), pronoun.end(), spoken_of))

    def _find_named(self) -> list[_Named]:
        named = [_Named(m.start, m.end, m.metric) for m in metrics(self._masked) if not self._unit_of_figure(m.start)]
        if _TRAINED_ACCURACY.search(self._masked):
            named = [n for n in named if "@" not in self._masked[n.start : n.end]]
        free = [
            m for m in DECOY_RE.finditer(self._masked) if all(m.end() <= n.start or m.start() >= n.end for n in named)
        ]
        return sorted([*named, *(_Named(m.start(), m.end(), "") for m in free)], key=lambda n: n.start)

    def _unit_of_figure(self, offset: int) -> bool:
        """Whether a wording is the unit of a figure ("187 tokens/s") and so no mention of its own."""
        return any(f.form == "rate" and f.start <= offset < f.end for f in self._figures)

    def measured(self, block: int) -> Iterator[tuple[Claim, int]]:
        """Yield the measured claims with their offsets."""
        for i, figure in enumerate(self._figures):
            named = self._metric_of(i)
            if named is None or self._in_label(figure):
                continue
            metric = metric_for(figure, named.metric)
            value = None if metric is None else value_of(figure, metric)
            if metric is None or value is None or not self._plausible(figure, metric):
                continue
            yield self._claim(i, figure, metric, value, named, block), figure.start

    def _metric_of(self, i: int) -> _Named | None:
        """Return what names a figure's metric: its unit, the nearest mention before it, else one right after it."""
        figure = self._figures[i]
        before = [n for n in self._named if n.end <= figure.start]
        after = next((n for n in self._named if n.start >= figure.end), None)
        close = (
            after
            if after and after.start - figure.end <= _FOLLOWING and not self._figure_between(figure.end, after.start)
            else None
        )
        if figure.form == "rate":
            return _Named(figure.start, figure.end, "throughput_tok_s")
        if figure.form == "times":
            return self._times(figure)
        if figure.form == "percent":
            return self._percent(figure, before, close)
        if figure.form == "count":
            return None
        if close and close.metric and self._masked[figure.end : close.start].strip(" *_(") == "":
            return close
        nearest = before[-1] if before else close if close else self._change(i)
        return nearest if nearest and nearest.metric else None

    def _figure_between(self, start: int, end: int) -> bool:
        return any(start <= f.start < end for f in self._figures)

    def _times(self, figure: Figure) -> _Named | None:
        """A ratio is a speedup unless the sentence compares sizes, costs or lengths by it."""
        if _SHRINK.match(self._masked, figure.end) or _RATIO_OF_LENGTHS.match(self._masked, figure.end):
            return None
        speedy = (
            any(n.metric in ("speedup", "throughput_tok_s") for n in self._named)
            or _GAIN.search(self._text)
            or BASELINE_RE.search(self._text)
        )
        captioned = any(set(c.metrics) & {"speedup", "throughput_tok_s"} for c in self._context.captions)
        decoys = [n for n in self._named if n.metric == "" and abs(n.start - figure.end) < _FOLLOWING]
        reaches = re.search(r"\b(?:reach\w*|gives?|gets?|yields?|achiev\w*|deliver\w*)\b", self._text, re.IGNORECASE)
        return None if decoys or not (speedy or captioned or reaches) else _Named(figure.start, figure.end, "speedup")

    def _percent(self, figure: Figure, before: Sequence[_Named], close: _Named | None) -> _Named | None:
        """A percentage is a rate or a gain, as the nearest wording says."""
        if close and close.metric == "accept_rate" and not self._masked[figure.end : close.start].strip():
            return close
        nearest = before[-1] if before else close
        if nearest and nearest.metric == "":
            return None
        if nearest and nearest.metric == "accept_rate":
            return None if figure.signed else nearest
        if nearest and nearest.metric == "accept_length":
            return None
        if self._compares_drafters():
            return None
        gain = _GAIN.search(self._masked) or figure.signed
        speedy = nearest or self._named_speed() or any(f.form == "rate" for f in self._figures)
        return _Named(figure.start, figure.end, "speedup") if gain and speedy else None

    def _named_speed(self) -> bool:
        return any(n.metric in ("speedup", "throughput_tok_s") for n in self._named)

    def _change(self, i: int) -> _Named | None:
        """A bare figure beside a throughput in the same sentence ("from 90 to 220") is one as well."""
        figure = self._figures[i]
        rates = any(f.form == "rate" for f in self._figures)
        window = self._masked[max(0, figure.start - 16) : figure.start]
        changing = _CHANGE.search(window) or re.search(r"\bto\s$", window)
        return _Named(figure.start, figure.end, "throughput_tok_s") if rates and changing and figure.value > 5 else None

    def _plausible(self, figure: Figure, metric: str) -> bool:
        """Leave out promises in general, gains over another drafter, and counts that cannot be the metric."""
        if metric == "speedup":
            clause = self._clause(figure)
            if GENERIC.search(clause) and not self._label_of(self._figures.index(figure)):
                return False
            return not self._over_a_rival(figure)
        if figure.form == "plain" and (
            _counts_something(self._masked, figure) or _BOUND.search(self._masked[: figure.start])
        ):
            return False
        if metric == "accept_rate" and figure.form == "plain" and figure.value > 1:
            return False
        return metric != "accept_length" or figure.value <= 64

    def _over_a_rival(self, figure: Figure) -> bool:
        """Whether a gain is measured against another drafter."""
        for match in _AGAINST.finditer(self._clause(figure)):
            method = algorithm(match[1])
            if method and subject_of(method, self._identity) != SELF and not BASELINE_RE.search(match[1]):
                return True
        match = _RIVAL.match(self._masked, figure.end)
        if not match:
            return False
        rival = self._masked[match.end() : match.end() + 40]
        return (subject_of(re.split(r"[,.;(]| on | at ", rival)[0], self._identity) or BASELINE).startswith("other:")

    def _clause(self, figure: Figure) -> str:
        start = self._text.rfind(";", 0, figure.start) + 1
        end = self._text.find(";", figure.end)
        return self._text[start : end if end >= 0 else len(self._text)]

    def _in_label(self, figure: Figure) -> bool:
        return any(start <= figure.start < end for start, end, _ in self._groups)

    def _claim(self, i: int, figure: Figure, metric: str, value: int | float, named: _Named, block: int) -> Claim:
        subject = self._subject(i, metric)
        estimate = bool(ESTIMATE.search(self._clause(figure)))
        outside: Mapping[str, Scalar] = {} if estimate else self._context.conditions
        conditions = bind(outside, self._own_conditions(figure))
        label = self._label_of(i) or (None if estimate else self._context.label)
        if subject == BASELINE:
            conditions = {k: v for k, v in conditions.items() if k not in DRAFT_KEYS}
        peak = _PEAK.search(self._masked[max(0, figure.start - 48) : figure.start])
        stat = (
            figure.stat
            or ("up to" if peak else None)
            or ("estimate" if estimate else "per user" if self._per_user(figure) else None)
        )
        position = self._position(i, named) if metric == "accept_rate" else None
        return Claim(metric, value, figure.raw, 0, block, label, subject, conditions, {}, position, stat, figure.approx)

    def _per_user(self, figure: Figure) -> bool:
        return bool(
            re.match(
                r"\s?(?:/\s?user|per user|per (?:request|stream)|/req)", self._masked[figure.end : figure.end + 14]
            )
        )

    def _own_conditions(self, figure: Figure) -> dict[str, Scalar]:
        """Return the sentence's settings; of several values of one key, the one in the figure's own clause or nearest before it."""
        chosen = single(self._settings)
        for s in self._settings:
            if s.key and s.key not in chosen:
                same = [t for t in self._settings if t.key == s.key]
                start = self._text.rfind(";", 0, figure.start) + 1
                before = [t for t in same if start <= t.start < figure.start]
                after = [t for t in same if t.start >= figure.end]
                pick = (
                    before[-1]
                    if before
                    else after[0]
                    if after and ";" not in self._text[figure.end : after[0].start]
                    else None
                )
                if pick:
                    chosen[s.key] = pick.value
        trained = re.search(r"\btrained (?:on|with|using) ", self._text)
        on_training = [
            s.key for s in self._settings if trained and s.start - trained.end() in range(0, 12) and s.key == "hardware"
        ]
        return {
            k: v for k, v in chosen.items() if k not in on_training and not (k == "prompts" and self._is_training(v))
        }

    def _is_training(self, value: Scalar) -> bool:
        return bool(re.search(r"\btrain", self._text, re.IGNORECASE)) and isinstance(value, int) and value > 20000

    def _label_of(self, i: int) -> str | None:
        """Return the set of a figure: named right after it, else right before it, else anywhere in the sentence."""
        figure = self._figures[i]
        if named := self._respectively(i):
            return named
        first, last = i - (figure.stat == "high"), i + (figure.stat == "low")
        previous = self._figures[first - 1].end if first > 0 else 0
        following = self._figures[last + 1].start if last + 1 < len(self._figures) else len(self._text)
        after = [g for g in self._groups if figure.end <= g[0] < following]
        before = [g for g in self._groups if previous <= g[0] < figure.start]
        if after and (
            not before
            or re.search(r"\b(?:on|over|across|for|in)\b|\($", self._text[figure.end : after[0][0]], re.IGNORECASE)
        ):
            return after[0][2]
        if before:
            return before[-1][2]
        earlier = [g for g in self._groups if g[0] < figure.start]
        later = [g for g in self._groups if g[0] >= figure.end]
        if judged := judged_set(self._masked, figure.start):
            return judged
        leading = earlier and (not self._figures or earlier[-1][0] < self._figures[0].start)
        return earlier[-1][2] if leading else later[0][2] if len(later) == 1 and not earlier else None

    def _respectively(self, i: int) -> str | None:
        """Pair figures listed in a row with as many sets listed in a row ("3.1, 2.7 and 2.2 on A, B and C")."""
        run = [i]
        while run[0] > 0 and _LISTED_WITH.fullmatch(
            self._masked[self._figures[run[0] - 1].end : self._figures[run[0]].start]
        ):
            run.insert(0, run[0] - 1)
        while run[-1] + 1 < len(self._figures) and _LISTED_WITH.fullmatch(
            self._masked[self._figures[run[-1]].end : self._figures[run[-1] + 1].start]
        ):
            run.append(run[-1] + 1)
        for _, _, label in self._groups if len(run) > 1 else ():
            names = [m[0] for m in benchmarks_in(label)]
            if len(names) == len(run):
                return names[run.index(i)]
        return None

    def _subject(self, i: int, metric: str) -> str | None:
        """Return whose figure it is: said right after it, else by the nearest drafter named before it."""
        figure = self._figures[i]
        if metric != "speedup" and self._is_start_of_change(i):
            return "other:earlier version" if self._compares_drafters() else BASELINE
        following = self._figures[i + 1].start if i + 1 < len(self._figures) else len(self._masked)
        if OWN_RE.search(self._masked[figure.end : min(following, figure.end + 24)].split(",")[0]):
            return SELF
        if metric == "throughput_tok_s" and BASELINE_RE.search(
            self._masked[figure.end : min(following, figure.end + 30)].split(",")[0]
        ):
            return BASELINE
        named = self.subject_before(figure.start)
        return None if named == BASELINE and metric == "speedup" else named

    def subject_before(self, offset: int) -> str | None:
        """Return the drafter that the sentence speaks of before an offset, or None when it names none."""
        head = re.split(r"[;]\s(?!it\b)|\bwhile\b|\bwhereas\b", self._masked[:offset])[-1]
        lead = re.match(r"^\W{0,3}([^:|,;]{2,40})[:|]\s", self._masked)
        earlier = _EARLIER.search(head)
        led = subject_of(lead[1], self._identity) if lead else None
        named = led if led and led.startswith("other:") else _last_drafter(head, self._identity) or led
        return f"other:{earlier[1] or 'another'}" if earlier and named in (None, SELF) else named

    def _is_start_of_change(self, i: int) -> bool:
        """Whether the figure is where a change starts: "from 187 to 365", "52.8% -> 66.4%"."""
        if i + 1 >= len(self._figures):
            return False
        a, b = self._figures[i], self._figures[i + 1]
        gap = self._masked[a.end : b.start]
        return bool(re.fullmatch(r"\s?(?:→|->)\s?", gap)) or bool(
            _FROM.search(self._masked[: a.start]) and _TO.fullmatch(gap)
        )

    def _compares_drafters(self) -> bool:
        """Whether the sentence's changes start from another drafter: plain decoding has no acceptance to start from."""
        for i, figure in enumerate(self._figures):
            if self._is_start_of_change(i):
                named = [n for n in self._named if n.end <= figure.start]
                if named and named[-1].metric in ("accept_rate", "accept_length"):
                    return True
        return False

    def _position(self, i: int, named: _Named) -> int | None:
        """Return the position of a rate in a list "0.71 / 0.56 / 0.46", or the one its wording gives ("a0", "pos-1")."""
        wording = self._text[max(0, named.start - 12) : named.end + 12]
        own = re.search(
            r"(?:pos(?:ition)?[-_ ]?|a|@|α_?)(\d)(?!\d)", self._text[named.start : named.end + 2], re.IGNORECASE
        )
        if own:
            zero = re.search(r"(?:pos(?:ition)?[-_ ]?|\ba|@|α_?)0", self._text, re.IGNORECASE)
            return int(own[1]) + (1 if zero else 0)
        run = self._run(i, named)
        return i - run[0] + 1 if len(run) > 1 and (len(run) > 2 or _PER_POSITION.search(wording)) else None

    def _run(self, i: int, named: _Named) -> list[int]:
        """Return the indices of the figures listed together with figure `i` after one mention."""
        run = [j for j, f in enumerate(self._figures) if f.start >= named.end and f.form == self._figures[i].form]
        listed = [
            j
            for j in run
            if j == run[0] or _LISTED.fullmatch(self._masked[self._figures[j - 1].end : self._figures[j].start])
        ]
        return listed if i in listed else []


def _counts_something(text: str, figure: Figure) -> bool:
    """Whether a whole number counts the noun after it ("7 benchmarks") or is part of a formula ("1 + accepted")."""
    return figure.raw.isdigit() and _COUNTED.match(text, figure.end) is not None


def metric_spoken_of(sentence: str) -> str:
    """Return the metric that a sentence is about, for a following one that says "it"; "" when it names none or several."""
    named = {m.metric for m in metrics(sentence)}
    return named.pop() if len(named) == 1 else ""


def _last_drafter(text: str, identity: Identity) -> str | None:
    """Return the subject named last in a text, leaving out what stands in a comparison ("than MTP")."""
    tail = text[-300:]
    found: list[tuple[int, str]] = [(m.start(), BASELINE) for m in BASELINE_RE.finditer(tail)] + [
        (m.start(), SELF) for m in OWN_RE.finditer(tail)
    ]
    for word in re.finditer(r"[\w./+-]{2,96}", tail):
        name = word[0].rstrip(".")
        subject = subject_of(name, identity) if "/" not in name or algorithm(name) else None
        if subject and subject != BASELINE:
            found.append((word.start(), subject))
    spoken = [(start, subject) for start, subject in found if not _COMPARED.search(tail[:start])]
    return max(spoken, key=lambda s: s[0])[1] if spoken else None
