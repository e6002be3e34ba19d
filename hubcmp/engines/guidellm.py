"""guidellm's report: throughput of its own, acceptance only where vLLM's per-request object was passed through (0.8 on)."""

from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts
from hubcmp.engines._json import get, items, keys, number, objects, word
from hubcmp.engines._vllm_metrics import add
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "guidellm.benchmarks"
VIA = "vllm (via guidellm 0.8+)"


def recognises(document: Document) -> bool:
    """Return whether the head is a report with benchmarks and their successful requests or rates."""
    found = keys(document)
    return "benchmarks" in found and bool(found & {"successful", "output_tokens_per_second", "strategy"})


def read(document: Document) -> Reading:
    """Return one run per benchmark of the report."""
    runs = [
        _run(document, f"$.benchmarks[{i}]", benchmark)
        for _, report in objects(document)
        for i, benchmark in enumerate(items(report, "benchmarks"))
        if isinstance(benchmark, dict)
    ]
    return Reading(FORMAT, runs=tuple(runs))


def _run(document: Document, where: str, benchmark: dict[str, Any]) -> Run:
    requests = get(benchmark, "requests", "successful")
    requests = requests if isinstance(requests, list) else []
    passed = [m for r in requests if (m := get(r, "response_metrics", "speculative_decoding")) is not None]
    total = Counts()
    depths = {add(total, metrics) for metrics in passed}
    depth = next(iter(depths)) if len(depths) == 1 else None
    known: dict[str, Scalar] = {"num_speculative_tokens": depth, "draft_length": depth} if depth else {}
    strategy = word(benchmark, "config", "strategy", "type_")
    base = Run(
        engine=VIA if passed else None,
        format=FORMAT,
        source=document.source.at(where),
        kind="exact" if passed else "reported",
        window="per request" if passed else None,
        n_requests=len(passed) or len(requests) or None,
        num_spec_tokens=depth,
        output_throughput=number(benchmark, "metrics", "output_tokens_per_second", "successful", "mean"),
        conditions={**({"engine": "vllm"} if passed else {}), **known},
        reported={"strategy": strategy} if strategy else {},
    )
    return total.fill(base)


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
