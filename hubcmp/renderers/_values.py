"""How values are written: figures by their metric's style, facts as cells, spans with their words."""

import math
import re
from collections.abc import Callable, Mapping

from hubcmp import units
from hubcmp.drafter import plain_text
from hubcmp.facts import Evidence, Fact, Span
from hubcmp.metrics import METRICS

_STYLES: Mapping[str, Callable[[float], str]] = {
    "length": "{:.2f}".format,
    "count": units.count,
    "rate": units.percent,
    "ratio": lambda v: f"{v:.2f}x ({units.gain(v)})",
    "throughput": "{:.1f} tok/s".format,
    "bytes": units.size,
    "text": "{:g}".format,
}


def figure(metric: str, value: float) -> str:
    """Return one number as its metric is written: 2.10, 1.191B, 54.8%, 1.06x."""
    style = METRICS[metric].style if metric in METRICS else "text"
    return _STYLES[style](value)


def written(fact: Fact) -> str:
    """Return a fact's value: stated lengths with the digits their source printed, spans with their words."""
    if not isinstance(fact.value, Span) or fact.metric not in METRICS:
        return plain_text(fact)
    text = _as_printed(fact) or span(fact.metric, fact.value)
    if fact.stat in ("up to", "at least"):
        text = f"{fact.stat} {text}"
    return f"about {text}" if fact.approx else text


def _as_printed(fact: Fact) -> str:
    """Return the digits of a stated length as its source printed them, "" where they are no plain number."""
    printed = fact.raw.strip("~≈* ")
    plain = METRICS[fact.metric].style == "length" and fact.evidence == Evidence.STATED
    return printed if plain and re.fullmatch(r"\d{1,3}\.\d{1,4}", printed) else ""


def span(metric: str, value: Span) -> str:
    """Return a span: "2.10", "at least 3.00", "3.17 to 3.49"."""
    if value.exact:
        return figure(metric, value.low)
    if math.isinf(value.high):
        return f"at least {figure(metric, value.low)}"
    return f"{figure(metric, value.low)} to {figure(metric, value.high)}"


def difference(metric: str, delta: float, first: float) -> str:
    """Return a signed difference with its share: "+0.21 (+8.7%)", "-1.363M (37.8x fewer)", "equal"."""
    if delta == 0:
        return "equal"
    if METRICS[metric].style in ("count", "bytes"):
        return _count_difference(metric, delta, first)
    sign = "+" if delta > 0 else "-"
    size = figure(metric, abs(delta)) if METRICS[metric].style != "rate" else f"{100 * abs(delta):.1f} points"
    share = f" ({delta / first:+.1%})" if first else ""
    return f"{sign}{size}{share}"


def _count_difference(metric: str, delta: float, first: float) -> str:
    second = first + delta
    whole = f"{delta:+,.0f}"
    if min(first, second) <= 0:
        return whole
    ratio = max(first, second) / min(first, second)
    if ratio < 2:
        return f"{whole} ({delta / first:+.1%})"
    return f"{ratio:.1f}x {'fewer' if delta < 0 else 'more'} ({whole})"


def settings(fact: Fact) -> str:
    """Return how a figure is known and the settings bound to it: "observed; 2 steps, topk 1, batch 1, sglang"."""
    words = [_WORDS[key].format(value) for key, value in fact.conditions.items() if key in _WORDS]
    return "; ".join(part for part in (fact.evidence.word, ", ".join(words)) if part)


_WORDS = {
    "num_steps": "{} steps",
    "topk": "topk {}",
    "num_draft_tokens": "{} draft tokens",
    "num_speculative_tokens": "{} speculative tokens",
    "block_size": "block {}",
    "batch_size": "batch {}",
    "concurrency": "concurrency {}",
    "temperature": "temperature {}",
    "prompts": "n={}",
    "engine": "{}",
    "hardware": "{}",
    "target_dtype": "{} target",
    "tensor_parallel": "TP {}",
}
"""Conditions that a table shows beside a figure, in words."""
