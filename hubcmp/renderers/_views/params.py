"""The view of `hubcmp params`: the ledger by role and status, how the family was decided, and the closed form beside it."""

from collections.abc import Iterator, Mapping

from hubcmp.answers import Ledgers
from hubcmp.parameters import ClosedForm, Entry, Ledger, Proof, Step, waterfall
from hubcmp.renderers._blocks import Block, Bullets, Cell, Fold, Paragraph, Report, Section, Table, View
from hubcmp.renderers._views._facts_json import figure
from hubcmp.units import count, exact, size

SCHEMA_VERSION = 1
_LISTED = 40
"""Left-out files that a report lists one by one."""


def view(answer: Ledgers) -> View:
    """Return the JSON contract (a list, one object per reference) and the report of the ledgers."""
    return View([_data(ledger, answer.tensors) for ledger in answer.items], lambda: _layout(answer))


def _data(ledger: Ledger, tensors: bool) -> dict[str, object]:
    """Return one object of the contract; `tensors` only when they were asked for."""
    data = {
        "schema_version": SCHEMA_VERSION,
        "ref": ledger.ref,
        "revision": ledger.revision,
        **_kind(ledger),
        **_totals(ledger),
    }
    data |= {
        "status_evidence": {e.role: _evidence(e) for e in ledger.entries},
        "files": _files(ledger),
        "closed_form": _closed_form(ledger.closed_form),
        "absent": [
            {"role": a.role, "reason": a.reason, "implied": a.implied, "shape": list(a.shape)} for a in ledger.absent
        ],
        "outside": {
            "tensors": ledger.outside.tensors,
            "elements": ledger.outside.elements,
            "bytes": ledger.outside.bytes,
        },
        "waterfall": [{"step": s.name, "value": s.value, "adds": s.adds, "note": s.note} for s in _steps(ledger)],
        "estimate": figure(ledger.estimate) if ledger.estimate else None,
        "warnings": [*ledger.warnings, *map(str, ledger.problems)],
    }
    if ledger.proofs:
        data["proof"] = [_proof(proof) for proof in ledger.proofs]
    if tensors:
        data["tensors"] = {name: [role, status, parameters] for name, role, status, parameters in ledger.tensors()}
    return data


def _proof(proof: Proof) -> dict[str, object]:
    return {
        "role": proof.role, "tensor": proof.name, "target_tensor": proof.target_name, "verdict": proof.verdict, "reason": proof.reason,
        "rows": proof.rows, "equal": proof.equal, "cosine": proof.cosine,
    }  # fmt: skip


def _kind(ledger: Ledger) -> dict[str, object]:
    decision = ledger.decision
    return {
        "family": ledger.family,
        "decision": {"title": decision.title, "decided_by": decision.decided_by, "reasons": list(decision.reasons)},
        "framework": ledger.framework.name,
        "format": ledger.format,
    }


def _totals(ledger: Ledger) -> dict[str, object]:
    """Return the sums; null instead of 0 when no header could be read."""
    if not ledger.entries:
        keys = ("params_total_excl_buffers", "elements_total_all_tensors", "payload_bytes", "tensor_count")
        return {**dict.fromkeys(keys), "by_role": {}, "by_status": {}, "by_dtype": {}}
    return {
        "params_total_excl_buffers": ledger.params_total_excl_buffers,
        "elements_total_all_tensors": ledger.elements_total_all_tensors,
        "payload_bytes": ledger.payload_bytes,
        "tensor_count": ledger.tensor_count,
        "by_role": dict(ledger.by_role),
        "by_status": dict(ledger.by_status),
        "by_dtype": dict(ledger.dtypes),
    }


def _evidence(entry: Entry) -> dict[str, str]:
    return {"status": entry.status, "evidence": entry.evidence.word, "reason": entry.reason}


def _files(ledger: Ledger) -> dict[str, object]:
    return {
        "counted": list(ledger.files.counted),
        "reason": ledger.files.reason,
        "left_out": [{"path": item.path, "reason": item.reason} for item in ledger.files.left_out],
    }


def _closed_form(form: ClosedForm | None) -> dict[str, object] | None:
    if form is None:
        return None
    by_role: Mapping[str, int] = {row.role: row.implied for row in form.rows if not row.reason.startswith("absent")}
    rows = [{"role": r.role, "implied": r.implied, "stored": r.stored, "reason": r.reason} for r in form.rows]
    total = sum(by_role.values()) if form.rows else None
    return {
        "family": form.family,
        "by_role": by_role,
        "total": total,
        "rest": form.rest,
        "missing": form.missing,
        "rows": rows,
    }


def _steps(ledger: Ledger) -> tuple[Step, ...]:
    return waterfall(ledger) if ledger.entries else ()


def _layout(answer: Ledgers) -> Report:
    sections = tuple(Section(ledger.ref, tuple(_blocks(ledger, answer.tensors))) for ledger in answer.items)
    return Report("Parameters", sections)


def _blocks(ledger: Ledger, tensors: bool) -> Iterator[Block]:
    yield from _headline(ledger)
    if ledger.entries:
        yield _ledger_table(ledger)
        yield from _around(ledger)
        yield from _proofs(ledger)
    if ledger.closed_form and ledger.closed_form.rows:
        yield _form_table(ledger.closed_form)
    elif ledger.closed_form:
        yield Paragraph(f"No closed form: the config does not give {ledger.closed_form.missing}.")
    if ledger.warnings or ledger.problems:
        yield Bullets(tuple(map(Cell, (*ledger.warnings, *map(str, ledger.problems)))))
    yield from _left_out(ledger)
    if tensors and ledger.entries:
        yield Fold(f"All {ledger.tensor_count:,} tensors", (_tensor_table(ledger),), shed=1)


def _headline(ledger: Ledger) -> Iterator[Block]:
    reasons = "; ".join(ledger.decision.reasons)
    known = f"Family {ledger.decision.title}" if ledger.family != "unknown" else "Family unknown"
    trainer = f" Trainer: {ledger.framework.name} ({ledger.framework.reason})." if ledger.framework.name else ""
    if ledger.entries:
        status = ledger.by_status
        yield Paragraph(
            f"{exact(ledger.params_total_excl_buffers)} parameters stored ({count(ledger.params_total_excl_buffers)}), "
            f"{exact(status['trainable'])} of them trainable, {exact(status['frozen_copy'])} in frozen copies; "
            f"{size(ledger.payload_bytes)} in {ledger.tensor_count:,} tensors, {ledger.format}.",
            "strong",
        )
    elif ledger.estimate:
        yield Paragraph(
            f"About {count(ledger.estimate.number)} elements ({ledger.estimate.method}); no header was read.", "strong"
        )
    else:
        yield Paragraph("No parameters counted: no weight file could be read.", "strong")
    yield Paragraph(f"{known}: {reasons}.{trainer}")


def _ledger_table(ledger: Ledger) -> Table:
    rows = [
        *(_entry_row(e) for e in ledger.entries),
        *(_absent_row(a.role, a.implied, a.reason) for a in ledger.absent),
    ]
    head = ("role", "status", "parameters", "stored", "largest tensor", "how the status is known")
    return Table(head, tuple(rows), numeric=frozenset({2, 3}))


def _entry_row(entry: Entry) -> tuple[Cell, ...]:
    shape = " x ".join(f"{n:,}" for n in entry.shape)
    unit = " elements" if entry.status == "buffer" else ""
    return (
        Cell(entry.role),
        Cell(entry.status.replace("_", " ")),
        Cell(exact(entry.parameters) + unit),
        Cell(size(entry.bytes)),
        Cell(entry.name, "code", shape),
        Cell(f"{entry.evidence.word}: {entry.reason}"),
    )


def _absent_row(role: str, implied: int, reason: str) -> tuple[Cell, ...]:
    note = f"{exact(implied)} in the target" if implied else ""
    return (Cell(role), Cell("absent", "unknown"), Cell("0"), Cell("-"), Cell("-", note=note), Cell(reason))


def _around(ledger: Ledger) -> Iterator[Block]:
    """Say what the other counts are: every stored element, what the repository states, what lies outside."""
    rows = [(s.name, exact(s.value), f"{s.adds:+,}" if s.adds else "", s.note) for s in waterfall(ledger)]
    cells = tuple((Cell(name), Cell(value), Cell(adds), Cell(note)) for name, value, adds, note in rows)
    yield Table(("count", "figure", "adds", "note"), cells, "From trainable to every stored element", frozenset({1, 2}))
    if ledger.outside.tensors:
        yield Paragraph(
            f"The drafter lies inside its target's repository: {ledger.outside.tensors:,} tensors of the target "
            f"({exact(ledger.outside.elements)} elements, {size(ledger.outside.bytes)}) are not counted."
        )


def _proofs(ledger: Ledger) -> Iterator[Block]:
    if ledger.proofs:
        texts = ((p.role, p.verdict, f"{p.equal} of {p.rows}", f"{p.cosine:.4f}", p.reason) for p in ledger.proofs)
        rows = tuple(tuple(map(Cell, row)) for row in texts)
        yield Table(
            ("role", "against the target", "rows equal", "cosine", "meaning"),
            rows,
            "Bytes compared with the target",
            frozenset({2, 3}),
        )


def _form_table(form: ClosedForm) -> Table:
    rows = tuple(
        (
            Cell(r.role),
            Cell(exact(r.implied)),
            Cell(exact(r.stored)),
            Cell(f"{r.stored - r.implied:+,}" if r.reason else "0"),
            Cell(r.reason or "equal"),
        )
        for r in form.rows
    )
    return Table(
        ("role", "the config implies", "the header holds", "difference", "why"),
        rows,
        "Closed form",
        frozenset({1, 2, 3}),
    )


def _left_out(ledger: Ledger) -> Iterator[Block]:
    left = ledger.files.left_out
    if left:
        more = (f"and {len(left) - _LISTED} more",) if len(left) > _LISTED else ()
        yield Paragraph(
            f"Counted: {', '.join(ledger.files.counted[:3]) or 'nothing'} ({ledger.files.reason}). Left out:"
        )
        yield Bullets(tuple(map(Cell, (*(f"{item.path}: {item.reason}" for item in left[:_LISTED]), *more))))


def _tensor_table(ledger: Ledger) -> Table:
    rows = tuple(
        (Cell(name, "code"), Cell(role), Cell(status), Cell(exact(n))) for name, role, status, n in ledger.tensors()
    )
    return Table(("tensor", "role", "status", "parameters"), rows, numeric=frozenset({3}))
