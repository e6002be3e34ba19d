"""The table of metrics: title, unit, direction, and which conditions must agree before two figures may be compared.

Rendering and comparing have no branches per metric; whatever differs between metrics is a row here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower", "neither"]
Style = Literal["length", "count", "rate", "ratio", "throughput", "bytes", "text"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric. A figure is compared only when every `decisive` axis is equal; `contributing` axes are named beside it.

    `style` picks how a value is written; `exact` metrics are counts without noise; `scope` is the report's section.
    """

    name: str
    title: str
    unit: str
    style: Style
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
        Metric("accept_length", "accept length", "tokens/step", "length", "higher", False, _ACCEPTANCE, (*_RUN, *_MACHINE)),
        Metric("accept_rate", "accept rate", "fraction", "rate", "higher", False, (*_ACCEPTANCE, "rate_kind"), (*_RUN, *_MACHINE)),
        Metric("speedup", "speedup over plain decoding", "x", "ratio", "higher", False,
               ("target_model", "draft_length", "topk", "benchmark", "batch_size", "hardware"), (*_RUN, "tensor_parallel", "concurrency")),
        Metric("throughput_tok_s", "output throughput", "tok/s", "throughput", "higher", False,
               ("target_model", "draft_length", "topk", "benchmark", "batch_size", "hardware", "tensor_parallel"), (*_RUN, "concurrency")),
        Metric("training_samples", "training samples", "samples", "count", "neither", True, ("dataset_unit",)),
        Metric("training_tokens", "training tokens", "tokens", "count", "neither", True),
        Metric("parameters", "parameters, as the card states", "params", "count", "neither", True),
        Metric("params_stored", "parameters stored, buffers left out", "params", "count", "neither", True),
        Metric("params_trainable", "trainable parameters", "params", "count", "neither", True),
        Metric("params_frozen", "frozen copies in the file", "params", "count", "neither", True),
        Metric("buffer_elements", "buffers, not parameters", "elements", "count", "neither", True),
        Metric("payload_bytes", "bytes to load", "B", "bytes", "lower", True),
        Metric("cycle_cost", "cost of one cycle in plain decode steps", "plain steps", "length", "lower"),
    )
}  # fmt: skip
"""Every metric that a report can carry, by name."""
