"""What trtllm-bench prints: request details, throughput, and the block of decoding statistics."""

import re

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._text import REPORT_LIMIT, counted, figure, head, is_json, measured, pairs, text
from hubcmp.engines._trtllm import Averages, recovered
from hubcmp.readers import Reader, Reading

FORMAT = "trtllm.bench.report_stdout"
_MODE = re.compile(r"DECODING STATISTICS \(([^)\n]{1,80})\)")
_AVERAGE = re.compile(r"\[(DT|ADT|DAR|AL)\][ \t]{1,10}AVERAGE[ \t]{0,10}:?[ \t]{0,10}([\d.,]{1,20})")


def recognises(document: Document) -> bool:
    """Return whether the head holds the blocks of a report."""
    start = head(document)
    blocks = b"PERFORMANCE OVERVIEW" in start and b"REQUEST DETAILS" in start
    return not is_json(start) and (b"DECODING STATISTICS" in start or blocks)


def read(document: Document) -> Reading:
    """Return the run of the report."""
    report = text(document, REPORT_LIMIT)
    values = pairs(report)
    means = {name: figure(value) for name, value in _AVERAGE.findall(report)}
    mode = _MODE.search(report)
    run = Run(
        engine="tensorrt-llm",
        format=FORMAT,
        source=document.source,
        engine_version=values.get("tensorrt-llm version") or values.get("tensorrt llm version"),
        window="run",
        n_requests=counted(values, "number of requests", "num requests"),
        output_throughput=measured(values, "total output throughput (tokens/sec)", "output throughput (tokens/sec)"),
        conditions={"engine": "tensorrt-llm", **({"algorithm": mode[1]} if mode else {})},
    )
    tokens = measured(values, "average output length (tokens)", "average output length", "avg output length")
    averages = Averages(tokens, means.get("DT"), means.get("ADT"), means.get("AL"), means.get("DAR"))
    return Reading(FORMAT, runs=(recovered(run, averages),))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
