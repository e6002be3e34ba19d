"""Which figures of a comparison make a picture: accept lengths, the parameter gap, rates by position, speedup against length."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hubcmp import acceptance
from hubcmp.comparison import Comparison
from hubcmp.costs import Levers
from hubcmp.drafter import Drafter
from hubcmp.estimates import Estimate
from hubcmp.facts import Evidence, Fact, Span
from hubcmp.labels import canonical
from hubcmp.parameters import Reconciliation
from hubcmp.renderers import _values as values
from hubcmp.renderers._blocks import Cell, Guide, Kind, Look, Plot, Point, Series, Table
from hubcmp.rows import MEASURED
from hubcmp.units import exact, gain, percent

MOST = 24
"""Figures that one picture holds; the tables have them all."""
MOST_GUIDES = 3
UNNAMED = "benchmark not stated"
MARGINAL = "accepted, of all verify steps"
RATES: Mapping[object, str] = {"marginal": MARGINAL, "conditional": "accepted, of those that got there"}
LENGTH = "accept length (tokens per verify step)"


def lengths(answer: Comparison) -> Iterator[Plot]:
    """Yield the accept lengths by benchmark, estimates hollow with their interval, with the ceilings and break-even lengths."""
    points = [*_stated_lengths(answer), *_estimated_lengths(answer)]
    order = {key: i for i, key in enumerate(dict.fromkeys(canonical(p.group) for p in points))}
    points.sort(key=lambda p: (order[canonical(p.group)], p.series, p.look == "estimated"))
    guides = [
        Guide(_guide_text(answer, e), e.value, e.value)
        for e in answer.estimates
        if e.metric in ("accept_length_ceiling", "cycle_cost")
    ]
    yield from _plot("dots", "Accept length by benchmark", (LENGTH, ""), _series(answer), points, guides[:MOST_GUIDES])


def _guide_text(answer: Comparison, e: Estimate) -> str:
    name = _names(answer)[_column(answer, e.ref)]
    return f"{name}: {'break-even' if e.metric == 'cycle_cost' else 'ceiling at its depth'} {e.value:.2f}"


def _stated_lengths(answer: Comparison) -> Iterator[Point]:
    for row in answer.rows:
        if row.metric == "accept_length":
            for column, cell in enumerate(row.cells):
                if cell.fact is not None and _drawable(cell.fact):
                    yield _length_point(column, cell.fact, row.benchmark or UNNAMED)


def _drawable(fact: Fact) -> bool:
    """Whether a fact is one figure with finite ends; promises ("up to") and rates of one position are none."""
    ends = fact.value if isinstance(fact.value, Span) else Span(0, float("inf"))
    return fact.position is None and fact.stat in (*MEASURED, "estimate") and 0 <= ends.low <= ends.high < 1e6


def _length_point(column: int, fact: Fact, group: str) -> Point:
    ends = fact.value if isinstance(fact.value, Span) else Span.of(fact.number)
    estimated = fact.evidence == Evidence.ESTIMATED or fact.stat == "estimate"
    look: Look = "estimated" if estimated else "measured" if ends.exact else "range"
    reach = fact.interval or ends
    note = values.settings(fact)
    return Point(column, fact.number, 0, group, values.written(fact), note, reach.low, reach.high, look)


def _estimated_lengths(answer: Comparison) -> Iterator[Point]:
    for e in answer.estimates:
        if e.metric == "accept_length":
            how, _, depth = e.title.removeprefix("accept length ").partition(", at ")
            note = f"at {depth}, {how}" if depth else how
            text = f"≈ {e.value:.2f}"
            group = e.label or UNNAMED
            yield Point(_column(answer, e.ref), e.value, 0, group, text, note, e.span.low, e.span.high, "estimated")


def waterfall(answer: Comparison, position: int, gap: Reconciliation) -> Iterator[Plot]:
    """Yield how one drafter's stored parameters come about from the first one's, when they differ."""
    left, right = (_names(answer)[i] for i in (0, position))
    steps = [*((row.role, row.gap, row.reason or "no reason found") for row in gap.rows)]
    missed = gap.gap - sum(row.gap for row in gap.rows)
    steps = [step for step in (*steps, ("other", missed, "in no role")) if step[1]]
    points = [Point(0, gap.left, 0, left, exact(gap.left), "stored", 0, gap.left)]
    at = gap.left
    for role, delta, reason in steps:
        points.append(Point(2, delta, 0, role, f"{delta:+,.0f}", reason, at, at + delta))
        at += delta
    points.append(Point(1, gap.right, 0, right, exact(gap.right), "stored", 0, gap.right))
    series = (Series(left, 0), Series(right, position), Series("difference", -1))
    if steps:
        yield from _plot("bars", f"From {left} to {right}", ("parameters stored", ""), series, points)


def positions(answer: Comparison) -> Iterator[Plot]:
    """Yield the acceptance at each draft position, one picture per kind of rate: kinds are never mixed on one scale."""
    curves = [curve for column, drafter in enumerate(answer.drafters) for curve in _curves(column, drafter)]
    for kind in dict.fromkeys(kind for kind, _, _, _ in curves):
        chosen = [(column, label, rates) for k, column, label, rates in curves if k == kind]
        names = _names(answer)
        series = tuple(
            Series(f"{names[column]}, {label}" if label else names[column], column) for column, label, _ in chosen
        )
        points = [
            Point(i, place, rate, f"position {place}", percent(rate), kind)
            for i, (_, _, rates) in enumerate(chosen)
            for place, rate in rates
        ]
        yield from _plot("curves", "Acceptance by draft position", ("draft position", kind), series, points)


def _curves(column: int, drafter: Drafter) -> Iterator[tuple[str, int, str, list[tuple[int, float]]]]:
    """Yield (kind of rate, column, label, [(position, rate)]) of every run and every list of rates on the card."""
    for run in drafter.runs:
        if run.per_position:
            yield MARGINAL, column, run.dataset or "", list(enumerate(run.per_position, start=1))
    stated: dict[tuple[str, str], dict[int, float]] = {}
    for fact in drafter.own("accept_rate"):
        if fact.position is not None and isinstance(fact.value, Span) and 0 <= fact.number <= 1:
            kind = RATES.get(fact.conditions.get("rate_kind"), "accepted, kind of rate not stated")
            stated.setdefault((kind, fact.label or ""), {}).setdefault(fact.position, fact.number)
    yield from ((kind, column, label, sorted(rates.items())) for (kind, label), rates in stated.items())


def speedups(answer: Comparison) -> Iterator[Plot]:
    """Yield speedup against accept length, with the line below which speculation costs time, and each known cycle cost."""
    points = [*_pairs(answer), *_implied(answer), *(p for t in answer.levers for p in _what_if(answer, t))]
    rays = [_ray(answer, table) for table in answer.levers][: MOST_GUIDES - 1]
    right = max((p.x for p in points), default=1.0)
    even = Guide("break-even: as fast as plain decoding", 1.0, max((right, *(ray.x1 for ray in rays))), 1.0, 1.0)
    axes = (LENGTH, "speedup over plain decoding")
    yield from _plot("scatter", "Speedup against accept length", axes, _series(answer), points, (even, *rays))


def _pairs(answer: Comparison) -> Iterator[Point]:
    """Yield the figures of which a source gives both sides under the same conditions."""
    for column, drafter in enumerate(answer.drafters):
        known = [f for f in drafter.own("accept_length") if _exact(f)]
        for fast in (f for f in drafter.own("speedup") if _exact(f)):
            long = next((f for f in known if _together(f, fast)), None)
            if long is not None:
                text = f"{values.written(long)}, {fast.number:.2f}x ({gain(fast.number)})"
                note = values.settings(fast)
                yield Point(
                    column, long.number, fast.number, fast.label or UNNAMED, text, note, long.number, long.number
                )


def _exact(fact: Fact) -> bool:
    return _drawable(fact) and isinstance(fact.value, Span) and fact.value.exact and fact.stat in MEASURED


def _together(length: Fact, speedup: Fact) -> bool:
    """Whether two figures belong to one run as far as their sources say: same benchmark, no condition against it."""
    shared = [key for key in length.conditions if key in speedup.conditions]
    agree = all(length.conditions[key] == speedup.conditions[key] for key in shared)
    return agree and canonical(length.label or "") == canonical(speedup.label or "")


def _implied(answer: Comparison) -> Iterator[Point]:
    """Yield the lengths that a stated speedup implies, at the depth of that speedup."""
    for e in answer.estimates:
        if len(e.inputs) == 3 and e.metric == "accept_length" and e.inputs[0].metric == "speedup":
            fast, base, known = (fact.number for fact in e.inputs)
            if e.value == acceptance.implied_length(fast, known, base):
                text = f"≈ {e.value:.2f}, {fast:.2f}x ({gain(fast)})"
                place = (_column(answer, e.ref), e.value, fast)
                yield Point(*place, e.label or UNNAMED, text, "length implied", e.span.low, e.span.high, "estimated")


def _what_if(answer: Comparison, table: Levers) -> Iterator[Point]:
    """Yield what other lengths would give at a drafter's measured cycle cost."""
    for (title, length), speeds in zip(table.lengths, table.cells, strict=True):
        if title != "measured":
            ratio = speeds[0] / table.plain
            text = f"≈ {length:.2f}, {ratio:.2f}x ({gain(ratio)})"
            column = _column(answer, table.ref)
            yield Point(column, length, ratio, f"if {title}", text, "at its cycle cost", length, length, "estimated")


def _ray(answer: Comparison, table: Levers) -> Guide:
    """Return the line on which a drafter's speedup lies at its measured cycle cost, from length 1 to its ceiling."""
    cost, top = table.costs[0][1], acceptance.ceiling(table.depth)
    name = _names(answer)[_column(answer, table.ref)]
    return Guide(f"{name}: one cycle costs {cost:.2f} plain steps", 1.0, top, 1 / cost, top / cost)


def _plot(
    kind: Kind,
    title: str,
    axes: tuple[str, str],
    series: tuple[Series, ...],
    points: Sequence[Point],
    guides: Iterable[Guide] = (),
) -> Iterator[Plot]:
    """Yield the picture with its own table, unless there is nothing to draw."""
    shown = tuple(points[:MOST])
    if shown:
        rows = tuple(_row(series[p.series].name, p) for p in shown)
        table = Table(("what", "figure", "of", "interval", "how known"), rows, numeric=frozenset({1}))
        yield Plot(kind, title, *axes, series, shown, table, tuple(guides), len(points) - len(shown))


def _row(name: str, p: Point) -> tuple[Cell, ...]:
    interval = f"{p.low:.2f} to {p.high:.2f}" if p.look != "measured" and p.low < p.high else "none"
    return Cell(p.group), Cell(p.text), Cell(name), Cell(interval), Cell(p.note)


def _series(answer: Comparison) -> tuple[Series, ...]:
    return tuple(Series(name, tone) for tone, name in enumerate(_names(answer)))


def _names(answer: Comparison) -> tuple[str, ...]:
    """Return the drafters' names without their owners, where that still tells them apart."""
    full = [drafter.ref for drafter in answer.drafters]
    short = [ref.rstrip("/").rpartition("/")[2] or ref for ref in full]
    return tuple(full if len(set(short)) < len(full) else short)


def _column(answer: Comparison, ref: str) -> int:
    return next(i for i, drafter in enumerate(answer.drafters) if drafter.ref == ref)
