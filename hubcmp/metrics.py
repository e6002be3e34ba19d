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
_RUN = ("temperature", "target_dtype", "engine", "engine_version", "thinking", "max_tokens", "prompts")
_MACHINE = ("hardware", "tensor_parallel", "batch_size", "concurrency")

METRICS: Mapping[str, Metric] = {
    m.name: m
    for m in (
        Metric("accept_length", "accept length", "tokens/step", "length", "acceptance", "card", "higher", False, _ACCEPTANCE, (*_RUN, *_MACHINE)),
        Metric("accept_rate", "accept rate", "fraction", "rate", "acceptance", "card", "higher", False, (*_ACCEPTANCE, "rate_kind"), (*_RUN, *_MACHINE)),
        Metric("speedup", "speedup over plain decoding", "x", "ratio", "throughput", "card", "higher", False,
               ("target_model", "draft_length", "topk", "benchmark", "batch_size", "hardware"), (*_RUN, "tensor_parallel", "concurrency")),
        Metric("throughput_tok_s", "output throughput", "tok/s", "throughput", "throughput", "card", "higher", False,
               ("target_model", "draft_length", "topk", "benchmark", "batch_size", "hardware", "tensor_parallel"), (*_RUN, "concurrency")),
        Metric("training_samples", "training samples", "samples", "count", "training", "card", "neither", True, (), ("dataset",)),
        Metric("training_tokens", "training tokens", "tokens", "count", "training", "card", "neither", True, (), ("dataset",)),
        Metric("parameters", "parameters, as the card states", "params", "count", "parameters", "card", "neither", True),
        Metric("params_stored", "parameters stored, buffers left out", "params", "count", "parameters", "weights", "neither", True),
        Metric("params_trainable", "trainable parameters", "params", "count", "parameters", "weights", "neither", True),
        Metric("params_frozen", "frozen copies in the file", "params", "count", "parameters", "weights", "neither", True),
        Metric("buffer_elements", "buffers, not parameters", "elements", "count", "parameters", "weights", "neither", True),
        Metric("payload_bytes", "bytes to load", "B", "bytes", "parameters", "weights", "lower", True),
        Metric("cycle_cost", "cost of one cycle in plain decode steps", "plain steps", "length", "throughput", "benchmark", "lower"),
    )
}  # fmt: skip
"""Every metric that a report can carry, by name."""
