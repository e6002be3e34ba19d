"""Rows of a comparison: one figure or setting over all drafters, with its axes, and a difference only where one may be taken."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hubcmp.acceptance import Sample
from hubcmp.axes import TITLES, Axis, axes, model_name
from hubcmp.drafter import Drafter, plain_text
from hubcmp.facts import Evidence, Fact, Span, Value
from hubcmp.labels import canonical, language
from hubcmp.metrics import METRICS, RECIPE, Metric
from hubcmp.resampling import ROUNDED, interval, pooled

MEASURED = (None, "low", "high")
"""Kinds of figure (`stat`) that may be subtracted; promises ("up to") and estimates may not."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One drafter's side of a row. `state` is one of the report's cell states; `reason` says why there is no value.

    `rivals` are weaker facts about the same figure.
    """

    state: str
    fact: Fact | None = None
    reason: str = ""
    rivals: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the comparison. `deltas[i]` is drafter i minus the first, None where it may not be taken, with `why_not`.

    `intervals[i]` is the 95 % interval of that difference where both sides were measured in requests or windows enough;
    empty when no side was.
    """

    section: str
    metric: str
    title: str
    benchmark: str | None
    cells: tuple[Cell, ...]
    deltas: tuple[float | None, ...] = ()
    why_not: str = ""
    axes: tuple[Axis, ...] = ()
    intervals: tuple[Span | None, ...] = ()

    @property
    def shared(self) -> bool:
        """Whether every drafter has a fact here."""
        return all(cell.fact is not None for cell in self.cells)

    @property
    def comparable(self) -> bool:
        """Whether every drafter has a figure here that may be set against the first one's."""
        return len(self.deltas) > 1 and None not in self.deltas


def figure_rows(drafters: Sequence[Drafter]) -> Iterator[Row]:
    """Yield every row of every metric that at least one drafter has, in the table's order; the main ones even when none has."""
    for metric in METRICS.values():
        own = [[f for f in d.own(metric.name)] for d in drafters]
        matched = _match(own)
        if not matched and metric.name in ("accept_length", "training_samples", "params_trainable"):
            matched = [[None] * len(drafters)]
        for facts in matched:
            yield _figure_row(metric, drafters, facts)


def _match(own: Sequence[Sequence[Fact]]) -> list[list[Fact | None]]:
    """Group facts of one metric into rows: same benchmark, position and kind; under several settings the best fit first."""
    rows: list[list[Fact | None]] = []
    for column, facts in enumerate(own):
        for fact in facts:
            free = [row for row in rows if row[column] is None and _same_line(next(f for f in row if f), fact)]
            home = max(free, key=lambda row: _fit(row, fact), default=None)
            if home is None:
                home = [None] * len(own)
                rows.append(home)
            home[column] = fact
    return rows


def _same_line(a: Fact, b: Fact) -> bool:
    tongues = {str(f.conditions.get("language") or language(f.label or "")).lower() for f in (a, b)} - {""}
    return len(tongues) < 2 and _place(a) == _place(b)


def _place(fact: Fact) -> tuple[str, int | None, str | None]:
    return canonical(fact.label or ""), fact.position, fact.stat


def _fit(row: Iterable[Fact | None], fact: Fact) -> int:
    """Count agreeing conditions, and weigh contradicting ones against them."""
    others = [f for f in row if f is not None]
    shared = [(f.conditions[k], v) for f in others for k, v in fact.conditions.items() if k in f.conditions]
    return sum(1 if a == b else -10 for a, b in shared)


def _figure_row(metric: Metric, drafters: Sequence[Drafter], facts: Sequence[Fact | None]) -> Row:
    cells = tuple(_cell(d, metric, f) for d, f in zip(drafters, facts, strict=True))
    known = [(d, f) for d, f in zip(drafters, facts, strict=True) if f is not None]
    found = axes(metric.name, known) if len(known) > 1 else ()
    label = next((f.label for f in facts if f is not None and f.label), None)
    reasons = [_blocked(metric, drafters, facts, i) for i in range(len(facts))]
    deltas = tuple(0.0 if i == 0 else _delta(facts[0], facts[i], reasons[i]) for i in range(len(facts)))
    why = next((reason for reason in reasons[1:] if reason), "")
    spans = tuple(None if i == 0 or d is None else _interval(drafters, facts, i) for i, d in enumerate(deltas))
    kept = spans if any(spans) else ()
    return Row(metric.section, metric.name, _title(metric, facts), label, cells, deltas, why, found, kept)


def _interval(drafters: Sequence[Drafter], facts: Sequence[Fact | None], i: int) -> Span | None:
    """Return what resampling shows of drafter i's length against the first one's; None for figures that are no sums over units."""
    sides = [
        (drafters[at], fact) for at in (0, i) if (fact := facts[at]) is not None and fact.metric == "accept_length"
    ]
    runs = [
        run for drafter, fact in sides if (run := drafter.run_of(fact)) and run.samples and _pooled(run.samples, fact)
    ]
    return interval(runs[0].samples, runs[1].samples) if len(runs) == 2 else None


def _pooled(samples: tuple[Sample, ...], fact: Fact) -> bool:
    return abs(pooled(samples) - fact.number) <= ROUNDED * fact.number


def _title(metric: Metric, facts: Iterable[Fact | None]) -> str:
    """Name a row: the metric, with position and kind of figure where they apply."""
    fact = next((f for f in facts if f is not None), None)
    parts = [metric.title]
    if fact is not None and fact.position is not None:
        parts.append(f"position {fact.position}")
    if fact is not None and fact.stat is not None:
        parts.append(fact.stat)
    return ", ".join(parts)


def _delta(first: Fact | None, fact: Fact | None, blocked: str) -> float | None:
    return None if blocked or first is None or fact is None else fact.number - first.number


def _blocked(metric: Metric, drafters: Sequence[Drafter], facts: Sequence[Fact | None], i: int) -> str:
    """Return why drafter i's figure may not be set against the first one's, or "" when it may."""
    first, fact = facts[0], facts[i]
    if i == 0:
        return ""
    if first is None or fact is None:
        return "one side only"
    if not all(isinstance(f.value, Span) and f.value.exact and f.stat in MEASURED for f in (first, fact)):
        return "a bound or a promise is not a measurement"
    return blocking(axes(metric.name, [(drafters[0], first), (drafters[i], fact)]))


def blocking(found: Iterable[Axis]) -> str:
    """Return the decisive axes that forbid a difference, as text: differing ones first, then unknown ones."""
    decisive = [axis for axis in found if axis.decisive]
    parts = [f"{name(a)} differs ({sides(a)})" for a in decisive if a.state == "differs"]
    parts += [f"{name(a)} unknown ({sides(a)})" for a in decisive if a.state == "unknown"]
    return "; ".join(parts)


def name(axis: Axis) -> str:
    """Return an axis' printed name."""
    return TITLES.get(axis.name, axis.name.replace("_", " "))


def sides(axis: Axis) -> str:
    """Return an axis' values, one per drafter: "at least 3 / 2"."""
    return " / ".join(str(v) for v in axis.values)


def _cell(drafter: Drafter, metric: Metric, fact: Fact | None) -> Cell:
    if fact is None:
        return missing(drafter, metric.name, metric.found_in)
    rivals = tuple(r for r in drafter.rivals if r.metric == fact.metric and _rival(r, fact))
    estimate = fact.evidence == Evidence.ESTIMATED or fact.stat == "estimate"
    state = "estimated" if estimate else "approximate" if fact.approx else "value"
    if any(_contradicts(fact, rival) for rival in rivals):
        state = "conflict"
    return Cell(state, fact, rivals=rivals)


def _rival(rival: Fact, fact: Fact) -> bool:
    return (rival.subject, rival.position, canonical(rival.label or "")) == (
        fact.subject,
        fact.position,
        canonical(fact.label or ""),
    )


def _contradicts(fact: Fact, rival: Fact) -> bool:
    """Whether two exact figures of equal rank disagree by more than their rounding (5 % for an approximate one)."""
    if not isinstance(fact.value, Span) or not isinstance(rival.value, Span) or fact.value.exact != rival.value.exact:
        return False
    room = 0.05 if fact.approx or rival.approx else 0.005
    return abs(fact.number - rival.number) > room * max(abs(fact.number), 1e-9)


def missing(drafter: Drafter, metric: str, found_in: str) -> Cell:
    """Return the cell of a figure that is not there, with the reason a source gave for it."""
    for unknown in drafter.unknowns:
        if unknown.metric in (metric, found_in):
            return Cell(unknown.state, reason=unknown.reason)
    return Cell("not stated", reason=f"no {found_in} of {drafter.ref} states it")


def setting_rows(drafters: Sequence[Drafter]) -> Iterator[Row]:
    """Yield one row per setting that any drafter declares, differing ones first, each group in alphabetical order."""
    names = sorted({n for d in drafters for n in d.settings})
    rows = [_setting_row(drafters, n) for n in names]
    yield from sorted(rows, key=lambda row: (row.why_not.startswith("equal"), _rank(row.metric)))


def _rank(metric: str) -> tuple[int, str]:
    """Put identity first: target, algorithm, architecture, then the rest by name."""
    first = ("target_model", "algorithm", "architectures", "draft_vocab_size", "aux_layer_ids")
    recipe = list(RECIPE)
    if metric in RECIPE:
        return (len(first) + 1 + recipe.index(metric), metric)
    return (first.index(metric) if metric in first else len(first), metric)


def _setting_row(drafters: Sequence[Drafter], metric: str) -> Row:
    cells = tuple(_setting_cell(d, metric) for d in drafters)
    section, title = ("recipe", RECIPE[metric]) if metric in RECIPE else ("configuration", metric.replace("_", " "))
    return Row(section, metric, title, None, cells, (), _setting_state(metric, cells))


def _setting_state(metric: str, cells: Sequence[Cell]) -> str:
    """Return "equal", "differs", "unknown", or in words why two spellings mean the same."""
    facts = [cell.fact for cell in cells]
    known = [f for f in facts if f is not None]
    texts = {plain_text(f) for f in known}
    if len(known) < len(facts):
        return "unknown"
    if len(texts) == 1 or (metric == "target_model" and len({model_name(t) for t in texts}) == 1):
        return "equal"
    return _same_layers([f.value for f in known]) if metric == "aux_layer_ids" else "differs"


def _same_layers(lists: Sequence[Value]) -> str:
    """Tell two conventions from two choices: output of layer X and input of layer X + 1 are one hidden state."""
    found = sorted({ids for ids in lists if isinstance(ids, tuple)})
    shifted = (
        len(found) == 2 and len(found[0]) == len(found[1]) and all(b - a == 1 for a, b in zip(*found, strict=True))
    )
    if shifted and found[0][0] == 1:
        return (
            "equal by convention: outputs of layers in one, inputs in the other, name the same hidden states; "
            "an engine that reads them by the other convention is off by one"
        )
    return "differs"


def _setting_cell(drafter: Drafter, metric: str) -> Cell:
    fact = drafter.settings.get(metric)
    found_in = "card" if metric in RECIPE else "config"
    return Cell("value", fact) if fact is not None else missing(drafter, metric, found_in)
