"""What a short text means: a table head, a row label, a caption or a heading, read the same way wherever it stands."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from hubcmp.facts import Scalar
from hubcmp.labels import SPELLINGS, known
from hubcmp.readers.card import axes, settings
from hubcmp.readers.card.vocabulary import DECOY_RE, DELTA_RE, metrics

_POSITION = re.compile(
    r"(?<![\w-])(?:pos(?:ition|\.)?|hop|step|head|token|a|acc(?:ept(?:ance)?)?@|α|p)[-_ @]{0,2}([0-9]{1,2})(?![\w.])",
    re.IGNORECASE,
)
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
    "5th": 5,
}
"""Heads that count positions in words."""
_POSITION_AXIS = re.compile(
    r"^(?:(?:draft|token|speculative) )?(?:pos(?:ition)?s?|hop|depth|draft token|token index|index)(?: index)?$|^位置$",
    re.IGNORECASE,
)
_BENCHMARK_AXIS = re.compile(
    r"\b(?:benchmarks?|data\s?sets?|tasks?|eval(?:uation)? set|test set|workloads?|suites?"
    r"|stage|domain|subset|split|scenario|language|prompt set|prompt type|use case|corpus"
    r"|类别|任务|数据集|基准|评测集?)\b|数据集|基准|任务|测试集|ベンチマーク|データセット|벤치마크|데이터셋",
    re.IGNORECASE,
)
_CATEGORY_AXIS = re.compile(r"^(?:category|type|area|skill|topic|group|类别|类型|领域)$", re.IGNORECASE)
_METHOD_AXIS = re.compile(
    r"^(?:[\w-]{1,14} )?(?:models?|methods?|drafters?|drafts?|speculators?|algorithms?|approach"
    r"|systems?|heads?|arm|方法|模型)$",
    re.IGNORECASE,
)
_LOOSE_AXIS = re.compile(
    r"^(?:[\w-]{1,14} )?(?:config(?:uration)?s?|setup|setting|variant|mode|run|decoding|配置)$", re.IGNORECASE
)
_VERSION_AXIS = re.compile(
    r"^(?:[\w-]{1,14} )?(?:checkpoints?|versions?|tags?|revisions?|iter(?:ation)?s?|releases?|snapshots?|ckpt|版本)$",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"\b(?:mean|avg\.?|average|in|with|at|per|value|result|results|the|of|and|only|total|size)\b|[^\w\s+/.-]",
    re.IGNORECASE,
)
_AVERAGE = re.compile(r"^(?:avg\.?|average|mean|overall|total|geo-?mean|平均)$", re.IGNORECASE)


def _loose(name: str) -> str:
    """Return a pattern for a name in which a hyphen, space or underscore may be any of them or missing."""
    return "[-_ ]?".join(map(re.escape, re.split(r"[-_ ]", name)))


_SPELLINGS = re.compile(
    rf"(?<![\w-])(?:{'|'.join(_loose(name) for name in SPELLINGS)})(?![\w]|-\d|[-/]\d)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """One text's meaning. `role` is "benchmark", "category", "method", "config", "version", "position", a settings key, or ""."""

    text: str = ""
    metrics: tuple[str, ...] = ()
    decoy: bool = False
    delta: bool = False
    percent: bool = False
    role: str = ""
    conditions: Mapping[str, Scalar] = field(default_factory=dict)
    position: int | None = None
    rest: str = ""
    per_user: bool = False

    @property
    def metric(self) -> str | None:
        """The first metric named, or None."""
        return self.metrics[0] if self.metrics else None


@lru_cache(maxsize=4096)
def meaning_of(text: str) -> Meaning:
    """Return what a head, label, caption or heading means; `rest` is what is left of it when metrics and settings are taken away."""
    found = settings.find(text)
    masked = mask(text, found)
    named = metrics(masked)
    bare = masked
    for mention in reversed(named):
        bare = bare[: mention.start] + " " + bare[mention.end :]
    position = _POSITION.search(masked)
    names = tuple(dict.fromkeys(m.metric for m in named))
    may_count = not names or names == ("accept_rate",)
    delta = bool(DELTA_RE.search(text.strip())) and names[:1] != ("speedup",)
    return Meaning(
        text=text,
        metrics=names,
        decoy=bool(DECOY_RE.search(bare)) and not known(bare),
        delta=delta,
        percent="%" in text or "％" in text,
        role=_role(text),
        conditions=single(found),
        position=_ORDINALS.get(text.strip().lower()) or (int(position[1]) if position and may_count else None),
        rest=_rest(bare),
        per_user=bool(re.search(r"per[- ](?:user|request|stream)|/user|/req", text, re.IGNORECASE)),
    )


def mask(text: str, found: tuple[settings.Setting, ...]) -> str:
    """Blank out the settings of a text, keeping every offset."""
    pieces, at = [], 0
    for s in found:
        if s.end > at:
            pieces += [text[at : max(at, s.start)], " " * (s.end - max(at, s.start))]
            at = s.end
    return "".join([*pieces, text[at:]])


def single(found: tuple[settings.Setting, ...]) -> dict[str, Scalar]:
    """Return the settings that have one value only: a text that names two binds neither."""
    values: dict[str, set[str]] = {}
    for s in found:
        values.setdefault(s.key, set()).add(str(s.value).lower())
    return {s.key: s.value for s in found if s.key and len(values[s.key]) == 1}


def merge(first: Meaning, second: Meaning) -> Meaning:
    """Return both meanings in one, as when a column has two heads; the second refines the first."""
    return replace(
        second,
        text=f"{first.text} {second.text}".strip(),
        metrics=second.metrics or first.metrics,
        decoy=first.decoy or second.decoy,
        delta=first.delta or second.delta,
        percent=first.percent or second.percent,
        role=second.role or first.role,
        conditions={**first.conditions, **second.conditions},
        position=second.position if second.position is not None else first.position,
        rest=second.rest or first.rest,
        per_user=first.per_user or second.per_user,
    )


def benchmarks_in(text: str) -> list[re.Match[str]]:
    """Return the known benchmarks that a text names, in order."""
    return [m for m in _SPELLINGS.finditer(text) if not _common_word(m[0])]


def _common_word(name: str) -> bool:
    """Set names that are ordinary words count only when written like a name."""
    return _AVERAGE.match(name) is not None or name in ("math", "Math", "apps", "Apps", "qa", "dolly", "mean", "alpaca")


def _role(text: str) -> str:
    bare = re.sub(r"[*`#:]|\([^()]{0,40}\)", " ", text)
    words = " ".join(bare.split())
    if (key := axes.axis(text)) is not None and not _METHOD_AXIS.match(words):
        return key
    patterns = (("position", _POSITION_AXIS), ("category", _CATEGORY_AXIS), ("version", _VERSION_AXIS), ("method", _METHOD_AXIS),
                ("config", _LOOSE_AXIS), ("benchmark", _BENCHMARK_AXIS))  # fmt: skip
    role = next((role for role, pattern in patterns if pattern.search(words)), "")
    return (
        "target_model" if role == "method" and re.match(r"(?:target|base|verifier)\b", words, re.IGNORECASE) else role
    )


def _rest(bare: str) -> str:
    """Return the words left over, without brackets that are empty now, units and small words."""
    if _AVERAGE.match(bare.strip()):
        return bare.strip()
    text = re.sub(r"\(\s{0,20}[^\w]{0,6}\s{0,20}\)", " ", bare)
    return " ".join(text.split()).strip(" ,:;@|-–—=()/") if _NOISE.sub("", text).strip(" -/.") else ""
