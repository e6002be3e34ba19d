"""Benchmarks by many names: MT-Bench, MTBench and mt_bench are one set; categories, counts and languages are kept apart."""

import re
from collections.abc import Mapping
from functools import lru_cache

_NAMES: Mapping[str, tuple[str, ...]] = {
    "mtbench": ("MT-Bench", "MT Bench", "mt_bench", "MT-bench 101"),
    "humaneval": ("HumanEval", "Human Eval", "human_eval"),
    "humanevalplus": ("HumanEval+", "HumanEval Plus"),
    "mbpp": ("MBPP",),
    "mbppplus": ("MBPP+", "MBPP Plus"),
    "gsm8k": ("GSM8K", "GSM-8K"),
    "math500": ("MATH-500", "Math500", "MATH 500"),
    "math": ("MATH",),
    "aime": ("AIME",),
    "aime2024": ("AIME 2024", "AIME24", "AIME'24"),
    "aime2025": ("AIME 2025", "AIME25", "AIME'25"),
    "aime2026": ("AIME 2026", "AIME26"),
    "alpaca": ("Alpaca",),
    "alpacaeval": ("AlpacaEval", "Alpaca Eval"),
    "livecodebench": ("LiveCodeBench", "LCB", "Live Code Bench"),
    "ceval": ("C-Eval", "CEval"),
    "cmmlu": ("CMMLU",),
    "mmlu": ("MMLU",),
    "mmlupro": ("MMLU-Pro",),
    "gpqa": ("GPQA", "GPQA Diamond", "GPQA-Diamond"),
    "sharegpt": ("ShareGPT",),
    "ultrachat": ("UltraChat",),
    "specbench": ("Spec-Bench", "SpecBench"),
    "speedbench": ("SPEED-Bench", "SpeedBench"),
    "cnndm": ("CNN/DM", "CNN/DailyMail", "CNN-DM", "cnn_dailymail"),
    "nq": ("Natural Questions", "NQ"),
    "wmt14": ("WMT14", "WMT-14", "WMT14 DE-EN"),
    "qa": ("QA", "Question Answering"),
    "swebench": ("SWE-bench", "SWE Bench"),
    "swebenchverified": ("SWE-bench Verified",),
    "bfcl": ("BFCL",),
    "financeqa": ("FinanceQA",),
    "xsum": ("XSum",),
    "arenahard": ("Arena-Hard", "ArenaHard"),
    "ifeval": ("IFEval",),
    "bigcodebench": ("BigCodeBench",),
    "dolly": ("Dolly",),
    "wildchat": ("WildChat",),
    "lmsyschat": ("LMSYS-Chat-1M", "LMSYS Chat"),
    "longbench": ("LongBench",),
    "xlsum": ("XLSum",),
    "openthoughts": ("OpenThoughts",),
    "mmstar": ("MMStar",),
    "simpleqa": ("SimpleQA",),
    "mgsm": ("MGSM",),
    "sumqa": ("SumQA",),
    "codealpaca": ("CodeAlpaca",),
    "vicunabench": ("Vicuna-Bench", "Vicuna Bench"),
    "tau2bench": ("tau2-bench", "τ²-Bench"),
    "apps": ("APPS",),
    "olympiadbench": ("OlympiadBench",),
    "mean": ("Average", "Avg", "Avg.", "Mean", "Overall", "平均"),
}
"""Canonical id of each known set and the spellings that plain slugging would keep apart or prose needs to find."""

_LANGUAGES: Mapping[str, str] = {
    word: code
    for code, words in {
        "en": "english en 英文 英语", "zh": "chinese zh cn mandarin 中文 汉语", "de": "german de deutsch", "fr": "french fr",
        "es": "spanish es", "ja": "japanese ja jp 日本語", "ko": "korean ko 한국어", "ru": "russian ru", "pt": "portuguese pt",
        "it": "italian it", "ar": "arabic ar", "hi": "hindi hi", "vi": "vietnamese vi", "multilingual": "multilingual",
    }.items()
    for word in words.split()
}  # fmt: skip
"""Words for the language of prompts."""
_QUALIFIER = re.compile(r"\s{0,4}[(\[（][^()\[\]（）]{0,80}[)\]）]\s{0,4}$")


def slug(label: str) -> str:
    """Return the label's letters and digits in lower case (CJK characters kept); plus signs count: HumanEval+ is another set."""
    return "".join(c for c in label.casefold().replace("+", "plus") if c.isalnum())


_BY_SLUG: Mapping[str, str] = {slug(name): key for key, names in _NAMES.items() for name in names}
SPELLINGS: tuple[str, ...] = tuple(
    sorted({name for names in _NAMES.values() for name in names if name}, key=len, reverse=True)
)
"""Every spelling of the known sets, longest first, for finding them in prose."""


@lru_cache(maxsize=4096)
def canonical(label: str) -> str:
    """Return one id for all spellings of a benchmark: "MT-Bench", "mtbench" and "MT Bench (80)" give "mtbench".

    A bracket at the end (prompt count, category, language) is a qualifier and left out; an unknown label gives its slug.
    """
    bare = label
    while match := _QUALIFIER.search(bare):
        bare = bare[: match.start()]
    key = slug(bare or label)
    return _BY_SLUG.get(key, key)


def qualifier(label: str) -> str:
    """Return what the brackets at the end of a label say ("80 prompts", "zh"), or ""."""
    match = _QUALIFIER.search(label)
    return match[0].strip(" ()[]（）") if match else ""


@lru_cache(maxsize=4096)
def language(label: str) -> str:
    """Return the language of the prompts that the brackets of a label name ("zh" of "GSM8K (Chinese)"), or ""."""
    words = qualifier(label).casefold().replace(",", " ").replace(";", " ").split()
    return next((_LANGUAGES[word] for word in words if word in _LANGUAGES), "")


def known(label: str) -> bool:
    """Whether the label names one of the known sets."""
    return canonical(label) in _NAMES
