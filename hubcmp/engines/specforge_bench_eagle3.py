"""SpecForge's bench_eagle3.py result file: one indented JSON object with a list of draft settings per benchmark."""

from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import FALLBACK
from hubcmp.engines._json import get, keys, number, objects, whole, word
from hubcmp.engines._sweep import draft
from hubcmp.readers import Reader, Reading

FORMAT = "specforge.bench_eagle3.json"


def recognises(document: Document) -> bool:
    """Return whether the head holds benchmarks with lists of metrics."""
    return {"metrics", "accept_length", "num_questions"} <= keys(document)


def read(document: Document) -> Reading:
    """Return one run per benchmark and draft setting; repeated measurements of a setting are averaged."""
    runs = [
        _run(document, f"$.{name}[{i}]", name, entry, word(result, "model"))
        for _, result in objects(document)
        for name, entries in result.items()
        for i, entry in enumerate(entries if isinstance(entries, list) else ())
        if isinstance(entry, dict)
    ]
    return Reading(FORMAT, runs=tuple(runs))


def _run(document: Document, where: str, name: str, entry: dict[str, Any], model: str | None) -> Run:
    conditions, nodes = draft(entry)
    metrics = get(entry, "metrics")
    metrics = metrics if isinstance(metrics, list) else []
    lengths = [v for m in metrics if (v := number(m, "accept_length")) and v > 1]
    baseline = whole(entry, "steps") == 0
    measured = lengths if not baseline and len(lengths) == len(metrics) else []
    return Run(
        engine="sglang",
        format=FORMAT,
        source=document.source.at(where),
        weighting="steps, prefill token counted; mean of runs" if measured else None,
        window="run: sum of completion tokens / sum of verify steps",
        n_windows=len(metrics),
        n_requests=whole(metrics[0], "num_questions") if metrics else whole(entry, "num_samples"),
        num_spec_tokens=nodes,
        accept_length=_mean(measured),
        output_throughput=_mean([v for m in metrics if (v := number(m, "output_throughput")) is not None]),
        dataset=name[:100],
        batch_size=whole(entry, "batch_size"),
        conditions=conditions,
        settings={"model": model} if model else {},
        why={} if measured else {"accept_length": FALLBACK if baseline or metrics else "not in the file"},
    )


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
