"""What SGLang's bench_serving prints; the row "Accept length" is the server's lifetime value."""

import re

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import told
from hubcmp.engines._text import REPORT_LIMIT, counted, head, is_json, measured, pairs, sections, text
from hubcmp.readers import Reader, Reading

FORMAT = "sglang.bench_serving.stdout"
_TITLE = "Serving Benchmark Result"


def recognises(document: Document) -> bool:
    """Return whether the head holds the result block with its "Backend:" row, which vLLM's block lacks."""
    start = head(document)
    return not is_json(start) and _TITLE.encode() in start and bool(re.search(rb"(?m)^Backend: ", start))


def read(document: Document) -> Reading:
    """Return one run per result block."""
    report = text(document, REPORT_LIMIT)
    return Reading(FORMAT, runs=tuple(_run(document, line, part) for line, part in sections(report, _TITLE)))


def _run(document: Document, line: int, part: str) -> Run:
    values = pairs(part)
    length = measured(values, "accept length")
    length, why = told(length)
    concurrency = counted(values, "max request concurrency")
    return Run(
        engine="sglang",
        format=FORMAT,
        source=document.source.at(f"line {line}"),
        weighting="steps" if length else None,
        window="server lifetime up to the last log line (avg_spec_accept_length), not this run only",
        n_requests=counted(values, "successful requests"),
        accept_length=length,
        output_throughput=measured(values, "output token throughput (tok/s)"),
        conditions={"engine": "sglang", **({"concurrency": concurrency} if concurrency else {})},
        reported={"accept_length_printed": values["accept length"]} if length else {},
        why=why if length or why else {"accept_length": "the row is left out: a server without speculation"},
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
