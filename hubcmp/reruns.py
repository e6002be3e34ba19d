"""What to run to remove a difference: exact flags in the engine's own dialect, from what the sources say."""

import shlex
from collections.abc import Mapping, Sequence

from hubcmp.axes import Axis, AxisValue
from hubcmp.drafter import Drafter

SGLANG: Mapping[str, str] = {
    "eagle1": "EAGLE", "eagle3": "EAGLE3", "eagle31": "EAGLE3", "eagle3_mla": "EAGLE3", "peagle": "EAGLE3",
    "mtp": "NEXTN", "dflash": "DFLASH",
}  # fmt: skip
"""What SGLang calls a family's algorithm; one that is not here is left to the reader."""
VLLM: Mapping[str, str] = {
    "eagle1": "eagle", "eagle3": "eagle3", "eagle31": "eagle3", "eagle3_mla": "eagle3", "peagle": "eagle3",
    "mtp": "mtp", "dflash": "dflash",
    "dspark": "dspark", "medusa": "medusa", "mlp_speculator": "mlp_speculator",
}  # fmt: skip
"""The same for vLLM."""


def flags(axis: Axis, drafters: Sequence[Drafter]) -> str:
    """Return how to make one axis equal, as server flags or a sentence; "" when hubcmp knows no way."""
    engine = engine_of(drafters)
    known = [v.value for v in axis.values if v.value and v.least is None]
    if axis.name == "draft_length":
        return speculation(str(max((_depth(v) for v in axis.values), default=0) or "K"), engine)
    if axis.name == "topk":
        return "a chain on both sides" + (": --speculative-eagle-topk 1" if engine != "vllm" else "")
    if axis.name == "target_model":
        return f"serve both drafters on one target: {target_flag(served_target(drafters), engine)}"
    texts = {
        "benchmark": "run both on one named benchmark, or say which one it was with --given benchmark=NAME",
        "batch_size": f"run both at one batch size, for example {known[0] if known else '1'}",
        "temperature": "run both at one temperature, for example 0, or say it with --given temperature=0",
        "definition": "say whether the length counts the bonus token with --given includes_bonus=true",
        "hardware": "run both on the same machine",
    }
    return texts.get(axis.name, "")


def _depth(value: AxisValue) -> int:
    """Return the depth that a side names or proves, 0 when it does neither."""
    text = value.value if value.least is None else str(value.least)
    return int(text) if text.isdecimal() else 0


def served_target(drafters: Sequence[Drafter]) -> str:
    """Return the target that a run was measured on, else any that a drafter states."""
    order = sorted(drafters, key=lambda d: not d.runs)
    return next((t for d in order if (t := d.setting("target_model"))), "ORG/TARGET")


def engine_of(drafters: Sequence[Drafter]) -> str:
    """Return the engine that any run used, else SGLang, whose flags most cards state."""
    return next((r.engine for d in drafters for r in d.runs if r.engine), "sglang")


def speculation(depth: str, engine: str) -> str:
    """Return the flags for a chain of `depth` drafted tokens per cycle; "K" stands for a depth nobody stated."""
    if engine == "vllm":
        return f"--speculative-config.num_speculative_tokens {depth}"
    nodes = str(int(depth) + 1) if depth.isdigit() else f"{depth}+1"
    return f"--speculative-num-steps {depth} --speculative-eagle-topk 1 --speculative-num-draft-tokens {nodes}"


def target_flag(target: str, engine: str) -> str:
    """Return the flag that names the target model."""
    return f"{'--model' if engine == 'vllm' else '--model-path'} {shlex.quote(target)}"


def draft_flags(drafter: Drafter, engine: str) -> str:
    """Return the flags that name the drafter and its algorithm."""
    family = "" if drafter.ledger is None else drafter.ledger.family
    place = shlex.quote(drafter.resolved)
    if engine == "vllm":
        return f"--speculative-config.method {VLLM.get(family, 'METHOD')} --speculative-config.model {place}"
    return f"--speculative-algorithm {SGLANG.get(family, 'ALGORITHM')} --speculative-draft-model-path {place}"


def settling(drafters: Sequence[Drafter], depths: Sequence[int | None]) -> tuple[str, ...]:
    """Return one command per drafter that would put all of them on one scale: the measured drafter's target, the largest depth.

    `depths` holds each drafter's depth (None when nothing states it). Texts from outside are quoted for a shell.
    """
    engine = engine_of(drafters)
    target = served_target(drafters)
    depth = max((d for d in depths if d is not None), default=None)
    chain = speculation(str(depth) if depth is not None else "K", engine)
    return tuple(f"{_launch(engine)} {target_flag(target, engine)} {draft_flags(d, engine)} {chain}" for d in drafters)


def _launch(engine: str) -> str:
    return "vllm serve" if engine == "vllm" else "python -m sglang.launch_server"
