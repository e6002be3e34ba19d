"""SGLang's GET /metrics: gauges of the last log interval, and since 0.5.14 a counter of verify steps."""

from dataclasses import replace

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._prometheus import BETWEEN, Scrape, generated, restarted, scrape, scrapes
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "sglang.prometheus"
PREFIX = "sglang:"
COUNTERS = frozenset({"spec_verify_calls", "generation_tokens"})
NONE = "no counter of verify steps (before SGLang 0.5.14) or no step between the scrapes"
MIXED = (
    "fewer tokens than verify steps: steps are counted when a request ends, so those of earlier requests are among them"
)


def recognises(document: Document) -> bool:
    """Return whether the head is a scrape of SGLang."""
    return scrapes(document, PREFIX)


def read(document: Document) -> Reading:
    """Return the state at one moment: the gauge is the last interval's length, not a run's."""
    found = scrape(document, PREFIX)
    base = _base(document, found)
    length = found.mean("spec_accept_length")
    length = length if length and length >= 1 else None
    nodes = base.num_spec_tokens
    run = replace(
        base,
        weighting="last log interval, mean over ranks" if length else None,
        window="snapshot: the gauge is the last log interval",
        accept_length=length,
        draft_acceptance_rate=(length - 1) / nodes if length and nodes else None,
        steps=found.total("spec_verify_calls") or None,
        reported=_counters(found),
    )
    return Reading(FORMAT, runs=(run,))


def between(before: Document, after: Document) -> Reading:
    """Return the run between two scrapes: tokens per verify step, one prefill token per request included."""
    later = scrape(after, PREFIX)
    base = replace(_base(after, later), format=FORMAT + ".delta", window=BETWEEN)
    found = later.since(scrape(before, PREFIX), COUNTERS)
    if found is None:
        return restarted(base, after)
    steps, tokens = found.total("spec_verify_calls"), found.total("generation_tokens")
    if not steps or not tokens or tokens < steps:
        why = {"accept_length": MIXED if steps and tokens else NONE}
        return Reading(base.format, runs=(replace(base, why=why, reported={**_gauge(later), **generated(found)}),))
    run = replace(
        base,
        kind="derived",
        weighting="steps",
        steps=steps,
        accept_length=tokens / steps,
        reported={**_gauge(later), **generated(found)},
    )
    return Reading(base.format, runs=(run,))


def _base(document: Document, found: Scrape) -> Run:
    nodes, steps = found.mean("spec_num_draft_tokens"), found.mean("spec_num_steps")
    known: dict[str, Scalar] = {"engine": "sglang"}
    known |= {"num_draft_tokens": int(nodes)} if nodes else {}
    known |= {"num_steps": int(steps), "draft_length": int(steps)} if steps else {}
    depth = int(nodes) - 1 if nodes and nodes > 1 else None
    return Run("sglang", FORMAT, document.source, num_spec_tokens=depth, conditions=known)


def _gauge(found: Scrape) -> dict[str, object]:
    gauge = found.mean("spec_accept_length")
    return {"gauge_accept_length_last_interval": gauge} if gauge else {}


def _counters(found: Scrape) -> dict[str, object]:
    """Return what the counters since the start say, beside the gauge."""
    steps, tokens = found.total("spec_verify_calls"), found.total("generation_tokens")
    if not tokens:
        return {}
    lifetime = {"generation_tokens_per_verify_call_since_start": tokens / steps} if steps else {}
    return {"generation_tokens": tokens, **lifetime}


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read, between=between)
