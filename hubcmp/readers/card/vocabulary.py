"""The words of cards: what a metric, a decoy, a baseline and an algorithm are called. Extend a table by one row; see docs/cards.md."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_MEAN = re.compile(r"(?:(?<![A-Za-z])(?:mean|avg\.?|average|official|overall|measured)[\s_]{1,4}){1,2}$", re.IGNORECASE)
"""Words in front of a metric's name that belong to it."""
_ACCEPT = r"(?:accept(?:ed|ance)?|acc\.?)"

METRIC_WORDS: tuple[tuple[str, ...], ...] = (
    ("accept_length", rf"\b(?:{_ACCEPT})[\s_-]{{0,2}}(?:drafts?[\s_-])?(?:tok(?:en)?s?[\s_-])?len(?:gth)?s?\b", "acc"),
    ("accept_length", rf"(?<![a-z])(?:{_ACCEPT})_len(?:gth)?s?\b", "acc"),
    ("accept_length",
        r"\btok(?:en)?s?\s?(?:(?:generated|produced|emitted|accepted|kept|gained|committed) )?(?:/|\bper\b|\ba\b)\s?"
        r"(?:speculation |speculative |decoding |decode "
        r"|verif\w{1,8} |target |draft )?(?:step|fwd|forward(?: pass)?|verify|verification|iteration"
        r"|cycle|round|pass|iter|call)s?\b", "tok"),
    ("accept_length",
        r"\b(?:each|every|per|a)\s(?:verif\w{1,8}(?: step| pass)?|target pass|forward(?: pass)?|step|round|cycle|pass)\s"
        r"(?:keeps?|yields?|gives?|accepts?|returns?|produces?|emits?|lands?|commits?)\b"
        r"|\btokens (?:survive|are kept|stick|land)\b"),
    ("accept_length", r"\baccepted (?:draft )?tokens(?: per \w{1,12})?\b", "acc"),
    ("accept_length", r"(?-i:(?<![\w-])M?AL(?![\w-]))|(?<![\w-])(?:tau|τ)(?![\w-])(?!\s?=\s?(?:1\s?\+|[A-Za-z(])|\s?²)"),
    ("accept_length",
        r"(?:平均)?(?:受理|受容|受け入れ|採択)長|(?:평균\s?)?(?:수락|수용|허용)\s?길이|longueur d['’]acceptation"
        r"|Akzeptanzlänge"),
    ("accept_rate", r"(?:受理|受容|受け入れ|採択)率|(?:수락|수용|허용)[률율]|taux d['’]acceptation|Akzeptanzrate"),
    ("speedup", r"高速化(?:率)?|속도\s?향상|가속|accélération|Beschleunigung"),
    ("throughput_tok_s", r"スループット|처리량|débit|Durchsatz"),
    ("accept_length", r"(?:平均)?接受(?:的)?(?:token)?长度|(?:平均)?接收长度|(?:平均)?接受\s?token\s?数"),
    ("accept_rate",
        rf"(?:draft |token |per-position |position |conditional |marginal ){{0,2}}(?<![a-z])"
        rf"(?:{_ACCEPT})[\s_-]?(?:rate|ratio|prob(?:abilit(?:y|ies))?|pct|%)s?\b", "acc"),
    ("accept_rate",
        r"(?<![a-z])(?:per[- ]position|position(?:al|[- ]wise)?|draft|greedy|mean|token)[\s_](?:token )?"
        r"acceptance\b(?!\s?len)", "acc"),
    ("accept_rate", r"(?<![\w-])(?:acc(?:ept(?:ance)?)?@\d{1,2}|pos(?:ition|\.)?[-_ ]\d{1,2}|a[0-9](?!\w)|α[_ ]?\d?)(?![\w.])"),
    ("accept_rate",
        r"\b(?:first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th)\s(?:draft(?:ed)?\s)?(?:tokens?|positions?|guess(?:es)?)\b"),
    ("accept_rate", r"\bof (?:the |all )?(?:drafts?|draft(?:ed)? tokens|proposals|proposed tokens) (?:is |are |get |were )?accepted\b"),
    ("accept_rate", r"(?<=%\s)(?:of (?:them |the drafts? )?)?accepted\b|\bper[- ]position\b(?=[^.:;]{0,70}:\s?[\[(]?0?\.\d)"),
    ("accept_rate", r"\b(?:is|are|gets?|get) accepted\b(?=\s(?:at|with|in|about|~))|\baccepted at\b"),
    ("accept_rate", r"(?:平均)?(?:接受|接收)率|\baccept(?:ance)?\b(?!\s?(?:len|criteri|test|method))"),
    ("speedup", r"\bspeed[- ]?ups?\b|\bspd\b\.?|\bfaster\b|加速比|加速|提速|\bacceleration\b"),
    ("speedup",
        r"\b(?:throughput|tps|tok/s|tokens/s|speed) (?:gains?|improvements?|increases?|uplift"
        r"|boost|ratio|multiplier|advantage)\b|吞吐提升"),
    ("throughput_tok_s",
        r"\b(?:(?:output|decode|decoding|generation|mean|avg|average|total|system|end-to-end"
        r"|e2e) ){0,2}(?:token )?throughput\b|吞吐(?:量|率)?|\b(?:decode|decoding|generation|output) (?:speed"
        r"|rate)\b|生成速度", "through", "吞吐", "speed", "rate", "速度"),
    ("throughput_tok_s",
        r"\btok(?:en)?s?\s?/\s?s(?:ec(?:ond)?)?(?:/user|/req)?\b|\btok(?:en)?s? per second\b"
        r"|\btps\b|(?<![\w/])t/s\b|词元/秒|(?<![\w-])tok_s(?![\w-])|output_throughput", "tok", "tps", "t/s", "词元", "throughput"),
    ("speedup", r"^(?:ratio|factor)$|^speed$|(?<=/ )speed$|(?<=\()speed(?=\))"),
)  # fmt: skip
"""(metric, pattern, letters): how cards call the measured figures, most specific first.

Letters are optional: a text that holds none of them cannot match, and the pattern is not tried.
"""

DECOYS = (
    r"\b(?:latency|ttft|tpot|itl|inter-token|time to first token|step[_ ]time|wall[- ]?clock"
    r"|elapsed|duration|runtime|isl|osl"
    r"|(?:input|output) (?:seq\w* )?len(?:gth)?|prefill|prompt (?:processing|eval(?:uation)?))\b|\(m?s\)|延迟|时延"
    r"|(?<![a-z])(?:\w{1,12}_acc|acc_\d|acc)(?![a-z])"
    r"|\b(?:accuracy|top-?[1-9]0? (?:acc|agree|match)\w*|loss|perplexity|ppl|entropy|kl[- ]?(?:loss|div\w{0,8})|coverage"
    r"|pass@\d|score|f1|bleu|rouge|abs error|calibration)\b|准确率|损失"
    r"|\b(?:memory|vram|size on disk|file size|gib|gb|mib|mb|cost|energy|power|emissions?"
    r"|downloads?|price|params? ratio|qps|rps|request rate|req/s)\b|显存|成本"
    r"|\b(?:learning rate|lr|epochs?|warmup|weight decay|optimizer|seq(?:uence)?[_ ]len(?:gth)?"
    r"|context|overhead|rank|seed|vocab(?:ulary)?|rel(?:ative)?|noise|std|stdev|ci|±)\b"
)
"""Words of figures that are no claims: time, task quality, training loss, sizes, costs."""

DELTA = (
    r"^(?:[ΔδΔ%\s]{1,4}|(?:abs\.? |rel\.? )?(?:delta|diff(?:erence)?|change|gain|improvement"
    r"|improv\.?|increase|uplift|提升|差异)s?(?:\s?\(?%\)?)?)$|\badvantage\b|\bvs\.?\s|[Δ]"
)
"""A column that relates two others."""

BASELINE = (
    r"\b(?:baselines?|base decod(?:e|ing)|vanilla|auto-?regressive|ar|plain|no[- ]?spec(?:ulat\w{0,6})?"
    r"|non-?spec\w{0,9}|(?:w/o|without|no|w\.o\.) (?:(?:the|a|our|any) )?(?:spec\w{0,9}|sd|draft\w{0,3}|eagle\w{0,2}"
    r"|mtp|dflash|speculation|head)(?: decoding)?(?! start)"
    r"|target[- ]only|(?:target|base) model (?:only|alone)|spec(?:ulat\w{2,5})? (?:off|disabled)"
    r"|off|^without$|^w/o$|^base$|standard decoding|normal decoding|greedy decoding only|none|no drafter|drafter off)\b"
    r"|基线|原始|无投机|\b(?:ohne|sans|sin)\b|なし|없음|미사용"
)
"""Plain decoding of the target."""

OWN = (
    r"\b(?:ours?|this (?:model|drafter|draft|head|repo|work|checkpoint|release|speculator"
    r"|one|card)|this|our (?:model|drafter|head|draft)|we|with (?:the|our) (?:drafter|draft"
    r"|head|speculator))\b|=\s?main\b|\bcurrent(?: best)?\b|本模型|我们的?|\(new\)"
)
"""The drafter that the card publishes."""

PUBLISHED = r"\b(?:final|best|current|main|released?|latest|published|this)\b|←|✅|⭐"
"""Words that single out the published one among versions."""

GAIN = (
    r"\b(?:gains?|more|faster|improv\w*|increas\w*|higher|uplift|boost\w*|rises?|acceler\w*|grow\w*|up)\b"
    r"|提升|加速|提高"
)
"""Words of getting faster."""

ALGORITHMS: Mapping[str, str] = {
    "EAGLE-3.1": r"eagle[-_ ]?3\.1",
    "P-EAGLE": r"p[-_]eagle|peagle",
    "EAGLE-3": r"eagle[-_ ]?3(?!\.\d)|eagle3",
    "EAGLE-2": r"eagle[-_ ]?2(?!\.\d)",
    "EAGLE": r"eagle(?:[-_ ]?1)?(?![-_ ]?\d)",
    "DFlash2": r"dflash[-_ ]?2",
    "DFlash": r"dflash(?![-_ ]?2)",
    "DSpark": r"dspark",
    "DFly": r"dfly",
    "Medusa": r"medusa(?:[-_ ]?[12])?",
    "MTP": r"mtp|nextn|multi[- ]token prediction",
    "MLP speculator": r"mlp[-_ ]speculator",
    "HASS": r"hass",
    "Hydra": r"hydra",
    "PARD": r"pard",
    "n-gram": r"n[-_]?gram|prompt[- ]lookup",
    "Lookahead": r"lookahead",
    "Falcon": r"falcon draft",
    "ReDrafter": r"redrafter",
}
"""Algorithms and how they are written inside names, heads and flags."""

_METRICS = tuple((metric, re.compile(pattern, re.IGNORECASE), letters) for metric, pattern, *letters in METRIC_WORDS)
_ALGORITHMS = tuple((name, re.compile(rf"(?<![a-z])(?:{p})(?![a-z])", re.IGNORECASE)) for name, p in ALGORITHMS.items())
DECOY_RE, DELTA_RE, OWN_RE, BASELINE_RE, PUBLISHED_RE, GAIN_RE = (
    re.compile(p, re.IGNORECASE) for p in (DECOYS, DELTA, OWN, BASELINE, PUBLISHED, GAIN)
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A metric named in a text: `text[start:end]` is the wording."""

    start: int
    end: int
    metric: str


@lru_cache(maxsize=4096)
def metrics(text: str) -> tuple[Mention, ...]:
    """Return the metrics that a text names, in order; where two wordings overlap the more specific one stays."""
    taken: list[Mention] = []
    lower = text.lower()
    for metric, pattern, letters in _METRICS:
        for match in pattern.finditer(text) if not letters or any(part in lower for part in letters) else ():
            if all(match.end() <= m.start or match.start() >= m.end for m in taken):
                taken.append(Mention(_start(text, match.start()), match.end(), metric))
    return tuple(sorted(taken, key=lambda m: m.start))


def _start(text: str, start: int) -> int:
    """Return where a mention starts, with "mean" and the like in front of the metric's name."""
    before = _MEAN.search(text, max(0, start - 32), start)
    return before.start() if before else start


def algorithm(text: str) -> str | None:
    """Return the first drafting algorithm that a text names, or None."""
    found = ((m.start(), name) for name, pattern in _ALGORITHMS if (m := pattern.search(text)))
    return min(found, default=(0, None))[1]
