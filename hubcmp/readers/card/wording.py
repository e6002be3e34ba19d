"""Phrases of prose: the set a figure was measured on, general promises, estimates."""

import re
from functools import lru_cache

from hubcmp.readers.card import settings
from hubcmp.readers.card.meaning import benchmarks_in, mask

_ON = re.compile(
    r"(?<![\w-])(?<!depending )(?:on|over|across|averaged over|for|in|under)\s(?:the\s|our\s|an?\s|its\s|all\s)?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w+.'/×-]*\w\+?")
_STOP = frozenset({
    "with", "at", "using", "when", "by", "from", "to", "is", "was", "are", "were", "while", "under", "than", "we", "it", "of", "that",
    "which", "as", "and", "or", "but", "where", "after", "before", "vs", "versus", "against", "on", "over", "across", "for", "in",
    "this", "these", "those", "each", "per", "plus", "via", "reaches", "gives", "yields", "stays",
})  # fmt: skip
_SET_NOUN = re.compile(
    r"^(?:benchmarks?|data\s?sets?|sets?|workloads?|tasks?|prompts?|subsets?|suites?|traffic"
    r"|queries|split|conversations?|problems|evaluations?|chat|coding|examples|mix|captions"
    r"|documents|corpus|distribution)$",
    re.IGNORECASE,
)
_DOMAINS = (
    r"code|coding|chat|math|prose|reasoning|summari[sz]ation|translation|writing|rag|role-?play"
    r"|creative writing|conversation|dialogue|json|tool[- ]calling|agentic|repetitive text"
)
DOMAIN_RE = re.compile(
    rf"(?<![\w-])(?:{_DOMAINS}|q&a|questions?|docs?|text|news|stories|story|poems?|email|sql|python)(?![\w-])",
    re.IGNORECASE,
)
_DOMAIN = re.compile(
    rf"(?<=\()({_DOMAINS})(?=\)\s?:)"
    rf"|(?<![\w-])(?:(?<=on )|(?<=for )|(?<=in ))({_DOMAINS})(?=\s?(?:[,.;)]|and\s|$))|(?<![\w-])({_DOMAINS})(?=\s?(?:\s(?:up to"
    rf"|at|is|reaches|gets|gives)\s|[:=]\s?|\s)[~≈+]?\d[\d.]*(?!\s?(?:samples|prompts|tasks"
    rf"|examples|problems)))",
    re.IGNORECASE,
)
_IN_CHINESE = re.compile(r"在([^\s\d，。；、：,;]{2,24}?)(?:上|中)(?=[^\s]{0,12}\s?[约~]?\d)")
_NAMED_SET = re.compile(
    r"\b((?:held-?out|validation)(?:\s(?:set|split))?|(?:judge|eval(?:uation)?|test|dev|trend)\s(?:set"
    r"|split))\b(?=\s?[:(]|\smetrics|\sresults|$)",
    re.IGNORECASE,
)
_VALIDATION = re.compile(r"\b(?:validation|val|held-?out(?:\s(?:set|split|data))?)\b", re.IGNORECASE)
_LEADING_COUNT = re.compile(r"(?:\d[\d,]*\s(?=held|val))?")
_GLUE = re.compile(r"\s?(?:,|/|&|、|和)?\s?(?:and\s|&\s|、|和)?")
GENERIC = re.compile(
    r"\b(?:can|could|may|might|typical(?:ly)?|usual(?:ly)?|generally|often|in general|potential(?:ly)?"
    r"|benefits?|promis\w+|designed|aims?|goal|target(?:ing|s) a|commonly|known to|claims?"
    r"|the paper|(?:people|others|users) report|other models)\b|通常|一般可|可达到?(?=.{0,8}倍)",
    re.IGNORECASE,
)
ESTIMATE = re.compile(
    r"\b(?:expect\w*|estimat\w*|project(?:ed|ions?)|should (?:give|reach|yield|be|land|bring)"
    r"|means roughly|predict\w*|anticipat\w*|extrapolat\w*|would (?:give|be|reach))\b|预计"
    r"|估计",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def set_named(text: str) -> str | None:
    """Return the set that a caption, heading or settings line names ("over MT-bench, HumanEval, and GSM8K", "Validation"), or None."""
    groups = label_groups(text)
    if groups:
        return groups[0][2]
    judged = _NAMED_SET.search(text) or _VALIDATION.search(text)
    return judged[0] if judged and len(text) < 400 else None


def judged_set(text: str, offset: int) -> str | None:
    """Return the validation or held-out set named shortly before an offset ("Validation per-position acceptance: 0.67")."""
    found = [m for m in _VALIDATION.finditer(text, 0, offset)]
    between = text[found[-1].end() : offset] if found else ""
    return found[-1][0] if found and len(re.findall(r"[^\W\d]{3,}", between)) <= 4 else None


def label_groups(text: str, own: frozenset[str] = frozenset()) -> list[tuple[int, int, str]]:
    """Return the sets a text names as (start, end, label): known names, joined when listed, and "on ..." phrases; in order.

    `own` holds names that count as known because the card's tables use them.
    """
    masked = mask(text, tuple(s for s in settings.find(text) if s.key != "prompts"))
    groups = _joined_names(masked)
    for pattern in (*([_own_names(own)] if own else ()), _DOMAIN):
        groups += [
            (m.start(), m.end(), m[0])
            for m in pattern.finditer(masked)
            if all(m.end() <= g[0] or m.start() >= g[1] for g in groups)
        ]
    groups += [
        (m.start(1), m.end(1), m[1])
        for m in _IN_CHINESE.finditer(masked)
        if all(m.end() <= g[0] or m.start() >= g[1] for g in groups)
    ]
    for match in _ON.finditer(masked):
        phrase = _phrase(masked, match.end())
        if phrase and all(phrase[1] <= g[0] or match.end() >= g[1] for g in groups):
            groups.append(phrase)
        elif phrase:
            groups = [_widened(g, phrase) for g in groups]
    return sorted(groups)


@lru_cache(maxsize=16)
def _own_names(names: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern for names of sets where the sentence ties a figure to them ("on story", "story: 2.1", "story (2.1)")."""
    written = "|".join(map(re.escape, sorted(names, key=lambda n: (-len(n), n))))
    tied = rf"(?:(?<=\bon )|(?<=\bfor )|(?<=\bin )|(?<=\bover )|(?<=\band ))(?:{written})(?![\w-])"
    return re.compile(rf"{tied}|(?<![\w-])(?:{written})(?=\s?[:(=])|(?<=\()(?i:{written})(?=\))")


def _joined_names(text: str) -> list[tuple[int, int, str]]:
    """Return runs of known names: "MT-bench, HumanEval, and GSM8K" is one run."""
    runs: list[tuple[int, int]] = []
    for match in benchmarks_in(text):
        if runs and _GLUE.fullmatch(text, runs[-1][1], match.start()):
            runs[-1] = (runs[-1][0], match.end())
        else:
            runs.append((match.start(), match.end()))
    return [(start, end, text[start:end]) for start, end in runs]


def _phrase(text: str, at: int) -> tuple[int, int, str] | None:
    """Return the noun phrase at an offset when it ends with a word for a set ("standard benchmarks", "fixed 96-row set")."""
    at += len(_LEADING_COUNT.match(text, at)[0])  # type: ignore[index]
    start, end = at, at
    for _ in range(6):
        match = _WORD.match(text, end + (end > start and text[end : end + 1] == " "))
        if not match or match[0].lower() in _STOP:
            break
        end = match.end()
        if _SET_NOUN.match(match[0]):
            rest = _WORD.match(text, end + 1)
            if not (rest and text[end : end + 1] == " " and _SET_NOUN.match(rest[0])):
                return start, end, text[start:end]
    return None


def _widened(group: tuple[int, int, str], phrase: tuple[int, int, str]) -> tuple[int, int, str]:
    """A phrase that contains a known name is the fuller label ("SPEED-Bench qualitative subset")."""
    return phrase if phrase[0] <= group[0] and group[1] <= phrase[1] else group
