"""Watching benchmark sources for a while: poll, show, wait; an interrupt ends it and the result still comes out."""

import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from hubcmp.errors import UsageError

if TYPE_CHECKING:
    from hubcmp.answers import Benchmarks
    from hubcmp.feeds import Feed
    from hubcmp.sources import Access

EVERY = 5.0
"""Seconds between two looks: about the interval at which engines renew their gauges."""
MOST_WORDS = 20
"""Outages that are told while they happen."""
LEAST = 0.2
LONGEST = 30 * 86400.0
_UNITS = {"": 1, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as the loop sees it, so that a test need not wait."""

    now: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = time.sleep


class Duration(click.ParamType[float]):
    """A time: 60s, 5m, 1h, or bare seconds."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds; says how a time is written otherwise."""
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"(\d{1,7}(?:\.\d{1,3})?)\s?([a-z]{0,3})", str(value).strip())
        seconds = float(found[1]) * _UNITS.get(found[2], 0) if found else 0.0
        if not LEAST <= seconds <= LONGEST:
            self.fail(f"{value}: write a time such as 60s, 5m or 1h")
        return seconds


@dataclass(frozen=True, slots=True)
class Watching:
    """What the options of `watch_options` ask for; false when they ask for nothing."""

    seconds: float | None = None
    every: float = EVERY
    watch: bool = False
    follow: bool = False
    idle: float | None = None

    def __bool__(self) -> bool:
        return bool(self.seconds or self.idle) or self.watch or self.follow

    def answer(self, sources: Sequence[str], plains: Sequence[str], access: "Access") -> "Benchmarks":
        """Watch the sources, and plain decoding beside them, and return what was measured.

        Raises UsageError for a call that would wait for nothing.
        """
        from hubcmp import api
        from hubcmp.feeds import StillFeed, feed

        self._check((*sources, *plains))
        feeds = [feed(text, self.follow, access.offline) for text in (*sources, *plains)]
        if not all(isinstance(f, StillFeed) for f in feeds):
            loop(feeds, self)
        found = [feed.benchmark() for feed in feeds]
        return api.measured(found[: len(sources)], found[len(sources) :])

    def is_over(self, second: float, news: float) -> bool:
        """Whether it ends at `second`, when the last news came at `news`."""
        late = self.seconds is not None and second >= self.seconds
        return late or (self.idle is not None and second - news >= self.idle)

    def pause(self, second: float) -> float:
        """Return how long to wait for the next look."""
        return self.every if self.seconds is None else min(self.every, self.seconds - second)

    def _check(self, sources: Sequence[str]) -> None:
        from hubcmp.sources._endpoint import is_endpoint
        from hubcmp.sources._tail import can_grow

        live = [text for text in sources if is_endpoint(text)]
        if not live and not self.follow:
            raise UsageError(
                "nothing to wait for: give a server's address (http://host:port), or --follow for a growing log"
            )
        if self.follow and not any(can_grow(text) for text in sources if text not in live):
            raise UsageError(
                "--follow is for growing logs, each a file: no server (--watch or --for does that), pattern or pipe"
            )


def watch_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that watch sources for a while; the command gets them as `watching`."""

    @wraps(command)
    def run(
        *args: Any, seconds: float | None, every: float, watch: bool, follow: bool, idle: float | None, **rest: Any
    ) -> None:
        command(*args, watching=Watching(seconds, every, watch, follow, idle), **rest)

    told = "Measure a server's run of this length (60s, 5m), or until Ctrl-C."
    ending = "End once nothing new came for this long: the load is over, or the log's writer is done."
    for option in (
        click.option(
            "--every", type=Duration(), default=EVERY, metavar="TIME", help="Time between two looks; default 5s."
        ),
        click.option("--until-idle", "idle", type=Duration(), metavar="TIME", help=ending),
        click.option("--follow", is_flag=True, help="Read a log on while it grows, until Ctrl-C or --for."),
        click.option("--watch", is_flag=True, help="Show a live table until Ctrl-C or --for."),
        click.option("--for", "seconds", type=Duration(), metavar="TIME", help=told),
    ):
        run = option(run)
    return run


def loop(feeds: "Sequence[Feed]", watching: Watching, clock: Clock | None = None) -> None:
    """Look at every feed until it is over, or for ever; an interrupt ends it."""
    clock = clock or Clock()
    began = clock.now()
    with _shown(feeds) if watching.watch and sys.stderr.isatty() else _told(feeds) as refresh:
        try:
            while True:
                for feed in feeds:
                    feed.poll(clock.now() - began)
                second = clock.now() - began
                refresh(second)
                if watching.is_over(second, max(feed.news for feed in feeds)):
                    return
                clock.wait(watching.pause(second))
        except KeyboardInterrupt:
            return


@contextmanager
def _told(feeds: "Sequence[Feed]") -> Iterator[Callable[[float], None]]:
    """Say on stderr, once, what stops answering: who measures for hours should not learn it at the end."""
    from hubcmp.renderers._plain import visible

    seen: set[tuple[str, str]] = set()
    if sys.stderr.isatty():
        click.echo("hubcmp: measuring; Ctrl-C ends and reports", err=True)

    def refresh(second: float) -> None:
        """Look for what is new."""
        for feed in feeds:
            if feed.status and (feed.text, feed.status) not in seen and len(seen) < MOST_WORDS:
                seen.add((feed.text, feed.status))
                click.echo(f"hubcmp: {visible(feed.text)}: {visible(feed.status)}", err=True)

    yield refresh


@contextmanager
def _shown(feeds: "Sequence[Feed]") -> Iterator[Callable[[float], None]]:
    """Draw the table on stderr and renew it at each look."""
    from rich.console import Console
    from rich.live import Live

    from hubcmp.renderers._watched import table

    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        yield lambda second: live.update(table(feeds, second, live.console.width), refresh=True)
