"""What vLLM's offline examples print after a run: the counters, and the acceptance at each token."""

import re
from dataclasses import replace

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts, ratio
from hubcmp.engines._text import REPORT_LIMIT, figure, head, is_json, measured, pairs, text
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "vllm.offline_example"
_POSITION = re.compile(r"(?m)^acceptance at (?:token|position) \d{1,3}: {0,10}(\d(?:\.\d{1,6})?)[ \t]{0,10}$")


def recognises(document: Document) -> bool:
    """Return whether the head holds the printed counters, in one of the two wordings."""
    start = head(document)
    first = re.search(rb"(?m)^num_drafts: ?\d", start) or re.search(rb"(?m)^acceptance at token 0: ?\d", start)
    second = b"Speculative Decoding Stats" in start or re.search(rb"(?m)^ {0,8}Draft utilization rate:", start)
    return not is_json(start) and bool(first or second)


def read(document: Document) -> Reading:
    """Return the whole offline run."""
    report = text(document, REPORT_LIMIT)
    values = pairs(report)
    n = measured(values, "num_drafts", "number of drafts")
    drafted = measured(values, "num_draft_tokens", "draft tokens generated")
    taken = measured(values, "num_accepted_tokens", "accepted tokens")
    places = [figure(p) or 0.0 for p in _POSITION.findall(report)]
    total = Counts()
    if n and taken is not None:
        total.add(n, taken, drafted, [p * n for p in places])
    depth = len(places) or ratio(drafted or 0, n or 0)
    known: dict[str, Scalar] = {"num_speculative_tokens": depth, "draft_length": depth} if depth else {}
    printed = measured(values, "mean acceptance length", "acceptance length")
    base = Run(
        engine="vllm",
        format=FORMAT,
        source=document.source,
        kind="exact" if n else "reported",
        window="whole offline run",
        num_spec_tokens=depth,
        accept_length=printed if printed and printed > 1 else None,
        conditions={"engine": "vllm", **known},
        reported={"mean_acceptance_length": printed} if printed is not None else {},
    )
    run = total.fill(base)
    # the positions are printed with two decimals, so their sum may miss A/N by more than rounding of counters
    close = places and run.accepted is not None and n and abs(sum(places) - run.accepted / n) <= 0.006 * len(places)
    return Reading(FORMAT, runs=(replace(run, per_position=tuple(places) if close else None, samples=()),))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
