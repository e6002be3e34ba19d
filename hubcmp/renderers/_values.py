"""How values are written: figures by their metric's style, facts as cells, spans with their words."""

import math

from hubcmp import units
from hubcmp.drafter import plain_text
from hubcmp.facts import Fact, Span
from hubcmp.metrics import METRICS

_STYLES = {
    "length": lambda v: f"{v:.2f}",
    "count": units.count,
    "rate": units.percent,
    "ratio": lambda v: f"{v:.2f}x",
    "throughput": lambda v: f"{v:.1f} tok/s",
    "bytes": units.size,
    "text": lambda v: f"{v:g}",
}


def figure(metric: str, value: float) -> str:
    """Return one number as its metric is written: 2.10, 1.191B, 54.8%, 1.06x."""
    style = METRICS[metric].style if metric in METRICS else "text"
    return _STYLES[style](value)


def written(fact: Fact) -> str:
    """Return a fact's value: stated figures with the digits their source printed, spans with their words."""
    if not isinstance(fact.value, Span):
        return plain_text(fact)
    text = span(fact.metric, fact.value)
    if fact.stat in ("up to", "at least"):
        text = f"{fact.stat} {text}"
    return f"about {text}" if fact.approx else text


def span(metric: str, value: Span) -> str:
    """Return a span: "2.10", "at least 3.00", "3.17 to 3.49"."""
    if value.exact:
        return _digits(metric, value.low)
    if math.isinf(value.high):
        return f"at least {_digits(metric, value.low)}"
    return f"{_digits(metric, value.low)} to {_digits(metric, value.high)}"


def _digits(metric: str, value: float) -> str:
    """Keep a third decimal of a length that carries one; everything else by its style."""
    if (
        metric == "accept_length"
        and round(value, 2) != round(value, 3)
        and abs(value * 1000 - round(value * 1000)) < 1e-6
    ):
        return f"{value:.3f}"
    return figure(metric, value)


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
    sign = "+" if delta > 0 else "-"
    text = f"{sign}{figure(metric, abs(delta))}"
    if min(first, second) <= 0:
        return text
    ratio = max(first, second) / min(first, second)
    if ratio < 2:
        return f"{text} ({delta / first:+.1%})"
    return f"{text} ({ratio:.1f}x {'fewer' if delta < 0 else 'more'})"
