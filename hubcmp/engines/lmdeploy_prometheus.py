"""LMDeploy's GET /metrics: counters of drafts, drafted and accepted tokens since the server started."""

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._prometheus import BETWEEN, counted, difference, scrape, scrapes
from hubcmp.readers import Reader, Reading

FORMAT = "lmdeploy.prometheus"
PREFIX = "lmdeploy:"


def recognises(document: Document) -> bool:
    """Return whether the head is a scrape of LMDeploy."""
    return scrapes(document, PREFIX)


def read(document: Document) -> Reading:
    """Return the counters since the server started."""
    run = Run(
        "lmdeploy", FORMAT, document.source, window="cumulative since server start", conditions={"engine": "lmdeploy"}
    )
    return Reading(FORMAT, runs=(counted(scrape(document, PREFIX), run),))


def between(before: Document, after: Document) -> Reading:
    """Return the run between two scrapes."""
    run = Run("lmdeploy", FORMAT + ".delta", after.source, window=BETWEEN, conditions={"engine": "lmdeploy"})
    return difference(before, after, PREFIX, run)


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read, between=between)
