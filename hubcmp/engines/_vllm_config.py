"""What a vLLM server says about itself in its log: version, model, parallelism, the drafter."""

import re
from collections.abc import Mapping

from hubcmp.engines._arguments import flags, named, scalar
from hubcmp.facts import Scalar

_CONFIG = re.compile(rb"(?m)^[^\n]{0,400}?Initializing [^\n]{1,80} with config: ?([^\n]{1,60000})")
_COMMAND = re.compile(rb"(?m)^[^\n]{0,200}?\bvllm serve ([^\n]{1,8000})")
_VERSION = re.compile(rb"(?:\(v|version )(\d{1,3}\.\d{1,3}\.\d{1,3}[\w.+-]{0,40})")
_DRAFT = re.compile(rb"num_spec(?:ulative)?_tokens['\"]?[=:] ?(\d{1,3})\b")
_METHOD = re.compile(rb"speculative_config[^\n]{0,100}?method['\"]?[=:] ?['\"](\w{1,40})['\"]")

CONDITIONS = {"model": "target_model", "tensor_parallel_size": "tensor_parallel", "quantization": "target_dtype"}
"""Engine argument to condition."""


def version(block: bytes) -> str | None:
    """Return the version that a line of the block states."""
    found = _VERSION.search(block) if b"version " in block or b"(v" in block else None
    return found[1].decode("ascii", "replace") if found else None


def settings(block: bytes) -> dict[str, str]:
    """Return the engine's settings when they stand in the block, otherwise nothing."""
    config = _CONFIG.search(block) if b" with config: " in block else None
    command = _COMMAND.search(block) if b"vllm serve " in block else None
    found = flags(command[1].decode("utf-8", "replace")) if command else {}
    if config:
        inside = re.sub(rb"speculative_config=SpeculativeConfig\([^)\n]{0,4000}\)", b"", config[1])
        found |= named(inside.decode("utf-8", "replace"))
    if found:
        draft, method = _DRAFT.search(block), _METHOD.search(block)
        found |= {"speculative_num_tokens": draft[1].decode()} if draft else {}
        found |= {"speculative_method": method[1].decode()} if method else {}
    return found


def conditions(raw: Mapping[str, str]) -> dict[str, Scalar]:
    """Return the conditions that the settings bind to a run."""
    found: dict[str, Scalar] = {"engine": "vllm"}
    names = {**CONDITIONS, "speculative_num_tokens": "num_speculative_tokens", "speculative_method": "algorithm"}
    for name, key in names.items():
        value = scalar(raw.get(name, ""))
        if value is not None:
            found[key] = value
    if isinstance(found.get("num_speculative_tokens"), int):
        found["draft_length"] = found["num_speculative_tokens"]
    return found
