"""Reports that must fit somewhere, such as a pull request's comment: what is left out first, and that it is said.

Folds go first, in the order of their `shed`; then long tables and lists are shortened; sections marked `keep` (verdict, gates,
headline differences, warnings) come last, and only because a report over the limit would not be shown at all.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from hubcmp.renderers._blocks import Block, Bullets, Cell, Commands, Fold, Paragraph, Report, Table

ROWS = (200, 100, 50, 20, 10, 5, 2)
"""Rows of a table or list that are tried, one after the other, when leaving out folds was not enough."""
LONGEST = 400
"""Characters of one cell or sentence that are kept when tables are shortened."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Most characters and UTF-8 bytes of a report as text (defaults: what fits a comment on GitHub); `full` says where all of it is."""

    characters: int = 60_000
    size: int = 200_000
    full: str = ""

    def holds(self, text: str) -> bool:
        """Whether a text fits."""
        return len(text) <= self.characters and len(text.encode("utf-8", "replace")) <= self.size


def fit(report: Report, draw: Callable[[Report], str], budget: Budget) -> Report:
    """Return the longest of ever shorter reports whose text, as `draw` gives it, fits; it ends by saying what is missing."""
    shorter = report
    for candidate, missing in _candidates(report):
        shorter = _noted(candidate, missing, budget.full)
        if _least(shorter) <= budget.characters and budget.holds(draw(shorter)):
            break
    return shorter


def _candidates(report: Report) -> Iterator[tuple[Report, int]]:
    """Yield ever shorter reports, each with the number of parts that are missing or cut."""
    yield report, 0
    folds = [fold for section in report.sections for fold in _folds(section.blocks) if fold.shed]
    for level in sorted({fold.shed for fold in folds}):
        yield _without(report, level), sum(fold.shed <= level for fold in folds)
    bare = _without(report, max((fold.shed for fold in folds), default=0))
    short = _shortened(bare, ROWS[-1], kept=False)
    for cut in (
        *(_shortened(bare, rows, kept=False) for rows in ROWS),
        *(_shortened(short, rows, kept=True) for rows in ROWS),
    ):
        yield cut, len(folds) + _changed(bare, cut)
    yield replace(report, sections=report.sections[:1]), len(report.sections) - 1


def _noted(report: Report, missing: int, full: str) -> Report:
    """Return the report with a last line that says what is missing, when something is."""
    if not missing:
        return report
    where = f", full report: {full}" if full else ""
    return replace(
        report, footer=(*report.footer, f"{missing} section{'s' if missing > 1 else ''} left out or cut{where}")
    )


def _folds(blocks: Sequence[Block]) -> Iterator[Fold]:
    for block in blocks:
        if isinstance(block, Fold):
            yield block
            yield from _folds(block.blocks)


def _without(report: Report, level: int) -> Report:
    """Return the report without the folds that are shed up to a level, and without sections that held nothing else."""
    sections = (replace(s, blocks=tuple(_remaining(s.blocks, level))) for s in report.sections)
    return replace(report, sections=tuple(s for s in sections if s.blocks))


def _remaining(blocks: Sequence[Block], level: int) -> Iterator[Block]:
    for block in blocks:
        if not isinstance(block, Fold):
            yield block
        elif not 0 < block.shed <= level:
            yield replace(block, blocks=tuple(_remaining(block.blocks, level)))


def _shortened(report: Report, rows: int, kept: bool) -> Report:
    """Return the report with at most `rows` rows per table and list; sections marked `keep` only when `kept`."""
    return replace(
        report,
        sections=tuple(
            replace(s, blocks=tuple(_cut(b, rows) for b in s.blocks)) if kept or not s.keep else s
            for s in report.sections
        ),
    )


def _changed(whole: Report, cut: Report) -> int:
    """Count the blocks that were cut."""
    pairs = zip(whole.sections, cut.sections, strict=True)
    return sum(a != b for left, right in pairs for a, b in zip(left.blocks, right.blocks, strict=True))


def _length(block: Block) -> int:
    if isinstance(block, Table):
        return len(block.rows)
    if isinstance(block, Bullets):
        return len(block.items)
    return len(block.lines) if isinstance(block, Commands) else 0


def _cut(block: Block, rows: int) -> Block:
    """Return a block with at most `rows` rows, which then says how many there were, and no endless texts."""
    more = _length(block) - rows
    if isinstance(block, Table):
        caption = f"{block.caption} ({rows:,} of {len(block.rows):,} rows)".strip() if more > 0 else block.caption
        return replace(block, rows=tuple(tuple(map(_clipped, row)) for row in block.rows[:rows]), caption=caption)
    if isinstance(block, Bullets):
        rest = (Cell(f"and {more:,} more", "unknown"),) if more > 0 else ()
        return Bullets((*map(_clipped, block.items[:rows]), *rest))
    if isinstance(block, Commands):
        return Commands((*block.lines[:rows], *((f"# and {more:,} more",) if more > 0 else ())))
    if isinstance(block, Fold):
        return replace(block, blocks=tuple(_cut(inner, rows) for inner in block.blocks))
    return replace(block, text=_clip(block.text)) if isinstance(block, Paragraph) else block


def _clipped(cell: Cell) -> Cell:
    return replace(cell, text=_clip(cell.text), note=_clip(cell.note))


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _least(report: Report) -> int:
    """Return a lower bound of the report's length as text, so that what cannot fit need not be drawn."""
    return sum(_raw(block) for section in report.sections for block in section.blocks)


def _raw(block: Block) -> int:
    if isinstance(block, Table):
        return sum(len(cell.text.strip()) + 3 for row in block.rows for cell in row)
    if isinstance(block, Bullets):
        return sum(len(cell.text.strip()) for cell in block.items)
    if isinstance(block, Fold):
        return sum(map(_raw, block.blocks))
    return 0
