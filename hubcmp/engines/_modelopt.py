"""Model-Optimizer's specdec_bench counts tokens per streamed chunk, the bonus token and the prefill chunk included."""

from dataclasses import replace
from typing import Any

from hubcmp.acceptance import Run
from hubcmp.engines._counts import Counts, accepted, reached
from hubcmp.engines._json import counts
from hubcmp.facts import Source


def from_histogram(format: str, source: Source, histogram: Any, average: float | None, requests: int | None) -> Run:
    """Return the run of {tokens of a chunk: chunks}; `average` is the printed mean over turns of per-turn means."""
    by_tokens = counts(histogram)
    drafts = by_tokens[1:]
    total = Counts()
    if sum(drafts):
        total.add(sum(drafts), accepted(drafts), reached=reached(drafts))
    base = Run(
        engine="modelopt",
        format=format,
        source=source,
        kind="exact",
        window="run; the prefill chunk counts as a step, so slightly low",
        n_requests=requests,
        reported={"request_mean_accept_length": average} if average is not None else {},
    )
    return replace(total.fill(base), samples=())
