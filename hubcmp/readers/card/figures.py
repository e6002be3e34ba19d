"""Figures in text: every spelling of a number, with its unit, sign, spread, and whether it is a range, a bound or about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import Literal

from hubcmp.units import MAX_DIGITS, SCALES, plain

Form = Literal["plain", "times", "percent", "count", "rate"]
"""How a figure is written: 2.45, 1.8x, 24%, 1.4M, 365 tok/s."""

DECIMAL_COMMA = r"(?<![\d,])\d{1,4},\d{1,2}(?![\d,])"
"""2,61 as much of Europe writes it: thousands have three digits behind each comma."""
NUMBER = DECIMAL_COMMA + r"|\d{1,3}(?:[, ]\d{3}){1,5}(?![\d,])(?:\.\d{1,12})?|\d{1,15}(?:\.\d{1,20})?"
_SCALE = r"(?:thousand|million|billion|trillion|mn|bn|[kKMBT](?![a-zA-Z])|万|亿)"
_PER_SECOND = (
    r"tok(?:en)?s?\s?/\s?s(?:ec(?:ond)?)?\b|tok(?:en)?s?\s(?:per|a)\ssecond|tps\b|t/s\b|tok(?:en)?s?/sec\b"
    r"|个?tokens?/秒|词元/秒"
)
_FIGURE = re.compile(
    rf"""(?P<sign>[+\-−–±]\s?)?
    (?P<number>{NUMBER})
    (?:\s?[*x×·]\s?10\s?\^?\s?(?P<power>[\d⁰¹²³⁴-⁹]{{1,2}})(?![\d.])|e(?P<exponent>[+-]?\d{{1,2}})\b)?
    (?:[\s-]?(?P<scale>{_SCALE}))?
    (?:\s?(?P<unit>%|％|[x×](?![a-zA-Z\d])|倍|[-‑]?fold\b|{_PER_SECOND}))?""",
    re.VERBOSE,
)
_GLUED_BEFORE = re.compile(r"[A-Za-z_.#@/\d^γα-]$|[A-Za-z\d][-‑–]$|\$\s?$")
_GLUED_AFTER = re.compile(
    r"[A-Za-z_@]|[-‑](?!tok|fold|param|sample|conversation|prompt|row|example|dialog)[A-Za-z]{2,}|\.\d|:\d\d|[-/]\d+[-/]\d|°"
)
_LIST = re.compile(r"(?<![\w/.-])\d{1,6}(?:\.\d{1,4})?[%x×]?(?:/\d{1,6}(?:\.\d{1,4})?[%x×]?){1,9}(?![\w/-]|\.\d)")
_FRONT = re.compile(r"[×x]\s?$")
_FRONTED = re.compile(r"(?:^|[^\w.)\]])[×x]\s?$")
"""The sign of a ratio in front of it: ×1.9."""
_ABOUT = re.compile(
    r"(?:~|≈|∼|～|\b(?:about|around|roughly|nearly|almost|approx(?:\.|imately)?|circa|ca\."
    r"|close to|some|etwa|rund|environ)\s|[约約近약]|大约|接近)\s?$",
    re.IGNORECASE,
)
_OR_SO = re.compile(r"\s?(?:左右|上下|程度|前後|くらい|ほど|정도|or so\b)", re.IGNORECASE)
_UP_TO = re.compile(
    r"(?:\b(?:up to|peak(?:s|ing)?(?: at| of)?|max(?:imum)?(?: of)?|as (?:much|high|many) as"
    r"|at most)|最高|高达|≤)\s*(?:an?\s)?[~≈]?\s?$",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"(?:\b(?:at least|more than|over|above|exceed(?:s|ing)?|min(?:imum)?(?: of)?)|≥|(?<![-=])>|超过|至少)\s*[~≈]?\s?$",
    re.IGNORECASE,
)
_RANGE_GAP = re.compile(r"\s?(?:-|–|—|−|~|～|‑|to|至|到|\.\.\.?)\s?")
_BETWEEN = re.compile(r"(?:\bbetween|\bfrom)\s$", re.IGNORECASE)
_CHANGE = re.compile(r"\b(?:from|goes|rises|grew|went)\b|从|由", re.IGNORECASE)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LOOKBACK = 24
MAX_FIGURES = 64
"""Numbers of one sentence or cell that are looked at."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: `value` as written (24 for 24%), its form, `raw` text and offsets; `end` is after the unit.

    `stat` is "up to", "at least", "low", "high" or None; `signed` tells +24% from 24%.
    """

    start: int
    end: int
    raw: str
    value: int | float
    form: Form
    approx: bool = False
    stat: str | None = None
    signed: bool = False


@lru_cache(4096)
def figures(text: str) -> tuple[Figure, ...]:
    """Return the free-standing figures of a text in order; numbers inside names (A22B, MATH-500, v0.9) are none."""
    return tuple(_ranges(text, _of_one_unit(text, [f for f in islice(_single(text), MAX_FIGURES) if f])))


def _single(text: str) -> Iterator[Figure | None]:
    at, lists = 0, [m.span() for m in _LIST.finditer(text) if _is_list(m[0])]
    while match := _FIGURE.search(text, at):
        at = max(match.end(), match.start() + 1)
        listed = any(a <= match.start("number") and match.end("number") <= b for a, b in lists)
        yield _shaped(text, match, "", match.start("number")) if listed else _figure(text, match)


def _is_list(text: str) -> bool:
    """Whether numbers between slashes are several figures (312/241/148, 2.1/1.9) rather than a fraction or a name (3/5, 24/7)."""
    parts = text.split("/")
    return len(parts) > 2 or "." in text or all(len(part.rstrip("%x× ")) > 1 for part in parts)


def _of_one_unit(text: str, found: list[Figure]) -> list[Figure]:
    """Give figures between slashes the unit that only the last of them has ("312/241/148 tok/s")."""
    for i in range(len(found) - 1, 0, -1):
        before, figure = found[i - 1], found[i]
        gap = text[before.end : figure.start]
        alike = ("." in before.raw) == bool(re.match(r"\d+\.", figure.raw)) and figure.value < 5 * before.value
        shared = (figure.form == "times" and gap == "/") or (figure.form == "rate" and gap.strip() == "/")
        if before.form == "plain" and shared and alike:
            found[i - 1] = replace(before, form=figure.form)
    return found


def _figure(text: str, match: re.Match[str]) -> Figure | None:
    """Return the figure of a match, or None when it is part of a name, a spread (± 0.03) or too long."""
    start, end = match.start("number"), match.end()
    sign = (match["sign"] or "").strip()
    before = text[max(0, start - _LOOKBACK) : start]
    if sign and sign != "±" and _open_range(text, match.start()):
        sign = ""  # the dash of a range
    elif sign and match.start() and (text[match.start() - 1].isalnum() or text[match.start() - 1] in "%)x×"):
        return None  # a dash between the parts of a name
    elif not sign and _GLUED_BEFORE.search(before):
        return None
    if sign == "±" or _GLUED_AFTER.match(text, end) or len(match["number"]) > MAX_DIGITS:
        return None
    return _shaped(text, match, sign, match.start() if sign else start)


def _shaped(text: str, match: re.Match[str], sign: str, start: int) -> Figure | None:
    """Give a matched number its value, form and marks."""
    written = match["number"]
    written = written.replace(",", ".") if re.fullmatch(r"\d{1,4},\d{1,2}", written) else re.sub(r"[, ]", "", written)
    number = Decimal(written)
    power = match["power"] or match["exponent"]
    scale = (match["scale"] or "").lower()
    number *= Decimal(10) ** int(power.translate(_SUPERSCRIPTS)) if power else SCALES.get(scale, 1)
    negative = sign in ("-", "−", "–")
    fronted = not match["unit"] and _FRONTED.search(text[max(0, start - 3) : start])
    unit = "x" if fronted else (match["unit"] or "").lower()
    form: Form = (
        "percent"
        if unit in ("%", "％")
        else "times"
        if unit in ("x", "×", "倍") or unit.endswith("fold")
        else "rate"
        if unit
        else "count"
        if power or scale
        else "plain"
    )
    before = text[max(0, start - _LOOKBACK) : start]
    approx = bool(_ABOUT.search(before) or _OR_SO.match(text, match.end()))
    bare = _ABOUT.sub("", before)
    stat = (
        "up to"
        if _UP_TO.search(bare)
        else "at least"
        if _AT_LEAST.search(bare) or text[match.end() : match.end() + 1] == "+"
        else None
    )
    mark = re.search(r"[~≈∼]\s?$", before) or (_FRONT.search(before) if fronted else None)
    raw = text[start - len(mark[0]) if mark else start : match.end()].strip()
    return Figure(start, match.end(), raw, plain(-number if negative else number), form, approx, stat, bool(sign))


def _open_range(text: str, dash: int) -> bool:
    """Whether the dash at this offset joins two figures (3.17-3.49, 2x-3x) rather than the parts of a name."""
    head = text[max(0, dash - 12) : dash].rstrip()
    return bool(re.search(r"(?:^|[\s(~≈:=])[+~]?\d[\d.,]*\s?(?:%|x|×|[kKMB])?$", head))


def _ranges(text: str, found: list[Figure]) -> Iterator[Figure]:
    """Mark the ends of ranges ("3.17-3.49", "2-3x", "between 2 and 3"); both ends share the unit and the raw text."""
    i = 0
    while i < len(found):
        pair = found[i : i + 2]
        if len(pair) == 2 and _joined(text, *pair):
            yield from _both_ends(text, *pair)
            i += 2
        else:
            yield found[i]
            i += 1


def _joined(text: str, low: Figure, high: Figure) -> bool:
    gap = text[low.end : high.start]
    if low.value >= high.value or (high.signed and not low.signed) or len(gap) > 6:
        return False
    if _RANGE_GAP.fullmatch(gap):
        if "+" in gap or (low.signed and not high.signed and "+" in low.raw and "%" not in high.raw):
            return False
        return not (gap.strip() in ("to", "到", "至") and _CHANGE.search(text[max(0, low.start - 30) : low.start]))
    return gap.strip() == "and" and bool(_BETWEEN.search(text[max(0, low.start - 9) : low.start]))


def _both_ends(text: str, low: Figure, high: Figure) -> tuple[Figure, Figure]:
    raw = text[low.start : high.end].strip()
    form = high.form if low.form == "plain" else low.form
    value = low.value * _scale_of(high) if low.form == "plain" and high.form == "count" else low.value
    return replace(low, form=form, value=value, raw=raw, stat="low"), replace(high, raw=raw, stat="high")


def _scale_of(figure: Figure) -> int:
    """Return the factor that a counted figure's letter or word stands for (2-3M: 2 is two million too)."""
    digits = re.match(r"[\d.,]+", figure.raw.lstrip("+~≈ "))
    written = float(digits[0].replace(",", "")) if digits else 1.0
    return max(1, round(figure.value / written)) if written else 1
