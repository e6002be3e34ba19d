"""SGLang's bench_one_batch_server result file: one object per batch size; `acc_length` is cumulative over all of them."""

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import told
from hubcmp.engines._json import keys, number, objects
from hubcmp.facts import Source
from hubcmp.readers import Reader, Reading

FORMAT = "sglang.bench_one_batch_server.jsonl"


def recognises(document: Document) -> bool:
    """Return whether the head holds the keys of a one-batch result."""
    found = keys(document)
    return {"batch_size", "input_len", "output_len", "latency"} <= found and "step_time" not in found


def read(document: Document) -> Reading:
    """Return one run per object."""
    runs = [
        one_batch(
            FORMAT,
            document.source.at(where),
            number(result, "batch_size"),
            number(result, "output_throughput"),
            number(result, "acc_length"),
        )
        for where, result in objects(document)
        if "batch_size" in result
    ]
    return Reading(FORMAT, runs=tuple(runs))


def one_batch(format: str, source: Source, size: float | None, speed: float | None, length: float | None) -> Run:
    """Return the run of one batch size. A length that is missing, -1 or 1.0 was not measured."""
    measured, why = told(length)
    batch = int(size) if size else None
    return Run(
        engine="sglang",
        format=format,
        source=source,
        weighting="steps" if measured else None,
        window="server lifetime (avg_spec_accept_length), over all batch sizes run so far",
        n_requests=batch,
        accept_length=measured,
        output_throughput=speed,
        batch_size=batch,
        conditions={"engine": "sglang", **({"batch_size": batch} if batch else {})},
        why=why if measured or why else {"accept_length": "not measured (a server without speculation)"},
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
