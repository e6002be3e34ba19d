"""SpecForge's `benchmark --output-json`: its average is a mean over requests; tokens and verify steps give the pooled length."""

from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._json import keys, number, objects, whole, word
from hubcmp.readers import Reader, Reading

FORMAT = "specforge.benchmark.json"


def recognises(document: Document) -> bool:
    """Return whether the head holds a count of verify steps of this tool."""
    return "spec_verify_count" in keys(document)


def read(document: Document) -> Reading:
    """Return one run per object."""
    return Reading(FORMAT, runs=tuple(_run(document, where, result) for where, result in objects(document)))


def _run(document: Document, where: str, result: dict[str, Any]) -> Run:
    steps, tokens = number(result, "spec_verify_count") or None, number(result, "output_tokens")
    mean = number(result, "average_acceptance_length")
    engine = word(result, "backend") or "sglang"
    return Run(
        engine=engine,
        format=FORMAT,
        source=document.source.at(where),
        kind="derived",
        weighting="steps" if steps else None,
        window="run (after a warm-up of `concurrency` prompts)",
        n_requests=whole(result, "samples"),
        steps=steps,
        accept_length=tokens / steps if steps and tokens else None,
        output_throughput=number(result, "throughput_tokens_per_second"),
        dataset=word(result, "dataset"),
        conditions={"engine": engine},
        reported={"request_mean_accept_length": mean} if mean and steps else {},
        why={"accepted": "output tokens count the prefill token of each request"},
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
