"""A few figures written down by a harness of one's own: small JSON objects whose keys say what they hold."""

from dataclasses import replace
from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts
from hubcmp.engines._json import get, keys, number, objects, whole, word
from hubcmp.errors import Problem
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "harness.json"
STEPS = ("verify_steps", "num_steps_verified", "num_drafts")
ACCEPTED = ("accepted_draft_tokens", "num_accepted_tokens", "accepted_drafts")
DRAFTED = ("draft_tokens", "num_draft_tokens_total", "drafted_tokens")
LENGTH = ("accept_length", "reported_accept_length", "tokens_per_step", "mean_acceptance_length")
SPEED = ("tok_s", "tokens_per_second", "output_throughput")
DATASET = ("benchmark", "dataset", "workload")
CONDITIONS = (
    "engine",
    "drafter",
    "draft",
    "temperature",
    "num_steps",
    "topk",
    "num_draft_tokens",
    "batch_size",
    "target_model",
    "hardware",
)
KNOWN = frozenset({*STEPS, *ACCEPTED, *DRAFTED, *LENGTH, *SPEED, *DATASET, *CONDITIONS})
NO_BONUS = (
    "the reported length leaves the bonus token out (it equals accepted / steps); normalised to 1 + accepted / steps"
)


def recognises(document: Document) -> bool:
    """Return whether every key in the head is a known one, and a length or the counts are among them."""
    found = keys(document)
    counts = found & {*STEPS} and found & {*ACCEPTED}
    return bool(found) and found <= KNOWN and bool(counts or found & {*LENGTH})


def read(document: Document) -> Reading:
    """Return one run per object; runs under other settings are never averaged."""
    runs = tuple(_run(document, where, entry) for where, entry in objects(document))
    problems = (Problem(str(document.source), NO_BONUS),) if any("bonus_token" in run.reported for run in runs) else ()
    return Reading(FORMAT, runs=runs, problems=problems)


def _run(document: Document, where: str, entry: dict[str, Any]) -> Run:
    steps, accepted, length = (_first(entry, names) for names in (STEPS, ACCEPTED, LENGTH))
    stated: dict[str, Scalar] = {
        key: value for key in CONDITIONS if isinstance(value := get(entry, key), str | int | float)
    }
    base = Run(
        engine=word(entry, "engine"),
        format=FORMAT,
        source=document.source.at(where),
        accept_length=length if length and length > 1 else None,
        output_throughput=_first(entry, SPEED),
        dataset=next((found for name in DATASET if (found := word(entry, name))), None),
        batch_size=whole(entry, "batch_size"),
        conditions={key: value for key, value in stated.items() if isinstance(value, str) or number(value) is not None},
        reported={"accept_length": length} if length is not None else {},
    )
    if not steps or accepted is None:
        return base
    total = Counts()
    total.add(steps, accepted, _first(entry, DRAFTED))
    run = replace(total.fill(replace(base, kind="exact")), samples=())
    without = length is not None and abs(length - accepted / steps) < 0.005
    return replace(run, reported={**run.reported, "bonus_token": "not counted"}) if without else run


def _first(entry: dict[str, Any], names: tuple[str, ...]) -> float | None:
    return next((value for name in names if (value := number(entry, name)) is not None), None)


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
