"""aiperf's profile export: request distributions, and pooled totals of the run. `spec_decode_acceptance_length` is an object here."""

from dataclasses import replace

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts, accepted, reached
from hubcmp.engines._json import counts, get, keys, number, objects, whole
from hubcmp.readers import Reader, Reading

FORMAT = "aiperf.profile_export"
VIA = "vllm (via aiperf)"
TOTALS = {
    "total_spec_decode_steps",
    "pooled_spec_decode_acceptance_histogram",
    "spec_decode_token_weighted_acceptance_length",
}


def recognises(document: Document) -> bool:
    """Return whether the head is a profile of aiperf (server metrics are another file)."""
    found = keys(document)
    return bool(found & TOTALS or {"aiperf_version", "request_count"} <= found) and "series" not in found


def read(document: Document) -> Reading:
    """Return one run per profile, from the pooled totals."""
    return Reading(FORMAT, runs=tuple(_run(document, profile) for _, profile in objects(document)))


def _run(document: Document, profile: dict[str, object]) -> Run:
    histogram = counts(get(profile, "pooled_spec_decode_acceptance_histogram"))
    steps = number(profile, "total_spec_decode_steps", "avg") or sum(histogram)
    taken = number(profile, "total_accepted_draft_tokens", "avg")
    total = Counts()
    if steps and (taken is not None or histogram):
        drafted = number(profile, "total_draft_tokens", "avg")
        total.add(steps, taken if taken is not None else accepted(histogram), drafted, reached(histogram))
    mean = number(profile, "spec_decode_acceptance_length", "avg")
    pooled = number(profile, "spec_decode_token_weighted_acceptance_length", "avg")
    base = Run(
        engine=VIA,
        format=FORMAT,
        source=document.source,
        kind="exact" if total.steps else "reported",
        window="run",
        n_requests=whole(profile, "request_count", "avg"),
        weighting="steps" if pooled else "requests" if mean else None,
        accept_length=pooled or mean or None,
        output_throughput=number(profile, "output_token_throughput", "avg"),
        conditions={"engine": "vllm"},
        reported={"request_mean_accept_length": mean} if mean is not None else {},
    )
    return replace(total.fill(base), samples=())


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
