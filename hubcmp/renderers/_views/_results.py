"""The table of benchmark results: a column per run while they are few, with bars per position; else a row per run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from hubcmp.acceptance import Run, simulated
from hubcmp.measurements import Benchmark
from hubcmp.pairing import what
from hubcmp.renderers._blocks import Block, Cell, Paragraph, Table

SIDE_BY_SIDE = 4
"""Runs that stand in columns."""
MOST_ROWS = 40
"""Runs up to which a table says how each was measured."""
_COUNTS = ("steps", "requests")
"""Figures that say how much was measured."""
_BAR = 10
_VARYING = ("draft", "topk", "num_steps", "num_speculative_tokens", "temperature", "language", "concurrency")
"""Settings that tell the runs of one source apart."""
_POSITIONS = "share of verify steps that accepted the draft at this position; 1 + their sum is the accept length"


@dataclass(frozen=True, slots=True)
class Column:
    """One run: the short name of its source or drafter, the source, the run."""

    name: str
    item: Benchmark
    run: Run

    @property
    def settings(self) -> str:
        """Data, batch and the settings that differ between the runs of this source."""
        runs = self.item.runs
        varying = [k for k in _VARYING if len({str(run.conditions.get(k)) for run in runs}) > 1]
        told = [_setting(k, str(self.run.conditions[k])) for k in varying if k in self.run.conditions]
        return ", ".join(filter(None, (what(self.run), *told)))


def _setting(key: str, value: str) -> str:
    return value if key in ("draft", "language") else f"{key.replace('num_', '').replace('_', ' ')} {value}"


def names(texts: Sequence[str]) -> Callable[[str], str]:
    """Return what shortens the names of sources: to the last part of a path where that is enough to tell them apart."""
    if len(texts) == 1:  # its drafters, where it names several, need no name of the file
        return lambda name: name.removeprefix(f"{texts[0]}: ") if name != texts[0] else PurePath(name).name or name
    last = {text: PurePath(text).name or text for text in texts if "://" not in text}
    ends = [*last.values()]
    known = {text: end for text, end in last.items() if ends.count(end) == 1}

    def short(name: str) -> str:
        """Shorten a source's name, whatever stands behind it."""
        text = next((text for text in known if name == text or name.startswith(f"{text}: ")), "")
        return known[text] + name[len(text) :] if text else name

    return short


def tables(columns: Sequence[Column]) -> tuple[Block, ...]:
    """Return the results of all runs."""
    return _beside(columns) if len(columns) <= SIDE_BY_SIDE else _below(columns)


def _known(column: Column) -> str:
    return ", over ".join(filter(None, (column.run.kind, column.run.weighting)))


def _engine(column: Column) -> str:
    return " ".join(filter(None, (column.run.engine or "not stated", column.run.engine_version)))


_WORDS: Mapping[str, Callable[[Column], str]] = {
    "engine": _engine,
    "measured on": lambda column: column.settings,
    "window": lambda column: column.run.window or "",
    "class": _known,
}
"""Rows of text: how a run was measured."""
_FIGURES: Mapping[str, tuple[str, str]] = {
    "accept length": ("accept_length", "{:.3f}"),
    "accepted / drafted": ("draft_acceptance_rate", "{:.1%}"),
    "draft tokens": ("num_spec_tokens", "{:d}"),
    "steps": ("steps", "{:,.0f}"),
    "requests": ("n_requests", "{:,d}"),
    "tok/s": ("throughput", "{:,.1f}"),
}
"""Rows of figures: the field of a run, and how it is written."""


def _value(run: Run, field: str) -> float | int | None:
    if field == "throughput":
        return run.output_throughput if run.output_throughput is not None else run.decode_throughput
    found: float | int | None = getattr(run, field)
    return found


def _figure(run: Run, title: str) -> Cell:
    """Return a figure, or why there is none."""
    field, style = _FIGURES[title]
    value = _value(run, field)
    if value is None:
        return Cell("not derivable" if field in run.why else "not stated", "unknown")
    note = "simulated" if simulated(run) and field in ("accept_length", "draft_acceptance_rate") else ""
    return Cell(style.format(value), "value" if run.kind == "exact" else "approximate", note)


def _present(columns: Sequence[Column]) -> tuple[list[str], str]:
    """Return the figures that any run has, and a sentence on those that none has."""
    there = [t for t, (field, _) in _FIGURES.items() if any(_value(c.run, field) is not None for c in columns)]
    gone = [title for title in _FIGURES if title not in there]
    return there, f"In no source: {', '.join(gone)}." if gone else ""


def _beside(columns: Sequence[Column]) -> tuple[Block, ...]:
    """One column per run: engine and settings, figures, a bar per position."""
    there, gone = _present(columns)
    lines = [(title, [Cell(word(column)) for column in columns]) for title, word in _WORDS.items()]
    figures = [(title, [_figure(column.run, title) for column in columns]) for title in there]
    body = [*lines[:2], *figures[:1], *_bars(columns), *figures[1:], *lines[2:]]
    rows = tuple((Cell(title), *cells) for title, cells in body if any(cell.text for cell in cells))
    table = Table(("", *(column.name for column in columns)), rows, breaks=True)
    return (table, Paragraph(gone)) if gone else (table,)


def _bars(columns: Sequence[Column]) -> list[tuple[str, list[Cell]]]:
    """Return one line per draft position: how many verify steps accepted it."""
    rates = [column.run.per_position or () for column in columns]
    depth = max(map(len, rates))
    return [(f"  p{i + 1}", [Cell(_bar(r[i]) if i < len(r) else "") for r in rates]) for i in range(depth)]


def _bar(share: float) -> str:
    """Return a fraction as a bar of _BAR characters with its figure."""
    full = round(min(max(share, 0.0), 1.0) * _BAR)
    return "█" * full + "░" * (_BAR - full) + f" {share:.3f}"


def _below(columns: Sequence[Column]) -> tuple[Block, ...]:
    """One row per run: the results, how they were measured, and the rates per position."""
    there, gone = _present(columns)
    counts = [title for title in there if title in _COUNTS]
    figures = [title for title in there if title not in _COUNTS]
    found = [_listed(columns, ("engine", "measured on"), figures)]
    found += [_listed(columns, ("class",), counts)] if len(columns) <= MOST_ROWS else []
    return (*found, *([Paragraph(gone)] if gone else []), *_positions(columns))


def _listed(columns: Sequence[Column], words: Sequence[str], figures: Sequence[str]) -> Table:
    """Return one row per run; words that all runs share stand once, above."""
    texts = {title: [_WORDS[title](column) for column in columns] for title in words}
    same = [f"{title} {found[0]}" for title, found in texts.items() if len(set(found)) == 1 and found[0]]
    apart = [title for title, found in texts.items() if len(set(found)) > 1]
    rows = tuple(
        (Cell(c.name), *(Cell(texts[t][i]) for t in apart), *(_figure(c.run, t) for t in figures))
        for i, c in enumerate(columns)
    )
    head = ("source", *apart, *figures)
    numeric = frozenset(range(1 + len(apart), len(head)))
    return Table(head, rows, f"all: {'; '.join(same)}" if same else "", numeric, breaks=True)


def _positions(columns: Sequence[Column]) -> tuple[Block, ...]:
    known = [column for column in columns if column.run.per_position]
    depth = max((len(column.run.per_position or ()) for column in known), default=0)
    rows = tuple(
        (Cell(c.name), Cell(c.settings), *(Cell(f"{p:.3f}") for p in c.run.per_position or ()))
        + (Cell(""),) * (depth - len(c.run.per_position or ()))
        for c in known
    )
    head = ("source", "measured on", *(f"p{i}" for i in range(1, depth + 1)))
    table = Table(head, rows, _POSITIONS, frozenset(range(2, depth + 2)), breaks=True)
    return (table.without_empty(),) if known else ()
