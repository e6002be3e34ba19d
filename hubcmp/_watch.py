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

EVERY = 5.0
"""Seconds between two looks: about the interval at which engines renew their gauges."""
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

    def __bool__(self) -> bool:
        return bool(self.seconds) or self.watch or self.follow

    def answer(self, sources: Sequence[str], plains: Sequence[str]) -> "Benchmarks":
        """Watch the sources and return what was measured. Raises UsageError for a call that would wait for nothing."""
        from hubcmp import api
        from hubcmp.feeds import StillFeed, feed

        self._check(sources)
        feeds = [feed(text, self.follow) for text in sources]
        if not all(isinstance(f, StillFeed) for f in feeds):
            loop(feeds, self.seconds, self.every, self.watch and sys.stderr.isatty())
        return api.measured([feed.benchmark() for feed in feeds], [api.benchmark(text) for text in plains])

    def _check(self, sources: Sequence[str]) -> None:
        from hubcmp.sources._endpoint import is_endpoint

        live = [text for text in sources if is_endpoint(text)]
        if not live and not self.follow:
            raise UsageError(
                "nothing to wait for: give a server's address (http://host:port), or --follow for a growing log"
            )
        if self.follow and len(live) == len(sources):
            raise UsageError("--follow is for growing logs; a server is watched with --watch or --for")


def watch_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that watch sources for a while; the command gets them as `watching`."""

    @wraps(command)
    def run(*args: Any, seconds: float | None, every: float, watch: bool, follow: bool, **rest: Any) -> None:
        command(*args, watching=Watching(seconds, every, watch, follow), **rest)

    told = "Measure a server's run of this length (60s, 5m), or until Ctrl-C."
    for option in (
        click.option(
            "--every", type=Duration(), default=EVERY, metavar="TIME", help="Time between two looks; default 5s."
        ),
        click.option("--follow", is_flag=True, help="Read a log on while it grows, until Ctrl-C or --for."),
        click.option("--watch", is_flag=True, help="Show a live table until Ctrl-C or --for."),
        click.option("--for", "seconds", type=Duration(), metavar="TIME", help=told),
    ):
        run = option(run)
    return run


def loop(feeds: "Sequence[Feed]", seconds: float | None, every: float, show: bool, clock: Clock | None = None) -> None:
    """Look at every feed until the time is over, or for ever; an interrupt ends it."""
    clock = clock or Clock()
    began = clock.now()
    with _shown(feeds) if show else _silent() as refresh:
        try:
            while True:
                second = clock.now() - began
                for feed in feeds:
                    feed.poll(second)
                refresh(second)
                left = every if seconds is None else seconds - second
                if left <= 0:
                    return
                clock.wait(min(every, left))
        except KeyboardInterrupt:
            return


@contextmanager
def _silent() -> Iterator[Callable[[float], None]]:
    yield lambda second: None


@contextmanager
def _shown(feeds: "Sequence[Feed]") -> Iterator[Callable[[float], None]]:
    """Draw the table on stderr and renew it at each look."""
    from rich.console import Console
    from rich.live import Live

    from hubcmp.renderers._watched import table

    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        yield lambda second: live.update(table(feeds, second), refresh=True)
