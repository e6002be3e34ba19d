"""Whether a tensor was trained, is a frozen copy of the target's, or is no parameter at all, and how that is known."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubcmp.facts import Evidence
from hubcmp.families import families, lineage
from hubcmp.families._dimensions import Dimensions
from hubcmp.families._frameworks import Framework, habit_of
from hubcmp.families._roles import BUFFER_ROLES


@dataclass(frozen=True, slots=True)
class Status:
    """One of trainable, frozen_copy, buffer, unknown; with the evidence for it and the reason in words."""

    name: str
    evidence: Evidence
    reason: str


def status_of(
    family: str, framework: Framework, role: str, name: str, sizes: Dimensions, shape: Sequence[int] = ()
) -> Status:
    """Return the status of a role in this family from this trainer; `name` is stripped, `shape` as stored."""
    if role in BUFFER_ROLES:
        return Status("buffer", Evidence.OBSERVED, "a table or scale, not a parameter")
    if name.startswith("verifier_"):
        return Status("frozen_copy", Evidence.ASSUMED, "named as the verifier's own tensor")
    known = families().get(family)
    if known is None:
        return Status("unknown", Evidence.ASSUMED, "the family is unknown")
    if role in ("embedding", "lm_head") and _foreign(shape, sizes):
        return Status(
            "trainable",
            Evidence.DECLARED,
            f"as wide as the drafter, not as the target ({sizes.target_hidden:,}): no copy",
        )
    habit = habit_of(framework, lineage(family), role, sizes)
    if habit:
        return Status(habit.status, habit.evidence, habit.reason)
    if role in known.frozen:
        return Status("frozen_copy", Evidence.ASSUMED, known.frozen[role])
    return Status("trainable", Evidence.ASSUMED, f"{known.title} trains it")


def _foreign(shape: Sequence[int], sizes: Dimensions) -> bool:
    """Say whether a matrix has the drafter's own width where the config declares another one for the target."""
    if "target_hidden_size" not in sizes.facts or "hidden_size" not in sizes.facts:
        return False
    return len(shape) == 2 and shape[1] == sizes.hidden != sizes.target_hidden
