"""Lists that spell out what a label stands for: "Coding: HumanEval, 168 samples" binds wherever "Coding" is a label."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hubcmp.facts import Scalar
from hubcmp.labels import slug
from hubcmp.readers.card import axes
from hubcmp.readers.card.claims import MEASURED, Claim
from hubcmp.readers.card.grid import numeric
from hubcmp.readers.card.meaning import meaning_of
from hubcmp.readers.card.page import Block, Table

Legend = Mapping[str, Mapping[str, Scalar]]
"""Settings by the slug of the label that stands for them."""


def legend(blocks: Sequence[Block]) -> Legend:
    """Return what the tables without measured figures say about their labels: the data set, the number of prompts, the draft settings."""
    found: dict[str, dict[str, Scalar]] = {}
    for block in blocks:
        if isinstance(block, Table) and len(block.rows) > 1 and len(block.rows[0]) > 1:
            for label, conditions in _entries(block):
                found.setdefault(label, {}).update(conditions)
    return found


def explained(claim: Claim, meanings: Legend) -> Claim:
    """Return a measured claim with what its label stands for; what is bound more closely stays."""
    more = meanings.get(slug(claim.label)) if claim.label and claim.metric in MEASURED else None
    return replace(claim, conditions={**more, **claim.conditions}) if more else claim


def _entries(table: Table) -> Iterator[tuple[str, dict[str, Scalar]]]:
    """Yield (label, settings) of a table whose columns are all settings, sets or texts."""
    heads = [meaning_of(c.plain) for c in table.rows[0]]
    roles = [
        "dataset" if h.role == "benchmark" and x else h.role if h.role in axes.AXES.values() else ""
        for x, h in enumerate(heads)
    ]
    telling = [x for x, role in enumerate(roles) if x and role]
    silent = [x for x, role in enumerate(roles) if x and not role]
    if (
        any(h.metric for h in heads)
        or not telling
        or any(numeric(row[x].plain) for row in table.rows[1:] for x in silent)
    ):
        return
    for row in table.rows[1:]:
        values = {
            roles[x]: row[x].plain.strip() if roles[x] == "dataset" else axes.axis_value(roles[x], row[x].plain)
            for x in telling
        }
        yield slug(row[0].plain), {k: v for k, v in values.items() if v is not None and v != ""}
