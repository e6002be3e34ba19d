"""SpecForge's bench_model_speedup.py (until November 2025): one object per draft setting and benchmark."""

from hubcmp.document import Document
from hubcmp.engines._json import keys, number, objects
from hubcmp.engines._sweep import setting
from hubcmp.readers import Reader, Reading

FORMAT = "specforge.bench_model_speedup.jsonl"


def recognises(document: Document) -> bool:
    """Return whether the head holds an accept length beside a benchmark's name, and no step time."""
    found = keys(document)
    return {"acc_length", "benchmark"} <= found and "step_time" not in found


def read(document: Document) -> Reading:
    """Return one run per object."""
    runs = [
        setting(FORMAT, document.source.at(where), result, number(result, "throughput"), {})
        for where, result in objects(document)
    ]
    return Reading(FORMAT, runs=tuple(runs))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
