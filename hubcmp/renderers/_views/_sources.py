"""Source numbers: every figure carries the number of the place it was read at, and the list stands at the end."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from hubcmp.drafter import Drafter
from hubcmp.facts import Fact, Source
from hubcmp.renderers._blocks import Cell, Fold, Section, Table

SHOWN = 3
"""Spots of one document that are written out; further ones are counted."""


class Notes:
    """Numbers sources in order of appearance; one number is one document with all spots that a figure rests on."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Source, tuple[str, ...]], int] = {}

    def of(self, facts: Iterable[Fact]) -> tuple[int, ...]:
        """Return the numbers of all sources of these facts."""
        found = dict.fromkeys(n for fact in facts for n in self.of_sources(fact.sources))
        return tuple(sorted(found))

    def of_sources(self, sources: Iterable[Source]) -> tuple[int, ...]:
        """Return one number per document among these sources."""
        spots: dict[Source, list[str]] = {}
        for source in sources:
            spots.setdefault(source.at(""), []).append(source.where)
        return tuple(self._number(document, tuple(where)) for document, where in spots.items())

    def _number(self, document: Source, spots: tuple[str, ...]) -> int:
        return self._numbers.setdefault((document, spots), len(self._numbers) + 1)

    def entries(self) -> Iterable[tuple[int, Source, tuple[str, ...]]]:
        """Yield (number, document, spots) in order."""
        return ((number, document, spots) for (document, spots), number in self._numbers.items())


def sources_section(drafters: Sequence[Drafter], notes: Notes) -> Section:
    """Return the list of sources, after the pinned revisions they belong to."""
    kinds = {d.ref: d for d in drafters}
    head = Table(
        ("drafter", "read from", "revision"),
        tuple(
            (Cell(d.ref), Cell(_origin(d)), Cell(d.revision or "unknown", "code", link=_commit(d))) for d in drafters
        ),
    )
    rows = tuple(
        (
            Cell(str(number), anchor=f"source-{number}"),
            Cell(document.ref),
            Cell(document.path, link=link(document, spots, kinds)),
            Cell(written(spots)),
        )
        for number, document, spots in notes.entries()
    )
    table = Table(("no.", "of", "document", "where"), rows)
    return Section("Sources", (head, Fold(f"{len(rows)} sources of the figures above", (table,), shed=4)))


def _has_page(drafter: Drafter, revision: str) -> bool:
    """Whether the Hub has a page of a drafter at this commit; one without its name has none."""
    return drafter.kind == "hub" and len(revision) == 40 and "/" in drafter.resolved


def _commit(drafter: Drafter) -> str:
    """Return the Hub page of a drafter at its commit, "" when it is no Hub commit."""
    if not _has_page(drafter, drafter.revision):
        return ""
    return f"https://huggingface.co/{quote(drafter.resolved.partition('@')[0])}/tree/{drafter.revision}"


def _origin(drafter: Drafter) -> str:
    renamed = f", renamed to {drafter.resolved}" if drafter.resolved != drafter.ref and drafter.kind == "hub" else ""
    return f"{drafter.kind}{renamed}"


def written(spots: Sequence[str]) -> str:
    """Return spots as text, the first few written out."""
    known = [spot for spot in spots if spot]
    text = ", ".join(known[:SHOWN])
    return f"{text} and {len(known) - SHOWN} more" if len(known) > SHOWN else text


def link(document: Source, spots: Sequence[str], drafters: dict[str, Drafter]) -> str:
    """Return the Hub page of a document at its commit, or "" when it is not a Hub commit."""
    drafter = drafters.get(document.ref)
    if drafter is None or not _has_page(drafter, document.revision):
        return ""
    page = f"https://huggingface.co/{quote(drafter.resolved.partition('@')[0])}/blob/{document.revision}/{quote(document.path)}"
    line = next((s.removeprefix("line ") for s in spots if s.startswith("line ")), "")
    return f"{page}?code=true#L{line}" if line.isdecimal() else page
