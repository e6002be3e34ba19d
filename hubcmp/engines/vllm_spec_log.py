"""vLLM's server log (V1 engine): "SpecDecoding metrics" every ten seconds, and the throughput of the same interval."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._spans import spans
from hubcmp.engines._spec_lines import Depth, Lines
from hubcmp.engines._speeds import Speeds
from hubcmp.engines._text import figure, head, is_json
from hubcmp.engines._vllm_config import conditions, settings, version
from hubcmp.errors import Problem
from hubcmp.readers import Reader, Reading

FORMAT = "vllm.spec_log"
_SPEED = re.compile(
    rb"(?:Engine (\d{1,4}): )?Avg prompt throughput: [\d.]{1,20} tokens/s, Avg generation throughput: ([\d.]{1,20}) tokens/s, "
    rb"Running: (\d{1,7}) reqs"
)
START_UP = 128
"""Blocks of a log's (or span's) start in which the server may say what it is."""
PLAIN = "no speculative lines: a server without speculation; this is not a measured accept length of 1.0"


def recognises(document: Document) -> bool:
    """Return whether the head holds vLLM's interval lines (LMDeploy puts the same text behind its own throughput)."""
    start = head(document)
    if is_json(start) or b"Speculative metrics: " in start:
        return False
    return bool(
        re.search(rb"(?m)^(?![^\n]*Avg thr \(in/out\))[^\n]*SpecDecoding metrics: ", start) or _SPEED.search(start)
    )


def read(document: Document) -> Reading:
    """Return one run per draft depth; the lines of several engines are summed."""
    whole = Part()
    for part in spans(document, scan):
        whole.extend(part)
    lines, interval, raw = whole.lines, whole.interval, whole.settings
    base = Run(
        engine="vllm",
        format=FORMAT,
        source=document.source,
        engine_version=whole.release,
        window="interval (about 10 s per line), summed",
        n_windows=interval.lines or None,
        decode_throughput=interval.throughput,
        batch_size=interval.speeds.batch,
        conditions={**conditions(raw), **({"batch_size": interval.speeds.batch} if interval.speeds.batch else {})},
        settings=raw,
    )
    runs = tuple(_defined(run, group) for run, group in zip(lines.runs(base), lines.depths.values(), strict=True))
    return Reading(
        FORMAT, runs=runs or (replace(base, why={"accept_length": PLAIN}),), problems=_problems(document, lines)
    )


@dataclass
class Part:
    """Some consecutive lines of a log: speculative lines, throughput lines, what the server says of itself; how many lines."""

    lines: Lines = field(default_factory=Lines)
    interval: "Interval" = field(default_factory=lambda: Interval())
    settings: dict[str, str] = field(default_factory=dict)
    release: str | None = None
    count: int = 0

    def extend(self, later: "Part") -> None:
        """Add a later part of the same log."""
        self.lines.extend(later.lines, self.count)
        self.interval.extend(later.interval)
        self.settings = self.settings or later.settings
        self.release = self.release or later.release
        self.count += later.count


def scan(content: Iterable[bytes]) -> Part:
    """Read consecutive blocks of whole lines."""
    part = Part()
    for number, block in enumerate(content):
        if number < START_UP:
            part.settings = part.settings or settings(block)
            part.release = part.release or version(block)
        count = block.count(b"\n")
        part.lines.add(block, part.count + 1, count, cut=not block.endswith(b"\n"))
        if number < START_UP or part.interval.lines:
            part.interval.add(block)
        part.count += count
    return part


@dataclass
class Interval:
    """The throughput lines; idle intervals do not count, and several engines have no common throughput line."""

    speeds: Speeds = field(default_factory=Speeds)
    engines: set[bytes] = field(default_factory=set)
    lines: int = 0

    def add(self, block: bytes) -> None:
        """Add the lines of one block while the batch is constant."""
        if not self.speeds.constant or b"Avg generation throughput: " not in block:
            return
        for engine, speed, running in _SPEED.findall(block):
            value = figure(speed)
            if int(running) and value:
                self.lines += 1
                self.engines.add(engine)
                self.speeds.add(int(running), value)

    def extend(self, later: "Interval") -> None:
        """Add the lines of a later part of the same log."""
        self.speeds.extend(later.speeds)
        self.engines |= later.engines
        self.lines += later.lines

    @property
    def throughput(self) -> float | None:
        """Mean tok/s of one engine's lines at a constant batch."""
        return self.speeds.mean if len(self.engines) == 1 else None


def _defined(run: Run, group: Depth) -> Run:
    """Add what the printed length means: 0.8.5 leaves the bonus token out, and only the rows tell."""
    lines, printed, with_bonus = group.lengths
    if not group.depth:
        return _rate_only(run)
    if not printed:
        return run
    mean, without = printed / lines, abs(printed - with_bonus + lines) < abs(printed - with_bonus)
    definition = "A/N, without the bonus token (vLLM 0.8.5)" if without else "1 + A/N"
    return replace(run, reported={"mean_of_lines": mean, "acceptance_length_definition": definition})


def _rate_only(run: Run) -> Run:
    """vLLM up to 0.8.4 prints a rate and no positions; the length follows only if every draft had the configured tokens."""
    depth, rate = run.conditions.get("num_speculative_tokens"), run.draft_acceptance_rate
    run = replace(run, num_spec_tokens=depth if isinstance(depth, int) else None)
    if not isinstance(depth, int) or rate is None:
        return run
    return replace(run, reported={"accept_length_if_every_draft_had_the_configured_tokens": 1 + depth * rate})


def _problems(document: Document, lines: Lines) -> tuple[Problem, ...]:
    return () if lines.depths else (Problem(str(document.source), PLAIN),)


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read, lines=True)
