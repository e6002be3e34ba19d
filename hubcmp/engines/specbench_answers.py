"""Spec-Bench's answer files: every verify step's tokens, bonus included."""

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._answers import stepwise
from hubcmp.engines._json import keys
from hubcmp.readers import Reader, Reading

FORMAT = "specbench.answers.jsonl"


def recognises(document: Document) -> bool:
    """Return whether the head holds answers with accepted tokens per step."""
    found = keys(document)
    return "choices" in found and bool(found & {"accept_lengths", "decoding_steps"})


def read(document: Document) -> Reading:
    """Return one run over all steps; a baseline of all ones is no measurement of a drafter."""
    base = Run("spec-bench", FORMAT, document.source, kind="exact", window="per step records")
    return Reading(FORMAT, runs=(stepwise(base, document, "accept_lengths", bonus=1),))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
