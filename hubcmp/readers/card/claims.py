"""One figure of a card with what is known about it, before it becomes a Fact."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hubcmp.facts import Scalar

UNNAMED = "inferred: the table names no metric, and its figures can only be accept lengths"
CALLED_A_RATE = "inferred: a bare figure above 1 called an acceptance rate is an accept length"
MEASURED = ("accept_length", "accept_rate", "speedup", "throughput_tok_s")
"""Metrics of speculation; the others describe training data and size."""
DRAFT_KEYS = frozenset({"num_steps", "topk", "num_draft_tokens", "num_speculative_tokens", "block_size"})
"""Settings of the drafter, which plain decoding does not have."""
CONDITION_KEYS = frozenset(
    {
        "num_steps",
        "topk",
        "num_draft_tokens",
        "num_speculative_tokens",
        "block_size",
        "batch_size",
        "concurrency",
        "temperature",
        "top_p",
        "tensor_parallel",
        "engine",
        "engine_version",
        "hardware",
        "target_model",
        "target_dtype",
        "prompts",
        "max_tokens",
        "thinking",
        "dataset",
        "includes_bonus",
        "rate_kind",
        "attention_backend",
    }
)
"""The keys that conditions and nearby may have."""


def bind(*layers: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Return the settings of all layers, from general to specific; another engine does not inherit the version of the first."""
    bound: dict[str, Scalar] = {}
    for layer in layers:
        if layer.get("engine", bound.get("engine")) != bound.get("engine"):
            bound.pop("engine_version", None)
        bound.update(layer)
    return bound


@dataclass(frozen=True, slots=True)
class Claim:
    """One figure: `value` in the metric's unit, on `line`; the rest as in a Fact. `block` is the index of its block on the page.

    `inferred` says why the metric is this one where the card does not name it so.
    """

    metric: str
    value: int | float
    raw: str
    line: int
    block: int
    label: str | None = None
    subject: str | None = None
    conditions: Mapping[str, Scalar] = field(default_factory=dict)
    nearby: Mapping[str, Scalar] = field(default_factory=dict)
    position: int | None = None
    stat: str | None = None
    approx: bool = False
    inferred: str = ""
