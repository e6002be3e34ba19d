"""vLLM's `bench serve --save-result`: the server counters' difference over the run. The rate is in percent, the positions in fractions."""

from dataclasses import replace
from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts, ratio
from hubcmp.engines._json import counts, get, keys, number, objects, whole
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "vllm.bench_serve.json"


def recognises(document: Document) -> bool:
    """Return whether the head holds the keys of vLLM's serving benchmark (the spec_decode ones may come after megabytes of texts)."""
    found = keys(document)
    result = {"tokenizer_id", "num_prompts"} <= found or "spec_decode_num_drafts" in found
    return result and not found & {"aiperf_version", "pooled_spec_decode_acceptance_histogram"}


def read(document: Document) -> Reading:
    """Return one run per object."""
    return Reading(FORMAT, runs=tuple(_run(document, where, result) for where, result in objects(document)))


def _run(document: Document, where: str, result: dict[str, Any]) -> Run:
    n, drafted = number(result, "spec_decode_num_drafts"), number(result, "spec_decode_draft_tokens")
    taken = number(result, "spec_decode_accepted_tokens")
    places = counts(get(result, "spec_decode_per_position_acceptance_rates"))
    total = Counts()
    if n and taken is not None:
        total.add(n, taken, drafted, [p * n for p in places])
    depth = len(places) or ratio(drafted or 0, n or 0)
    concurrency = whole(result, "max_concurrency")
    known: dict[str, Scalar] = {"engine": "vllm"}
    known |= {"num_speculative_tokens": depth, "draft_length": depth} if depth else {}
    known |= {"concurrency": concurrency} if concurrency else {}
    base = Run(
        engine="vllm",
        format=FORMAT,
        source=document.source.at(where),
        kind="exact",
        window="run delta of the server counters (all traffic of the server in that time)",
        n_requests=whole(result, "completed"),
        num_spec_tokens=depth,
        output_throughput=number(result, "output_throughput"),
        conditions=known,
        reported=_printed(result),
    )
    return replace(total.fill(base), samples=())


def _printed(result: dict[str, Any]) -> dict[str, object]:
    names = {
        "acceptance_rate_percent": "spec_decode_acceptance_rate",
        "acceptance_length": "spec_decode_acceptance_length",
    }
    return {name: value for name, key in names.items() if (value := number(result, key)) is not None}


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
