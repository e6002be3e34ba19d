"""Tensors in groups of one kind: same name but for its numbers, same dtype, same shape.

A 1 T target has 140,000 tensors and a few dozen groups; roles, statuses and counts are decided once per group, and what
runs over all tensors are a handful of whole-column steps.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from math import prod

from hubcmp.tensors import TensorTable

Key = tuple[str, str, tuple[int, ...]]
"""Name without digits, dtype, shape."""

_DIGITS = b"0123456789"
_NO_DIGITS = str.maketrans("", "", _DIGITS.decode())


@dataclass(frozen=True, slots=True)
class Group:
    """`count` tensors of one kind; `name` is one of them as stored, `each` the bytes of one."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    count: int
    each: int
    file: str = ""

    @property
    def elements(self) -> int:
        """Stored elements of the whole group."""
        return self.count * prod(self.shape)

    @property
    def bytes(self) -> int:
        """Stored bytes of the whole group."""
        return self.count * self.each


def keys_of(table: TensorTable) -> list[Key]:
    """Return the key of every tensor, in order."""
    return list(zip(_patterns(table), table.dtypes, table.shapes, strict=True))


def pattern(name: str) -> str:
    """Return one name without digits, as the keys have it."""
    return name.translate(_NO_DIGITS)


def _patterns(table: TensorTable) -> list[str]:
    """Return the names without digits; all of them in one pass, because names cannot hold a NUL."""
    joined = "\0".join(table.names).encode().translate(None, _DIGITS).decode()
    return joined.split("\0") if table.names else []


def group(tables: Iterable[TensorTable]) -> dict[Key, Group]:
    """Return the groups of all tables by key."""
    groups: dict[Key, Group] = {}
    for table in tables:
        for key, n, at in _kinds(table):
            known = groups.get(key)
            name, each = table.names[at], table.ends[at] - table.starts[at]
            groups[key] = Group(
                known.name if known else name, key[1], key[2], n + (known.count if known else 0), each, table.file
            )
    return groups


def _kinds(table: TensorTable) -> Iterator[tuple[Key, int, int]]:
    """Yield each kind of tensor in a table with its number and the position of its last one."""
    patterns = _patterns(table)
    kinds = list(zip(table.dtypes, table.shapes, strict=True))
    last = dict(zip(patterns, kinds, strict=True))
    if (
        list(map(last.__getitem__, patterns)) == kinds
    ):  # one kind per name, as nearly always: texts hash once, tuples each time
        places = dict(zip(patterns, range(len(patterns)), strict=True))
        yield from (((p, *last[p]), n, places[p]) for p, n in Counter(patterns).items())
    else:
        keys = keys_of(table)
        found = dict(zip(keys, range(len(keys)), strict=True))
        yield from ((key, n, found[key]) for key, n in Counter(keys).items())


def select(table: TensorTable, inside: Sequence[bool]) -> TensorTable:
    """Return the rows where `inside` is true."""
    return replace(
        table,
        names=tuple(compress(table.names, inside)),
        dtypes=tuple(compress(table.dtypes, inside)),
        shapes=tuple(compress(table.shapes, inside)),
        starts=tuple(compress(table.starts, inside)),
        ends=tuple(compress(table.ends, inside)),
    )
