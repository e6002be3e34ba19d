"""Whose figure a sentence states: said right after it, else by the drafter the sentence speaks of before it."""

import re

from hubcmp.labels import slug
from hubcmp.readers.card.dealt import run_of
from hubcmp.readers.card.sentence import Sentence
from hubcmp.readers.card.subjects import BASELINE, SELF, Identity, subject_of
from hubcmp.readers.card.vocabulary import BASELINE_RE, OWN_RE, algorithm

_BEFORE = r"(?:first|old|older|previous|earlier|original|initial|prior|last|v\d)"
_EARLIER = re.compile(
    rf"\b(?:the|our|an?)\s({_BEFORE}\s(?:head|version|drafter|draft|checkpoint|model|release|run|one))\b"
    r"(?!\s(?:being|is|was|were|having|got|to be)\b)"
    r"|^\W{0,3}((?:older|earlier|previous|prior) (?:versions|heads|drafters|releases|checkpoints))\b"
    r"|^\W{0,3}(?:for comparison|by comparison|in comparison|by contrast)\b",
    re.IGNORECASE,
)
_UNTUNED = re.compile(
    r"(?:stock|untuned|un-?trained|previous|old|original|initial|upstream|base)"
    r"(?:\s(?:mtp|head|drafter|draft|version|checkpoint|weights|release|speculator)){0,2}",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:original|upstream) (?:authors?|card|repo\w*|publishers?)\b|\b(?:its|the) authors (?:report|state|claim|give)",
    re.IGNORECASE,
)
_DRAFTING = re.compile(
    r"\b(?:using|with|to|than|against|vs\.?)\s(?:the\s|an?\s)?`?([A-Za-z][\w./-]{2,80})`?\s(?:as|for)\s(?:the\s|an?\s)?draft(?:er)?\b",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"^\W{0,3}(?:the )?([A-Za-z][\w./-]{3,80}) (?:alone |itself |by itself )?(?:generates|decodes|runs|serves|produces)\b"
)
_NAMED_HEAD = re.compile(r"\b[Tt]he ([A-Z][\w.-]{1,40}) (?:drafter|head|draft)\b", re.ASCII)
_COMPARED = re.compile(
    r"\b(?:than|over|vs\.?|versus|against|of|from|to|by|for|init\w{0,8} from)\s(?:the\s|that of\s|plain\s)?$",
    re.IGNORECASE,
)
_CREDITED = re.compile(r"\s?(?:for|with|from|by|of)\s(?:the\s|its\s|an?\s)?([^,;.()]{2,40})", re.IGNORECASE)
_PLAINLY = re.compile(
    r"(?:greedy|plain|vanilla|auto-?regressive|normal|standard)\s(?:decoding|generation)", re.IGNORECASE
)
_WITH, _WITHOUT = (
    re.compile(rf"\s?(?:{word})(?:\sit)?[\s.]{{0,2}}", re.IGNORECASE) for word in ("with", "without|w/o")
)
_NEXT_CLAUSE = re.compile(r";\s(?!it\b)|\bwhile\b|\bwhereas\b")
_LEAD = re.compile(r"^\W{0,3}([^:|,;]{2,40})[:|]\s")
_SEPARATOR = re.compile(r"[,;·|(/:]")
_CLOSED = re.compile(r"\([^()]{0,120}\)")
_WORD = re.compile(r"[\w./+-]{2,96}")
_TAIL = 300


def owner_of(sentence: Sentence, i: int, metric: str) -> str | None:
    """Return the subject of figure `i`: "self", "baseline", "other:NAME", or None when the sentence names no drafter."""
    if metric != "speedup" and sentence.starts_change(i):
        return "other:earlier version" if sentence.compares_drafters() else BASELINE
    if i and sentence.starts_change(i - 1):
        return _last_named(
            sentence.masked[max(0, sentence.figures[i].start - _TAIL) : sentence.figures[i].start], sentence.identity
        )
    after = _SEPARATOR.split(sentence.after(run_of(sentence.text, sentence.figures, i)[1], 30))[0]
    if OWN_RE.search(after) or _WITH.fullmatch(after):
        return SELF
    if metric != "speedup" and _WITHOUT.fullmatch(after):
        return BASELINE
    if credited := _CREDITED.match(after):
        if _PLAINLY.match(credited[1]):
            return BASELINE
        if algorithm(credited[1]):
            return subject_of(credited[1], sentence.identity)
        if _EARLIER.search(f"the {credited[1]}"):
            return f"other:{credited[1].strip()}"
    if metric == "throughput_tok_s" and BASELINE_RE.search(after):
        return BASELINE
    named = spoken_of_before(sentence, sentence.figures[i].start)
    return None if named == BASELINE and metric == "speedup" else named


def spoken_of_before(sentence: Sentence, offset: int) -> str | None:
    """Return the drafter that the sentence speaks of before an offset, or None; what brackets said is over after them."""
    said = _CLOSED.sub(lambda m: " " * len(m[0]), sentence.masked[:offset])
    head = _NEXT_CLAUSE.split(said)[-1]
    lead = _LEAD.match(sentence.masked)
    led = subject_of(lead[1], sentence.identity, bool(_UNTUNED.fullmatch(lead[1].strip()))) if lead else None
    if led and led.startswith("other:"):
        return led
    if _REPORTED.search(head):
        return "other:as reported by its authors"
    if _alone(head, sentence.identity):
        return BASELINE
    named = _last_named(head[-_TAIL:], sentence.identity) or led
    return _another(head, sentence.identity) or named if named in (None, SELF) else named


def _alone(text: str, identity: Identity) -> bool:
    """Whether a sentence begins with the target doing the work by itself ("Falcon-H1-34B generates at ...")."""
    found = _DOES.match(text)
    return found is not None and any(
        slug(found[1]).startswith(t) or t.startswith(slug(found[1])) for t in identity.targets
    )


def _another(text: str, identity: Identity) -> str | None:
    """Return another drafter that a text speaks of without naming its method: "the first head", "the K2.5 drafter"."""
    if earlier := _EARLIER.search(text):
        return f"other:{earlier[1] or earlier[2] or 'another'}"
    named = _NAMED_HEAD.search(text) or _DRAFTING.search(text)
    own = named is None or algorithm(named[1]) or any(slug(named[1]) in n for n in identity.targets | identity.names)
    return None if own or named is None else f"other:{named[1]}"


def _last_named(text: str, identity: Identity) -> str | None:
    """Return the subject named last, leaving out what stands in a comparison ("than MTP")."""
    found = [(m.start(), BASELINE) for m in BASELINE_RE.finditer(text)] + [
        (m.start(), SELF) for m in OWN_RE.finditer(text)
    ]
    for word in _WORD.finditer(text):
        name = word[0].rstrip(".")
        subject = subject_of(name, identity) if "/" not in name or algorithm(name) else None
        if subject and subject != BASELINE:
            found.append((word.start(), subject))
    spoken = [f for f in found if not _COMPARED.search(text[: f[0]])]
    return max(spoken, key=lambda f: f[0])[1] if spoken else None
