"""Booking: every group of tensors gets a role, a status and a count, and groups of one role and status become an entry."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hubcmp.facts import Evidence
from hubcmp.families import families
from hubcmp.families._dimensions import Dimensions
from hubcmp.families._roles import role_of, strip
from hubcmp.families._status import Status, status_of
from hubcmp.parameters._groups import Group, Key
from hubcmp.parameters._ledger import Entry, Ledger
from hubcmp.parameters._packing import WHOLE_NUMBERS, Packing, packing_of, parameters
from hubcmp.parameters._schemes import Schemes
from hubcmp.tensors import DTYPE_BITS


@dataclass(frozen=True, slots=True)
class Booked:
    """One group with what was decided about it; `parameters` are those of the whole group."""

    group: Group
    role: str
    status: Status
    parameters: int
    packing: Packing | None = None

    @property
    def label(self) -> tuple[str, str, int]:
        """Role, status and parameters of one tensor."""
        return self.role, self.status.name, self.parameters // self.group.count

    @property
    def note(self) -> str:
        """What the reader should know of packed weights."""
        name, n = (self.packing.name if self.packing else ""), self.group.count
        return f"packed weights ({name}): {self.group.name} holds {self.label[2]:,} parameters in {self.group.elements // n:,} elements"


@dataclass(frozen=True, slots=True)
class Context:
    """What booking looks at beside a group: sizes and quantisation of the config, and the packed weights among the groups."""

    sizes: Dimensions
    schemes: Schemes
    packings: Mapping[Key, Packing]
    shapes: Mapping[str, tuple[int, ...]]


def _context(ledger: Ledger, groups: Mapping[Key, Group], sizes: Dimensions, quantised: Schemes) -> Context:
    """Find the packed weights; only where there are any the shapes beside them are looked up by name."""
    names = frozenset(key[0] for key in groups)
    packings = {key: found for key, item in groups.items() if (found := packing_of(item, names)) is not None}
    tables = ledger.tables if packings else ()
    shapes = {n: shape for table in tables for n, shape in zip(table.names, table.shapes, strict=True)}
    return Context(sizes, quantised, packings, shapes)


def book(ledger: Ledger, groups: Mapping[Key, Group], sizes: Dimensions, quantised: Schemes) -> Ledger:
    """Return the ledger with its entries, the label of every kind of tensor, and a note per packing."""
    context = _context(ledger, groups, sizes, quantised)
    booked = {key: _decide(ledger, key, item, context) for key, item in groups.items()}
    shares: dict[tuple[str, str], list[Booked]] = defaultdict(list)
    for item in booked.values():
        shares[item.role, item.status.name].append(item)
    notes = {item.packing.name: item.note for item in booked.values() if item.packing}
    return replace(
        ledger,
        entries=tuple(
            sorted(map(_entry, shares.values()), key=lambda e: (e.status == "buffer", -e.parameters, e.role))
        ),
        labels={key: item.label for key, item in booked.items()},
        warnings=(*ledger.warnings, *notes.values()),
    )


def _decide(ledger: Ledger, key: Key, group: Group, context: Context) -> Booked:
    family = families().get(ledger.family)
    name = strip(group.name)
    role = role_of(name, family.roles if family else ())
    if group.dtype not in DTYPE_BITS and ledger.format != "gguf":
        unknown = Status("unknown", Evidence.OBSERVED, f"dtype {group.dtype} is unknown: named, not counted")
        return Booked(group, role, unknown, 0)
    status = status_of(ledger.family, ledger.framework, role, name, context.sizes, group.shape)
    if status.name == "buffer":
        return Booked(group, role, status, group.elements)
    packing = context.packings.get(key)
    if packing is None and group.dtype in WHOLE_NUMBERS:
        status = Status("buffer", Evidence.OBSERVED, f"whole numbers ({group.dtype}) that are no packed weights")
    return Booked(group, role, status, parameters(group, packing, context.shapes, context.schemes), packing)


def _entry(share: list[Booked]) -> Entry:
    """Add up the groups of one role and status; the entry is as sure of its status as the least sure of them."""
    largest = max((item.group for item in share), key=lambda group: group.each)
    weakest = min((item.status for item in share), key=lambda status: status.evidence)
    return Entry(
        role=share[0].role,
        status=weakest.name,
        parameters=sum(item.parameters for item in share),
        elements=sum(item.group.elements for item in share),
        bytes=sum(item.group.bytes for item in share),
        tensors=sum(item.group.count for item in share),
        evidence=weakest.evidence,
        reason=weakest.reason,
        name=largest.name,
        shape=largest.shape,
        file=largest.file,
        dtypes=_dtypes(share),
    )


def _dtypes(share: list[Booked]) -> tuple[str, ...]:
    """Return the dtypes of a share, that of the most bytes first."""
    held: Counter[str] = Counter()
    for item in share:
        held[item.group.dtype] += item.group.bytes
    return tuple(dtype for dtype, _ in held.most_common())
