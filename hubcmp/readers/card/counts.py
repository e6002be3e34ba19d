"""Training data and sizes in prose: the whole set and the drafter's own parameters, never parts of a mix or the target's size."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hubcmp.readers.card.figures import Figure
from hubcmp.readers.card.vocabulary import algorithm

_SAMPLES = re.compile(
    r"[\s-]{0,2}(?:[\w/.+-]{1,40}\s){0,5}?(?:samples?|examples?|conversations?|dialogu?e?s?"
    r"|instances?|sequences?|rows?|records?|pairs?|captions?|documents?|prompts?|questions?"
    r"|instructions?(?: datasets?)?|data ?points?|slices?|items?|responses?|turns|entries|dialogen?|gesprächen?|beispielen?"
    r"|chats|trajector(?:y|ies)|rollouts?|messages?|threads?|dialogs?|条|个?样本|样本|对话|数据|件|会話|対話|サンプル|개|대화|샘플)(?![a-z\d_/])",
    re.IGNORECASE,
)
_SEEN = re.compile(r"\btokens? (?:seen|total|processed|count)|\b(?:total|training) tokens?\b", re.IGNORECASE)
_TOKENS = re.compile(r"[\s-]{0,2}(?:\w{1,12}\s){0,2}?tokens?\b", re.IGNORECASE)
_PARAMETERS_AFTER = re.compile(
    r"[\s-]{0,2}(?:(?:trainable|total|learnable|extra|additional|draft|own|model|stored|new)\s){0,2}(?:param(?:eter)?s?"
    r"|params?|参数|パラメータ|파라미터|(?<=\s)trainable)(?![\w])",
    re.IGNORECASE,
)
_PARAMETERS_BEFORE = re.compile(
    r"(?:\b(?:param(?:eter)?s?(?: count)?|params?|(?:draft(?:er)? |model |head )?size|param(?:eter)? count)\b"
    r"|参数量?|参数规模|パラメータ数?は?|파라미터(?:\s?수)?(?:는|은)?)(?:\s?/\s?\w{1,10})?(?:\s?\([^()]{0,30}\))?[\s:=|：]{0,4}(?:is|are|of|about"
    r"|around|roughly|为|约为?|大约|約|약)?\s?[~≈]?$",
    re.IGNORECASE,
)
_TRAINING = re.compile(
    r"\b(?:(?:re|pre-?)?train\w*|fitted|fit|fine-?tun\w*|distill\w*|regenerat\w*|learn\w*"
    r"|saw|used|data|dataset|corpus|answered|warm-?up set|supervised)\b|训练|数据|微调|学習|データ|학습|데이터",
    re.IGNORECASE,
)
_EVALUATION = re.compile(
    r"\b(?:eval\w*|benchmark\w*|measured|tested|test|held-?out|validation|judge|prompts:"
    r"|judged|warm-?up \+|warmup)\b|评测|测试",
    re.IGNORECASE,
)
_NOT_SAMPLES = re.compile(
    r"[\s-]{0,2}(?:steps?|epochs?|iterations?|iters?|hours?|gpus?|nodes?|layers?|tokens?"
    r"|vocab\w*|downloads?|days?|heads?)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:than|vs\.?|versus|against|compared (?:to|with))\s(?:[\w./'-]{1,40}\s){1,6}$", re.IGNORECASE
)
_LABELLED_TOKENS = re.compile(r"^\W{0,3}(?:train(?:ing)? )?tokens(?: seen| total)?\W", re.IGNORECASE)
_PLANNED = re.compile(r"\b(?:planned|upcoming|coming soon|in preparation|on the roadmap)\b", re.IGNORECASE)
_DESCRIBED = re.compile(
    r",\s(?:an?|the)\s(?:[\w-]{1,20}\s){0,4}(?:model|MoE|LLM|transformer)\b[^,;.]{0,40}$", re.IGNORECASE
)
_CLAUSE_BEFORE = re.compile(r"(?:^|[,;(])\s?[~≈]?$")
_LAYERS = re.compile(
    r"\b(?:one|two|three|four|five|single|\d{1,2})[\s-](?:decoder |transformer |draft )?(?:layers?|heads?)\b",
    re.IGNORECASE,
)
_LESS_FROZEN = re.compile(
    r"\s(?:without|excluding|excl\.|w/o|not counting|including|of (?:which|them)|trainable|frozen|are)\s?"
    r"(?:(?:the|its|are|frozen|shared|tied|token)\s){0,3}(?:embed\w*|(?:lm[_ ])?head|train\w*|frozen)?\b",
    re.IGNORECASE,
)
"""What a second size of the same drafter counts: "2.6B parameters in total, 1.4B without the frozen embedding"."""
_FOREIGN_SIZE = re.compile(r"\b(?:target|base model|verifier|teacher|activ\w+|backbone)\b|目标模型|激活", re.IGNORECASE)
_LABELLED_DATA = re.compile(
    r"^\W{0,3}(?:[\w-]{1,14}\s)?(?:training )?(?:data(?:set)?(?: size)?|samples|sequences"
    r"|conversations|corpus|examples|prompts|rows|pairs|records|dialogu?e?s|(?:num(?:ber of)?|#) (?:training )?samples|训练数据"
    r"|数据量?|样本数?|(?:学習)?データ(?:量|数)?|(?:학습\s?)?데이터)\W",
    re.IGNORECASE,
)
_FROM_SEVERAL = re.compile(
    r"[^.;:()]{0,40}?\s(?:from|of)\s[^.;:()]{2,60}?(?:,\s(?:and\s)?|\sand\s|\s\+\s|\splus\s)[~≈]?\d[\d.,]*\s?[kKM]?\s(?:\w{1,16}\s)?(?:from|of)\s"
)
"""Parts of a mix, each with its source: "390k prompts from Magpie and 200k from UltraChat"."""
_TOTAL = re.compile(r"\s?(?:(?:in )?total(?! tokens)|altogether|overall)\b", re.IGNORECASE)
_DATASET = re.compile(
    r"(?<![\w/])(?<!\bby )([A-Za-z][\w.-]{1,40}/[A-Za-z][\w.-]{2,60}|(?:Open-?PerfectBlend"
    r"|PerfectBlend|Ultra-?Chat(?:[-_ ]200[Kk])?|Share-?GPT(?:-[\w-]{1,30})?|Magpie[\w-]*"
    r"|Nemotron(?:[ -][\w.]{1,14}){0,5}|Infinity-Instruct[\w-]*|OpenThoughts[\w-]*|EagleChat"
    r"|open-perfectblend|LMSYS-Chat[\w-]*|CodeAlpaca|Alpaca|WildChat[\w-]*|SlimOrca|OpenHermes[\w.-]*"
    r"|Dolphin[\w-]*))(?![\w/])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Count:
    """A figure that counts training samples, training tokens or parameters."""

    metric: str
    figure: Figure


def counts(text: str, found: Sequence[Figure], training: bool) -> Iterator[Count]:
    """Yield the counts of one sentence (`training`: its section is about training)."""
    samples = [f for f in found if _is_samples(text, f, training)]
    if _PLANNED.search(text):
        return
    for figure in _whole(text, samples):
        yield Count("training_samples", figure)
    tokens = [
        f
        for f in found
        if f.value >= 1e6
        and (_TOKENS.match(text, f.end) or (f.form == "count" and _LABELLED_TOKENS.match(text)))
        and (training or _TRAINING.search(text) or _SEEN.search(text))
        and f not in samples
    ]
    for figure in _whole(text, tokens):
        yield Count("training_tokens", figure)
    for figure in found:
        if figure.form in ("count", "plain") and figure.value >= 1e6 and _is_size(text, figure):
            yield Count("parameters", figure)


def datasets(text: str) -> tuple[str, ...]:
    """Return the names of the data sets in a sentence as written."""
    return tuple(
        dict.fromkeys(
            m[1].strip(" .")
            for m in _DATASET.finditer(text)
            if m[1].lower() != "opc" and (not algorithm(m[1]) or "data" in m[1].lower())
        )
    )


def _is_samples(text: str, figure: Figure, training: bool) -> bool:
    """Whether a figure counts what the drafter was trained on."""
    if figure.form not in ("count", "plain") or figure.value < 100 or figure.value != int(figure.value):
        return False
    if any(p.match(text, figure.end) for p in (_NOT_SAMPLES, _PARAMETERS_AFTER, _FROM_SEVERAL)):
        return False
    clause = text[max(0, text.rfind(";", 0, figure.start)) : figure.end + 160]
    if _EVALUATION.search(clause) and not re.search(r"\b(?:re|pre-?)?train\w*|训练", clause, re.IGNORECASE):
        return False
    labelled = _LABELLED_DATA.match(text) is not None
    if _SAMPLES.match(text, figure.end) or _TOTAL.match(text, figure.end):
        return training or labelled or bool(_TRAINING.search(text))
    return labelled and figure.start <= _first_number(text) + 1 and (training or figure.value >= 1000)


def _first_number(text: str) -> int:
    match = re.search(r"[\d~≈]", text)
    return match.start() + 1 if match else 0


def _whole(text: str, found: Sequence[Figure]) -> Sequence[Figure]:
    """Leave out parts of a mix: figures in a bracket after the whole, or that add up to it."""
    if len(found) < 2:
        return found
    if totals := [f for f in found if _TOTAL.match(text, f.end)]:
        return totals
    largest = max(found, key=lambda f: f.value)
    rest = [f for f in found if f is not largest]
    adds_up = abs(sum(f.value for f in rest) - largest.value) <= 0.02 * largest.value
    bracketed = [f for f in rest if text[: f.start].count("(") > text[: f.start].count(")")]
    if adds_up or len(bracketed) == len(rest):
        return [largest]
    return [f for f in found if f not in bracketed]


def _is_size(text: str, figure: Figure) -> bool:
    """Whether a figure is the drafter's number of parameters."""
    before = text[max(0, figure.start - 60) : figure.start]
    named = (
        _PARAMETERS_AFTER.match(text, figure.end)
        or _PARAMETERS_BEFORE.search(before)
        or (_LESS_FROZEN.match(text, figure.end) and re.search(r"\bparam", text[: figure.start], re.IGNORECASE))
        or _stands_alone(text, figure)
    )
    if not named:
        return False
    clause_start = (
        max(text.rfind(mark, 0, figure.start) for mark in (";", ". ", ",")) if ("," in before or ";" in before) else 0
    )
    clause = text[max(clause_start, 0) : figure.end] + re.split(r"[();。，；]", text[figure.end : figure.end + 30])[0]
    return not _FOREIGN_SIZE.search(clause) and not _of_the_target(text, figure)


def _stands_alone(text: str, figure: Figure) -> bool:
    """Whether a figure such as 0.43B fills its clause in a sentence about the drafter's layers ("One layer, 0.43B.")."""
    alone = _CLAUSE_BEFORE.search(text[: figure.start]) and re.match(r"\s?(?:[,.;)]|$)", text[figure.end :])
    return bool(alone) and figure.raw[-1:] in "BM" and _LAYERS.search(text) is not None


def _of_the_target(text: str, figure: Figure) -> bool:
    """Whether the sentence gives the size as that of the model drafted for ("for X, a model with 120 billion parameters")."""
    around = text[max(0, figure.start - 160) : figure.end + 80]
    if re.search(r"\bactiv\w+", around, re.IGNORECASE):
        return True
    head = text[: figure.start]
    if _DESCRIBED.search(head):
        return True
    bracket = head.rfind("(")
    inside = bracket > head.rfind(")")
    if inside and _COMPARED.search(head[:bracket]):
        return True
    label = re.match(r"^\W{0,3}(?:target|base|verifier|teacher)\b", text, re.IGNORECASE)
    if re.match(r"\s?trainable\b", text[figure.end : figure.end + 12], re.IGNORECASE):
        return False
    return bool(label) or (
        inside
        and algorithm(head) is None
        and not re.search(
            r"\b(?:draft\w*|head|speculator|half|this|layers?|entwurf\w*)\b|ドラフト|草稿|드래프트", head, re.IGNORECASE
        )
    )
