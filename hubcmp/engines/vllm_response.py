"""vLLM's responses with `metrics.speculative_decoding` (0.29 on, --per-request-spec-decode-metrics)."""

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts
from hubcmp.engines._json import get, keys, number, objects
from hubcmp.engines._vllm_metrics import add
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "vllm.response_metrics"


def recognises(document: Document) -> bool:
    """Return whether the head holds the per-request object, not inside another tool's report."""
    found = keys(document)
    return "speculative_decoding" in found and not found & {"response_metrics", "benchmarks", "total_draft_tokens"}


def read(document: Document) -> Reading:
    """Return one run over all responses."""
    total, depths, means, n = Counts(), set[int | None](), list[float](), 0
    for _, reply in objects(document):
        metrics = get(reply, "metrics", "speculative_decoding")
        if metrics is None:
            continue
        n += 1
        depths.add(add(total, metrics))
        if number(metrics, "num_spec_steps"):
            means.append(number(metrics, "mean_acceptance_length") or 0.0)
    depth = next(iter(depths)) if len(depths) == 1 else None
    known: dict[str, Scalar] = {"num_speculative_tokens": depth, "draft_length": depth} if depth else {}
    base = Run(
        engine="vllm",
        format=FORMAT,
        source=document.source,
        kind="exact",
        window="per request",
        n_requests=n,
        num_spec_tokens=depth,
        conditions={"engine": "vllm", **known},
        reported={"request_mean_accept_length": sum(means) / len(means)} if means else {},
    )
    return Reading(FORMAT, runs=(total.fill(base),))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
