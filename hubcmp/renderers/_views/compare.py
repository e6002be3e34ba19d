"""How a comparison is laid out: the JSON contract here, the report's sections in `_compare_report`."""

from dataclasses import replace

from hubcmp import __version__
from hubcmp.axes import Axis
from hubcmp.comparison import Comparison, Outcome
from hubcmp.drafter import Drafter
from hubcmp.estimates import Estimate
from hubcmp.facts import Fact, Source
from hubcmp.parameters import Ledger, Reconciliation
from hubcmp.renderers._blocks import View
from hubcmp.renderers._views import _compare_report
from hubcmp.renderers._views._facts_json import figure, named, plain, problems, source, unknowns
from hubcmp.rows import Cell, Row

SCHEMA = 1


def view(answer: Comparison) -> View:
    """Lay a comparison out, one JSON object."""
    return View(_data(answer), lambda: _compare_report.report(answer))


def _data(answer: Comparison) -> dict[str, object]:
    gaps = [_gap(answer, position, gap) for position, gap in answer.reconciliations]
    return {
        "schema_version": SCHEMA,
        "tool": {"name": "hubcmp", "version": __version__},
        "verdict": {
            "word": answer.verdict.word,
            "sentence": answer.verdict.sentence,
            "reasons": list(answer.verdict.reasons),
        },
        "gates": [_gate(outcome) for outcome in answer.gates],
        "takeaways": [{"text": t.text, "inputs": [named(fact) for fact in t.inputs]} for t in answer.takeaways],
        "drafters": [_drafter(d) for d in answer.drafters],
        "axes": [_axis(a) for a in answer.axes],
        "rows": [_row(row) for row in answer.rows],
        "reconciliation": gaps[0] if len(gaps) == 1 else {"rows": [], "rest": None},
        "reconciliations": gaps,
        "estimates": [_estimate(e) for e in answer.estimates],
        "refused": unknowns(answer.refused),
        "what_if": [plain(table) for table in answer.levers],
        "runs_to_settle": list(answer.runs_to_settle),
        "checks": [plain(finding) for finding in answer.findings],
        "sources": [source(s) for s in _sources(answer)],
        "warnings": problems(answer.problems),
    }  # fmt: skip


def _gate(outcome: Outcome) -> dict[str, object]:
    cases = [
        {"ref": c.ref, "benchmark": c.benchmark or None, "outcome": c.state, "reason": c.reason} for c in outcome.cases
    ]
    return {"gate": outcome.gate, "outcome": outcome.state, "reason": outcome.reason, "cases": cases}


def _drafter(drafter: Drafter) -> dict[str, object]:
    ledger = drafter.ledger
    settings = {name: named(fact) for name, fact in sorted(drafter.settings.items())}
    return {
        "ref": drafter.ref,
        "resolved": drafter.resolved,
        "kind": drafter.kind,
        "revision": drafter.revision,
        "private": drafter.private,
        "family": None if ledger is None else ledger.family,
        "target": drafter.setting("target_model"),
        "params": None if ledger is None or not ledger.entries else _params(ledger),
        "settings": settings,
        "facts": [named(fact) for fact in drafter.figures],
        "rivals": [named(fact) for fact in drafter.rivals],
        "given": dict(drafter.given),
        "unknown": unknowns(drafter.unknowns),
        "ledger": None if ledger is None else plain(ledger, "ref", "revision", "tables", "labels", "estimate"),
        "runs": [plain(replace(run, samples=())) for run in drafter.runs],
        "plains": [plain(replace(run, samples=())) for run in drafter.plains],
        "problems": problems(drafter.problems),
    }


def _params(ledger: Ledger) -> dict[str, object]:
    """Return the totals of a ledger; `hubcmp params` has the rest."""
    return {
        "format": ledger.format,
        "params_total_excl_buffers": ledger.params_total_excl_buffers,
        "elements_total_all_tensors": ledger.elements_total_all_tensors,
        "payload_bytes": ledger.payload_bytes,
        "tensor_count": ledger.tensor_count,
        "by_role": dict(ledger.by_role),
        "by_status": dict(ledger.by_status),
    }


def _row(row: Row) -> dict[str, object]:
    last = row.deltas[-1] if len(row.deltas) == 2 else None
    return {
        "section": row.section,
        "metric": row.metric,
        "title": row.title,
        "benchmark": row.benchmark,
        "cells": [_cell(cell, row.benchmark) for cell in row.cells],
        "delta": last,
        "deltas": list(row.deltas),
        **({"intervals": [span and [span.low, span.high] for span in row.intervals]} if row.intervals else {}),
        "why_not": row.why_not or None,
        "axes": [_axis(axis) for axis in row.axes],
    }


def _cell(cell: Cell, label: str | None) -> dict[str, object]:
    empty: dict[str, object] = dict.fromkeys(("value", "low", "high", "unit", "evidence", "method", "raw"))
    nothing = empty | {"sources": []}
    body = {"nearby": {}} | (nothing if cell.fact is None else figure(cell.fact) | _spelled(cell.fact, label))
    rivals = {"rivals": [figure(r) | _spelled(r, label) for r in cell.rivals]} if cell.rivals else {}
    return {"state": cell.state, "reason": cell.reason or None} | body | rivals


def _spelled(fact: Fact, label: str | None) -> dict[str, object]:
    """Name the benchmark where a figure spells it otherwise than its row."""
    return {"benchmark": fact.label} if fact.label != label else {}


def _axis(axis: Axis) -> dict[str, object]:
    return {
        "axis": axis.name,
        "state": axis.state,
        "values": [v.value or None for v in axis.values],
        "how": [v.how for v in axis.values],
        "nearby": [v.nearby or None for v in axis.values],
        "decisive": axis.decisive,
        "seen_elsewhere": axis.effect[0] or None,
        "seen_at": axis.effect[1] or None,
        "rerun": axis.rerun or None,
    }


def _gap(answer: Comparison, position: int, gap: Reconciliation) -> dict[str, object]:
    rows = [
        {"role": r.role, "status": r.status, "left": r.left, "right": r.right, "delta": r.gap, "left_text": r.left_text,
         "right_text": r.right_text, "reason": r.reason or None}
        for r in gap.rows
    ]  # fmt: skip
    names: dict[str, object] = {
        "position": position,
        "left_ref": answer.drafters[0].ref,
        "right_ref": answer.drafters[position].ref,
    }
    return names | {"left": gap.left, "right": gap.right, "delta": gap.gap, "rows": rows, "rest": gap.rest}


def _estimate(estimate: Estimate) -> dict[str, object]:
    bounds = estimate.bounds
    return {
        "ref": estimate.ref,
        "metric": estimate.metric,
        "title": estimate.title,
        "benchmark": estimate.label,
        "value": estimate.value,
        "low": estimate.span.low,
        "high": estimate.span.high,
        "bounds": None if bounds is None else [bounds.low, bounds.high],
        "unit": estimate.unit,
        "method": estimate.method,
        "assumptions": list(estimate.assumptions),
        "inputs": [named(fact) for fact in estimate.inputs],
    }


def _sources(answer: Comparison) -> tuple[Source, ...]:
    """Return every source that any figure or setting of the comparison rests on, once each, in order of appearance."""
    facts = [
        f for d in answer.drafters for f in (*d.figures, *d.rivals, *(d.settings[name] for name in sorted(d.settings)))
    ]
    return tuple(dict.fromkeys(s for fact in facts for s in fact.sources))
