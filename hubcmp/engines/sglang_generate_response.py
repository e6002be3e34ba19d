"""SGLang's response meta_info: verify steps per request, and from 0.5.6 on accepted and drafted tokens and a histogram."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts, ratio, reached
from hubcmp.engines._json import counts, get, items, keys, number, objects, whole
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "sglang.generate_response"
ACCEPTED = ("spec_num_correct_drafts", "spec_accepted_drafts", "spec_accept_token_num")
DRAFTED = ("spec_num_proposed_drafts", "spec_proposed_drafts", "spec_draft_token_num")
HISTOGRAM = ("spec_correct_drafts_histogram", "spec_accept_histogram")


def recognises(document: Document) -> bool:
    """Return whether the head holds responses with meta_info."""
    found = keys(document)
    return "meta_info" in found and bool(found & {"spec_verify_ct", "completion_tokens"})


def read(document: Document) -> Reading:
    """Return one run over all responses: from the counts where every response has them, else completion tokens per step."""
    metas = list(_metas(document))
    measured = [meta for meta in metas if whole(meta, "spec_verify_ct")]
    base = Run(
        "sglang", FORMAT, document.source, window="per request", n_requests=len(metas), conditions={"engine": "sglang"}
    )
    complete = [meta for meta in measured if _first(meta, ACCEPTED) is not None]
    run = _exact(base, measured) if measured and len(complete) == len(measured) else _per_step(base, measured)
    return Reading(FORMAT, runs=(replace(run, reported={**run.reported, **_request_mean(measured)}),))


def _metas(document: Document) -> Iterator[dict[str, Any]]:
    """Yield every meta_info: of /generate, and of the choices of the OpenAI routes."""
    for _, reply in objects(document):
        for part in (reply, *items(reply, "choices")):
            meta = get(part, "meta_info")
            if isinstance(meta, dict):
                yield meta


def _first(meta: dict[str, Any], names: tuple[str, ...]) -> float | None:
    return next((value for name in names if (value := number(meta, name)) is not None), None)


def _exact(base: Run, metas: list[dict[str, Any]]) -> Run:
    total = Counts()
    depth = 0
    for meta in metas:
        histogram = next((found for name in HISTOGRAM if (found := counts(get(meta, name)))), [])
        depth = max(depth, len(histogram) - 1)
        total.add(
            number(meta, "spec_verify_ct") or 0, _first(meta, ACCEPTED) or 0, _first(meta, DRAFTED), reached(histogram)
        )
    nodes = ratio(total.drafted or 0, total.steps) or (depth or None)
    known: dict[str, Scalar] = {"num_draft_tokens": nodes + 1} if nodes else {}
    return replace(
        total.fill(replace(base, kind="exact")), num_spec_tokens=nodes, conditions={**base.conditions, **known}
    )


def _per_step(base: Run, metas: list[dict[str, Any]]) -> Run:
    """Before 0.5.6 only steps are told; completion tokens also count the one of the prefill, so this is slightly high."""
    steps = sum(number(meta, "spec_verify_ct") or 0 for meta in metas)
    tokens = sum(number(meta, "completion_tokens") or 0 for meta in metas)
    if not steps or not tokens:
        return replace(base, why={"accept_length": "no response has a verify step: a server without speculation"})
    why = {"accepted": "only verify steps are told (before SGLang 0.5.6)"}
    definition = {
        "accept_length_definition": "completion_tokens / spec_verify_ct, includes one prefill token per request"
    }
    return replace(
        base, kind="derived", weighting="steps", steps=steps, accept_length=tokens / steps, reported=definition, why=why
    )


def _request_mean(metas: list[dict[str, Any]]) -> dict[str, float]:
    """Return the plain mean of the requests' own lengths, which favours short requests."""
    lengths = [value for meta in metas if (value := number(meta, "spec_accept_length"))]
    return {"request_mean_accept_length": sum(lengths) / len(lengths)} if lengths else {}


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
