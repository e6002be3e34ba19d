"""The sections of a comparison report, in the order in which a reader needs them."""

from collections.abc import Iterator, Sequence

from hubcmp import __version__
from hubcmp.axes import Axis, AxisValue
from hubcmp.comparison import Comparison
from hubcmp.drafter import Drafter
from hubcmp.metrics import METRICS
from hubcmp.parameters import Reconciliation
from hubcmp.renderers._blocks import Block, Bullets, Cell, Commands, Fold, Paragraph, Report, Section, Table
from hubcmp.renderers._views._compare_cells import exact_cells, figure_cell, many, row_cells, table
from hubcmp.renderers._views._compare_estimates import estimates
from hubcmp.renderers._views._sources import Notes, sources_section
from hubcmp.rows import Row, name, sides
from hubcmp.units import exact

FIGURE_SECTIONS = (
    ("Training data", "training"),
    ("Acceptance by benchmark", "acceptance"),
    ("Throughput", "throughput"),
)


def report(answer: Comparison) -> Report:
    """Return the whole report of a comparison."""
    notes = Notes()
    refs = [d.ref for d in answer.drafters]
    sections = (
        Section("", (Paragraph(f"{answer.verdict.word}: {answer.verdict.sentence}", "strong"),)),
        Section("At a glance", tuple(_glance(answer, notes))),
        Section("What follows", (Bullets(tuple(Cell(t.text, refs=notes.of(t.inputs)) for t in answer.takeaways)),)),
        Section("Why not comparable", tuple(_why_not(answer, refs))),
        Section("Wiring", tuple(_wiring(answer, notes))),
        Section("Architecture and settings", tuple(_settings(answer, notes))),
        Section("Parameters", tuple(_parameters(answer, notes))),
        *(Section(title, tuple(_figures(answer, key, notes))) for title, key in FIGURE_SECTIONS),
        Section("Brought to one scale", tuple(estimates(answer, notes))),
        Section("Licence and publisher", tuple(_licence(answer, notes))),
        Section("Warnings", (Bullets(tuple(Cell(str(p)) for p in answer.problems)),)),
        sources_section(answer.drafters, notes),
    )
    kept = tuple(s for s in sections if any(_filled(b) for b in s.blocks))
    return Report(
        f"hubcmp: {' against '.join(refs[::-1]) if len(refs) == 2 else f'{len(refs)} drafters'}", kept, _footer(answer)
    )


def _filled(block: Block) -> bool:
    return not (isinstance(block, Bullets) and not block.items)


def _footer(answer: Comparison) -> tuple[str, ...]:
    return (
        f"hubcmp {__version__}. Figures with ≈ are estimates. Nothing is subtracted across a condition that differs.",
    )


def _glance(answer: Comparison, notes: Notes) -> Iterator[Block]:
    """The headline: accept length, training samples, trainable parameters, bytes to load."""
    rows = [_length_row(answer, notes)]
    for metric in ("training_samples", "params_trainable", "params_stored", "payload_bytes"):
        found = next((row for row in answer.rows if row.metric == metric), None)
        if found is not None:
            rows.append(row_cells(found, notes))
    yield table("figure", answer, rows)


def _length_row(answer: Comparison, notes: Notes) -> tuple[Cell, ...]:
    """All accept lengths in one row: least to most with their number, never a mean."""
    rows = [r for r in answer.rows if r.metric == "accept_length"]
    sides = [[row.cells[i].fact for row in rows] for i in range(len(answer.drafters))]
    cells = [many([f for f in facts if f is not None], notes) for facts in sides]
    fair = [row for row in rows if row.comparable]
    if not fair:
        return (Cell("accept length"), *cells, Cell("not comparable", "unknown", "see below"))
    deltas = [row.deltas[-1] or 0.0 for row in fair]
    text = f"{min(deltas):+.2f}" if len(fair) == 1 else f"{min(deltas):+.2f} to {max(deltas):+.2f}"
    return (Cell("accept length"), *cells, Cell(text, note=f"{len(fair)} shared"))


def _why_not(answer: Comparison, refs: Sequence[str]) -> Iterator[Block]:
    """One row per axis that differs or is unknown; the equal ones in one line."""
    open_ = [a for a in answer.axes if a.state != "equal"]
    if answer.verdict.word == "COMPARABLE" and not open_:
        return
    order = sorted(open_, key=lambda a: (not a.decisive, a.state != "differs"))
    head = ("axis", *refs, "state", "to remove it")
    main = [a for a in order if a.decisive or a.state == "differs"]
    yield Table(head, tuple(_axis_row(a) for a in main))
    rest = [
        f"{name(a)} ({sides(a)})" if any(v.value or v.nearby for v in a.values) else name(a)
        for a in order
        if a not in main
    ]
    if rest:
        yield Paragraph(f"Not stated by all, and known to move accept lengths: {', '.join(rest)}.")
    equal = [name(a) for a in answer.axes if a.state == "equal"]
    if equal:
        yield Paragraph(f"Equal: {', '.join(equal)}.")
    effects = tuple(Cell(f"{name(a)}: {a.effect[0]}", link=a.effect[1]) for a in main if a.effect[0])
    if effects:
        yield Fold("How much each axis was seen to matter elsewhere", (Bullets(effects),), shed=2)
    if answer.runs_to_settle:
        yield Paragraph("These runs would settle it, each with the same prompts and temperature:")
        yield Commands(answer.runs_to_settle)


def _axis_row(axis: Axis) -> tuple[Cell, ...]:
    sides = tuple(_side(v) for v in axis.values)
    state = axis.state if axis.decisive else f"{axis.state}, contributing"
    return (Cell(name(axis)), *sides, Cell(state, "strong" if axis.decisive else "value"), Cell(axis.rerun))


def _side(side: AxisValue) -> Cell:
    if not side.value:
        return Cell("not stated", "unknown", f"{side.nearby} stands nearby, not bound" if side.nearby else "")
    return Cell(side.value, note="" if side.how.startswith("bound to") else side.how)


def _wiring(answer: Comparison, notes: Notes) -> Iterator[Block]:
    yield Bullets(tuple(Cell(f.message, refs=notes.of_sources(f.sources)) for f in answer.findings))


def _settings(answer: Comparison, notes: Notes) -> Iterator[Block]:
    """Differing settings first; the equal ones folded with their number."""
    rows = [row for row in answer.rows if row.section == "configuration" and row.metric != "license"]
    open_ = [row for row in rows if row.why_not != "equal"]
    equal = [row for row in rows if row.why_not == "equal"]
    head = ("setting", *(d.ref for d in answer.drafters))
    if open_:
        yield Table(head, tuple((Cell(r.title), *(figure_cell(c, notes) for c in r.cells)) for r in open_))
    if equal:
        table = Table(head, tuple((Cell(r.title), *(figure_cell(c, notes) for c in r.cells)) for r in equal))
        yield Fold(f"{len(equal)} equal rows", (table,), shed=2)


def _licence(answer: Comparison, notes: Notes) -> Iterator[Block]:
    """Who publishes each drafter and under which licence; what the target's terms mean for it is not decided here."""
    row = next((r for r in answer.rows if r.metric == "license"), None)
    cells = (
        [figure_cell(c, notes) for c in row.cells] if row else [Cell("not stated", "unknown") for _ in answer.drafters]
    )
    publishers = [Cell(d.resolved.partition("/")[0] if d.kind == "hub" else f"local {d.kind}") for d in answer.drafters]
    yield Table(("", *(d.ref for d in answer.drafters)), ((Cell("publisher"), *publishers), (Cell("licence"), *cells)))


def _parameters(answer: Comparison, notes: Notes) -> Iterator[Block]:
    rows = [row for row in answer.rows if row.section == "parameters"]
    yield table("parameters", answer, [exact_cells(row, notes) for row in rows])
    for position, gap in answer.reconciliations:
        yield _waterfall(answer.drafters[0].ref, answer.drafters[position].ref, gap)
    yield Bullets(tuple(Cell(_decided(d)) for d in answer.drafters if d.ledger is not None and d.ledger.entries))


def _decided(drafter: Drafter) -> str:
    """Say which family a drafter is and how its statuses are known."""
    if drafter.ledger is None:
        return drafter.ref
    statuses = dict.fromkeys(f"{e.role} {e.status.replace('_', ' ')}: {e.reason}" for e in drafter.ledger.entries)
    return f"{drafter.ref} is {drafter.ledger.decision.title} ({'; '.join(drafter.ledger.decision.reasons)}). {'; '.join(statuses)}"


def _waterfall(left: str, right: str, gap: Reconciliation) -> Table:
    """The gap role by role, each side in figures and the reason in words, the rest as its own row."""
    rows = [
        (Cell(r.role), Cell(exact(r.left), note=r.left_text), Cell(exact(r.right), note=r.right_text), Cell(f"{r.gap:+,.0f}"),
         Cell(r.reason or "no reason found"))
        for r in gap.rows
    ]  # fmt: skip
    rest = Cell(f"unexplained rest: {exact(gap.rest)}", "strong")
    total = (Cell("sum"), Cell(exact(gap.left)), Cell(exact(gap.right)), Cell(f"{gap.gap:+,.0f}"), rest)
    head = ("role", left, right, "difference", "why")
    return Table(head, (*rows, total), "Where the difference in stored parameters comes from:", frozenset({1, 2, 3}))


def _figures(answer: Comparison, section: str, notes: Notes) -> Iterator[Block]:
    """One row per figure of a section; figures of the plain run and of other drafters are not shown as anybody's own."""
    rows = [row for row in answer.rows if row.section == section and any(c.fact for c in row.cells)]
    if section == "training":
        rows = [row for row in answer.rows if row.section == section]
    if not rows:
        return
    yield table("figure", answer, [row_cells(r, notes, _title(r)) for r in rows])
    for drafter in answer.drafters:
        nearby = next((f.nearby for f in drafter.own("accept_length") if f.nearby), {})
        if section == "acceptance" and nearby:
            text = ", ".join(f"{k}={v}" for k, v in nearby.items())
            yield Paragraph(f"Near the figures of {drafter.ref}, but not bound to them: {text}.")


def _title(row: Row) -> str:
    return f"{row.title}: {row.benchmark or 'benchmark not stated'}" if METRICS[row.metric].decisive else row.title
