"""From a figure under a metric's name to the metric's value: fractions, gains, ratios, and what cannot be one."""

from hubcmp.readers.card.figures import Figure

_NO_RATE = 20
"""A bare figure from 1 to this is a length, whatever it is called; above it is a percentage."""
_FLOOR = {"accept_length": 1.0}
_CEILING = {"accept_length": 128.0, "throughput_tok_s": 1e6, "speedup": 100.0}


def metric_for(figure: Figure, metric: str | None, percent: bool = False) -> str | None:
    """Return the metric that a figure states under a head naming `metric`: its own unit may say otherwise; None when it fits none.

    A bare 2.25 under "acceptance rate" is no fraction and no percentage: authors call the length so.
    """
    if (
        metric == "accept_rate"
        and figure.form == "plain"
        and 1 < figure.value <= _NO_RATE
        and "." in figure.raw
        and not percent
    ):
        return "accept_length"
    if figure.form == "times":
        return "speedup" if metric in ("speedup", "throughput_tok_s", "accept_length", None) else None
    if figure.form == "rate":
        return "throughput_tok_s"
    if figure.form == "percent":
        return {"accept_rate": "accept_rate", "speedup": "speedup", "throughput_tok_s": "speedup"}.get(metric or "")
    return metric


def value_of(figure: Figure, metric: str, percent: bool = False) -> int | float | None:
    """Return the value in the metric's unit, or None when no such value can be meant. `percent`: the head says so."""
    value = figure.value
    if metric == "accept_rate":
        return _fraction(value, figure.form == "percent" or (percent and value > 1))
    if metric == "speedup" and (figure.form == "percent" or percent):
        return _rounded(1 + value / 100)
    if value < _FLOOR.get(metric, 0) or value > _CEILING.get(metric, 1e15):
        return None
    return value


def _fraction(value: float, percent: bool) -> float | None:
    value = value / 100 if percent or 1 < value <= 100 else value
    return _rounded(value) if 0 <= value <= 1 else None


def _rounded(value: float) -> float:
    """Take the noise of binary arithmetic out of a quotient or sum."""
    return round(value, 10)
