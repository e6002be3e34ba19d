"""Families: one file per drafter architecture, mostly data: how it names, freezes and shares its tensors.

Adding a family is one new module that ends with `PLUGIN = Family(...)`; docs/families.md walks through one.
Families see settings as facts and tensors by name and shape; they read no files.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from hubcmp.families._dimensions import Dimensions
from hubcmp.shelf import plugins

Form = Callable[[Dimensions], Mapping[str, int]]
"""A closed form: parameters by role, from the config alone."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What speaks for a family, in the order in which it is believed.

    `wrapper`: values of `speculators_model_type`. `tensors`: every one of these patterns names a tensor, and none of
    `tensors_without` does. `keys`: settings, as "metric" (present), "metric=value" or "metric>0". `architectures`: patterns for the
    config's string. `repository`: patterns for the repository's name, the weakest. Patterns are regular
    expressions that must fit whole names, prefixes stripped, each number written as "#".
    """

    wrapper: tuple[str, ...] = ()
    tensors: tuple[str, ...] = ()
    tensors_without: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()
    repository: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """One drafter architecture.

    `refines` names the families of which this is a special form: it wins over them where any mark speaks for it.
    `roles` are (pattern, role) pairs tried before the common ones. `frozen` gives, per role, why its tensors are copies of
    the target's when they are stored; everything else is trainable. `borrowed` are roles that an engine takes from the
    target when the file lacks them. `unimplied` says, per role, what no config of the family gives: it is named where the
    closed form and the header differ.
    """

    title: str
    marks: Marks
    form: Form | None = None
    refines: tuple[str, ...] = ()
    roles: tuple[tuple[str, str], ...] = ()
    frozen: Mapping[str, str] = field(default_factory=dict)
    borrowed: tuple[str, ...] = ()
    unimplied: Mapping[str, str] = field(default_factory=dict)


@cache
def families() -> Mapping[str, Family]:
    """Return every family by its module name."""
    return plugins(__name__, Family)


def lineage(name: str) -> tuple[str, ...]:
    """Return the family and all it refines, the most special first; rules for a base hold for its special forms."""
    family = families().get(name)
    return (name, *dict.fromkeys(base for parent in family.refines for base in lineage(parent))) if family else (name,)
