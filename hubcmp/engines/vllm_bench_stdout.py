"""What vLLM's `bench serve` prints; the block "Speculative Decoding" is left out when nothing was drafted."""

import re
from dataclasses import replace

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts, ratio
from hubcmp.engines._text import REPORT_LIMIT, counted, figure, head, is_json, measured, pairs, sections, text
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "vllm.bench_serve.stdout"
_TITLE = "Serving Benchmark Result"
_POSITION = re.compile(r"(?m)^[ \t]{0,10}Position \d{1,3}:[ \t]{1,60}(\d{1,3}\.\d{1,6})")


def recognises(document: Document) -> bool:
    """Return whether the head holds the result block without SGLang's "Backend:" row."""
    start = head(document)
    return not is_json(start) and _TITLE.encode() in start and not re.search(rb"(?m)^Backend: ", start)


def read(document: Document) -> Reading:
    """Return one run per result block."""
    report = text(document, REPORT_LIMIT)
    return Reading(FORMAT, runs=tuple(_run(document, line, part) for line, part in sections(report, _TITLE)))


def _run(document: Document, line: int, part: str) -> Run:
    values = pairs(part)
    n, drafted, taken = (measured(values, name) for name in ("drafts", "draft tokens", "accepted tokens"))
    places = [(figure(p) or 0.0) / 100 for p in _POSITION.findall(part)]
    total = Counts()
    if n and taken is not None:
        total.add(n, taken, drafted, [p * n for p in places])
    depth = len(places) or ratio(drafted or 0, n or 0)
    concurrency = counted(values, "maximum request concurrency")
    known: dict[str, Scalar] = {"engine": "vllm"}
    known |= {"num_speculative_tokens": depth, "draft_length": depth} if depth else {}
    known |= {"concurrency": concurrency} if concurrency else {}
    printed = {"acceptance_rate_percent": "acceptance rate (%)", "acceptance_length": "acceptance length"}
    base = Run(
        engine="vllm",
        format=FORMAT,
        source=document.source.at(f"line {line}"),
        kind="exact",
        window="run delta of the server counters (all traffic of the server in that time)",
        n_requests=counted(values, "successful requests"),
        num_spec_tokens=depth,
        output_throughput=measured(values, "output token throughput (tok/s)"),
        conditions=known,
        reported={name: value for name, key in printed.items() if (value := measured(values, key)) is not None},
    )
    return replace(total.fill(base), samples=())


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
