"""Who trained a drafter, and what that says about its embedding and head: frozen copies here, trained there.

Rows are read from the trainers' sources at known versions; a row beats what the family says by default.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hubcmp.facts import Evidence, Fact
from hubcmp.families._dimensions import Dimensions, MissingSizeError

NEWEST = (99, 0)


@dataclass(frozen=True, slots=True)
class Framework:
    """A trainer and its version (major, minor); NEWEST when it does not say. `reason` is how it was recognised."""

    name: str = ""
    version: tuple[int, int] = NEWEST
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Habit:
    """One row: what a trainer does with a role in some families. `since` is included, `before` is not."""

    framework: str
    families: tuple[str, ...]
    role: str
    status: str
    reason: str
    since: tuple[int, int] = (0, 0)
    before: tuple[int, int] = (100, 0)
    when: Callable[[Dimensions], bool] = lambda _: True
    evidence: Evidence = Evidence.ASSUMED


def framework_of(facts: Mapping[str, Fact], names: frozenset[str]) -> Framework:
    """Return the trainer that the config or the names give away; an empty Framework when none does."""
    for name, keys, architecture, pattern in _SIGNS:
        fact = next((facts[key] for key in keys if key in facts), None)
        string = facts.get("architectures")
        if fact is not None:
            return Framework(
                name, _version(facts.get("speculators_version")), f"{fact.sources[0].where.removeprefix('$.')} is set"
            )
        if string is not None and architecture and re.fullmatch(architecture, str(string.value)):
            return Framework(name, NEWEST, f'architectures "{string.value}"')
        if pattern and any(re.fullmatch(pattern, n) for n in names):
            return Framework(name, NEWEST, "its tensor names")
    return Framework()


def habit_of(framework: Framework, families: tuple[str, ...], role: str, sizes: Dimensions) -> Habit | None:
    """Return the first row that holds for this role, or None: the family's own rule applies. `families` is a lineage."""
    for habit in HABITS:
        named = (
            habit.framework in ("", framework.name)
            and habit.role == role
            and habit.since <= framework.version < habit.before
        )
        if named and (not habit.families or set(habit.families) & set(families)) and _holds(habit, sizes):
            return habit
    return None


def _holds(habit: Habit, sizes: Dimensions) -> bool:
    try:
        return habit.when(sizes)
    except MissingSizeError:
        return False


def _version(fact: Fact | None) -> tuple[int, int]:
    match = re.match(r"(\d{1,4})\.(\d{1,4})", str(fact.value)) if fact is not None else None
    return (int(match[1]), int(match[2])) if match else NEWEST


def _full_vocabulary(sizes: Dimensions) -> bool:
    return sizes.draft_vocabulary == sizes.vocabulary and not sizes.flag("has_lm_head")


_SIGNS: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("speculators", ("speculators_model_type", "speculators_version"), "", ""),
    ("ModelOpt", ("use_last_layernorm", "use_mtp_layernorm", "use_input_layernorm_in_first_layer"), "", ""),
    ("TorchSpec", (), r"Eagle3DeepseekV2ForCausalLM", r"context_proj\.weight"),
    ("SpecForge", (), r"LlamaForCausalLMEagle3|\w+DraftModel", ""),
)
"""Name, config keys, pattern of the architectures string, pattern of a tensor name."""

HABITS: tuple[Habit, ...] = (
    Habit("", (), "embedding", "trainable", "embed_requires_grad is true", when=lambda d: d.flag("embed_requires_grad"),
          evidence=Evidence.DECLARED),
    Habit("", (), "embedding", "frozen_copy", "embed_requires_grad is false",
          when=lambda d: "embed_requires_grad" in d.facts, evidence=Evidence.DECLARED),
    Habit("speculators", ("peagle",), "lm_head", "frozen_copy", "speculators freezes P-EAGLE's head, a row slice of the target's"),
    Habit("speculators", ("eagle3",), "lm_head", "frozen_copy", "speculators 0.5 and later freeze the head, a row slice of the target's",
          since=(0, 5)),
    Habit("speculators", ("eagle3",), "lm_head", "trainable", "speculators up to 0.4 train the head, starting from the target's rows"),
    Habit("ModelOpt", ("eagle3",), "lm_head", "frozen_copy", "ModelOpt writes the target's head into an export with the full vocabulary",
          when=_full_vocabulary),
    Habit("", ("mtp",), "lm_head", "trainable", "Step's MTP layers train a head each",
          when=lambda d: d.kind("step3")),
)  # fmt: skip
"""What trainers do, the first row that holds decides."""
