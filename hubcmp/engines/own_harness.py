"""A few figures written down by a harness of one's own: small JSON objects whose keys say what they hold.

A list of figures is as many runs of one thing: repeated legs, whose spread says what a difference must exceed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts, told
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
    "language",
)
SAID = ("threshold", "same_dependencies")
"""What is kept as it is said."""
KNOWN = frozenset({*STEPS, *ACCEPTED, *DRAFTED, *LENGTH, *SPEED, *DATASET, *CONDITIONS, *SAID})
MOST_LEGS = 1000
_POSITION = re.compile(r"acceptance_at_(?:token|position)_([1-9]\d?)")
NO_BONUS = (
    "the reported length leaves the bonus token out (it equals accepted / steps); normalised to 1 + accepted / steps"
)


def recognises(document: Document) -> bool:
    """Return whether every key in the head is a known one, and a length, the counts or a position's rate are among them."""
    found = keys(document)
    positions = {key for key in found if _POSITION.fullmatch(key)}
    counts = found & {*STEPS} and found & {*ACCEPTED}
    return bool(found) and found <= KNOWN | positions and bool(counts or found & {*LENGTH} or positions)


def read(document: Document) -> Reading:
    """Return one run per object and leg; runs under other settings are never averaged."""
    runs = tuple(_run(document, at, leg) for where, entry in objects(document) for at, leg in _legs(where, entry))
    problems = (Problem(str(document.source), NO_BONUS),) if any("bonus_token" in run.reported for run in runs) else ()
    return Reading(FORMAT, runs=runs, problems=problems)


def _legs(where: str, entry: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the entry itself, or one entry per item of its lists."""
    lists = {key: value for key, value in entry.items() if isinstance(value, list)}
    if not lists:
        yield where, entry
    for i in range(min(max(map(len, lists.values()), default=0), MOST_LEGS)):
        yield f"{where}[{i}]", {**entry, **{key: get(value, i) for key, value in lists.items()}}


def _rates(entry: Mapping[str, Any]) -> tuple[float, ...] | None:
    """Return the shares of steps that accepted draft 1, 2 ... as far as they follow one another."""
    rates = {int(m[1]): number(entry, key) for key in entry if (m := _POSITION.fullmatch(key))}
    found: list[float] = []
    while (rate := rates.get(len(found) + 1)) is not None and rate <= 1:
        found.append(rate)
    return tuple(found) or None


def _run(document: Document, where: str, entry: dict[str, Any]) -> Run:
    steps, accepted, printed = (_first(entry, names) for names in (STEPS, ACCEPTED, LENGTH))
    length, why = told(printed)
    stated: dict[str, Scalar] = {
        key: value for key in CONDITIONS if isinstance(value := get(entry, key), str | int | float)
    }
    base = Run(
        engine=word(entry, "engine"),
        format=FORMAT,
        source=document.source.at(where),
        accept_length=length,
        per_position=_rates(entry),
        output_throughput=_first(entry, SPEED),
        dataset=next((found for name in DATASET if (found := word(entry, name))), None),
        batch_size=whole(entry, "batch_size"),
        conditions={key: value for key, value in stated.items() if isinstance(value, str) or number(value) is not None},
        reported={"accept_length": printed} if printed is not None else {},
        why=why,
    )
    said = {key: entry[key] for key in SAID if isinstance(get(entry, key), int | float)}
    base = replace(base, reported={**base.reported, **said})
    if not steps or accepted is None:
        return base
    total = Counts()
    total.add(steps, accepted, _first(entry, DRAFTED))
    run = replace(total.fill(replace(base, kind="exact")), samples=())
    without = printed is not None and abs(printed - accepted / steps) < 0.005
    return replace(run, reported={**run.reported, "bonus_token": "not counted"}) if without else run


def _first(entry: dict[str, Any], names: tuple[str, ...]) -> float | None:
    return next((value for name in names if (value := number(entry, name)) is not None), None)


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
