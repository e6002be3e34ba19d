"""SGLang's server log: one "Decode batch" line per 40 decode iterations and rank, with the interval's accept length.

The line prints neither steps nor accepted drafts. Each line covers about interval x #running-req verify steps, so lines
are weighted by #running-req. The label "accept rate" has had three definitions; the file's own rows tell which.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._sglang import arguments, conditions, drafted_per_step
from hubcmp.engines._sglang_windows import Windows, rate_definition
from hubcmp.engines._spans import spans
from hubcmp.engines._text import LINE_LIMIT, head, is_json
from hubcmp.errors import Problem
from hubcmp.readers import Reader, Reading

FORMAT = "sglang.decode_log"

_SEEN = re.compile(rb"Decode batch[., \[][^\n]{0,80}#running-req: \d")
START_UP = 128
"""Blocks of a log's (or span's) start that are searched for launch commands and environment, not only for server arguments."""

_LINE_END = re.compile(rb"[\r\n]")
_ARGUMENTS = re.compile(rb"server_args=|--speculative-num-steps")
_SIMULATED = re.compile(rb"(?i)simulate_acc_(?:len|method)\W{1,4}(?!None|-1)\w")


def recognises(document: Document) -> bool:
    """Return whether a decode line stands in the head."""
    start = head(document)
    return not is_json(start) and bool(_SEEN.search(start))


def read(document: Document) -> Reading:
    """Return one run per server configuration: restarts with equal speculation settings are one run."""
    servers: dict[tuple[tuple[str, str], ...], Windows] = {}
    current, before, simulated = servers.setdefault((), Windows({})), 0, False
    for part in spans(document, scan):
        for at, windows in enumerate(part.servers):
            if at > 0:
                key = tuple(item for item in windows.settings.items() if item[0].startswith("speculative_"))
                current = servers.setdefault(key, Windows(windows.settings))
            current.extend(windows, before)
        before += part.lines
        simulated = simulated or part.simulated
    used = [w for w in servers.values() if w.count or w.plain]
    return Reading(FORMAT, runs=tuple(_run(document, w, simulated) for w in used), problems=_problems(document, used))


@dataclass
class Part:
    """Some consecutive lines of a log: the server that was running, then every server started in them; how many lines."""

    servers: list[Windows]
    lines: int = 0
    simulated: bool = False


def scan(content: Iterable[bytes]) -> Part:
    """Read consecutive blocks of whole lines."""
    part = Part([Windows({})])
    for number, block in enumerate(content):
        starts = _starts(block, early=number < START_UP)
        for first, last in zip([0, *starts], [*starts, len(block)], strict=True):
            if first in starts:
                part.servers.append(Windows(_settings(block[first : first + LINE_LIMIT])))
            lines = block[first:last] if starts else block
            count = lines.count(b"\n")
            part.servers[-1].add(lines, part.lines + 1, count)
            part.lines += count
        if number < START_UP or starts:
            part.simulated = part.simulated or simulates(block)
    return part


def simulates(block: bytes) -> bool:
    """Return whether a line switches simulated acceptance on."""
    return (b"imulate_acc_" in block or b"SIMULATE_ACC_" in block) and bool(_SIMULATED.search(block))


def _starts(block: bytes, early: bool) -> list[int]:
    """Return the offsets of the lines with server arguments; launch commands are looked for in the start-up only."""
    if b"server_args=" not in block and not (early and b"--speculative-num-steps" in block):
        return []
    starts: list[int] = []
    found = _ARGUMENTS.search(block)
    while found:
        starts.append(max(block.rfind(end, 0, found.start()) for end in (b"\n", b"\r")) + 1)
        behind = _LINE_END.search(block, found.end())
        found = _ARGUMENTS.search(block, behind.end()) if behind else None
    return starts


def _settings(rest: bytes) -> dict[str, str]:
    return arguments(_LINE_END.split(rest, 1)[0].decode("utf-8", "replace"))


def _run(document: Document, windows: Windows, simulated: bool) -> Run:
    """Bring one server's windows to the normal form."""
    found = conditions(windows.settings)
    nodes = drafted_per_step(found)
    length = windows.accept_length
    if windows.speeds.batch is not None:
        found["batch_size"] = windows.speeds.batch
    if simulated:
        found["simulated_acceptance"] = True
    return Run(
        engine="sglang",
        format=FORMAT,
        source=document.source.at("lines {}-{}".format(*windows.lines)),
        kind="derived",
        weighting="windows by running requests" if length is not None else None,
        window="interval (one line per decode log interval and rank)",
        n_windows=windows.count or windows.plain,
        num_spec_tokens=nodes if length is not None else None,
        accept_length=length,
        draft_acceptance_rate=(length - 1) / nodes if length is not None and nodes else None,
        decode_throughput=windows.decode_throughput,
        batch_size=windows.speeds.batch,
        conditions=found,
        settings=windows.settings,
        reported=rate_definition(windows, found),
        samples=windows.samples.freeze(),
        why=_why(length, nodes),
    )


def _why(length: float | None, nodes: int | None) -> dict[str, str]:
    """Say why figures are missing."""
    why = {
        name: "the decode line prints means, not counts" for name in ("steps", "drafted", "accepted", "per_position")
    }
    if length is None:
        why["accept_length"] = "no speculative fields: a server without speculation"
    elif nodes is None:
        why["draft_acceptance_rate"] = "the number of draft tokens is not in the log (no server_args line)"
    return why


def _problems(document: Document, used: list[Windows]) -> tuple[Problem, ...]:
    if any(w.count for w in used) or not used:
        return ()
    message = "no speculative fields: a server without speculation; this is not a measured accept length of 1.0"
    return (Problem(str(document.source), message),)


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read, lines=True)
