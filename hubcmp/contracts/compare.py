"""The contract of `hubcmp compare`, whole enough to be read back as the comparison that it was written from."""

from typing import Literal

from hubcmp import axes, comparison, estimates, facts, parameters, rows
from hubcmp.axes import EFFECTS
from hubcmp.checks import Finding
from hubcmp.comparison import GateState
from hubcmp.contracts._base import Contract, Figure, Gap, Measure, Named, Versioned
from hubcmp.contracts._drafter import Drafter, facts_of
from hubcmp.costs import Levers
from hubcmp.errors import Problem
from hubcmp.facts import Evidence, Source, Span
from hubcmp.takeaways import Takeaway

State = Literal[
    "value",
    "approximate",
    "estimated",
    "absent",
    "not stated",
    "unreadable",
    "conflict",
    "not applicable",
    "not checked",
]


class Tool(Contract):
    """What wrote the file."""

    name: Literal["hubcmp"]
    version: str


class Verdict(Contract):
    """The answer in one word and one sentence, with the reasons, most decisive first."""

    word: Literal["COMPARABLE", "NOT COMPARABLE AS GIVEN", "INCOMPLETE", "WIRING PROBLEM LIKELY"]
    sentence: str
    reasons: tuple[str, ...]


class Case(Contract):
    """One figure that a gate judged."""

    ref: str
    benchmark: str | None
    outcome: GateState
    reason: str


class Gate(Contract):
    """How one gate came out."""

    gate: str
    outcome: GateState
    reason: str
    cases: tuple[Case, ...]

    def as_outcome(self) -> comparison.Outcome:
        """Return the Outcome."""
        cases = tuple(comparison.Case(c.ref, c.benchmark or "", c.outcome, c.reason) for c in self.cases)
        return comparison.Outcome(self.gate, self.outcome, self.reason, cases)


class Sentence(Contract):
    """A sentence that follows from the comparison, with the figures it rests on."""

    text: str
    inputs: tuple[Named, ...]


class Axis(Contract):
    """One condition over all drafters: equal, differing or unknown."""

    axis: str
    state: axes.State
    values: tuple[str | None, ...]
    how: tuple[str, ...]
    """How each value is known."""
    nearby: tuple[str | None, ...]
    """Settings that stand near a figure whose own is not stated."""
    decisive: bool
    seen_elsewhere: str | None
    seen_at: str | None
    rerun: str | None

    def as_axis(self) -> axes.Axis:
        """Return the Axis; what it was seen to do elsewhere is our own text and address, never the file's."""
        sides = zip(self.values, self.how, self.nearby, strict=True)
        values = tuple(axes.AxisValue(value or "", how, nearby=nearby or "") for value, how, nearby in sides)
        effect = EFFECTS.get(self.axis, ("", ""))
        return axes.Axis(self.axis, self.state, values, self.decisive, effect, self.rerun or "")


class Cell(Measure):
    """One drafter's side of a row: a figure, or a state with the reason why there is none."""

    state: State
    reason: str | None
    unit: str | None
    evidence: Evidence | None
    method: str | None
    raw: str | None
    rivals: tuple[Figure, ...] = ()
    """Weaker statements of the same figure."""

    def as_cell(self, metric: str, label: str | None) -> rows.Cell:
        """Return the Cell of a row."""
        if self.evidence is None:
            return rows.Cell(self.state, reason=self.reason or "")
        figure = Figure.model_validate(
            {name: getattr(self, name) for name in Figure.model_fields if name in self.model_fields_set}
        )
        rivals = tuple(_in_row(rival, metric, label) for rival in self.rivals)
        return rows.Cell(self.state, _in_row(figure, metric, label), self.reason or "", rivals)


class Row(Contract):
    """One line of the comparison: a figure or setting over all drafters."""

    section: str
    metric: str
    title: str
    benchmark: str | None
    cells: tuple[Cell, ...]
    """One per drafter, in order."""
    delta: float | None
    """With two drafters: the second less the first."""
    deltas: tuple[float | None, ...]
    """Each drafter less the first, null where that may not be taken."""
    why_not: str | None
    axes: tuple[Axis, ...]
    intervals: tuple[tuple[float, float] | None, ...] = ()
    """95 % interval of each difference (bootstrap over requests or windows); left out where no two sides have units."""

    def as_row(self) -> rows.Row:
        """Return the Row."""
        cells = tuple(cell.as_cell(self.metric, self.benchmark) for cell in self.cells)
        found = tuple(axis.as_axis() for axis in self.axes)
        spans = tuple(pair and Span(*pair) for pair in self.intervals)
        return rows.Row(
            self.section, self.metric, self.title, self.benchmark, cells, self.deltas, self.why_not or "", found, spans
        )


class GapRow(Contract):
    """One role of the gap in stored parameters."""

    role: str
    status: str
    left: int
    right: int
    delta: int
    left_text: str
    right_text: str
    reason: str | None


class NoReconciliation(Contract):
    """Stands where there are not exactly two ledgers; see `reconciliations`."""

    rows: tuple[GapRow, ...]
    rest: None


class Reconciliation(Contract):
    """How one drafter's stored parameters come about from the first one's."""

    position: int
    """Index of the drafter."""
    left_ref: str
    right_ref: str
    left: int
    right: int
    delta: int
    rows: tuple[GapRow, ...]
    rest: int
    """Parameters that no row explains."""

    def as_reconciliation(self) -> tuple[int, parameters.Reconciliation]:
        """Return the position with its Reconciliation."""
        found = (
            parameters.Row(r.role, r.status, r.left, r.right, r.left_text, r.right_text, r.reason or "")
            for r in self.rows
        )
        return self.position, parameters.Reconciliation(self.left, self.right, tuple(found))


class Estimate(Contract):
    """A figure that follows from others, with its interval and what it assumes."""

    ref: str
    metric: str
    title: str
    benchmark: str | None
    value: float
    low: float
    high: float
    bounds: tuple[float, float] | None
    """What cannot be exceeded: [least, greatest]."""
    unit: str
    method: str
    assumptions: tuple[str, ...]
    inputs: tuple[Named, ...]

    def as_estimate(self) -> estimates.Estimate:
        """Return the Estimate."""
        bounds = Span(*self.bounds) if self.bounds else None
        return estimates.Estimate(
            self.ref, self.metric, self.title, self.value, Span(self.low, self.high), self.unit, self.method,
            self.assumptions, facts_of(self.inputs), self.benchmark, bounds,
        )  # fmt: skip


class Compare(Versioned):
    """A comparison: one verdict, what differs, what follows, and a source for every figure."""

    tool: Tool
    verdict: Verdict
    gates: tuple[Gate, ...]
    takeaways: tuple[Sentence, ...]
    drafters: tuple[Drafter, ...]
    """The first one is what the others are set against."""
    axes: tuple[Axis, ...]
    """The conditions of the accept lengths."""
    rows: tuple[Row, ...]
    reconciliation: Reconciliation | NoReconciliation
    reconciliations: tuple[Reconciliation, ...]
    estimates: tuple[Estimate, ...]
    refused: tuple[Gap, ...]
    """What was not estimated, and why."""
    what_if: tuple[Levers, ...]
    """Speed by accept length and cycle cost, at one drafter's depth."""
    runs_to_settle: tuple[str, ...]
    checks: tuple[Finding, ...]
    sources: tuple[Source, ...]
    warnings: tuple[Problem, ...]

    def as_comparison(self) -> comparison.Comparison:
        """Return the Comparison."""
        return comparison.Comparison(
            drafters=tuple(d.as_drafter() for d in self.drafters),
            verdict=comparison.Verdict(self.verdict.word, self.verdict.sentence, self.verdict.reasons),
            rows=tuple(row.as_row() for row in self.rows),
            axes=tuple(axis.as_axis() for axis in self.axes),
            reconciliations=tuple(gap.as_reconciliation() for gap in self.reconciliations),
            estimates=tuple(estimate.as_estimate() for estimate in self.estimates),
            refused=tuple(gap.unknown() for gap in self.refused),
            levers=self.what_if,
            findings=self.checks,
            takeaways=tuple(Takeaway(t.text, facts_of(t.inputs)) for t in self.takeaways),
            runs_to_settle=self.runs_to_settle,
            problems=self.warnings,
            gates=tuple(gate.as_outcome() for gate in self.gates),
        )


def _in_row(figure: Figure, metric: str, label: str | None) -> facts.Fact:
    """Return a row's figure; its benchmark is the row's unless it spells it otherwise."""
    return figure.fact(metric, figure.benchmark if "benchmark" in figure.model_fields_set else label)
