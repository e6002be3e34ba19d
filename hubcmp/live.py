"""Live servers: the scrapes of one server over time, and the run between the first and the last of them.

Pure: whoever polls adds scrapes with the second at which they came. A restart begins a new run, a server that stops
answering ends it at its last scrape, and a gauge that stands still is counted once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hubcmp.acceptance import Run, Sample
from hubcmp.document import Document
from hubcmp.errors import Problem
from hubcmp.measurements import Benchmark, counts, read

MOST_POINTS = 10_000
"""Intervals that are kept; two hours at the usual pace are below it."""
_GAUGE = "gauge_accept_length_last_interval"


@dataclass(frozen=True, slots=True)
class Point:
    """What happened in the interval that ended at `second`: None where there was no traffic or the source cannot tell."""

    second: float
    accept_length: float | None = None
    per_position: tuple[float, ...] = ()
    throughput: float | None = None


@dataclass(slots=True)
class Session:
    """The scrapes of one server. `text` is how the server is shown."""

    text: str
    points: list[Point] = field(default_factory=list)
    _scrapes: list[tuple[float, Document]] = field(default_factory=list)
    _samples: list[Sample] = field(default_factory=list)
    _gauges: list[float] = field(default_factory=list)
    _notes: list[str] = field(default_factory=list)

    def add(self, document: Document, second: float) -> None:
        """Take the scrape of one moment, in order of time."""
        if not self._scrapes:
            self._scrapes = [(second, document)]
            return
        began, before = self._scrapes[-1]
        found = read([before, document], self.text) if counts(document) else None
        if found is not None and not found.runs:
            self._notes.append(f"the server restarted within {second:.0f} s: what it did before is left out")
            self._scrapes, self._samples, self._gauges = [(second, document)], [], []
            return
        self._scrapes = [self._scrapes[0], (second, document)]
        self._learn(found.runs if found else read([document], self.text).runs, second, second - began, bool(found))

    def missed(self, second: float, why: str) -> None:
        """Note that a scrape failed; the run goes on with the next one that comes."""
        note = f"no answer from {second:.0f} s on: {why}"
        if not self._notes or not self._notes[-1].startswith("no answer"):
            self._notes.append(note)

    def benchmark(self) -> Benchmark:
        """Return the run so far in the normal form."""
        documents = [document for _, document in self._scrapes]
        counted = len(documents) > 1 and counts(documents[-1])
        found = read(documents if counted else documents[-1:], self.text)
        seconds = self._scrapes[-1][0] - self._scrapes[0][0]
        runs = tuple(self._completed(run, seconds) for run in found.runs) if counted else found.runs
        notes = [*self._notes, *_silences(runs, seconds, counted, len(documents))]
        problems = (*found.problems, *(Problem(self.text, note) for note in notes))
        window = runs[0].window if len({run.window for run in runs}) == 1 else None
        return replace(found, runs=runs, problems=problems, window=window)

    def _learn(self, runs: Sequence[Run], second: float, seconds: float, counted: bool) -> None:
        """Keep what one interval tells: its point, its unit of resampling, its gauge."""
        if not runs or len(self.points) >= MOST_POINTS:
            return
        run = runs[0]
        gauge = run.reported.get(_GAUGE)
        if isinstance(gauge, float) and self._gauges[-1:] != [gauge]:
            self._gauges.append(gauge)
        if run.steps and run.accept_length is not None:
            self._samples.append(Sample(run.steps, run.steps * (run.accept_length - 1)))
        length = run.accept_length if run.accept_length is not None or not isinstance(gauge, float) else gauge
        self.points.append(Point(second, length, run.per_position or (), _speed(run, seconds) if counted else None))

    def _completed(self, run: Run, seconds: float) -> Run:
        """Give a run what only time and the polls in between tell."""
        window = f"{seconds:.0f} s of a live server (all its traffic)"
        run = replace(run, window=window, output_throughput=_speed(run, seconds), samples=tuple(self._samples))
        if run.accept_length is not None or not self._gauges:
            return run
        mean = sum(self._gauges) / len(self._gauges)
        rate = (mean - 1) / run.num_spec_tokens if run.num_spec_tokens else None
        way, why = "mean of the gauge, once per change", {k: v for k, v in run.why.items() if k != "accept_length"}
        return replace(run, kind="reported", accept_length=mean, draft_acceptance_rate=rate, weighting=way, why=why,
                       n_windows=len(self._gauges))  # fmt: skip


def _speed(run: Run, seconds: float) -> float | None:
    tokens = run.reported.get("generated_tokens")
    return tokens / seconds if isinstance(tokens, int | float) and tokens and seconds > 0 else None


def _silences(runs: Sequence[Run], seconds: float, counted: bool, scrapes: int) -> list[str]:
    """Say why a run says less than was hoped for."""
    if scrapes < 2:
        return ["one scrape only: no run to report, the figures are what the server says about its past"]
    if not counted:
        return ["this server tells no counts, so nothing can be subtracted: the figures are its own, since its start"]
    if runs and all(run.accept_length is None and not run.drafted for run in runs):
        return [f"no speculative step in {seconds:.0f} s: send requests while it is measured"]
    return []
