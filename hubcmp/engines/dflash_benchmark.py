"""What DFlash's own benchmark prints: throughputs, a mean of response means, and a histogram of tokens per step in percent."""

import re

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import reached
from hubcmp.engines._text import REPORT_LIMIT, figure, head, is_json, measured, pairs, sections, text
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "dflash.benchmark.stdout"
_HISTOGRAM = re.compile(r"Acceptance length histogram:[ \t]{0,10}\[([^\]]{1,4000})\]")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)%")


def recognises(document: Document) -> bool:
    """Return whether the head holds the mean of acceptance lengths of this tool."""
    start = head(document)
    return not is_json(start) and b"Average Acceptance length:" in start


def read(document: Document) -> Reading:
    """Return one run per printed mean."""
    report = text(document, REPORT_LIMIT)
    starts = sections(report, "Baseline throughput:") or [(1, report)]
    return Reading(FORMAT, runs=tuple(_run(document, line, part) for line, part in starts if "Average Accept" in part))


def _run(document: Document, line: int, part: str) -> Run:
    values = pairs(part)
    found = _HISTOGRAM.search(part)
    shares = [(figure(p) or 0.0) / 100 for p in _PERCENT.findall(found[1])] if found else []
    block = len(shares) - 1
    # index = tokens of a step, bonus included; index 0 never occurs, and a step gives at most block_size tokens
    rates = tuple(reached(shares[1:]))[: max(block - 1, 0)]
    known: dict[str, Scalar] = {"block_size": block, "draft_length": block - 1} if block > 1 else {}
    printed = {"baseline_throughput": "baseline throughput", "speedup": "decoding speedup"}
    pooled = {"histogram_accept_length": sum(i * p for i, p in enumerate(shares)) / sum(shares)} if sum(shares) else {}
    return Run(
        engine="dflash-reference",
        format=FORMAT,
        source=document.source.at(f"line {line}"),
        weighting="mean over responses of per-response means",
        window="run",
        num_spec_tokens=block - 1 if block > 1 else None,
        accept_length=measured(values, "average acceptance length"),
        per_position=rates or None,
        output_throughput=measured(values, "dflash throughput"),
        conditions=known,
        reported={**{n: v for n, key in printed.items() if (v := measured(values, key)) is not None}, **pooled},
        why={"steps": "the histogram is in percent", "draft_acceptance_rate": "the length is a mean of means"},
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
