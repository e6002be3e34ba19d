"""Tapped layers: engines read the ids as inputs or as outputs of layers, and a list read the other way is off by one."""

from collections.abc import Iterator, Sequence

from hubcmp.checks import Check, Finding, Subject, whole
from hubcmp.families import lineage

_DEEPSEEK = ("deepseek", "kimi", "longcat")
"""Targets for which SGLang adds one only to a list that starts with 1."""


def defaults(layers: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the usual ids of a target with `layers` layers, as inputs and as outputs of layers."""
    return (2, layers // 2, layers - 3), (1, layers // 2 - 1, layers - 4)


def convention(ids: Sequence[int], layers: int | None) -> str:
    """Return "inputs" or "outputs" of layers, or "" when the list tells neither."""
    if layers and tuple(ids) in defaults(layers):
        return "inputs" if tuple(ids) == defaults(layers)[0] else "outputs"
    return {1: "outputs", 2: "inputs"}.get(ids[0], "") if ids else ""


def look(subject: Subject) -> Iterator[Finding]:
    """Yield whether layer ids are stated, lie inside the target, and are read by the engine as they are meant."""
    fact = subject.drafter.settings.get("aux_layer_ids")
    if "eagle3" not in lineage(subject.family) or (fact is None and "hidden_size" not in subject.drafter.settings):
        return
    layers = whole(subject.target, "num_hidden_layers") or subject.whole("num_target_layers")
    if fact is None or not isinstance(fact.value, tuple):
        usual = f", here {list(defaults(layers)[0])}" if layers else " (2, the middle, the last but two)"
        yield subject.warning(f"the config names no layer ids: engines take their default{usual}, right or not")
        return
    ids = fact.value
    if layers and (max(ids) >= layers or min(ids) < 0):
        outside = f"layer ids {list(ids)} reach outside the target's {layers} layers (0 to {layers - 1})"
        yield subject.warning(outside, fact.sources) if max(ids) == layers else subject.fault(outside, fact.sources)
        return
    yield _as_read(subject, ids, convention(ids, layers))
    if layers and tuple(ids) not in defaults(layers):
        usual = f"they are not the usual {list(defaults(layers)[0])}: an engine that misses the config's reads others"
        yield subject.fine(f"layer ids {list(ids)}: {usual}", fact.sources)


def _as_read(subject: Subject, ids: Sequence[int], meant: str) -> Finding:
    """Return how the engine reads the ids against how they are meant."""
    sources = subject.sources("aux_layer_ids")
    if not meant:
        return subject.untold(f"whether layer ids {list(ids)} are inputs or outputs of layers is not told", sources)
    read = _reading(subject, ids)
    if not read:
        missing = "name the engine (--engine) and the target (--target) to see how it reads them"
        return subject.untold(f"layer ids {list(ids)} look like {meant} of layers; {missing}", sources)
    told = f"{subject.engine} reads layer ids {list(ids)} as {read} of layers"
    if read == meant:
        return subject.fine(f"{told}, as they are meant", sources)
    return subject.warning(f"{told}, but they look like {meant}: every tapped state is off by one layer", sources)


def _reading(subject: Subject, ids: Sequence[int]) -> str:
    """Return how the engine reads an explicit list: "inputs", "outputs", or "" when that is not known."""
    if subject.engine == "vllm":
        return "inputs"
    if subject.engine != "sglang" or subject.target is None:
        return ""
    named = (subject.target.setting(metric) for metric in ("model_type", "architectures"))
    target = " ".join(filter(None, named)).lower()
    if any(name in target for name in _DEEPSEEK):
        return "outputs" if ids[0] == 1 else "inputs"
    return "outputs" if target else ""


PLUGIN = Check("tapped layers", look)
