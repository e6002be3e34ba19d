"""Log lines with "SpecDecoding metrics:", which vLLM and LMDeploy share: drafted and accepted tokens of an interval.

The verify steps are not printed. When every draft has k tokens they are drafted / k; the per-position rates tell whether
that holds, and give the steps roughly where it does not (n-gram and suffix drafters draft less than k at times).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from hubcmp.acceptance import Run
from hubcmp.engines._columns import Columns, Row, sums
from hubcmp.engines._samples import Samples
from hubcmp.facts import Scalar

FIELDS = re.compile(
    rb"SpecDecoding metrics: (?:Draft acceptance rate: [\d.na]{1,8}%, )?(?:Mean acceptance length: ([\d.na]{1,8}), )?"
    rb"(?:Accepted throughput: [\d.na]{1,20} tokens/s, Drafted throughput: [\d.na]{1,20} tokens/s, )?"
    rb"Accepted: (\d{1,15}) tokens, Drafted: (\d{1,15}) tokens"
    rb"(?:, Per-position acceptance rate: ((?:\d\.\d{3}, ){0,63}\d\.\d{3}))?(?![\d.])"
)
_MARK = b"SpecDecoding metrics: "
_TAKEN = b"Accepted: "
_NOTHING = b"0 tokens, Drafted: 0 "
"""What stands behind it in an interval without a draft."""
_FIGURES = re.compile(
    rb"Accepted: (\d{1,15}) tokens, Drafted: (\d{1,15}) tokens, Per-position acceptance rate: ([\d., ]{4,450}\d)"
)
_PRECISION = 0.0006
"""Largest error of one printed per-position rate."""


@dataclass
class Depth:
    """The lines with `depth` positions: sums of accepted, drafted and steps, steps that reached a position, printed lengths.

    `fixed` says that every draft had `depth` tokens; `lengths` holds (lines, printed, 1 + sum of rates) that tell 0.8.5.
    """

    depth: int
    lines: int = 0
    accepted: int = 0
    drafted: int = 0
    steps: float = 0.0
    reached: list[float] = field(default_factory=list)
    lengths: tuple[int, float, float] = (0, 0.0, 0.0)
    fixed: bool = True
    samples: Samples = field(default_factory=Samples)

    def add(self, accepted: int, drafted: int, length: float | None, rates: list[float]) -> None:
        """Add one line. Lines without a draft print nan and count nothing."""
        steps = drafted / self.depth if self.depth else 0.0
        total = sum(rates)
        if self.depth and (drafted % self.depth or abs(accepted / steps - total) > _PRECISION * self.depth):
            self.fixed = False
            steps = accepted / total if total else steps
        self.lines += 1
        self.accepted += accepted
        self.drafted += drafted
        self.steps += steps
        self.reached = [r + p * steps for r, p in zip(self.reached or [0.0] * self.depth, rates, strict=True)]
        if length is not None:
            self.lengths = self.lengths[0] + 1, self.lengths[1] + length, self.lengths[2] + 1 + total
        self.samples.add(steps, accepted)

    def add_rows(self, rows: Sequence[Row]) -> bool:
        """Add many lines (accepted, drafted, rates) at once; False, and nothing added, when a draft was not of `depth` tokens."""
        found = sums(rows) if rows and self.fixed and len(rows[0]) == self.depth + 2 else None
        steps = found.drafted / self.depth if found else 0.0
        if not found or abs(found.accepted - sum(found.weighted) / self.depth) > _PRECISION * self.depth * steps:
            return False
        self.lines += found.lines
        self.accepted += found.accepted
        self.drafted += found.drafted
        self.steps += steps
        self.reached = [r + w / self.depth for r, w in zip(self.reached, found.weighted, strict=True)]
        self.samples.add(steps, found.accepted)
        return True

    def extend(self, later: "Depth") -> None:
        """Add the lines of a later part of the same log."""
        self.lines += later.lines
        self.accepted += later.accepted
        self.drafted += later.drafted
        self.steps += later.steps
        self.reached = [a + b for a, b in zip(self.reached or [0.0] * self.depth, later.reached, strict=True)]
        self.lengths = (
            self.lengths[0] + later.lengths[0],
            self.lengths[1] + later.lengths[1],
            self.lengths[2] + later.lengths[2],
        )
        self.fixed = self.fixed and later.fixed
        self.samples.extend(later.samples)

    def fill(self, run: Run) -> Run:
        """Return `run` with what the lines give: exact for drafts of fixed length, otherwise with an inferred length."""
        depth, n = self.depth, self.steps
        known: dict[str, Scalar] = {"num_speculative_tokens": depth, "draft_length": depth} if depth else {}
        why = (
            {}
            if self.fixed and depth
            else {"steps": "not printed, and the drafted tokens per step vary or are not told"}
        )
        return replace(
            run,
            kind="exact" if self.fixed and depth else "derived",
            weighting="steps" if n else "drafted tokens",
            n_windows=self.lines,
            num_spec_tokens=depth or run.num_spec_tokens,
            steps=n if n and self.fixed else None,
            drafted=self.drafted,
            accepted=self.accepted,
            accept_length=1 + self.accepted / n if n else None,
            draft_acceptance_rate=self.accepted / self.drafted if self.drafted else None,
            per_position=tuple(r / n for r in self.reached) if n else None,
            conditions={**run.conditions, **known},
            samples=self.samples.freeze(),
            why={**run.why, **why},
        )


@dataclass
class Lines:
    """All lines of a log, grouped by their number of positions, because a restart may change the draft depth."""

    depths: dict[int, Depth] = field(default_factory=dict)
    columns: Columns = field(default_factory=lambda: Columns(_TAKEN, _FIGURES, _NOTHING))
    span: tuple[int, int] = (0, 0)

    def add(self, block: bytes, first_line: int, lines: int, cut: bool = False) -> None:
        """Add the lines of one block of `lines` lines; `cut` marks one without a last line end: that line counts only if it is complete."""
        start = block.find(_MARK)
        if start < 0:
            return
        if cut or not self._add_rows(block):
            self._add_lines(block, cut)
        end = first_line + lines - block.count(b"\n", block.rfind(_MARK))
        self.span = self.span[0] or first_line + block.count(b"\n", 0, start), end

    def _add_rows(self, block: bytes) -> bool:
        """Add lines of one layout at once; False, and nothing added, when the block has to be read line by line."""
        alike = next(iter(self.depths.values())) if len(self.depths) == 1 else None
        # one unit of resampling per line while there are few; then whole blocks, which is much faster
        if alike is None or not alike.fixed or not alike.depth or not alike.samples.coarse:
            return False
        rows = self.columns.rows(block)
        return rows is not None and alike.add_rows(rows)

    def _add_lines(self, block: bytes, cut: bool) -> None:
        for found in FIELDS.finditer(block):
            length, taken, offered, printed = found.groups()
            rates = [float(p) for p in printed.split(b", ")] if printed else []
            doubtful = cut and max(block.find(end, found.end()) for end in (b"\n", b"\r")) < 0
            if int(offered) and (not doubtful or len(rates) in self.depths or not self.depths):
                self._depth(len(rates)).add(int(taken), int(offered), _length(length), rates)

    def extend(self, later: "Lines", lines_before: int) -> None:
        """Add the lines of a later part of the same log, which has `lines_before` lines before it."""
        for k, group in later.depths.items():
            self._depth(k).extend(group)
        if later.span[0]:
            self.span = self.span[0] or later.span[0] + lines_before, later.span[1] + lines_before

    def _depth(self, k: int) -> Depth:
        return self.depths.setdefault(k, Depth(k))

    def runs(self, base: Run) -> Iterator[Run]:
        """Yield one run per draft depth."""
        source = base.source.at("lines {}-{}".format(*self.span)) if self.depths else base.source
        for group in self.depths.values():
            yield group.fill(replace(base, source=source))


def _length(raw: bytes | None) -> float | None:
    return float(raw) if raw and raw != b"nan" else None
