"""The view of `hubcmp params`: the ledger by role and status, how the family was decided, and the closed form beside it."""

from collections.abc import Iterator, Mapping, Sequence

from hubcmp.answers import Ledgers
from hubcmp.facts import Fact
from hubcmp.parameters import ClosedForm, Entry, Ledger, Proof, waterfall
from hubcmp.renderers._blocks import Block, Bullets, Cell, Fold, Paragraph, Report, Section, Table, View
from hubcmp.renderers._views._facts_json import figure
from hubcmp.tensors import DTYPE_BITS
from hubcmp.units import count, exact, size
from hubcmp.weights import LeftOut

SCHEMA_VERSION = 1
_LISTED = 8
"""Left-out files of one kind that a report names."""


def view(answer: Ledgers) -> View:
    """Return the JSON contract (a list, one object per reference) and the report of the ledgers."""
    data = [_data(ledger, claims, answer.tensors) for ledger, claims in answer.stated]
    return View(data, lambda: _layout(answer))


def _data(ledger: Ledger, claims: Sequence[Fact], tensors: bool) -> dict[str, object]:
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
        "waterfall": _waterfall(ledger, claims),
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
        "left_out": [{"path": item.path, "reason": item.reason, "size": item.size} for item in ledger.files.left_out],
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


def _waterfall(ledger: Ledger, claims: Sequence[Fact]) -> list[dict[str, object]]:
    steps = waterfall(ledger, claims) if ledger.entries else ()
    return [{"step": s.name, "value": s.value, "adds": s.adds, "note": s.note} for s in steps]


def _layout(answer: Ledgers) -> Report:
    sections = tuple(Section(item.ref, tuple(_blocks(item, claims, answer.tensors))) for item, claims in answer.stated)
    return Report("Parameters", sections)


def _blocks(ledger: Ledger, claims: Sequence[Fact], tensors: bool) -> Iterator[Block]:
    yield from _headline(ledger)
    if ledger.entries:
        yield _ledger_table(ledger)
        yield from _around(ledger, claims)
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
        yield Paragraph(
            f"{exact(ledger.params_total_excl_buffers)} parameters stored ({count(ledger.params_total_excl_buffers)}), "
            f"{_by_status(ledger)}; {size(ledger.payload_bytes)} in {ledger.tensor_count:,} tensors, {ledger.format}, "
            f"{_widths(ledger)}.",
            "strong",
        )
    elif ledger.estimate:
        yield Paragraph(
            f"About {count(ledger.estimate.number)} elements ({ledger.estimate.method}); no header was read.", "strong"
        )
    else:
        yield Paragraph("No parameters counted: no weight file could be read.", "strong")
    yield Paragraph(f"{known}: {reasons}.{trainer}")


def _by_status(ledger: Ledger) -> str:
    """Return the parameters of each status in words."""
    status = ledger.by_status
    unknown = status.get("unknown", 0)
    known = f"{exact(status['trainable'])} of them trainable, {exact(status['frozen_copy'])} in frozen copies"
    if unknown == ledger.params_total_excl_buffers:
        return "of unknown status"
    return f"{known}, {exact(unknown)} of unknown status" if unknown else known


def _widths(ledger: Ledger) -> str:
    """Return the dtypes with their bytes per element: they tie the parameters to the bytes."""
    widths = {d: DTYPE_BITS.get(d, 0) / 8 for d in sorted(ledger.dtypes, key=lambda d: -ledger.dtypes[d])}
    told = [
        f"{d} ({w:g} bytes an element)" if w > 1 else f"{d} ({w:g} byte an element)" if w else d
        for d, w in widths.items()
    ]
    return " and ".join(told[:4]) + (f" and {len(told) - 4} more dtypes" if len(told) > 4 else "")


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


def _around(ledger: Ledger, claims: Sequence[Fact]) -> Iterator[Block]:
    """Say what the other counts are: every stored element, what repository and card state, what lies outside."""
    rows = [(s.name, exact(s.value), f"{s.adds:+,}" if s.adds else "", s.note) for s in waterfall(ledger, claims)]
    cells = tuple((Cell(name), Cell(value), Cell(adds), Cell(note)) for name, value, adds, note in rows)
    yield Table(("count", "figure", "adds", "note"), cells, "From trainable to every stored element", frozenset({1, 2}))
    if ledger.outside.tensors:
        yield Paragraph(
            f"Drafter and target share this repository: {ledger.outside.tensors:,} tensors of the other "
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
    """Name what was counted and why, and every set of files that was not, with what it holds."""
    sets: dict[str, list[LeftOut]] = {}
    for item in ledger.files.left_out:
        sets.setdefault(item.reason, []).append(item)
    if sets:
        counted = ", ".join(ledger.files.counted[:3]) or "nothing"
        yield Paragraph(f"Counted: {counted} ({ledger.files.reason}). Left out:")
        yield Bullets(tuple(Cell(_set_text(reason, files, ledger)) for reason, files in sets.items()))


def _set_text(reason: str, files: Sequence[LeftOut], ledger: Ledger) -> str:
    """Return one set of left-out files: names, reason, size, and for a copy about how many elements that is."""
    names = ", ".join(item.path for item in files[:_LISTED])
    more = f" and {len(files) - _LISTED} more" if len(files) > _LISTED else ""
    total = sum(item.size or 0 for item in files)
    told = f", {size(total)}" if all(item.size is not None for item in files) else ""
    stored, elements = ledger.payload_bytes, ledger.elements_total_all_tensors
    about = f" (about {count(total * elements / stored)} elements)" if told and stored and "copy of" in reason else ""
    return f"{names}{more}: {reason}{told}{about}"


def _tensor_table(ledger: Ledger) -> Table:
    rows = tuple(
        (Cell(name, "code"), Cell(role), Cell(status), Cell(exact(n))) for name, role, status, n in ledger.tensors()
    )
    return Table(("tensor", "role", "status", "parameters"), rows, numeric=frozenset({3}))
