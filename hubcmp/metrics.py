"""The table of metrics: title, unit, direction, and which conditions must agree before two figures may be compared.

Rendering and comparing have no branches per metric; whatever differs between metrics is a row here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower", "neither"]
Section = Literal["parameters", "training", "acceptance", "throughput"]
Style = Literal["length", "count", "rate", "ratio", "throughput", "bytes", "text"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric. A figure is compared only when every `decisive` axis is equal; `contributing` axes are named beside it.

    `style` picks how a value is written; `exact` metrics are counts without noise; `section` is where a report shows it, and
    `found_in` the document that would state it ("weights", "card" or "benchmark").
    """

    name: str
    title: str
    unit: str
    style: Style
    section: Section
    found_in: Literal["weights", "card", "benchmark"]
    better: Better = "neither"
    exact: bool = False
    decisive: tuple[str, ...] = ()
    contributing: tuple[str, ...] = ()


_ACCEPTANCE = ("target_model", "draft_length", "topk", "benchmark", "definition")
_SPEED = ("target_model", "draft_length", "topk", "benchmark", "batch_size", "hardware")
_RUN = ("temperature", "target_dtype", "engine", "engine_version", "thinking", "max_tokens", "prompts")
_MACHINE = ("hardware", "tensor_parallel", "batch_size", "concurrency")


def _acceptance(name: str, title: str, unit: str, style: Style, *decisive: str) -> Metric:
    axes = (*_ACCEPTANCE, *decisive)
    return Metric(name, title, unit, style, "acceptance", "card", "higher", False, axes, (*_RUN, *_MACHINE))


def _speed(name: str, title: str, unit: str, style: Style) -> Metric:
    contributing = (*_RUN, "tensor_parallel", "concurrency")
    return Metric(name, title, unit, style, "throughput", "card", "higher", False, _SPEED, contributing)


def _trained_on(name: str, title: str, unit: str) -> Metric:
    return Metric(name, title, unit, "count", "training", "card", "neither", True, (), ("dataset",))


def _counted(name: str, title: str, unit: str = "params", found_in: Literal["weights", "card"] = "weights") -> Metric:
    return Metric(name, title, unit, "count", "parameters", found_in, "neither", True)


METRICS: Mapping[str, Metric] = {
    m.name: m
    for m in (
        _acceptance("accept_length", "accept length", "tokens/step", "length"),
        _acceptance("accept_rate", "accept rate", "fraction", "rate", "rate_kind"),
        _speed("speedup", "speedup over plain decoding", "x", "ratio"),
        _speed("throughput_tok_s", "output throughput", "tok/s", "throughput"),
        _trained_on("training_samples", "training samples", "samples"),
        _trained_on("training_tokens", "training tokens", "tokens"),
        _counted("parameters", "parameters, as the card states", "params", "card"),
        _counted("params_stored", "parameters stored, buffers left out"),
        _counted("params_trainable", "trainable parameters"),
        _counted("params_frozen", "frozen copies in the file"),
        _counted("buffer_elements", "buffers, not parameters", "elements"),
        Metric("payload_bytes", "bytes to load", "B", "bytes", "parameters", "weights", "lower", True),
    )
}
"""Every metric that a report can carry, by name."""
