"""A drafter inside its target's repository (MTP layers, `mtp.`, `dspark.`): which tensors are the drafter's."""

import re
from collections.abc import Iterable, Mapping

from hubcmp.parameters._groups import Group, Key
from hubcmp.tensors import TensorTable

TARGET = "target"
"""Name of the part that is the model around the drafters."""
_GUEST = re.compile(
    r"((?:[a-z_]+\.)*?(mtp(?:_[a-z_]+)?|dspark|dflash|nextn|medusa_head|hydra_head|draft_model|eagle_module)\.)"
)
"""Prefix of a drafter's tensors where names say so, and in it the drafter's name."""
_MARK = re.compile(r"(.*\.layers\.\d+\.|layers\.\d+\.)(?:eh_proj|enorm|hnorm|embed_tokens|shared_head|nextn)\.")
"""A decoder layer that holds one of these is a NextN module."""
_HOST = re.compile(r"(?:[a-z_]+\.)*(?:layers|h|blk)\.\d+\.(?!.*(?:eh_proj|enorm|hnorm))")
_NEXTN = "mtp"
"""Name of a drafter whose tensors only a layer's number sets apart."""


def drafters_inside(groups: Mapping[Key, Group], tables: Iterable[TensorTable]) -> Mapping[str, str]:
    """Return the prefixes that only drafters' tensors have, each with the drafter's name."""
    if not any(_prefix(item.name) for item in groups.values()):
        return {}
    matches = (_prefix(name) for table in tables for name in table.names)
    return dict(sorted({match[1]: _named(match) for match in matches if match}.items()))


def hosted(tables: Iterable[TensorTable], prefixes: Iterable[str]) -> bool:
    """Say whether a target's own layers lie beside the tensors of these prefixes."""
    guests = tuple(prefixes)
    names = (name for table in tables for name in table.names)
    return bool(guests) and any(_HOST.match(name) for name in names if not name.startswith(guests))


def _prefix(name: str) -> re.Match[str] | None:
    return _GUEST.match(name) or _MARK.match(name)


def _named(match: re.Match[str]) -> str:
    """Return a drafter's name: "mtp" for every dialect of it, else the word in its prefix."""
    word = match[2] if match.re is _GUEST else _NEXTN
    return _NEXTN if word.startswith(("mtp", "nextn")) else word


def inside(table: TensorTable, prefixes: tuple[str, ...]) -> list[bool]:
    """Say for every tensor whether it is the drafter's."""
    return [name.startswith(prefixes) for name in table.names]
