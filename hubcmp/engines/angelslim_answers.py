"""AngelSlim's answer files: accepted drafts of every verify step, WITHOUT the bonus token (its summary adds 1)."""

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._answers import stepwise
from hubcmp.engines._json import keys
from hubcmp.readers import Reader, Reading

FORMAT = "angelslim.answers.jsonl"


def recognises(document: Document) -> bool:
    """Return whether the head holds answers whose choices list `accept_length`."""
    found = keys(document)
    return {"choices", "accept_length"} <= found and not found & {"accept_lengths", "meta_info", "metrics", "timings"}


def read(document: Document) -> Reading:
    """Return one run over all steps."""
    base = Run("angelslim", FORMAT, document.source, kind="exact", window="per step records")
    return Reading(FORMAT, runs=(stepwise(base, document, "accept_length", bonus=0),))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
