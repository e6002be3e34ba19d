"""Comparability: per axis whether two or more figures were taken under equal, differing or unknown conditions.

The value of an axis is the figure's own condition, else the drafter's own fact (target), else what the user gave, else a
bound that the figure proves. A setting that merely stands nearby never counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hubcmp.acceptance import depth_bound, draft_length
from hubcmp.drafter import Drafter
from hubcmp.facts import Fact, Scalar, Span
from hubcmp.labels import canonical, language
from hubcmp.metrics import METRICS

State = Literal["equal", "differs", "unknown"]


@dataclass(frozen=True, slots=True)
class AxisValue:
    """One side of an axis: `value` as text, "" when unknown; `how` it is known; `least` when only a lower bound is proven.

    `nearby` is what stands elsewhere on the page: shown beside an unknown, never compared.
    """

    value: str = ""
    how: str = "not stated"
    least: int | None = None
    nearby: str = ""

    def __str__(self) -> str:
        return self.value or (f"not stated, {self.nearby} nearby" if self.nearby else "not stated")


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis over all drafters of a row. `effect` is what the axis was seen to do elsewhere, and the address where."""

    name: str
    state: State
    values: tuple[AxisValue, ...]
    decisive: bool
    effect: tuple[str, str] = ("", "")
    rerun: str = ""


TITLES: Mapping[str, str] = {
    "target_model": "target model",
    "draft_length": "draft depth",
    "topk": "chain or tree (topk)",
    "definition": "bonus token counted",
    "language": "prompt language",
    "target_dtype": "target precision",
    "batch_size": "batch size",
    "max_tokens": "output limit",
    "tensor_parallel": "tensor parallelism",
    "engine_version": "engine version",
    "rate_kind": "kind of rate",
}
"""Axis names as a report prints them, where they differ from the key."""

EFFECTS: Mapping[str, tuple[str, str]] = {
    "target_model": (
        "a head on a fine-tuned target lost most of its gain",
        "https://github.com/SafeAILab/EAGLE/issues/98",
    ),
    "draft_length": ("4.68 at 5 steps, 5.39 at 8, one drafter", "https://github.com/sgl-project/sglang/pull/4247"),
    "topk": ("1.70 as a chain, 2.19 as a tree", "https://github.com/SafeAILab/EAGLE/issues/143"),
    "benchmark": ("6.4 in English, 3.3 in Chinese on one set", "https://github.com/z-lab/dflash/issues/7"),
    "language": ("6.4 in English, 3.3 in Chinese on one set", "https://github.com/z-lab/dflash/issues/7"),
    "definition": (
        "without the bonus token the same run prints 1 less",
        "https://github.com/SafeAILab/EAGLE/issues/132",
    ),
    "temperature": ("2.19 at temperature 0, 1.55 at 1", "https://github.com/SafeAILab/EAGLE/issues/143"),
    "target_dtype": ("4.55 with NVFP4, 5.22 with FP8", "https://github.com/Avarok-Cybersecurity/atlas/pull/218"),
    "engine_version": (
        "2.195 on one release, about 1.0 on the next",
        "https://github.com/sgl-project/SpecForge/issues/310",
    ),
    "prompts": (
        "identical runs on small prompt sets differed by half",
        "https://github.com/vllm-project/speculators/pull/793",
    ),
}
"""What each axis was seen to do with the drafter unchanged, and where."""


def axes(metric: str, figures: Sequence[tuple[Drafter, Fact]]) -> tuple[Axis, ...]:
    """Return every axis of `metric` over one figure per drafter, decisive ones first."""
    return merged(metric, [(drafter, (fact,)) for drafter, fact in figures])


def merged(metric: str, sides: Sequence[tuple[Drafter, Sequence[Fact]]]) -> tuple[Axis, ...]:
    """Return the axes over several figures per drafter: a side has a value only when all its figures agree on it."""
    entry = METRICS[metric]
    stated = ["language"] if any(_own("language", fact) for _, facts in sides for fact in facts) else []
    names = [(name, True) for name in (*entry.decisive, *stated)] + [(name, False) for name in entry.contributing]
    return tuple(_axis(name, decisive, [_side(name, d, facts) for d, facts in sides]) for name, decisive in names)


def _axis(name: str, decisive: bool, values: Sequence[AxisValue]) -> Axis:
    state = _state(name, values)
    # That lengths count the bonus token is the field's convention, and a set has its usual language: silence blocks nothing.
    blocks = decisive and not (name in ("definition", "language") and state == "unknown")
    return Axis(name, state, tuple(values), blocks, EFFECTS.get(name, ("", "")))


def _state(name: str, values: Sequence[AxisValue]) -> State:
    """Return "differs" as soon as two sides provably do, "unknown" while one is, else "equal"."""
    known = [v for v in values if v.value and v.least is None]
    if len({_normal(name, v.value) for v in known}) > 1:
        return "differs"
    if any(bound.least > int(v.value) for bound in values if bound.least is not None for v in known):
        return "differs"
    return "equal" if len(known) == len(values) else "unknown"


def _normal(name: str, value: str) -> str:
    """Return a value as axes compare it: targets without their organisation, everything without case."""
    if name == "target_model":
        return model_name(value)
    return canonical(value) if name == "benchmark" else value.lower()


def model_name(text: str) -> str:
    """Return a model's name as it is compared: without its organisation or folder, without case."""
    return text.rstrip("/").rsplit("/", 1)[-1].lower()


def _side(name: str, drafter: Drafter, facts: Sequence[Fact]) -> AxisValue:
    """Return one drafter's value of an axis over its figures."""
    found = list(dict.fromkeys(value(name, drafter, fact) for fact in facts))
    if found and not found[0].value and (around := nearby_of(drafter, facts[0])):
        near = _own(name, replace(facts[0], conditions=around, label=None))
        found = [replace(found[0], nearby="" if near is None else str(near)), *found[1:]]
    if len(found) == 1:
        return found[0]
    if name == "benchmark" and all(v.value for v in found):
        return AxisValue(", ".join(v.value for v in found), "bound to the figures")
    least = [v.least for v in found if v.least is not None]
    if len(least) == len(found) and least:
        return AxisValue(f"at least {min(least)}", "proven by the figures", min(least))
    return AxisValue("", "its figures differ on it" if all(v.value for v in found) else "not stated")


def value(name: str, drafter: Drafter, fact: Fact) -> AxisValue:
    """Return the value of one axis for one figure, by the order of the module's docstring."""
    bound = _own(name, fact)
    if bound is not None:
        return AxisValue(str(bound), "bound to the figure")
    if name == "target_model" and name in drafter.settings:
        return AxisValue(drafter.setting(name) or "", drafter.settings[name].method)
    if name in drafter.given:
        return AxisValue(str(drafter.given[name]), "given by the user")
    if name == "draft_length":
        return _proven(drafter, fact)
    return AxisValue()


def _own(name: str, fact: Fact) -> Scalar | None:
    """Return the condition that the source binds to the figure."""
    if name == "draft_length":
        return draft_length(fact.conditions)
    if name == "benchmark":
        return fact.label
    if name == "definition":
        return fact.conditions.get("includes_bonus")
    if name == "language" and name not in fact.conditions:
        return language(fact.label or "") or None
    return fact.conditions.get(name)


def nearby_of(drafter: Drafter, fact: Fact) -> Mapping[str, Scalar]:
    """Return the settings near a figure, or near a weaker statement of it."""
    rivals = (r.nearby for r in drafter.rivals if r.metric == fact.metric and r.nearby)
    return fact.nearby or next(rivals, {})


def _proven(drafter: Drafter, fact: Fact) -> AxisValue:
    """Return the depth that the user gave, or the least one that an accept length proves (bonus token included)."""
    depth = draft_length(drafter.given)
    if depth is not None:
        return AxisValue(str(depth), "given by the user")
    if (
        fact.metric != "accept_length"
        or not isinstance(fact.value, Span)
        or fact.conditions.get("includes_bonus") is False
    ):
        return AxisValue()
    least = depth_bound(fact.value.low)
    return (
        AxisValue(f"at least {least}", f"proven: {fact.value.low:g} needs that depth", least)
        if least > 0
        else AxisValue()
    )
