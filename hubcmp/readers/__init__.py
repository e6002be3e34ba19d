"""Readers, pure: one file (or package) per format. Adding a format is one new module that ends with `PLUGIN = Reader(...)`.

A reader gets a Document and returns a Reading. It never raises for odd content: what it could not understand is
handed back in `leftover`, what looks wrong in `problems`. It raises FormatError only when trusting the content
could give a wrong number or do harm (a header that does not fit its file); the caller turns that into a Problem.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.errors import HubcmpError, Problem
from hubcmp.facts import Fact, Unknown
from hubcmp.shelf import plugins
from hubcmp.tensors import TensorTable

Kind = Literal["config", "card", "weights", "benchmark"]

PROBE = 64 * 1024
"""Bytes from the start of a document that `recognises` may read; bench sources are probed further by the bench room."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one document says.

    facts: figures and settings, each with its spot. tensors: a weight file's table (no Fact per tensor). runs: a
    benchmark's results in the normal form. metadata: front matter or header metadata as found (strings, lists, dicts).
    leftover: keys or lines that were not understood, handed back. problems: what looks wrong, as data.
    engine: whose benchmark it is, where there is no run to say it.
    """

    format: str
    facts: tuple[Fact, ...] = ()
    tensors: TensorTable | None = None
    runs: tuple[Run, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    unknowns: tuple[Unknown, ...] = ()
    leftover: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    engine: str | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """One format: its id, what kind of file it is, how it is recognised and how it is read.

    `recognises(document)` looks at the content (at most PROBE bytes), for "config" and "card" at the path, and at most
    one reader of a kind may say yes. `between(before, after)` reads the run between two scrapes, where a format has
    counters. `lines` marks logs, whose lines may stand anywhere in a file; `queue` replies that hold only what came since
    the reply before.
    """

    format: str
    kind: Kind
    recognises: Callable[[Document], bool]
    read: Callable[[Document], Reading]
    between: Callable[[Document, Document], Reading] | None = None
    lines: bool = False
    queue: bool = False


def readers(kind: Kind) -> dict[str, Reader]:
    """Return every reader of one kind by module name; benchmark formats have a shelf of their own, `hubcmp.engines`."""
    shelf = "hubcmp.engines" if kind == "benchmark" else __name__
    return {name: reader for name, reader in plugins(shelf, Reader).items() if reader.kind == kind}


DESCRIBING: tuple[Kind, ...] = ("config", "card")
"""Kinds of document that describe a drafter in words, the more trusted first; weight files are accounted for apart."""


def read_all(documents: Iterable[Document], *kinds: Kind) -> tuple[Reading, ...]:
    """Return the reading of every document that a reader of these kinds (default: config and card) recognises.

    Ordered by kind, then as the documents come. A refused or unreachable document gives a Reading with a failed Problem.
    """
    found = list(documents)
    return tuple(
        reading for kind in kinds or DESCRIBING for document in found if (reading := _read(kind, document)) is not None
    )


def _read(kind: Kind, document: Document) -> Reading | None:
    """Return what the reader of this kind that recognises the document makes of it, None when none does."""
    try:
        reader = next((r for r in readers(kind).values() if r.recognises(document)), None)
        return None if reader is None else reader.read(document)
    except HubcmpError as error:
        where = document.source.path or document.source.ref
        unknown = Unknown(kind, str(error), "unreadable", (document.source,))
        return Reading(kind, unknowns=(unknown,), problems=(Problem(where, str(error), failed=True),))
