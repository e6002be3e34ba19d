"""Model-Optimizer's specdec_bench acceptance_rate.json: a list of runs with a histogram of tokens per streamed chunk."""

from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._json import get, keys, number, objects
from hubcmp.engines._modelopt import from_histogram
from hubcmp.readers import Reader, Reading

FORMAT = "modelopt.specdec_bench.acceptance_rate"


def recognises(document: Document) -> bool:
    """Return whether the head holds a histogram of acceptance lengths."""
    return "Acceptance_Length_Histogram" in keys(document)


def read(document: Document) -> Reading:
    """Return one run per item; a re-run appends to the list."""
    return Reading(FORMAT, runs=tuple(_run(document, where, result) for where, result in objects(document)))


def _run(document: Document, where: str, result: dict[str, Any]) -> Run:
    requests = get(result, "Request_AL")
    n = len(requests) if isinstance(requests, dict) else None
    return from_histogram(
        FORMAT, document.source.at(where), get(result, "Acceptance_Length_Histogram"), number(result, "Average_AL"), n
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
