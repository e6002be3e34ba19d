"""The sections of a comparison report, in the order in which a reader needs them."""

from collections.abc import Iterator, Sequence

from hubcmp import __version__
from hubcmp.axes import Axis, AxisValue
from hubcmp.comparison import Comparison
from hubcmp.drafter import Drafter
from hubcmp.metrics import METRICS
from hubcmp.parameters import Reconciliation, agreements
from hubcmp.renderers._blocks import Block, Bullets, Cell, Commands, Fold, Paragraph, Report, Section, Table
from hubcmp.renderers._views._compare_cells import exact_line, figure_cell, figure_line, many, refs, table
from hubcmp.renderers._views._compare_estimates import estimates
from hubcmp.renderers._views._compare_plots import lengths, positions, speedups, waterfall
from hubcmp.renderers._views._grid import WIDE, Line, grid
from hubcmp.renderers._views._sources import Notes, sources_section
from hubcmp.rows import Row, name, sides
from hubcmp.units import exact

SHOWN = 8
"""Sentences and waterfalls that stand open; further ones are folded."""
FIGURES = 20
"""Figures of one section that stand open; further ones are folded."""
FIGURE_SECTIONS = (
    ("Training data and recipe", "training"),
    ("Acceptance by benchmark", "acceptance"),
    ("Throughput", "throughput"),
)
PICTURES = {"acceptance": (lengths, positions), "throughput": (speedups,)}
"""Which pictures stand below the table of a section."""


def report(answer: Comparison) -> Report:
    """Return the whole report of a comparison."""
    notes = Notes()
    names = refs(answer)
    sections = (
        Section("", (Paragraph(f"{answer.verdict.word}: {answer.verdict.sentence}", "strong"),), keep=True),
        Section("Gates", tuple(_gates(answer)), keep=True),
        Section("At a glance", tuple(_glance(answer, notes)), keep=True),
        Section("What follows", tuple(_follows(answer, notes))),
        Section("Why not comparable", tuple(_why_not(answer))),
        Section("Wiring", tuple(_wiring(answer, notes))),
        Section("Architecture and settings", tuple(_settings(answer, notes))),
        Section("Parameters", tuple(_parameters(answer, notes))),
        *(Section(title, tuple(_figures(answer, key, notes))) for title, key in FIGURE_SECTIONS),
        Section("Brought to one scale", tuple(estimates(answer, notes))),
        Section("Licence and publisher", tuple(_licence(answer, notes))),
        Section("Warnings", (Bullets(tuple(Cell(str(p)) for p in answer.problems)),), keep=True),
        sources_section(answer.drafters, notes),
    )
    kept = tuple(s for s in sections if any(_filled(b) for b in s.blocks))
    title = " against ".join(names[::-1]) if len(names) == 2 else f"{len(names)} drafters, set against {names[0]}"
    return Report(f"hubcmp: {title}", kept, _footer(answer))


def _filled(block: Block) -> bool:
    return not (isinstance(block, Bullets) and not block.items)


def _footer(answer: Comparison) -> tuple[str, ...]:
    return (
        f"hubcmp {__version__}. Figures with ≈ are estimates. Nothing is subtracted across a condition that differs.",
    )


def _gates(answer: Comparison) -> Iterator[Block]:
    """One row per gate; what was not decided is no pass, and says why."""
    if answer.gates:
        rows = tuple((Cell(o.gate, "code"), Cell(o.state, "strong"), Cell(o.reason)) for o in answer.gates)
        yield Table(("fails on", "outcome", "why"), rows)


def _glance(answer: Comparison, notes: Notes) -> Iterator[Block]:
    """The headline: accept length, training samples, trainable parameters, bytes to load."""
    rows = [_length_row(answer, notes)]
    for metric in ("training_samples", "params_trainable", "params_stored", "payload_bytes"):
        found = next((row for row in answer.rows if row.metric == metric), None)
        if found is not None:
            rows.append(figure_line(found, notes))
    yield table("figure", answer, rows)


def _follows(answer: Comparison, notes: Notes) -> Iterator[Block]:
    """What a reader should take away; beyond the first few, behind a fold."""
    items = tuple(Cell(t.text, refs=notes.of(t.inputs)) for t in answer.takeaways)
    yield Bullets(items[:SHOWN])
    if len(items) > SHOWN:
        yield Fold(f"{len(items) - SHOWN} more", (Bullets(items[SHOWN:]),), shed=2)


def _length_row(answer: Comparison, notes: Notes) -> Line:
    """All accept lengths in one row: least to most with their number, never a mean."""
    rows = [r for r in answer.rows if r.metric == "accept_length"]
    sides = [[row.cells[i].fact for row in rows] for i in range(len(answer.drafters))]
    cells = tuple(many([f for f in facts if f is not None], notes) for facts in sides)
    differences = tuple(_length_difference(rows, i) for i in range(len(cells)))
    return Line(Cell("accept length"), cells, differences)


def _length_difference(rows: Sequence[Row], i: int) -> Cell:
    """Return least to most difference of drafter i to the first, over the benchmarks where one may be taken."""
    deltas = [d for row in rows if row.deltas and (d := row.deltas[i]) is not None]
    if i == 0:
        return Cell("")
    if not deltas:
        return Cell("not comparable", "unknown", "see below")
    text = f"{min(deltas):+.2f}" if len(deltas) == 1 else f"{min(deltas):+.2f} to {max(deltas):+.2f}"
    return Cell(text, note=f"{len(deltas)} shared")


def _why_not(answer: Comparison) -> Iterator[Block]:
    """One row per axis that differs or is unknown; the equal ones in one line."""
    open_ = [a for a in answer.axes if a.state != "equal"]
    if answer.verdict.word == "COMPARABLE" and not open_:
        return
    order = sorted(open_, key=lambda a: (not a.decisive, a.state != "differs"))
    main = [a for a in order if a.decisive or a.state == "differs"]
    yield grid("axis", refs(answer), [_axis_line(a) for a in main], ("state", "how to make it equal"))
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
        labels = dict.fromkeys(r.benchmark for r in answer.rows if r.metric == "accept_length" and r.benchmark)
        where = ", ".join(list(labels)[:SHOWN]) or "one named benchmark"
        yield Paragraph(f"These runs would settle it, each with the same prompts and temperature, on {where}:")
        yield Commands(answer.runs_to_settle)


def _axis_line(axis: Axis) -> Line:
    state = Cell(axis.state, "strong") if axis.decisive else Cell(f"{axis.state}, contributing")
    rerun = Cell(axis.rerun, "code" if axis.rerun.startswith("--") else "value")
    return Line(Cell(name(axis)), tuple(_side(v) for v in axis.values), after=(state, rerun))


def _side(side: AxisValue) -> Cell:
    if not side.value:
        return Cell(
            "not stated",
            "unknown",
            f"{side.nearby} stands on the page, but not for these figures" if side.nearby else "",
        )
    return Cell(side.value, note="" if side.how.startswith("bound to") else side.how)


def _wiring(answer: Comparison, notes: Notes) -> Iterator[Block]:
    yield Bullets(tuple(Cell(f.message, refs=notes.of_sources(f.sources)) for f in answer.findings))


def _settings(answer: Comparison, notes: Notes) -> Iterator[Block]:
    """Differing settings first; the equal ones folded with their number."""
    rows = [row for row in answer.rows if row.section == "configuration" and row.metric != "license"]
    open_ = [row for row in rows if row.why_not != "equal"]
    equal = [row for row in rows if row.why_not == "equal"]
    if open_:
        yield grid("setting", refs(answer), [_setting_line(r, notes, (Cell(r.why_not),)) for r in open_], ("state",))
    if equal:
        table = grid("setting", refs(answer), [_setting_line(r, notes) for r in equal])
        yield Fold(f"{len(equal)} equal rows", (table,), shed=2)


def _setting_line(row: Row, notes: Notes, after: tuple[Cell, ...] = ()) -> Line:
    return Line(Cell(row.title), tuple(figure_cell(cell, notes) for cell in row.cells), after=after)


def _licence(answer: Comparison, notes: Notes) -> Iterator[Block]:
    """Who publishes each drafter and under which licence; what the target's terms mean for it is not decided here."""
    row = next((r for r in answer.rows if r.metric == "license"), None)
    publishers = tuple(
        Cell(d.resolved.partition("/")[0] if d.kind == "hub" else f"local {d.kind}") for d in answer.drafters
    )
    licences = tuple(Cell("not stated", "unknown") for _ in answer.drafters)
    lines = [Line(Cell("publisher"), publishers), _setting_line(row, notes) if row else Line(Cell("licence"), licences)]
    yield grid("", refs(answer), lines)


def _parameters(answer: Comparison, notes: Notes) -> Iterator[Block]:
    rows = [row for row in answer.rows if row.section == "parameters"]
    yield table("parameters", answer, [exact_line(row, notes) for row in rows])
    gaps = [_waterfall(answer.drafters[0].ref, answer.drafters[i].ref, gap) for i, gap in answer.reconciliations]
    pictures = [plot for i, gap in answer.reconciliations for plot in waterfall(answer, i, gap)]
    booked = [d for d in answer.drafters if d.ledger is not None and d.ledger.entries]
    decided = tuple(Cell(text) for d in booked for text in (_decided(d), *_agreements(d)))
    if len(gaps) <= WIDE:
        yield from gaps
        yield from pictures
        yield Bullets(decided)
    else:
        yield Fold(f"{len(gaps)} gaps explained role by role", (*gaps, *pictures[:WIDE], Bullets(decided)), shed=3)


def _agreements(drafter: Drafter) -> Iterator[str]:
    """Say which of the ledger's counts the card and the Hub mean."""
    stated = agreements(drafter.ledger, drafter.own("parameters")) if drafter.ledger else ()
    yield from (f"{drafter.ref}: {text}" for text in stated)


def _decided(drafter: Drafter) -> str:
    """Say which family a drafter is and how its statuses are known."""
    if drafter.ledger is None:
        return drafter.ref
    statuses = dict.fromkeys(f"{e.role} {e.status.replace('_', ' ')}: {e.reason}" for e in drafter.ledger.entries)
    return f"{drafter.ref} is {drafter.ledger.decision.title} ({'; '.join(drafter.ledger.decision.reasons)}). {'; '.join(statuses)}"


def _waterfall(left: str, right: str, gap: Reconciliation) -> Table:
    """The gap role by role, each side in figures and the reason in words, the rest as its own row."""
    rows = [
        (
            Cell(r.role),
            Cell(exact(r.left), note=r.left_text),
            Cell(exact(r.right), note=r.right_text),
            Cell(f"{r.gap:+,.0f}" if r.gap else "0"),
            Cell(r.reason or "no reason found"),
        )
        for r in gap.rows
    ]
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
    lines = [figure_line(r, notes, _title(r)) for r in rows if not _by_position(r)]
    positions = [figure_line(r, notes, _title(r)) for r in rows if _by_position(r)]
    if lines:
        yield table("figure", answer, lines[:FIGURES])
    if len(lines) > FIGURES:
        yield Fold(f"{len(lines) - FIGURES} more", (table("figure", answer, lines[FIGURES:]),), shed=5)
    recipe = [row for row in answer.rows if row.section == "recipe"] if section == "training" else []
    if recipe:
        yield grid("recipe", refs(answer), [_setting_line(r, notes, (Cell(r.why_not),)) for r in recipe], ("state",))
    if positions:
        yield Fold(f"{len(positions)} figures by position", (table("figure", answer, positions),), shed=1)
    yield from (plot for draw in PICTURES.get(section, ()) for plot in draw(answer))
    for drafter in answer.drafters:
        nearby = next((f.nearby for f in drafter.own("accept_length") if f.nearby), {})
        if section == "acceptance" and nearby:
            text = ", ".join(f"{k}={v}" for k, v in nearby.items())
            yield Paragraph(f"The page of {drafter.ref} also states, but not for these figures: {text}.")


def _by_position(row: Row) -> bool:
    return any(cell.fact is not None and cell.fact.position is not None for cell in row.cells)


def _title(row: Row) -> str:
    return f"{row.title}: {row.benchmark or 'benchmark not stated'}" if METRICS[row.metric].decisive else row.title
