"""How `hubcmp check` is laid out: faults first, then warnings, what could not be told, and what is fine."""

from collections.abc import Iterable, Sequence

from hubcmp.answers import Checked, Checks
from hubcmp.checks import Finding
from hubcmp.renderers._blocks import Block, Bullets, Cell, Fold, Paragraph, Report, Section, Table, View

SCHEMA = 1
_WORDS = ("fault", "warning", "not checked", "fine")


def view(answer: Checks) -> View:
    """Lay the checks out, one object per drafter."""
    return View([_data(item, answer) for item in answer.items], lambda: _report(answer))


def word(finding: Finding) -> str:
    """Return what a finding is: "fault", "warning", "not checked" or "fine"."""
    return finding.state if finding.state != "found" else "fault" if finding.severe else "warning"


def _data(item: Checked, answer: Checks) -> dict[str, object]:
    drafter = item.drafter
    return {
        "schema_version": SCHEMA,
        "ref": drafter.ref,
        "revision": drafter.revision,
        "family": drafter.ledger.family if drafter.ledger else "unknown",
        "target": answer.target,
        "engine": answer.engine,
        "faulty": any(word(f) == "fault" for f in item.findings),
        "checks": [
            {"check": f.check, "state": word(f), "message": f.message, "sources": [str(s) for s in f.sources]}
            for f in item.findings
        ],
        "warnings": [str(p) for p in drafter.problems],
    }


def _report(answer: Checks) -> Report:
    sections = [Section(item.drafter.ref, tuple(_blocks(item))) for item in answer.items]
    if answer.problems:
        sections.append(Section("Be careful", (Bullets(tuple(Cell(str(p)) for p in answer.problems)),)))
    return Report("Wiring checks", tuple(sections))


def _blocks(item: Checked) -> Iterable[Block]:
    """Yield a verdict in one line, what needs attention, and what is fine."""
    counted = {name: [f for f in item.findings if word(f) == name] for name in _WORDS}
    told = ", ".join(
        f"{len(found)} {name}{'s' if name in ('fault', 'warning') and len(found) != 1 else ''}"
        for name, found in counted.items()
        if found
    )
    family = item.drafter.ledger.family if item.drafter.ledger else "unknown"
    yield Paragraph(f"Family {family}: {told or 'no check applies to it'}.")
    open_ = [f for name in _WORDS[:3] for f in counted[name]]
    if open_:
        yield _table(open_, item.drafter.ref)
    if counted["fine"]:
        table = _table(counted["fine"], item.drafter.ref)
        yield Fold(f"{len(counted['fine'])} fine", (table,)) if open_ else table


def _table(findings: Sequence[Finding], ref: str) -> Table:
    rows = tuple(
        (
            Cell(f.check.replace("_", " ")),
            Cell(word(f), "strong" if word(f) == "fault" else "value"),
            Cell(f.message.removeprefix(f"{ref}: ")),
            Cell("; ".join(str(s) for s in f.sources)),
        )
        for f in findings
    )
    return Table(("check", "result", "what", "source"), rows)
