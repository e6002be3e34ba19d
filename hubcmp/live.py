"""Live servers: the scrapes of one server over time, and the run between the first and the last of them.

Pure: whoever polls adds scrapes with the second at which they came. A restart begins a new run, a server that stops
answering ends it at its last scrape, a gauge counts when it moves, and what a queue hands out is added up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts
from hubcmp.engines._doubts import doubts
from hubcmp.engines._prometheus import running
from hubcmp.errors import Problem
from hubcmp.measurements import Benchmark, counts, failed, is_queue, read

MOST_POINTS = 200
"""Intervals that are kept to be shown."""
MOST_NOTES = 20
"""Restarts and outages that are told one by one."""
EMPTY = b"[]"
"""What a queue hands out when nothing happened."""
_GAUGE = "gauge_accept_length_last_interval"


@dataclass(frozen=True, slots=True)
class Point:
    """What happened in the interval that ended at `second`: None where there was no traffic or the source cannot tell."""

    second: float
    accept_length: float | None = None
    per_position: tuple[float, ...] = ()
    throughput: float | None = None


def keep(points: list[Point], point: Point) -> None:
    """Add a point to those that are shown, and forget the oldest beyond MOST_POINTS."""
    points.append(point)
    del points[:-MOST_POINTS]


@dataclass(slots=True)
class Course:
    """What the intervals of one run tell beyond the difference of its ends.

    `counts` sums what each interval counted, `idle` the seconds without a request. `gauge` is the last value of a gauge,
    `moves` and `total` how often it moved and the sum of what it moved to.
    """

    counts: Counts = field(default_factory=Counts)
    idle: float = 0.0
    gauge: float | None = None
    moves: int = 0
    total: float = 0.0

    def add(self, run: Run, idle: float) -> bool:
        """Take one interval; returns whether anything happened in it."""
        if run.steps and run.accept_length is not None:
            taken = run.accepted if run.accepted is not None else run.steps * (run.accept_length - 1)
            self.counts.add(run.steps, taken, run.drafted)
        self.idle += idle
        moved = self.moved(run)
        if moved is not None:
            self.moves, self.total = self.moves + 1, self.total + moved
        return bool(run.steps or moved is not None or run.reported.get("generated_tokens"))

    def moved(self, run: Run) -> float | None:
        """Return a gauge's value if it is not the one of the scrape before: an idle server keeps showing its last."""
        before, gauge = self.gauge, run.reported.get(_GAUGE)
        self.gauge = gauge if isinstance(gauge, float) else None
        return self.gauge if self.gauge != before else None


@dataclass(slots=True)
class Session:
    """The scrapes of one server. `text` is how it is shown, `news` the second at which something last happened there."""

    text: str
    points: list[Point] = field(default_factory=list)
    news: float = 0.0
    _scrapes: list[tuple[float, Document]] = field(default_factory=list)
    _queue: bool = False
    _course: Course = field(default_factory=Course)
    _gap: tuple[float, str] | None = None
    _notes: list[str] = field(default_factory=list)

    @property
    def status(self) -> str:
        """What is wrong with the server at the moment, or ""."""
        return f"no answer from {self._gap[0]:.0f} s on: {self._gap[1]}" if self._gap else ""

    def understands(self, document: Document) -> bool:
        """Whether a reply that is of no format is one all the same: an empty queue."""
        return self._queue and document.read(0, 100).strip() == EMPTY

    def add(self, document: Document, second: float) -> None:
        """Take the scrape of one moment, in order of time."""
        if self._gap:
            self._note(f"no answer from {self._gap[0]:.0f} s to {second:.0f} s: {self._gap[1]}")
            self._gap = None
        if not self._scrapes:
            self._begin(document, second)
            return
        began, before = self._scrapes[-1]
        counted = not self._queue and counts(document)
        found = read([before, document] if counted else [document], self.text)
        if counted and not found.runs:
            self._note(f"the server restarted within {second:.0f} s: what it did before is left out")
            self._begin(document, second)
            return
        self._scrapes = [self._scrapes[0], (second, document)]
        if found.runs:
            idle = second - began if _idle(before, document, found.runs[0]) else 0.0
            self._learn(found.runs[0], second, second - began if counted else 0.0, idle)

    def missed(self, second: float, why: str) -> None:
        """Note that a scrape failed; the run goes on with the next one that comes."""
        self._gap = self._gap or (second, why)

    def benchmark(self) -> Benchmark:
        """Return the run so far in the normal form."""
        if not self._scrapes:
            return failed(self.text, Problem(self.text, self.status or "nothing was asked", failed=True))
        (began, first), (ended, last) = self._scrapes[0], self._scrapes[-1]
        several, seconds = len(self._scrapes) > 1, ended - began
        counted = several and not self._queue and counts(last)
        found = read([first, last] if counted else [first if self._queue else last], self.text)
        if self._queue:
            runs = tuple(self._emptied(run, seconds) for run in found.runs) if several else ()
        else:
            runs = tuple(self._completed(run, seconds) for run in found.runs) if counted else found.runs
        mine = [*self._notes, *self._silences(runs, seconds, counted or self._queue)]
        own = [*([] if self._queue else found.problems), *doubts(runs, self.text)]
        problems = [*own, *(Problem(self.text, note) for note in mine)]
        if self._gap:
            problems.append(Problem(self.text, f"{self.status}; the run ends at its last answer", failed=True))
        window = runs[0].window if len({run.window for run in runs}) == 1 else None
        return replace(found, runs=runs, problems=tuple(dict.fromkeys(problems)), window=window)

    def _begin(self, document: Document, second: float) -> None:
        """Begin a run: what a queue holds now is of the time before, and so is what a gauge shows."""
        self._scrapes, self._course, self._queue = [(second, document)], Course(), is_queue(document)
        if not self._queue and counts(document):
            for run in read([document, document], self.text).runs[:1]:
                self._course.moved(run)

    def _note(self, note: str) -> None:
        self._notes += [note] if len(self._notes) < MOST_NOTES else []

    def _learn(self, run: Run, second: float, seconds: float, idle: float) -> None:
        """Keep what one interval tells."""
        if self._course.add(run, idle):
            self.news = second
        length = run.accept_length if run.accept_length is not None else self._course.gauge
        keep(self.points, Point(second, length, run.per_position or (), _speed(run, seconds)))

    def _completed(self, run: Run, seconds: float) -> Run:
        """Give a run what only time and the polls in between tell."""
        counted, speed = self._course.counts, _speed(run, seconds - self._course.idle)
        whole = counted.steps == run.steps  # else some interval gave no figure, and the others are no fair draw
        samples = counted.samples.freeze() if whole else ()
        run = replace(run, window=_window(seconds), output_throughput=speed, samples=samples)
        moves = self._course.moves
        if run.accept_length is not None or not moves:
            return run
        mean = self._course.total / moves
        rate = (mean - 1) / run.num_spec_tokens if run.num_spec_tokens else None
        way, why = "mean of the gauge, once per change", {k: v for k, v in run.why.items() if k != "accept_length"}
        return replace(run, kind="reported", accept_length=mean, draft_acceptance_rate=rate, weighting=way, why=why,
                       n_windows=moves)  # fmt: skip

    def _emptied(self, run: Run, seconds: float) -> Run:
        """Return the run of all that a queue handed out since the first reply."""
        base = Run(
            run.engine, run.format, run.source, kind=run.kind, window=_window(seconds), conditions=run.conditions
        )
        return replace(self._course.counts.fill(base), n_windows=self._course.counts.units)

    def _silences(self, runs: Sequence[Run], seconds: float, known: bool) -> Iterator[str]:
        """Say why a run says less than was hoped for."""
        if len(self._scrapes) < 2:
            yield "one scrape only: no run to report, the figures are what the server says about its past"
        elif not known:
            yield "this server tells no counts, so nothing can be subtracted: the figures are its own, since its start"
        elif all(run.accept_length is None and not run.drafted for run in runs):
            tokens = sum(t for run in runs if isinstance(t := run.reported.get("generated_tokens"), int | float))
            nothing = f"no speculative step in {seconds:.0f} s"
            yield (
                f"{nothing}, but {tokens:,.0f} tokens: the server does not speculate, or drafts nothing"
                if tokens
                else f"{nothing}: send requests while it is measured"
            )
        if self._course.idle and any(run.output_throughput for run in runs):
            idle, busy = self._course.idle, seconds - self._course.idle
            yield f"no request in {idle:.0f} of {seconds:.0f} s: the throughput is that of the other {busy:.0f} s"


def _window(seconds: float) -> str:
    return f"{seconds:.0f} s of a live server (all its traffic)"


def _idle(before: Document, after: Document, run: Run) -> bool:
    """Whether nothing ran in an interval: no token, and no request under way at either end, as far as the server tells."""
    return not run.reported.get("generated_tokens") and running(before) == 0 and running(after) == 0


def _speed(run: Run, seconds: float) -> float | None:
    tokens = run.reported.get("generated_tokens")
    return tokens / seconds if isinstance(tokens, int | float) and tokens and seconds > 0 else None
