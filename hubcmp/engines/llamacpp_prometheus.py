"""llama.cpp's GET /metrics: counters of drafts, drafted and accepted tokens since the server started."""

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._prometheus import BETWEEN, counted, difference, scrape, scrapes
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
    run = Run("llama.cpp", FORMAT + ".delta", after.source, window=BETWEEN, conditions={"engine": "llama.cpp"})
    return difference(before, after, PREFIX, run, fixed_depth=False)


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read, between=between)
