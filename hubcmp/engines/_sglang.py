"""What SGLang's sources have in common: server arguments, and what they say about the draft."""

from collections.abc import Mapping

from hubcmp.engines._arguments import flags, named, scalar
from hubcmp.facts import Scalar

CONDITIONS = {
    "speculative_num_steps": "num_steps",
    "speculative_eagle_topk": "topk",
    "speculative_num_draft_tokens": "num_draft_tokens",
    "speculative_algorithm": "algorithm",
    "model_path": "target_model",
    "tp_size": "tensor_parallel",
    "quantization": "target_dtype",
}
"""Server argument to condition; the rest of the arguments is kept verbatim as settings."""


def arguments(line: str) -> dict[str, str]:
    """Return {name: value as text} from a `server_args=ServerArgs(...)` line or a launch command with --flags."""
    _, marker, inside = line.partition("server_args=")
    return named(inside) if marker else flags(line)


def conditions(settings: Mapping[str, str]) -> dict[str, Scalar]:
    """Return the conditions that server arguments bind to a run, with the draft length of a chain."""
    found: dict[str, Scalar] = {"engine": "sglang"}
    for name, key in CONDITIONS.items():
        value = scalar(settings.get(name, ""))
        if value is not None:
            found[key] = value
    steps, nodes = found.get("num_steps"), drafted_per_step(found)
    if nodes and "num_draft_tokens" not in found:
        found["num_draft_tokens"] = nodes + 1
    if isinstance(steps, int) and steps > 0:
        found["draft_length"] = steps
    return found


def drafted_per_step(found: Mapping[str, Scalar]) -> int | None:
    """Return the drafted tokens per verify step, the root left out (a tree: all nodes), or None when the settings do not say."""
    nodes, steps = found.get("num_draft_tokens"), found.get("num_steps")
    if isinstance(nodes, int) and nodes > 1:
        return nodes - 1
    return steps if isinstance(steps, int) and steps > 0 and found.get("topk") == 1 else None


def settings(info: object) -> dict[str, str]:
    """Return the server arguments of a JSON reply as text, nested and empty values left out."""
    if not isinstance(info, dict):
        return {}
    plain = {k: v for k, v in info.items() if isinstance(v, str | int | float) and len(str(v)) <= 4000}
    return {str(name): str(value) for name, value in plain.items() if name not in STATE}


STATE = frozenset(
    {"version", "status", "last_gen_throughput", "avg_spec_accept_length", "max_total_num_tokens", "load"}
)
"""Keys of a reply that are state, not settings."""
