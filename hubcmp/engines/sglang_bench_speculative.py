"""SGLang's bench_speculative.py: one object per draft setting and batch size; steps 0 is the baseline."""

from hubcmp.document import Document
from hubcmp.engines._json import keys, number, objects
from hubcmp.engines._sweep import setting
from hubcmp.readers import Reader, Reading

FORMAT = "sglang.bench_speculative.jsonl"


def recognises(document: Document) -> bool:
    """Return whether the head holds an accept length beside a step time."""
    return {"acc_length", "step_time"} <= keys(document)


def read(document: Document) -> Reading:
    """Return one run per object. `speed` is length / step time of the fastest steps, so it is no run's throughput."""
    runs = [
        setting(
            FORMAT, document.source.at(where), result, None, {"speed_at_20th_percentile_step": number(result, "speed")}
        )
        for where, result in objects(document)
    ]
    return Reading(FORMAT, runs=tuple(runs))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
