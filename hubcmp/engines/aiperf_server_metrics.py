"""aiperf's server metrics: the server's own gauges and counters, averaged or totalled over the run."""

from dataclasses import replace
from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts
from hubcmp.engines._json import get, keys, number, objects
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "aiperf.server_metrics"


def recognises(document: Document) -> bool:
    """Return whether the head holds metrics as series with statistics."""
    return {"metrics", "series", "stats"} <= keys(document)


def read(document: Document) -> Reading:
    """Return one run per file: exact from vLLM's counters, tokens per step or the gauge's mean from SGLang's."""
    runs = [
        _run(document, metrics)
        for _, report in objects(document)
        if isinstance(metrics := get(report, "metrics"), dict)
    ]
    return Reading(FORMAT, runs=tuple(runs))


def _run(document: Document, metrics: dict[str, Any]) -> Run:
    if any(name.startswith("vllm:") for name in metrics):
        return _vllm(document, metrics)
    nodes, depth = _mean(metrics, "sglang:spec_num_draft_tokens"), _mean(metrics, "sglang:spec_num_steps")
    steps, tokens = _total(metrics, "sglang:spec_verify_calls"), _total(metrics, "sglang:generation_tokens")
    gauge = _mean(metrics, "sglang:spec_accept_length")
    gauge = gauge if gauge and gauge >= 1 else None
    known: dict[str, Scalar] = {"num_draft_tokens": int(nodes)} if nodes else {}
    known |= {"num_steps": int(depth), "draft_length": int(depth)} if depth else {}
    base = Run(
        engine="sglang",
        format=FORMAT,
        source=document.source,
        window="run, as sampled by the client",
        num_spec_tokens=int(nodes) - 1 if nodes and nodes > 1 else None,
        conditions={"engine": "sglang", **known},
        reported={"gauge_mean_accept_length": gauge} if gauge else {},
    )
    if steps and tokens:
        return replace(base, kind="derived", weighting="steps", steps=steps, accept_length=tokens / steps)
    drafted = base.num_spec_tokens
    rate = (gauge - 1) / drafted if gauge and drafted else None
    weighting = "samples of the gauge" if gauge else None
    return replace(base, weighting=weighting, steps=steps, accept_length=gauge, draft_acceptance_rate=rate)


def _vllm(document: Document, metrics: dict[str, Any]) -> Run:
    run = Run(
        "vllm",
        FORMAT,
        document.source,
        kind="exact",
        window="run, as sampled by the client",
        conditions={"engine": "vllm"},
    )
    names = ("num_drafts", "num_accepted_tokens", "num_draft_tokens")
    steps, taken, drafted = (_total(metrics, f"vllm:spec_decode_{name}") for name in names)
    total = Counts()
    if steps and taken is not None:
        total.add(steps, taken, drafted)
    return replace(total.fill(run), samples=())


def _series(metrics: dict[str, Any], name: str, figure: str) -> list[float]:
    series = get(metrics, name, "series") or get(metrics, f"{name}_total", "series")
    values = [number(one, "stats", figure) for one in series] if isinstance(series, list) else []
    return [value for value in values if value is not None]


def _total(metrics: dict[str, Any], name: str) -> float | None:
    """Return a counter's growth over the run, summed over labels."""
    return sum(_series(metrics, name, "total")) or None


def _mean(metrics: dict[str, Any], name: str) -> float | None:
    """Return a gauge's mean over the run, over labels; zeros are idle servers."""
    values = [value for value in _series(metrics, name, "avg") if value > 0]
    return sum(values) / len(values) if values else None


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
