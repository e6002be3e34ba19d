"""Decode lines of one SGLang server, tallied: lines with equal printed figures are counted together and parsed once."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from hubcmp.engines._columns import Columns
from hubcmp.engines._columns import Row as Printed
from hubcmp.engines._samples import Samples
from hubcmp.engines._speeds import Speeds
from hubcmp.facts import Scalar

INTERVAL = 40
"""Decode iterations per line when the server arguments do not say (`decode_log_interval`)."""

_DECODE, _RUNNING, _LENGTH, _SPEED = (
    b"Decode batch",
    b"#running-req: ",
    b", accept len: ",
    b"gen throughput (token/s): ",
)
_REACH = 600
"""Bytes of one line behind "#running-req" that are looked at."""
_MANY = 20_000
"""Lines that are tallied before they are parsed."""
_FIGURES = re.compile(rb"(\d{1,6}),.{0,6}, accept len: (\d{1,3}\.\d\d)(?:, accept rate: (\d\.\d\d))?,", re.DOTALL)
_BATCH = rb"Decode batch[^\n]{0,40}?#running-req: (\d{1,6}),[^\n]{0,400}?"
_LINE = re.compile(_BATCH + rb", accept len: (\d{1,3}\.\d\d)(?:, accept rate: (\d\.\d\d))?, \w{1,12}")
_TIMED = re.compile(_BATCH + rb"gen throughput \(token/s\): (\d{1,9}\.\d\d)")
_TOKENS = re.compile(rb"#running-req: (\d{1,7}),[^\n]{0,600}?gen throughput \(token/s\): (\d{1,9}\.\d\d)")


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one decode line: running requests, accept length, accept rate (None where not printed)."""

    running: int
    length: float
    rate: float | None


@dataclass
class Windows:
    """The lines of one server; `count` with speculative fields, `plain` without; `lines` are the first and last line numbers.

    `weight` is the sum of running requests, `weighted` that of running requests x length; `rated` holds the sums
    (lines, length, rate) of the lines that print a rate. `pending` counts lines not yet parsed, `waiting` in all.
    """

    settings: dict[str, str]
    count: int = 0
    plain: int = 0
    weight: float = 0.0
    weighted: float = 0.0
    rated: tuple[float, ...] = (0.0, 0.0, 0.0)
    speeds: Speeds = field(default_factory=Speeds)
    samples: Samples = field(default_factory=Samples)
    lines: tuple[int, int] = (0, 0)
    pending: Counter[Printed] = field(default_factory=Counter)
    columns: Columns = field(default_factory=lambda: Columns(_DECODE, _LINE))
    timed: Columns = field(default_factory=lambda: Columns(_DECODE, _TIMED))
    waiting: int = 0

    def add(self, part: bytes, first_line: int, lines: int) -> None:
        """Count the decode lines among `lines` whole lines, the first of which has number `first_line`."""
        rows = self.columns.rows(part)
        rows = _single(part) if rows is None else rows
        plain = 0 if rows or self.count else part.count(_SPEED)
        if not rows and not plain:
            return
        self.plain += plain
        self._tally(rows)
        self._time(part)
        last = first_line + lines - part.count(b"\n", part.rfind(_RUNNING))
        self.lines = self.lines[0] or first_line + part.count(b"\n", 0, part.find(_RUNNING)), last

    def _tally(self, rows: list[Printed]) -> None:
        """Count equal lines: one by one while each is a unit of resampling, then many at a time, parsed once."""
        if self.samples.coarse:
            self.pending.update(rows)
            self.waiting += len(rows)
            if self.waiting >= _MANY:
                self.flush()
            return
        for printed in rows:
            self._count([(row, 1)] if (row := _row(printed)) else [])

    def flush(self) -> None:
        """Count what is pending, as one unit of resampling."""
        self._count([(row, n) for printed, n in self.pending.items() if (row := _row(printed))])
        self.pending.clear()
        self.waiting = 0

    def extend(self, later: "Windows", lines_before: int) -> None:
        """Add the lines of a later part of the same log, which has `lines_before` lines before it."""
        later.flush()
        self.count += later.count
        self.plain += later.plain
        self.weight += later.weight
        self.weighted += later.weighted
        self.rated = tuple(a + b for a, b in zip(self.rated, later.rated, strict=True))
        self.speeds.extend(later.speeds)
        self.samples.extend(later.samples)
        if later.lines[0]:
            self.lines = self.lines[0] or later.lines[0] + lines_before, later.lines[1] + lines_before

    def _count(self, tally: Sequence[tuple[Row, int]]) -> None:
        for row, n in tally:
            self.count += n
            self.weight += row.running * n
            self.weighted += row.running * row.length * n
            self.speeds.batches.add(row.running)
            if row.rate is not None:
                lines, length, rate = self.rated
                self.rated = lines + n, length + row.length * n, rate + row.rate * n
        steps = self.interval * sum(row.running * n for row, n in tally)
        self.samples.add(steps, self.interval * sum(row.running * (row.length - 1) * n for row, n in tally))

    def _time(self, part: bytes) -> None:
        """Add up the throughputs while the batch is constant."""
        if self.speeds.constant:
            rows = self.timed.rows(part)
            for running, speed in _TOKENS.findall(part) if rows is None else rows:
                self.speeds.add(int(running), float(speed))

    @property
    def interval(self) -> int:
        """Decode iterations per line."""
        stated = self.settings.get("decode_log_interval", "")
        return int(stated) if stated.isdigit() and 0 < len(stated) < 7 else INTERVAL

    @property
    def accept_length(self) -> float | None:
        """Mean of the lines' accept lengths, weighted by running requests."""
        return self.weighted / self.weight if self.weight else None

    @property
    def decode_throughput(self) -> float | None:
        """Mean tok/s of the decode lines of one rank; None when the batch varies or several ranks log their own share."""
        return self.speeds.mean if self.settings.get("dp_size", "1") == "1" else None


def _single(part: bytes) -> list[Printed]:
    """Return the figures of lines that are not all of one layout."""
    pieces = part.split(_RUNNING)
    keys = [p[:8] + p[i : i + 40] for p in pieces[1:] if (i := p.find(_LENGTH, 0, _REACH)) > 0]
    return [tuple(filter(None, found.groups())) for key in keys if (found := _FIGURES.match(key))]


@lru_cache(maxsize=1 << 16)
def _row(printed: Printed) -> Row | None:
    """Return the figures of a line: running requests, accept length, accept rate where printed; None for an odd one."""
    running, length, *rate = printed
    if float(length) < 1:
        return None
    return Row(int(running), float(length), float(rate[0]) if rate else None)


def rate_definition(windows: Windows, found: Mapping[str, Scalar]) -> dict[str, object]:
    """Return the mean printed rate with the definition that the rows obey.

    Until 0.5.5 it was (A+N)/(N x (num_steps+1)), until 0.5.10 (A+N)/(N x num_draft_tokens), from 0.5.11 on A/D.
    """
    lines, length, rate = windows.rated
    if not lines or not rate:
        return {}
    mean = {"accept_rate_mean_of_lines": rate / lines}
    nodes, steps = found.get("num_draft_tokens"), found.get("num_steps")
    texts = {"A/(N*(num_draft_tokens-1)), strict, SGLang 0.5.11 and later": (length - lines, _minus_one(nodes)),
             "(A+N)/(N*num_draft_tokens), counts the bonus token, SGLang 0.5.6 to 0.5.10": (length, nodes),
             "(A+N)/(N*(num_steps+1)), counts the bonus token, SGLang 0.5.4 and 0.5.5": (length, _plus_one(steps))}  # fmt: skip
    distance = {text: abs(total / n - rate) for text, (total, n) in texts.items() if isinstance(n, int) and n > 0}
    if not distance:
        return mean | {"accept_rate_definition": "not known: num_draft_tokens is not in the log"}
    return mean | {"accept_rate_definition": min(distance, key=lambda text: distance[text])}


def _minus_one(value: object) -> int | None:
    return value - 1 if isinstance(value, int) else None


def _plus_one(value: object) -> int | None:
    return value + 1 if isinstance(value, int) else None
