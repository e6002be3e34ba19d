"""Settings in text, in every dialect seen: one row per spelling. A new spelling is one more row here.

Each row has a key of the conditions, a pattern whose first group is the value (none: the value is `constant`) and, where the
value is not a number, how it is read. Matched text is not searched for figures any more.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from hubcmp.facts import Scalar
from hubcmp.units import plain

N = r"(\d{1,6}(?:,\d{3})?)"
WORD_NUMBER = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
               "twelve": 12, "fifteen": 15, "sixteen": 16}  # fmt: skip
_COUNT = rf"(\d{{1,6}}(?:,\d{{3}})?|{'|'.join(WORD_NUMBER)})"
_IS = r"(?:\s?(?:=|:|==)\s?|\s(?:of|is|at|to|set to)\s|\s|`\s?[=:]\s?`?)"
_ONE = r"(?!\s?(?:/|and\s|to\s|[-–]\s?)\s?\d)"
"""Not the first of several values: those bind to nothing by themselves."""
_REAL = r"(\d{1,3}(?:\.\d{1,6})?)"

GPU = (
    r"(?:(?:NVIDIA|Nvidia|nvidia|AMD|Intel|Google(?: Cloud)?)[\s-])?(?:Tesla[\s-]|GeForce[\s-]"
    r"|Instinct[\s-]|Radeon[\s-]|Jetson[\s-])?"
    r"(?:RTX(?:\s?PRO)?[\s-]?(?:A?\d{4})(?:\s?(?:Ti|SUPER|Super|Ada|D))*|(?:(?:G[BH]|[HBALTV])"
    r"(?:300|200|100|800|40|20|10|4|30|6000)|[hba](?:300|200|100|800))S?(?:\s?NVL)?(?:[\s-](?:SXM\d?|PCIe))?"
    r"|A10G|L40S?|MI\d{3}[XA]?|TPU\s?v\d[a-z]?(?:-\d{1,4})?|M[1-5]\s(?:Max|Ultra|Pro)|DGX Spark"
    r"|Gaudi\s?\d|Ascend\s?\d{3}[A-Z]?\d?|910[BC]|[2345]0[6789]0(?:\s?Ti)?)(?!\w|\.\d)"
)
_HARDWARE = (
    rf"((?:(?<![\w.-])\d{{1,4}}\s?[x×*]\s?|(?<![\w.-])\d{{1,2}}\s|(?<![\w-])){GPU}(?:\s?[x×]\s?\d{{1,3}}(?![\w]))?)"
)
_ENGINE = {
    "sglang": "SGLang",
    "vllm": "vLLM",
    "tensorrt-llm": "TensorRT-LLM",
    "trt-llm": "TensorRT-LLM",
    "tensorrt llm": "TensorRT-LLM",
    "llama.cpp": "llama.cpp",
    "tokenspeed": "TokenSpeed",
    "lmdeploy": "LMDeploy",
    "mlx-lm": "MLX",
    "mlx-vlm": "MLX",
    "mlx": "MLX",
    "hf transformers": "Transformers",
    "hugging face transformers": "Transformers",
    "atom": "ATOM",
    "tgi": "TGI",
    "exllamav2": "ExLlamaV2",
    "exllamav3": "ExLlamaV3",
    "mnn": "MNN",
    "ktransformers": "KTransformers",
    "ollama": "Ollama",
    "lm studio": "LM Studio",
    "sgl-jax": "sglang-jax",
    "vllm-ascend": "vLLM-Ascend",
}
_DTYPE = (
    r"NVFP4|MXFP[48]|MXINT4|FP8(?:[-_ ](?:Dynamic|dynamic|block|static))?|FP16|FP4|BF16|bf16"
    r"|bfloat16|float16|fp16|fp8|fp4|nvfp4|mxfp4|INT[48]|int[48]|W\d{1,2}A\d{1,2}|AWQ|GPTQ|awq|gptq"
    r"|Q\d(?:_[0K](?:_[SML])?)|IQ\d_[A-Z]+|UD-Q\d_K_XL"
)

Convert = Callable[[str], Scalar]


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting found: `text[start:end]` states `key` = `value`."""

    start: int
    end: int
    key: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Dialect:
    """One spelling of a setting."""

    key: str
    pattern: re.Pattern[str]
    convert: Convert
    constant: Scalar | None = None


def number(text: str) -> Scalar:
    """Return the value of "8", "1,319", "0.7" or "three"."""
    word = WORD_NUMBER.get(text.lower())
    return word if word is not None else plain(Decimal(text.replace(",", "")))


def _engine(text: str) -> Scalar:
    return _ENGINE[text.lower()]


def _hardware(text: str) -> Scalar:
    return re.sub(r"\s{1,4}(?:GPUs?|gpus?)$", "", text.strip())


def _row(
    key: str, pattern: str, convert: Convert = number, constant: Scalar | None = None, flags: int = re.IGNORECASE
) -> Dialect:
    return Dialect(key, re.compile(pattern, flags), convert, constant)


_ENGINE_NAME = rf"(?<![\w/.-])({'|'.join(sorted(map(re.escape, _ENGINE), key=len, reverse=True))})(?![\w/]|\.\w|-\w)"

DIALECTS: tuple[Dialect, ...] = (
    _row("num_steps", rf"(?:speculative[-_ ])?num[-_ ]steps[`'\"]*{_IS}[`'\"]*{N}\b"),
    _row("num_steps",
        rf"(?<![\w-])(?<!ttt )(?<!training )(?<!optimizer )(?<!warmup )(?:spec(?:ulative)?[-_ ]"
        rf"|draft[-_ ])?steps?[`'\"]*\s?[=:]\s?{N}(?![\d,.]\d)"),
    _row("num_steps", rf"(?<![\w-])(?:draft\s)?steps?\s{N}(?=\s?[,;)]\s?(?:top|draft|num))"),
    _row("num_steps", rf"\b{_COUNT}[\s-](?:speculative|draft(?:ing)?|spec)[\s-]steps?\b"),
    _row("num_steps", rf"\b{_COUNT}\ssteps?(?=\s?(?:,|/|\+|and|·)\s?top)"),
    _row("topk", rf"(?:speculative[-_ ])?eagle[-_ ]top[-_ ]?k[`'\"]*{_IS}[`'\"]*{N}\b"),
    _row("topk", rf"(?<![\w-])topk[`'\"]*{_IS}[`'\"]*{N}\b"),
    _row("topk", r"(?<![\w-])(?!(?<=\()top-\d\))top[-_ ]?k?\s?[=:-]\s?([1-9]|1[0-6])(?!\d|\.\d)(?!\s?(?:acc|agree|match|hit))"),
    _row("num_draft_tokens",
        rf"(?<!\d\s)(?<!\d-)(?<!one\s)(?<!two\s)(?<!three\s)(?<!four\s)"
        rf"(?:speculative[-_ ])?(?:num[-_ ])?draft[-_ ]tokens?[`'\"]*\s?[=:]\s?[`'\"]*{N}\b"),
    _row("num_draft_tokens", rf"--(?:speculative-)?num[-_]draft[-_]tokens\s{N}\b"),
    _row("num_draft_tokens", rf"\bnum[-_]draft[-_]tokens[`'\"]*\s(?:of\s)?{N}\b"),
    _row("num_draft_tokens", rf"(?<=[,;(]\s)(?:num\s)?draft tokens\s{N}\b"),
    _row("num_speculative_tokens", rf"(?:num[-_ ])?spec(?:ulative)?[-_ ]tokens?[`'\"]*\s?[=:]\s?[`'\"]*{N}\b"),
    _row("num_speculative_tokens", rf"num[-_ ]spec(?:ulative)?[-_ ]tokens[`'\"]*\s(?:of\s)?{N}\b"),
    _row("num_speculative_tokens",
        rf"(?<![\w-])(?:spec(?:ulative)?|draft|speculation|drafting)[-_ ](?:length|len|depth){_IS}"
        rf"(?:K\s?=\s?)?{_COUNT}(?![\w.])"),
    _row("num_speculative_tokens", rf"(?<![\w@.-])(?:num_spec|n_spec|spec|draft_max|draft-max|nspec)\s?[=:]\s?{N}\b"),
    _row("num_speculative_tokens", rf"--(?:spec-)?draft(?:-n)?-max\s{N}\b"),
    _row("num_speculative_tokens", rf"(?<![\w@./-])[Kkγ]\s?=\s?{N}\b(?!\.\d)", flags=0),
    _row("num_speculative_tokens", rf"\b{_COUNT}[\s-](?:spec(?:ulati(?:ve|ed|on))?|drafted)[\s-]tokens?\b"),
    _row("num_speculative_tokens", rf"\bdrafts?\s(?:exactly\s)?{_COUNT}\stokens?\b"),
    _row("num_speculative_tokens", rf"\b{_COUNT}-token[\s-]drafts?\b"),
    _row("draft_tokens_in_words", rf"\b{_COUNT}[\s-]draft[\s-]tokens?\b"),
    _row("num_speculative_tokens", rf"(?:草稿|推测|投机)(?:长度|步数|深度|token\s?数)\s?[=:：为]?\s?{N}"),
    _row("block_size",
        rf"(?<![\w-])(?:draft[-_ ])?block(?:[-_ ]size)?[`'\"]*(?:\s?[=:-]\s?|\s(?:of\s)?)[`'\"]*{N}(?!\d"
        rf"|\.\d)"),
    _row("batch_size",
        rf"(?<![\w-])(?:batch(?:[-_ ]sizes?)?(?:\s\(bs\))?|bsz?)[`'\"]*(?:{_IS}|-)[`'\"]*{N}(?!\d|\.\d"
        rf"|,\d|-\w){_ONE}"),
    _row("batch_size", rf"(?<![\w-])(?:BS|bs){N}(?!\w|-\w)", flags=0),
    _row("batch_size", rf"(?<![\w.-])B\s?=\s?{N}(?!\d|\.\d)", flags=0),
    _row("batch_size", rf"(?:批大小|批次大小|批量大小|批量|バッチ(?:サイズ)?|배치(?:\s?크기)?)\s?[=:：为]?\s?{N}"),
    _row("batch_size", r"单(?:请求|并发|流|批)", constant=1),
    _row("batch_size", r"\b(?:one|1|a single) request at a time\b", constant=1),
    _row("batch_size", r"\bsingle[- ](?:stream|request|batch|user)\b", constant=1),
    _row("concurrency", rf"(?<![\w-])(?:max[-_ ])?(?:concurrency|concurrent requests|conc|con){_IS}{N}\b{_ONE}"),
    _row("concurrency", rf"(?<![\w.-])[cC]\s?=\s?{N}\b", flags=0),
    _row("concurrency",
        rf"\b{N}[- ](?:way\s)?(?:concurrency|concurrent|users|clients|(?:parallel\s)?streams|parallel requests"
        rf"|requests in parallel)(?:\s(?:requests|users|streams|in parallel|sessions|clients))?\b"),
    _row("concurrency", rf"并发(?:数|度)?\s?[=:：为]?\s?{N}"),
    _row("temperature", rf"(?<![\w-])temp(?:erature)?[`'\"]*{_IS}[`'\"]*{_REAL}(?![\d%])"),
    _row("temperature", rf"(?<![\w@./-])[Tt]\s?=\s?{_REAL}(?![\d%])", flags=0),
    _row("temperature",
        r"(?<!for )(?<!over )(?<!than )(?<!against )\bgreedy\b(?!\s(?:accept|accuracy|match))(?:\sdecoding|\ssampling)?", constant=0),
    _row("temperature", r"贪心(?:解码)?|贪婪(?:解码)?", constant=0),
    _row("temperature", rf"温度\s?[=:为]?\s?{_REAL}"),
    _row("top_p", rf"(?<![\w-])top[-_ ]?p[`'\"]*{_IS}[`'\"]*(0?\.\d{{1,4}}|1(?:\.0{{1,3}})?)\b"),
    _row("top_k_sampling", rf"(?<![\w-])top[-_ ]k[`'\"]*{_IS}[`'\"]*{N}\b"),
    _row("tensor_parallel", rf"(?<![\w-])-{{0,2}}tp(?:[-_ ]size)?[`'\"]*(?:\s?[=:]?\s?)[`'\"]*{N}\b"),
    _row("tensor_parallel", rf"tensor[-_ ]parallel(?:ism)?(?:[-_ ]size)?[`'\"]*{_IS}[`'\"]*{N}\b"),
    _row("tensor_parallel", rf"\b{N}-way\s(?:tensor[- ]parallel|TP)"),
    _row("attention_backend", r"(?:--)?(?:attention|inference|attn)[-_ ]backend[`'\"]*(?:\s?[=:]\s?|\s)[`'\"]*([A-Za-z]\w{1,30})", str),
    _row("attention_backend",
        r"\b(Triton|FlashInfer|FlashAttn\d?|flash_attn|FlashMLA|fa[34]|FlashAttention-?\d?|TRTLLM-MLA"
        r"|trtllm_mla|cutlass_mla)\b(?:\s(?:attention|backend)(?:\sbackend)?)?", str, flags=0),
    _row("max_tokens",
        rf"(?<![\w-])-{{0,2}}max(?:imum)?[-_ ](?:new[-_ ]|output[-_ ]|completion[-_ ]|gen(?:eration"
        rf"|erated)?[-_ ])?tokens?[`'\"]*{_IS}[`'\"]*{N}\b"),
    _row("max_tokens", rf"\b(?:output|generation|completion)[\s_-](?:limit|length|len|cap){_IS}{N}\b"),
    _row("max_tokens", rf"\bmax(?:imum)?[-_ ](?:output|new|gen(?:eration)?)(?:[-_ ]len(?:gth)?)?{_IS}{N}\b"),
    _row("max_tokens", rf"\b(?:up to\s)?{N}\s(?:output|new|generated) tokens\b"),
    _row("thinking",
        r"\b(?:no[nt]?[- ]thinking|thinking\s?(?:[=:]\s?|is\s)?(?:off|disabled|false)|without thinking"
        r"|enable_thinking\W{1,4}(?:false|False))", constant=False),
    _row("thinking",
        r"\b(?:thinking\s?(?:[=:]\s?|mode\s|is\s|mode:\s)?(?:on|enabled|true)|with thinking|thinking mode"
        r"|reasoning[-_ ]effort\W{1,3}\w{1,12}|enable_thinking\W{1,4}(?:true|True)|(?:high|low"
        r"|medium|max) reasoning effort)\b", constant=True),
    _row("includes_bonus", r"\b(?:exclud\w{1,5}|without|not counting|leav\w{1,4} out)\s(?:the\s)?bonus(?:\stoken)?", constant=False),
    _row("includes_bonus", r"\b(?:includ\w{1,5}|with|counting|plus)\s(?:the\s)?bonus(?:\stoken)?", constant=True),
    _row("rate_kind", r"\b(conditional|marginal)(?=[\s_]acceptance|\)|,|\s|$)", lambda t: t.lower()),
    _row("target_model", r"^\W{0,4}(?:target(?: model)?|verifier)\W{0,3}[:=]\W{0,3}([A-Za-z][\w.-]{2,60}(?:/[\w.-]{2,90})?)", str),
    _row("target_model",
        r"(?<![\w/-])([A-Z][A-Za-z]{1,20}[\w.]{0,12}-[\w.-]{0,50}\d[\w.-]{0,40}|[A-Za-z][\w.-]{1,60}/[\w.-]{2,90})\s(?:target"
        r"|verifier)\b", str, flags=0),
    _row("engine", _ENGINE_NAME, _engine),
    _row("engine", r"(?<![\w-])(?:python3? -m )(sglang|vllm)\b", _engine),
    _row("hardware", _HARDWARE, _hardware, flags=0),
    _row("target_dtype",
        rf"(?<![\w./-])(?<!\dGB (?:at|in) )(?<!\d GB (?:at|in) )({_DTYPE})"
        rf"(?![\w/]|-\w)(?!\s(?:KV|kv|draft|head|safetensors|weights? of the draft"
        rf"|Safetensors))", str, flags=0),
    _row("target_dtype", r"--dtype\s(\w{3,12})", str),
    _row("prompts", rf"(?:前|共|各)?\s?(?<!\d){N}\s?(?:道题|道|题|条(?!\w*(?:对话|训练)))(?!\w*训练)"),
    _row("prompts",
        rf"\b{N}[\s-](?:[\w-]{{1,12}}\s)?(?:prompts?|questions?|requests|problems|pages|items"
        rf"|tasks|conversations|dialogues|samples|examples|rows?|turns|stubs|queries|cases)\b(?!/s"
        rf"|\s(?:per\s(?:s|sec|second|min|minute|hour|day)\b|were used to train))"),
)  # fmt: skip
"""Every spelling, most specific first; where two overlap the earlier row wins."""

_CUES: Mapping[str, tuple[str, ...]] = {
    "num_steps": ("step",), "topk": ("top",), "num_draft_tokens": ("draft",), "draft_tokens_in_words": ("draft",),
    "num_speculative_tokens": ("草稿", "推测", "投机", "spec", "draft", "k=", "k =", "γ"), "block_size": ("block",),
    "batch_size": ("batch", "bs", "b=", "b =", "single", "request at a", "批", "单", "バッチ", "배치"),
    "concurrency": ("con", "c=", "c =", "user", "client", "stream", "parallel", "并发"),
    "temperature": ("temp", "t=", "t =", "greedy", "贪", "温"), "top_p": ("top",), "top_k_sampling": ("top",),
    "tensor_parallel": ("tp", "tensor"), "attention_backend": ("backend", "flash", "triton", "fa3", "fa4", "mla"),
    "max_tokens": ("max", "token", "output", "generation", "completion"), "thinking": ("think", "reason"),
    "includes_bonus": ("bonus",), "rate_kind": ("conditional", "marginal"), "target_model": ("target", "verifier"),
}  # fmt: skip
"""Letters that a text must hold before the spellings of a key are tried; a key without a row is always tried."""
_VERSION = re.compile(
    r"\s?(?:==|version:?\s|ver\.?\s|v|\()?\s?v?(\d{1,3}(?:\.\d{1,4}){1,3}(?:[.+-]?(?:post"
    r"|rc|dev|a|b)\d{0,8}[\w.+]{0,12})?)\b",
    re.IGNORECASE,
)
_TRIPLE = re.compile(
    r"(?:(?<![\w.-])|(?<=tree-)|(?<=chain-)|(?<=eagle-))(?:(\d{1,3})-)?(\d{1,2})-(\d{1,2})-(\d{1,3})(?![\w-]|\.\d)"
)
_MANY = r"(?:batch[- ]sizes|concurrencies|users|clients)\s(?:of\s|from\s)?\d{1,5}(?:\s?(?:,|/|and)\s?(?:and\s)?\d{1,5}){1,9}"
_SPAN = r"(?:batch[- ]sizes?|concurrenc(?:y|ies)|bs)\s(?:of\s|from\s)?\d{1,5}\s?(?:to|-|–)\s?\d{1,5}"
_LIMIT = r"(?:above|beyond|over|past|below|under)\s\d{1,5}\s(?:concurrent|users|clients|streams|parallel)(?:\s\w{4,9})?"
_SWEEP = re.compile(
    rf"\b(?:{_MANY}|{_SPAN}|{_LIMIT})\b|并发(?:数|度)?\s?(?:超过|大于|高于|小于|低于|不超过)\s?\d{{1,5}}", re.IGNORECASE
)
"""Several values of a setting, or a limit of one: they bind to nothing, and are no figures."""
_DATE = re.compile(
    r"\b(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}\b|\b\d{1,2}/\d{1,2}/(?:19|20)\d\d\b|\b(?:19"
    r"|20)\d\d-\d\d\b|\b\d{1,2}:\d\d\b"
)


@lru_cache(maxsize=4096)
def find(text: str) -> tuple[Setting, ...]:
    """Return the settings of a text in order; overlapping matches give the earlier row of DIALECTS."""
    taken: list[Setting] = []
    for setting in _all(text):
        if all(setting.end <= other.start or setting.start >= other.end for other in taken):
            taken.append(setting)
    return tuple(_spoken_tokens(sorted(taken, key=lambda s: (s.start, s.end))))


def _all(text: str) -> Iterator[Setting]:
    yield from _shorthand(text)
    lower = text.lower()
    for dialect in DIALECTS:
        if not any(cue in lower for cue in _CUES.get(dialect.key, ("",))):
            continue
        for match in dialect.pattern.finditer(text):
            value = dialect.constant if dialect.constant is not None else dialect.convert(match[1])
            yield Setting(match.start(), match.end(), dialect.key, value)
            if dialect.key == "engine" and (version := _VERSION.match(text, match.end())):
                yield Setting(version.start(1), version.end(), "engine_version", version[1])


def _shorthand(text: str) -> Iterator[Setting]:
    """Read 3-1-4 (steps, topk, tokens) and 1-3-1-4 (batch first); dates, ranges and limits of settings are no figures either."""
    for match in (*_DATE.finditer(text), *_SWEEP.finditer(text)):
        yield Setting(match.start(), match.end(), "", "")
    for match in _TRIPLE.finditer(text):
        for key, group in (("batch_size", 1), ("num_steps", 2), ("topk", 3), ("num_draft_tokens", 4)):
            if match[group]:
                yield Setting(match.start(group), match.end(group), key, int(match[group]))


def _spoken_tokens(found: list[Setting]) -> Iterator[Setting]:
    """Settle "4 draft tokens" in words: beside steps it is the server's num_draft_tokens, otherwise the draft length."""
    keys = {s.key for s in found}
    key = "num_draft_tokens" if keys & {"num_steps", "num_draft_tokens"} else "draft_tokens_in_words"
    for s in found:
        yield Setting(s.start, s.end, key, s.value) if s.key == "draft_tokens_in_words" else s
