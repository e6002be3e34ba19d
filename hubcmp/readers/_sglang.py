"""What SGLang's sources have in common: server arguments, and what they say about the draft."""

import re
from collections.abc import Mapping

from hubcmp.facts import Scalar

_ARGUMENT = re.compile(
    r"""'?(\w{1,80})'?(?:=|:\s)('(?:[^'\\\n]|\\.){0,4000}'|"(?:[^"\\\n]|\\.){0,4000}"|\[[^\]\n]{0,4000}\]|\{[^}\n]{0,4000}\}|[^\s,()\[\]{}'"]{1,200})"""
)
_FLAG = re.compile(r"--([a-z][a-z0-9-]{1,60})[ =]('[^'\n]{0,400}'|\"[^\"\n]{0,400}\"|[^\s'\"]{1,400})")

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
    if marker:
        return {name: value.strip("'\"") for name, value in _ARGUMENT.findall(inside)}
    return {name.replace("-", "_"): value.strip("'\"") for name, value in _FLAG.findall(line)}


def scalar(raw: str) -> Scalar | None:
    """Return a setting as int, float, bool or text, or None when it is not set."""
    if raw in ("None", "null", ""):
        return None
    if raw in ("True", "False"):
        return raw == "True"
    if re.fullmatch(r"-?\d{1,15}", raw):
        return int(raw)
    return float(raw) if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", raw) else raw


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
