"""What can be watched: a server that is polled, a log that grows, or a file that stays as it is."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from hubcmp import measurements
from hubcmp.document import BytesDocument
from hubcmp.errors import Problem, SourceError
from hubcmp.exchange import benchmark, readable
from hubcmp.live import Point, Session
from hubcmp.measurements import Benchmark
from hubcmp.sources._endpoint import Endpoint, find, is_endpoint, shown
from hubcmp.sources._tail import Tail

MOST_POINTS = 10_000


class Feed(Protocol):
    """One watched source. `text` is how it is shown, `points` what its intervals were like."""

    @property
    def text(self) -> str:
        """How the source is shown."""

    @property
    def points(self) -> Sequence[Point]:
        """One point per interval with news."""

    def poll(self, second: float) -> None:
        """Look once; a failure is noted, never raised."""

    def benchmark(self) -> Benchmark:
        """Return the result so far in the normal form."""


@dataclass(slots=True)
class ServerFeed:
    """A server's metrics."""

    endpoint: Endpoint
    session: Session
    waiting: BytesDocument | None
    """The reply that showed where the server answers: the first scrape."""

    @property
    def text(self) -> str:
        """The server's address."""
        return self.session.text

    @property
    def points(self) -> Sequence[Point]:
        """One point per scrape after the first."""
        return self.session.points

    def poll(self, second: float) -> None:
        """Scrape once."""
        try:
            reply, self.waiting = self.waiting or self.endpoint.scrape(), None
            if readable(reply):
                self.session.add(reply, second)
            else:
                self.session.missed(second, "the reply is of no known engine")
        except SourceError as error:
            self.session.missed(second, str(error))

    def benchmark(self) -> Benchmark:
        """Return the run between the first and the last scrape."""
        return self.session.benchmark()


@dataclass(slots=True)
class LogFeed:
    """A log that grows: its new lines while it is watched, and at last all of it."""

    text: str
    tail: Tail
    points: list[Point] = field(default_factory=list)
    lost: str = ""

    def poll(self, second: float) -> None:
        """Read the lines since the last look."""
        try:
            news = self.tail.new()
        except SourceError as error:
            self.lost = str(error)
            return
        runs = measurements.read([news], self.text).runs if readable(news) else ()
        if runs and len(self.points) < MOST_POINTS:
            run = runs[-1]
            speed = run.output_throughput if run.output_throughput is not None else run.decode_throughput
            self.points.append(Point(second, run.accept_length, run.per_position or (), speed))

    def benchmark(self) -> Benchmark:
        """Return the whole log's result."""
        found = benchmark(self.text)
        notes = [self.lost] if self.lost else []
        if self.tail.began_anew:
            notes.append("the log was rotated or truncated while it was followed: only the new file is in the figures")
        return replace(found, problems=(*found.problems, *(Problem(self.text, note) for note in notes)))


@dataclass(slots=True)
class StillFeed:
    """A source that does not change, or could not be opened."""

    text: str
    found: Benchmark
    points: tuple[Point, ...] = ()

    def poll(self, second: float) -> None:
        """Do nothing: there is nothing new."""

    def benchmark(self) -> Benchmark:
        """Return its result."""
        return self.found


def feed(text: str, follow: bool) -> Feed:
    """Return the feed of one benchmark source; `follow` says that files grow."""
    try:
        if is_endpoint(text):
            endpoint, reply = find(text, readable)
            if not readable(reply):
                raise SourceError(f"{endpoint.ref}: answers, but with nothing of a known engine", "absent")
            return ServerFeed(endpoint, Session(endpoint.ref), reply)
    except SourceError as error:
        return StillFeed(shown(text), measurements.failed(shown(text), Problem(shown(text), str(error), failed=True)))
    return LogFeed(text, Tail(text)) if follow and text != "-" else StillFeed(text, benchmark(text))
