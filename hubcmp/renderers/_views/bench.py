"""How `hubcmp bench` is laid out: the A/B in short, one table of results, then what to be careful about."""

from collections.abc import Sequence

from hubcmp.acceptance import Run, pool
from hubcmp.answers import Benchmarks
from hubcmp.measurements import Benchmark
from hubcmp.pairing import sides
from hubcmp.renderers._blocks import Bullets, Cell, Paragraph, Report, Section, View
from hubcmp.renderers._views._results import Column, names, tables
from hubcmp.renderers._views._trials import Short, compared, in_short, rounded, speed_data, trial_data

SCHEMA = 1
"""Version of the JSON objects."""
FIELDS = (
    "weighting", "n_windows", "n_requests", "num_spec_tokens", "steps", "drafted", "accepted", "accept_length",
    "draft_acceptance_rate", "per_position", "output_throughput", "decode_throughput", "dataset", "batch_size",
)  # fmt: skip
"""Fields of a record that are copied from the Run, in order; null where the source cannot yield them."""
MOST_UNITS = 250
"""Units of resampling that are saved; neighbours are pooled beyond it."""


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
    short = names([item.text for item in answer.items])
    columns = [
        Column(short(side.name), item, run) for item in answer.items for side in sides([item]) for run in side.runs
    ]
    blocks = tables(columns) if columns else (Paragraph("Nothing was measured."),)
    sections = [*in_short(answer, short), Section("Results", blocks, keep=True), *compared(answer, short)]
    warnings = tuple(
        Cell(f"{short(problem.where)}: {problem.message.removeprefix(f'{problem.where}: ')}")
        for problem in answer.problems
    )
    if warnings:
        sections.append(Section("Be careful", (Bullets(warnings),), keep=True))
    printed = _printed(answer.items, short)
    if printed:
        sections.append(Section("As printed by the source", (Bullets(printed),)))
    return Report("Benchmark results", tuple(sections))


def _printed(items: Sequence[Benchmark], short: Short) -> tuple[Cell, ...]:
    """Return the figures as the sources print them, each with its definition."""
    pairs = [(item, run) for item in items for run in item.runs if run.reported]
    lines = [
        f"{short(item.text)}{f' ({run.dataset})' if run.dataset else ''}: "
        + "; ".join(f"{k} {_short(v)}" for k, v in run.reported.items())
        for item, run in pairs
    ]
    return tuple(Cell(line) for line in dict.fromkeys(lines))


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_short(v) for v in value[:12]) + "]"
    return str(value)[:200]
