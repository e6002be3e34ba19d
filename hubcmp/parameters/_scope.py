"""A drafter inside its target's repository (MTP layers, `mtp.`, `dspark.`): which tensors are the drafter's."""

import re
from collections.abc import Iterable, Mapping

from hubcmp.parameters._groups import Group, Key
from hubcmp.tensors import TensorTable

_GUEST = re.compile(
    r"((?:[a-z_]+\.)*?(?:mtp(?:_[a-z_]+)?|dspark|dflash|nextn|medusa_head|hydra_head|draft_model|eagle_module)\.)"
)
"""Prefix of a drafter's tensors where names say so."""
_MARK = re.compile(r"(.*\.layers\.\d+\.|layers\.\d+\.)(?:eh_proj|enorm|hnorm|embed_tokens|shared_head|nextn)\.")
"""A decoder layer that holds one of these is a NextN module."""
_HOST = re.compile(r"(?:[a-z_]+\.)*(?:layers|h|blk)\.\d+\.(?!.*(?:eh_proj|enorm|hnorm))")


def drafter_prefixes(groups: Mapping[Key, Group], tables: Iterable[TensorTable]) -> tuple[str, ...]:
    """Return the prefixes of the drafter's names when a target's own layers lie beside them, () when all is the drafter's."""
    if not any(_prefix(item.name) for item in groups.values()):
        return ()
    names = [name for table in tables for name in table.names]
    matches = (_prefix(name) for name in names)
    prefixes = tuple(sorted({match[1] for match in matches if match}))
    beside = any(_HOST.match(name) for name in names if not name.startswith(prefixes))
    return prefixes if beside else ()


def _prefix(name: str) -> re.Match[str] | None:
    return _GUEST.match(name) or _MARK.match(name)


def inside(table: TensorTable, prefixes: tuple[str, ...]) -> list[bool]:
    """Say for every tensor whether it is the drafter's."""
    return [name.startswith(prefixes) for name in table.names]
