"""SGLang's bench_serving result file: one object per run; its accept length is the server's lifetime value."""

from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import told
from hubcmp.engines._json import get, keys, number, objects, whole, word
from hubcmp.engines.sglang_server_info import described
from hubcmp.readers import Reader, Reading

FORMAT = "sglang.bench_serving.jsonl"


def recognises(document: Document) -> bool:
    """Return whether the head holds the keys of bench_serving's result and not those of vLLM's."""
    found = keys(document)
    return {"backend", "completed", "total_output_tokens"} <= found and not found & {"tokenizer_id", "model_id"}


def read(document: Document) -> Reading:
    """Return one run per object."""
    return Reading(FORMAT, runs=tuple(_run(document, where, result) for where, result in objects(document)))


def _run(document: Document, where: str, result: dict[str, Any]) -> Run:
    info = get(result, "server_info")
    raw, found, nodes = described(info) if isinstance(info, dict) else ({}, {}, None)
    length = number(result, "accept_length")
    length, why = told(length)
    concurrency = whole(result, "max_concurrency")
    return Run(
        engine="sglang",
        format=FORMAT,
        source=document.source.at(where),
        engine_version=word(info, "version"),
        weighting="steps" if length else None,
        window="server lifetime (avg_spec_accept_length), not this run only",
        n_requests=whole(result, "completed"),
        num_spec_tokens=nodes,
        accept_length=length,
        draft_acceptance_rate=(length - 1) / nodes if length and nodes else None,
        output_throughput=number(result, "output_throughput"),
        dataset=word(result, "dataset_name"),
        conditions={**found, **({"concurrency": concurrency} if concurrency else {})},
        settings=raw,
        reported={"accept_length": number(result, "accept_length")} if length else {},
        why=why
        if length or why
        else {"accept_length": "null in the file: not measured (a server without speculation)"},
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
