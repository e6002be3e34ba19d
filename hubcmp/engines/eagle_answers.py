"""Answer files of the EAGLE, HASS and Medusa evaluations: per turn, the last zero-based loop index and the new tokens."""

from collections.abc import Iterator
from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts
from hubcmp.engines._json import counts, get, items, keys, objects
from hubcmp.readers import Reader, Reading

FORMAT = "eagle.answers.jsonl"


def recognises(document: Document) -> bool:
    """Return whether the head holds answers with loop indices, and no per-step lists of another tool."""
    found = keys(document)
    return {"choices", "idxs", "new_tokens"} <= found and not found & {"accept_length", "accept_lengths"}


def read(document: Document) -> Reading:
    """Return one run over all turns: steps = idx + 1, accepted = new tokens - steps."""
    total, questions, seconds = Counts(), 0, list[float]()
    for _, answer in objects(document):
        questions += 1
        for steps, new, wall in _turns(answer):
            total.add(steps, new - steps)
            seconds += [new / wall] if wall else []
    speed = {"mean_of_turns_tokens_per_second": sum(seconds) / len(seconds)} if seconds else {}
    base = Run(
        engine="eagle-reference",
        format=FORMAT,
        source=document.source,
        kind="exact",
        window="per turn records",
        n_requests=questions,
        reported=speed,
        why={"drafted": "the answers do not tell the tree size", "num_spec_tokens": "the answers do not tell it"},
    )
    return Reading(FORMAT, runs=(total.fill(base),))


def _turns(answer: dict[str, Any]) -> Iterator[tuple[float, float, float]]:
    """Yield (verify steps, new tokens, seconds) of each turn; turns that say ERROR repeat stale numbers and are left out."""
    for choice in items(answer, "choices"):
        texts = items(choice, "turns")
        walls = counts(get(choice, "wall_time"))
        rows = zip(counts(get(choice, "idxs")), counts(get(choice, "new_tokens")), strict=False)
        for i, (last, new) in enumerate(rows):
            failed = i < len(texts) and texts[i] == "ERROR"
            if not failed and new >= last + 1:
                yield last + 1, new, walls[i] if i < len(walls) else 0.0


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
