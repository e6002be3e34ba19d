"""trtllm-serve's GET /prometheus/metrics: counters of drafted and accepted tokens; no counter of steps."""

from dataclasses import replace

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._prometheus import BETWEEN, Scrape, restarted, scrape, scrapes
from hubcmp.readers import Reader, Reading

FORMAT = "trtllm.prometheus"
PREFIX = "trtllm_"
COUNTERS = frozenset({"spec_decode_num_draft_tokens", "spec_decode_num_accepted_tokens"})


def recognises(document: Document) -> bool:
    """Return whether the head is a scrape of TensorRT-LLM."""
    return scrapes(document, PREFIX)


def read(document: Document) -> Reading:
    """Return the counters since the server started."""
    found = scrape(document, PREFIX)
    run = Run("tensorrt-llm", FORMAT, document.source, window="cumulative since server start")
    return Reading(FORMAT, runs=(_fill(run, found, found),))


def between(before: Document, after: Document) -> Reading:
    """Return the run between two scrapes."""
    run = Run("tensorrt-llm", FORMAT + ".delta", after.source, window=BETWEEN)
    later = scrape(after, PREFIX)
    found = later.since(scrape(before, PREFIX), COUNTERS)
    return restarted(run, after) if found is None else Reading(run.format, runs=(_fill(run, found, later),))


def _fill(run: Run, found: Scrape, now: Scrape) -> Run:
    drafted, taken = found.total("spec_decode_num_draft_tokens"), found.total("spec_decode_num_accepted_tokens")
    gauge = now.mean("spec_decode_acceptance_length")
    return replace(
        run,
        kind="exact",
        weighting="drafted tokens" if drafted else None,
        drafted=drafted,
        accepted=taken,
        draft_acceptance_rate=taken / drafted if drafted and taken is not None else None,
        conditions={"engine": "tensorrt-llm"},
        reported={"gauge_acceptance_length_last_iteration": gauge} if gauge else {},
        why={"accept_length": "no counter of steps, and the drafted tokens per step are not told"},
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read, between=between)
