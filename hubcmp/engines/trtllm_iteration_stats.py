"""trtllm-serve's GET /metrics: a queue of iterations, some with speculative statistics; each poll drains it."""

from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts
from hubcmp.engines._json import get, keys, number, objects
from hubcmp.readers import Reader, Reading

FORMAT = "trtllm.iteration_stats"


def recognises(document: Document) -> bool:
    """Return whether the head holds iterations."""
    found = keys(document)
    return "specDecodingStats" in found or {"iter", "iterLatencyMS"} <= found


def read(document: Document) -> Reading:
    """Return one run over all iterations that drafted; rows of other attention ranks repeat rank 0 and are left out."""
    total = Counts()
    for _, iteration in objects(document):
        stats = get(iteration, "specDecodingStats")
        if number(stats, "numDraftTokens") and not _other_rank(iteration):
            steps, taken = number(stats, "numRequestsWithDraftTokens"), number(stats, "numAcceptedTokens")
            if steps and taken is not None:
                total.add(steps, taken, number(stats, "numDraftTokens"))
    base = Run(
        engine="tensorrt-llm",
        format=FORMAT,
        source=document.source,
        kind="exact",
        window="iterations since the last poll (each poll drains the queue)",
        n_windows=total.units,
        conditions={"engine": "tensorrt-llm"},
    )
    return Reading(FORMAT, runs=(total.fill(base),))


def _other_rank(iteration: dict[str, Any]) -> bool:
    rank = number(iteration, "attentionDpRank")
    return rank is not None and rank > 0


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read, queue=True)
