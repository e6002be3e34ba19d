"""llama.cpp's server log. At the default verbosity a request's steps are accepted / (mean length - 1), rounded."""

import re
from dataclasses import replace

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._llamacpp_lines import Acceptance
from hubcmp.engines._text import head, is_json, lines
from hubcmp.errors import Problem
from hubcmp.readers import Reader, Reading

FORMAT = "llamacpp.server_log"
FEW = 0.05
"""Share of drafted tokens in requests without known steps up to which their steps are taken from the others' ratio."""
PLAIN = "no draft acceptance lines: a server without speculation; this is not a measured accept length of 1.0"


def recognises(document: Document) -> bool:
    """Return whether the head holds a request's or a server's acceptance, or a request's timing."""
    start = head(document)
    acceptance = re.search(rb"draft acceptance(?: rate)? {0,4}= |#gen drafts = |\bprint_timing: ", start)
    return not is_json(start) and bool(acceptance)


def read(document: Document) -> Reading:
    """Return one run over all requests; cumulative statistics lines are never added up."""
    found = Acceptance()
    for number, line in enumerate(lines(document), 1):
        found.add(number, line)
    counted = found.counted()
    source = document.source.at("lines {}-{}".format(*found.span)) if found.span[0] else document.source
    base = Run(
        engine="llama.cpp",
        format=FORMAT,
        source=source,
        window="per request",
        n_requests=found.requests or None,
        conditions={"engine": "llama.cpp", **({"simulated_acceptance": True} if found.simulated else {})},
    )
    if counted is None and not found.requests:
        return Reading(FORMAT, runs=(base,), problems=(Problem(str(document.source), PLAIN),))
    samples = found.steps.samples.freeze() if not found.unknown else ()
    run = (
        replace(counted.fill(replace(base, kind="exact")), samples=samples) if counted else _from_requests(base, found)
    )
    return Reading(FORMAT, runs=(run,))


def _from_requests(base: Run, found: Acceptance) -> Run:
    """Return the run of the per-request lines alone."""
    sums = replace(
        base,
        kind="derived",
        weighting="drafted tokens",
        drafted=found.drafted,
        accepted=found.accepted,
        draft_acceptance_rate=found.accepted / found.drafted if found.drafted else None,
    )
    if not found.steps.steps or found.unknown > FEW * found.drafted:
        why = {"accept_length": "the log does not tell the verify steps of its requests"}
        return replace(sums, why={name: why["accept_length"] for name in ("steps", "accept_length", "per_position")})
    filled = found.steps.fill(sums)
    if not found.unknown:
        return filled
    steps = found.steps.steps * found.drafted / (found.drafted - found.unknown)
    return replace(
        sums,
        weighting="steps",
        accept_length=1 + found.accepted / steps,
        why={
            "steps": "a request without an accepted draft does not tell its steps; taken from the others' drafted tokens per step"
        },
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read, lines=True)
