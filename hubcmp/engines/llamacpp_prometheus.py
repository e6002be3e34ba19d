"""llama.cpp's GET /metrics: counters of drafts, drafted and accepted tokens since the server started."""

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._prometheus import COUNTERS, counted, restarted, scrape, scrapes
from hubcmp.readers import Reader, Reading

FORMAT = "llamacpp.prometheus"
PREFIX = "llamacpp:"


def recognises(document: Document) -> bool:
    """Return whether the head is a scrape of llama.cpp."""
    return scrapes(document, PREFIX)


def read(document: Document) -> Reading:
    """Return the counters since the server started."""
    run = Run(
        "llama.cpp", FORMAT, document.source, window="cumulative since server start", conditions={"engine": "llama.cpp"}
    )
    return Reading(FORMAT, runs=(counted(scrape(document, PREFIX), run, fixed_depth=False),))


def between(before: Document, after: Document) -> Reading:
    """Return the run between two scrapes."""
    window = "run between two scrapes (all traffic of the server)"
    run = Run("llama.cpp", FORMAT + ".delta", after.source, window=window, conditions={"engine": "llama.cpp"})
    found = scrape(after, PREFIX).since(scrape(before, PREFIX), COUNTERS)
    return (
        restarted(run, after) if found is None else Reading(run.format, runs=(counted(found, run, fixed_depth=False),))
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read, between=between)
