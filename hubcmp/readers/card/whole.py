"""One card from its first byte to its Reading: decode, front matter, page, claims, what is declared, what is missing."""

from collections.abc import Iterator, Sequence

from hubcmp.document import Document
from hubcmp.errors import Problem
from hubcmp.facts import Evidence, Fact, Source, Span, Unknown
from hubcmp.metrics import METRICS
from hubcmp.readers import Reading
from hubcmp.readers.card.checks import contradictions
from hubcmp.readers.card.claims import Claim
from hubcmp.readers.card.front_matter import FrontMatter, split, texts
from hubcmp.readers.card.guard import MAX_BYTES, decode
from hubcmp.readers.card.model_index import problem_of_index
from hubcmp.readers.card.page import parse
from hubcmp.readers.card.reading import MAX_CLAIMS, CardPage, claims_of_page, page_of
from hubcmp.readers.card.recipe import recipe_of
from hubcmp.readers.card.target import method_of, targets


def read(document: Document) -> Reading:
    """Return what a card claims: one Fact per figure, target, algorithm and licence as facts, front matter as metadata.

    Never raises for odd content: what was cut, unreadable or contradictory is in `problems`.
    """
    source = document.source
    text, problems = decode(document.read(0, MAX_BYTES + 1), source.path or source.ref)
    front = split(text, source.path or source.ref)
    ref = name_of(source)
    page = page_of(front, parse(front.body, front.body_line), ref)
    claims = claims_of_page(page)
    return Reading(
        format="card",
        facts=(*(_fact(c, source) for c in claims), *_declared(page, ref, source)),
        metadata=front.data,
        unknowns=tuple(_unknown(page, ref, source)),
        problems=(*problems, *front.problems, *_problems(front, claims, source.path or source.ref)),
    )


def name_of(source: Source) -> str:
    """Return the drafter's name as far as the reference gives one: org/name, or the stem of a file that is named after it."""
    stem = source.ref.rsplit("/", 1)[-1] if source.ref.endswith((".md", ".markdown")) else source.ref
    name = stem.removesuffix(".md").removesuffix(".markdown")
    return "" if name.lower() in ("readme", "card", "-", ".") else name


def _fact(claim: Claim, source: Source) -> Fact:
    return Fact(
        metric=claim.metric,
        value=Span.of(claim.value),
        unit=METRICS[claim.metric].unit,
        evidence=Evidence.STATED,
        method=claim.inferred or "read from the card",
        sources=(source.at(f"line {claim.line}"),),
        subject=claim.subject or "self",
        label=claim.label,
        position=claim.position,
        stat=claim.stat,
        approx=claim.approx,
        conditions=claim.conditions,
        nearby=claim.nearby,
        raw=claim.raw,
    )


def _declared(page: CardPage, ref: str, source: Source) -> Iterator[Fact]:
    """Yield target, algorithm, training settings and licence; the first target is the best one, further ones are candidates."""
    for found in targets(page.front, page.blocks, ref):
        yield Fact(
            "target_model",
            found.value,
            "",
            found.evidence,
            found.method,
            (source.at(f"line {found.line}"),),
            raw=found.value,
        )
    method = method_of(page.front, page.blocks, ref)
    if method:
        yield Fact(
            "algorithm",
            method.value,
            "",
            method.evidence,
            method.method,
            (source.at(f"line {method.line}"),),
            raw=method.value,
        )
    for stated in recipe_of(page.blocks, page.reach):
        spot = (source.at(f"line {stated.line}"),)
        yield Fact(stated.key, stated.value, "", Evidence.STATED, "read from the card", spot, raw=stated.value)
    for licence in texts(page.front.data.get("license")):
        line = page.front.lines.get("license", 1)
        yield Fact(
            "license", licence, "", Evidence.DECLARED, "front matter license", (source.at(f"line {line}"),), raw=licence
        )


def _problems(front: FrontMatter, claims: Sequence[Claim], where: str) -> Iterator[Problem]:
    """Yield what the claims contradict, what of the metadata cannot be read, and that there were too many claims to read them all."""
    yield from problem_of_index(front, where)
    if len(claims) == MAX_CLAIMS:
        yield Problem(where, f"more than {MAX_CLAIMS:,} figures; the rest of them was left out")
    yield from contradictions(claims, where)


def _unknown(page: CardPage, ref: str, source: Source) -> Iterator[Unknown]:
    """Yield what a reader of the card would look for in vain."""
    if not targets(page.front, page.blocks, ref):
        yield Unknown("target_model", "the card names no target", sources=(source,))
    if method_of(page.front, page.blocks, ref) is None:
        yield Unknown("algorithm", "the card names no algorithm", sources=(source,))
