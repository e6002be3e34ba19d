"""A card's outline in one pass: enclosing headings, first paragraphs, run-in heads and list leads of each block."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubcmp.readers.card.page import Block, Heading, Prose

SHORT = 120
"""Characters of a bracket behind a bold head."""
MAX_OPENING = 40
"""Items of the list a section starts with that count as its opening."""


@dataclass(frozen=True, slots=True)
class Outline:
    """Per block: `paths` the enclosing headings (outermost first, the title left out), `run_ins` the bold run-in head it
    stands under, `leads` the paragraph before its list (-1: none). `openings`: heading (-1: the card's top) to its opening.
    """

    title: int
    paths: tuple[tuple[int, ...], ...]
    run_ins: tuple[int, ...]
    leads: tuple[int, ...]
    openings: dict[int, tuple[int, ...]]


def outline_of(blocks: Sequence[Block]) -> Outline:
    """Return the outline of a page."""
    title = _title(blocks)
    paths: list[tuple[int, ...]] = []
    run_ins: list[int] = []
    leads: list[int] = []
    open_: list[int] = []
    run_in = lead = -1
    for i, block in enumerate(blocks):
        if isinstance(block, Heading):
            while open_ and _level(blocks[open_[-1]]) >= block.level:
                open_.pop()
            run_in = -1
        paths.append(tuple(h for h in open_ if h != title))
        run_ins.append(run_in)
        if not (isinstance(block, Prose) and block.depth):
            lead = i
        leads.append(lead)
        if isinstance(block, Heading):
            open_.append(i)
        elif _is_run_in(block):
            run_in = i
    starts = [-1, *(i for i, b in enumerate(blocks) if isinstance(b, Heading))]
    return Outline(title, tuple(paths), tuple(run_ins), tuple(leads), {s: _opening(blocks, s + 1) for s in starts})


def _is_run_in(block: Block) -> bool:
    """Whether a paragraph is bold as a whole, or with a bracket behind it, a head without being a heading."""
    if not isinstance(block, Prose) or not block.lead or block.depth:
        return False
    rest = block.text.plain.strip()[len(block.lead) :].strip(" :.")
    return not rest or (len(rest) <= SHORT and ". " not in rest and rest.startswith("(") and rest.endswith(")"))


def _opening(blocks: Sequence[Block], i: int) -> tuple[int, ...]:
    """Return the first paragraph from block `i` on, with the list that follows it, or the list that stands there."""
    found: list[int] = []
    while i < len(blocks) and len(found) < MAX_OPENING and isinstance(block := blocks[i], Prose):
        if found and not block.depth:
            break
        found.append(i)
        i += 1
    return tuple(found)


def _level(block: Block) -> int:
    return block.level if isinstance(block, Heading) else 7


def _title(blocks: Sequence[Block]) -> int:
    """Return the index of the card's title: a first heading of the top level; -1 when there is none."""
    first = next((i for i, b in enumerate(blocks) if isinstance(b, Heading)), -1)
    return first if first >= 0 and _level(blocks[first]) == 1 else -1
