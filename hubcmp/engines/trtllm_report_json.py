"""trtllm-bench's JSON report with statistics over requests."""

from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._json import get, keys, number, objects, whole, word
from hubcmp.engines._trtllm import Averages, recovered
from hubcmp.readers import Reader, Reading

FORMAT = "trtllm.bench.report_json"


def recognises(document: Document) -> bool:
    """Return whether the head is a report of trtllm-bench."""
    found = keys(document)
    return "decoding_stats" in found or {"request_info", "performance"} <= found


def read(document: Document) -> Reading:
    """Return one run per report."""
    return Reading(FORMAT, runs=tuple(_run(document, report) for _, report in objects(document)))


def _run(document: Document, report: dict[str, Any]) -> Run:
    stats = get(report, "decoding_stats")
    base = Run(
        engine="tensorrt-llm",
        format=FORMAT,
        source=document.source,
        engine_version=word(report, "engine", "version"),
        window="run",
        n_requests=whole(report, "request_info", "num_requests"),
        output_throughput=number(report, "performance", "system_output_throughput_tok_s"),
        conditions={"engine": "tensorrt-llm", **_stated(report)},
    )
    means = Averages(
        tokens=number(report, "request_info", "avg_output_length"),
        drafted=number(stats, "num_draft_tokens_percentiles", "average"),
        accepted=number(stats, "num_accepted_draft_tokens_percentiles", "average"),
        length=_first(stats, "acceptance_length_percentiles", "acceptance_percentiles"),
        rate=_first(stats, "draft_acceptance_rate_percentiles", "acceptance_rate_percentiles"),
    )
    return recovered(base, means)


def _stated(report: dict[str, Any]) -> dict[str, str]:
    found = {"target_model": word(report, "engine", "model"), "algorithm": word(report, "decoding_stats", "mode")}
    return {key: value for key, value in found.items() if value}


def _first(stats: Any, *names: str) -> float | None:
    return next((value for name in names if (value := number(stats, name, "average")) is not None), None)


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
