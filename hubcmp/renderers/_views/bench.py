"""How `hubcmp bench` is laid out: one table of results, the per-position rates, then what to be careful about."""

from collections.abc import Sequence

from hubcmp.acceptance import Run, pool
from hubcmp.answers import Benchmarks
from hubcmp.measurements import Benchmark
from hubcmp.renderers._blocks import Block, Bullets, Cell, Paragraph, Report, Section, Table, View
from hubcmp.renderers._views._trials import compared, rounded, speed_data, trial_data

SCHEMA = 1
"""Version of the JSON objects."""
FIELDS = (
    "weighting", "n_windows", "n_requests", "num_spec_tokens", "steps", "drafted", "accepted", "accept_length",
    "draft_acceptance_rate", "per_position", "output_throughput", "decode_throughput", "dataset", "batch_size",
)  # fmt: skip
"""Fields of a record that are copied from the Run, in order; null where the source cannot yield them."""
_HEAD = (
    "source",
    "engine",
    "what",
    "class",
    "accept length",
    "accepted / drafted",
    "draft tokens",
    "steps",
    "requests",
    "tok/s",
    "averaged over",
)
_NUMERIC = frozenset(range(4, 10))
MOST_UNITS = 250
"""Units of resampling that are saved; neighbours are pooled beyond it."""
_MOST_BARS = 4
"""Runs whose per-position rates stand side by side with bars."""
_BAR = 10


def view(answer: Benchmarks) -> View:
    """Lay benchmark results out, one object per source."""
    return View([_data(item, answer) for item in answer.items], lambda: _report(answer))


def _data(item: Benchmark, answer: Benchmarks) -> dict[str, object]:
    against = {
        "against_first": [trial_data(trial) for trial in answer.trials if trial.text == item.text],
        "against_plain": [speed_data(speed) for speed in answer.speeds if speed.text == item.text],
    }
    return {
        "schema_version": SCHEMA,
        "source": item.text,
        "format": item.format,
        "engine": item.engine,
        "engine_version": item.engine_version,
        "window": item.window,
        "exact": item.exact,
        "records": [_record(run) for run in item.runs],
        "warnings": [problem.message for problem in item.problems],
        **{key: value for key, value in against.items() if value},
    }


def _record(run: Run) -> dict[str, object]:
    figures = {name: rounded(getattr(run, name)) for name in FIELDS}
    return {
        "engine": run.engine,
        "format": run.format,
        "class": run.kind,
        "window": run.window,
        "where": run.source.where,
        **figures,
        "config": dict(run.conditions),
        "settings": dict(run.settings),
        "reported": dict(run.reported),
        "samples": len(run.samples),
        **(
            {"units": [[rounded(u.steps), rounded(u.accepted)] for u in pool(run.samples, MOST_UNITS)]}
            if run.samples
            else {}
        ),
        "why": dict(run.why),
    }


def _report(answer: Benchmarks) -> Report:
    items = answer.items
    rows = tuple(_row(item, run) for item in items for run in item.runs)
    blocks: list[Block] = [Table(_HEAD, rows, numeric=_NUMERIC)] if rows else [Paragraph("Nothing was measured.")]
    sections = [Section("Results", tuple(blocks))]
    positions = [(item, run) for item in items for run in item.runs if run.per_position]
    if positions:
        sections.append(Section("Acceptance per position", (_positions(positions),)))
    sections += compared(answer)
    printed = _printed(items)
    if printed:
        sections.append(Section("As printed by the source", (Bullets(printed),)))
    warnings = tuple(Cell(str(problem)) for problem in answer.problems)
    if warnings:
        sections.append(Section("Be careful", (Bullets(warnings),)))
    return Report("Benchmark results", tuple(sections))


def _row(item: Benchmark, run: Run) -> tuple[Cell, ...]:
    speed = run.output_throughput if run.output_throughput is not None else run.decode_throughput
    what = ", ".join(filter(None, (run.dataset, f"batch {run.batch_size}" if run.batch_size else "")))
    return (
        Cell(item.text),
        Cell(" ".join(filter(None, (run.engine or "not stated", run.engine_version)))),
        Cell(what or run.window or ""),
        Cell(run.kind),
        _figure(run, "accept_length", run.accept_length, "{:.3f}"),
        _figure(run, "draft_acceptance_rate", run.draft_acceptance_rate, "{:.1%}"),
        _figure(run, "num_spec_tokens", run.num_spec_tokens, "{:d}"),
        _figure(run, "steps", run.steps, "{:,.0f}"),
        _figure(run, "n_requests", run.n_requests, "{:,d}"),
        _figure(run, "output_throughput", speed, "{:,.1f}"),
        Cell(run.weighting or ""),
    )


def _figure(run: Run, name: str, value: float | int | None, style: str) -> Cell:
    """Return a figure, or why there is none."""
    if value is None:
        return Cell("not derivable" if name in run.why else "not stated", "unknown")
    return Cell(style.format(value), "value" if run.kind == "exact" else "approximate")


def _positions(pairs: Sequence[tuple[Benchmark, Run]]) -> Table:
    """Return one column per run with bars while they fit, else one row per run."""
    depth = max(len(run.per_position or ()) for _, run in pairs)
    caption = "share of verify steps that accepted the draft at this position; 1 + their sum is the accept length"
    names = [item.text + _label(run) for item, run in pairs]
    rates = [[f"{p:.3f}" for p in run.per_position or ()] + [""] * depth for _, run in pairs]
    if len(pairs) > _MOST_BARS:
        rows = [(Cell(name), *map(Cell, line[:depth])) for name, line in zip(names, rates, strict=True)]
        head = ("source", *(f"p{i}" for i in range(1, depth + 1)))
        return Table(head, tuple(rows), caption=caption, numeric=frozenset(range(1, depth + 1)))
    bars = [[Cell(f"{_bar(float(p))} {p}" if p else "") for p in line] for line in rates]
    rows = [(Cell(f"p{i + 1}"), *(line[i] for line in bars)) for i in range(depth)]
    return Table(("position", *names), tuple(rows), caption=caption)


def _bar(share: float) -> str:
    """Return a fraction as a bar of _BAR characters."""
    full = round(min(max(share, 0.0), 1.0) * _BAR)
    return "█" * full + "░" * (_BAR - full)


def _printed(items: Sequence[Benchmark]) -> tuple[Cell, ...]:
    """Return the figures as the sources print them, each with its definition."""
    pairs = [(item, run) for item in items for run in item.runs if run.reported]
    lines = [
        f"{item.text}{_label(run)}: " + "; ".join(f"{k} {_short(v)}" for k, v in run.reported.items())
        for item, run in pairs
    ]
    return tuple(Cell(line) for line in dict.fromkeys(lines))


def _label(run: Run) -> str:
    return f" ({run.dataset})" if run.dataset else ""


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_short(v) for v in value[:12]) + "]"
    return str(value)[:200]
