"""The public dashboard's rows: one measurement per line, with its target, drafter, settings and the plain throughput beside it."""

from collections.abc import Mapping
from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import told
from hubcmp.engines._json import keys, number, objects, whole, word
from hubcmp.facts import Scalar, Source
from hubcmp.readers import Reader, Reading

FORMAT = "specbundle.jsonl"
_COUNTS = ("num_steps", "topk", "num_draft_tokens", "batch_size")


def recognises(document: Document) -> bool:
    """Return whether the head holds a drafter's accept length beside the throughput without it."""
    return {"drafter", "accept_length", "baseline_tok_s"} <= keys(document)


def read(document: Document) -> Reading:
    """Return one run per row; `reported` keeps whose it is, the plain throughput and the speedup as published."""
    return Reading(FORMAT, runs=tuple(_run(document.source.at(where), row) for where, row in objects(document)))


def _run(source: Source, row: Mapping[str, Any]) -> Run:
    length, why = told(number(row, "accept_length"))
    counts: dict[str, Scalar] = {name: n for name in _COUNTS if (n := whole(row, name))}
    target = word(row, "target")
    said = {"drafter": word(row, "drafter"), **{k: number(row, k) for k in ("baseline_tok_s", "speedup")}}
    return Run(
        engine="sglang",
        format=FORMAT,
        source=source,
        weighting="not stated",
        window="run",
        accept_length=length,
        output_throughput=number(row, "throughput_tok_s"),
        dataset=word(row, "benchmark"),
        batch_size=whole(row, "batch_size"),
        conditions=counts | ({"target_model": target} if target else {}),
        reported={key: value for key, value in said.items() if value is not None},
        why=why if length or why else {"accept_length": "not measured"},
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
