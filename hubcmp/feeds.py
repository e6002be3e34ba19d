"""What can be watched: a server that is polled, a log that grows, or a file that stays as it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from hubcmp import measurements
from hubcmp.errors import Problem, SourceError
from hubcmp.exchange import benchmark, readable
from hubcmp.live import Point, Session, keep
from hubcmp.measurements import Benchmark
from hubcmp.sources._endpoint import Endpoint, find, is_endpoint, shown
from hubcmp.sources._tail import MOST_PARTS, Tail, can_grow


class Feed(Protocol):
    """One watched source."""

    @property
    def text(self) -> str:
        """How the source is shown."""

    @property
    def points(self) -> Sequence[Point]:
        """One point per interval with news, the last ones."""

    @property
    def news(self) -> float:
        """The second at which it last said something new."""

    @property
    def status(self) -> str:
        """What is wrong with it at the moment, or ""."""

    def poll(self, second: float) -> None:
        """Look once; a failure is noted, never raised."""

    def benchmark(self) -> Benchmark:
        """Return the result so far in the normal form."""


@dataclass(slots=True)
class ServerFeed:
    """A server's metrics."""

    endpoint: Endpoint
    session: Session

    @property
    def text(self) -> str:
        """The server's address."""
        return self.session.text

    @property
    def points(self) -> Sequence[Point]:
        """One point per scrape after the first."""
        return self.session.points

    @property
    def news(self) -> float:
        """When its counters last grew."""
        return self.session.news

    @property
    def status(self) -> str:
        """Since when it does not answer, and why."""
        return self.session.status

    def poll(self, second: float) -> None:
        """Scrape once."""
        try:
            reply = self.endpoint.scrape()
        except SourceError as error:
            self.session.missed(second, str(error).removeprefix(f"{self.text}: "))
            return
        if readable(reply) or self.session.understands(reply):
            self.session.add(reply, second)
        else:
            self.session.missed(second, "the reply is of no known engine")

    def benchmark(self) -> Benchmark:
        """Return the run between the first and the last scrape."""
        return self.session.benchmark()


@dataclass(slots=True)
class LogFeed:
    """A log that grows: its new lines while it is watched, and at last all of it."""

    text: str
    tail: Tail
    points: list[Point] = field(default_factory=list)
    news: float = 0.0
    status: str = ""

    def poll(self, second: float) -> None:
        """Read the lines since the last look."""
        try:
            lines = self.tail.new()
        except SourceError as error:
            self.status = str(error).removeprefix(f"{self.text}: ")
            return
        self.status = ""
        self.news = second if lines.size else self.news
        runs = measurements.read([lines], self.text).runs if readable(lines) else ()
        if runs:
            run = runs[-1]
            speed = run.output_throughput if run.output_throughput is not None else run.decode_throughput
            keep(self.points, Point(second, run.accept_length, run.per_position or (), speed))

    def benchmark(self) -> Benchmark:
        """Return the whole log's result, rotated parts included."""
        whole = self.tail.whole() if self.status or self.tail.is_rotated() else None
        found = benchmark(self.text) if whole is None else measurements.read([whole], self.text)
        return replace(found, problems=(*found.problems, *(Problem(self.text, note) for note in self._losses())))

    def _losses(self) -> Iterator[str]:
        if self.status and self.tail.whole() is not None:
            yield f"{self.status} The figures are those of what was read"
        if self.tail.truncated:
            yield "the log was truncated while it was followed: what stood in it before is not in the figures"
        if self.tail.dropped:
            yield f"only the last {MOST_PARTS} of the log's rotated parts are in the figures"


@dataclass(slots=True)
class StillFeed:
    """A source that does not change, or could not be opened."""

    text: str
    found: Benchmark
    points: tuple[Point, ...] = ()
    news: float = 0.0
    status: str = ""

    def poll(self, second: float) -> None:
        """Do nothing: there is nothing new."""

    def benchmark(self) -> Benchmark:
        """Return its result."""
        return self.found


def feed(text: str, follow: bool, offline: bool = False) -> Feed:
    """Return the feed of one benchmark source; `follow` says that files grow, `offline` that no server is asked."""
    try:
        if is_endpoint(text):
            endpoint, reply = find(text, readable, offline)
            if not readable(reply):
                raise SourceError(f"{endpoint.ref}: answers, but with nothing of a known engine", "absent")
            return ServerFeed(endpoint, Session(endpoint.ref))
    except SourceError as error:
        return StillFeed(shown(text), measurements.failed(shown(text), Problem(shown(text), str(error), failed=True)))
    return LogFeed(text, Tail(text)) if follow and can_grow(text) else StillFeed(text, benchmark(text))
