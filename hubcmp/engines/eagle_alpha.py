"""EAGLE's alpha files: per draft depth, how often a draft was tried and how often it was accepted."""

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._json import counts, get, items, keys, objects
from hubcmp.readers import Reader, Reading

FORMAT = "eagle.alpha.jsonl"


def recognises(document: Document) -> bool:
    """Return whether the head holds both lists."""
    return {"alpha", "alpha_num"} <= keys(document)


def read(document: Document) -> Reading:
    """Return the conditional rates per depth. Steps are not told, so neither length nor unconditional rates follow."""
    taken, tried, questions = list[float](), list[float](), 0
    for _, answer in objects(document):
        questions += 1
        for choice in items(answer, "choices") or [answer]:
            taken, tried = _add(taken, counts(get(choice, "alpha"))), _add(tried, counts(get(choice, "alpha_num")))
    rates = [a / n for a, n in zip(taken, tried, strict=False) if n]
    run = Run(
        engine="eagle-reference",
        format=FORMAT,
        source=document.source,
        window="per question records",
        n_requests=questions,
        reported={
            "conditional_acceptance_per_depth": rates,
            "definition": "alpha / alpha_num: accepted / tried at this depth",
        },
        why={"accept_length": "conditional rates of a chain; the file does not count verify steps"},
    )
    return Reading(FORMAT, runs=(run,))


def _add(total: list[float], more: list[float]) -> list[float]:
    size = max(len(total), len(more))
    return [sum(part[i] for part in (total, more) if i < len(part)) for i in range(size)]


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
