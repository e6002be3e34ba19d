"""LMDeploy's log: throughput and, at the end of the same line, vLLM's "SpecDecoding metrics" text."""

import re

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._spec_lines import Lines
from hubcmp.engines._speeds import Speeds
from hubcmp.engines._text import blocks, figure, head, is_json
from hubcmp.errors import Problem
from hubcmp.readers import Reader, Reading

FORMAT = "lmdeploy.log"
_SPEED = re.compile(
    rb"Avg thr \(in/out\): [\d.]{1,20} / ([\d.]{1,20}) tokens/s, [^\n]{0,200}?Engine \(running/waiting\): (\d{1,7})"
)
PLAIN = "no speculative fields: a server without speculation; this is not a measured accept length of 1.0"


def recognises(document: Document) -> bool:
    """Return whether the head holds LMDeploy's throughput line."""
    start = head(document)
    return not is_json(start) and b"Avg thr (in/out): " in start


def read(document: Document) -> Reading:
    """Return one run per draft depth; the lines of several ranks are summed."""
    lines, speeds, number = Lines(), Speeds(), 1
    for block in blocks(document):
        count = block.count(b"\n")
        lines.add(block, number, count, cut=not block.endswith(b"\n"))
        for speed, running in _SPEED.findall(block) if speeds.constant else ():
            if int(running) and (value := figure(speed)):
                speeds.add(int(running), value)
        number += count
    base = Run(
        engine="lmdeploy",
        format=FORMAT,
        source=document.source,
        window="interval, summed",
        n_windows=speeds.lines or None,
        decode_throughput=speeds.mean,
        batch_size=speeds.batch,
        conditions={"engine": "lmdeploy", **({"batch_size": speeds.batch} if speeds.batch else {})},
        why={} if lines.depths else {"accept_length": PLAIN},
    )
    problems = () if lines.depths else (Problem(str(document.source), PLAIN),)
    return Reading(FORMAT, runs=tuple(lines.runs(base)) or (base,), problems=problems)


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read, lines=True)
