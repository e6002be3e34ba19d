"""SGLang's send_one: one request, completion tokens per verify step, 1.0 when nothing was measured."""

import re

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import told
from hubcmp.engines._text import REPORT_LIMIT, figure, head, is_json, text
from hubcmp.readers import Reader, Reading

FORMAT = "sglang.send_one"
_OLD_LENGTH = re.compile(r"\bacc_length=(\d{1,4}\.\d{1,6})")
_OLD_SPEED = re.compile(r"\bspeed=(\d{1,7}\.\d{1,6})")
_ROW = re.compile(r"(?m)^\|([^\n]{1,400})\|[ \t]{0,20}$")


def recognises(document: Document) -> bool:
    """Return whether the head holds send_one's figures, in the old or the table form."""
    start = head(document)
    return not is_json(start) and bool(re.search(rb"\bacc_length=\d|\|[^\n|]{0,20}Acc Length[^\n|]{0,20}\|", start))


def read(document: Document) -> Reading:
    """Return one run per request printed."""
    report = text(document, REPORT_LIMIT)
    rows = [[cell.strip() for cell in row.split("|")] for row in _ROW.findall(report)]
    names = next((row for row in rows if "Acc Length" in row), [])
    found = [
        dict(zip(names, row, strict=False)) for row in rows if names and row != names and figure(row[0]) is not None
    ]
    printed = [(figure(row.get("Acc Length")), figure(row.get("Speed (token/s)"))) for row in found]
    if not printed:
        speeds = [figure(s) for s in _OLD_SPEED.findall(report)]
        lengths = [figure(s) for s in _OLD_LENGTH.findall(report)]
        printed = [(length, speeds[i] if i < len(speeds) else None) for i, length in enumerate(lengths)]
    return Reading(FORMAT, runs=tuple(_run(document, *pair) for pair in printed))


def _run(document: Document, length: float | None, speed: float | None) -> Run:
    measured, why = told(length)
    return Run(
        engine="sglang",
        format=FORMAT,
        source=document.source,
        weighting="one request, prefill token counted" if measured else None,
        window="single request",
        n_requests=1,
        accept_length=measured,
        output_throughput=speed,
        conditions={"engine": "sglang", "batch_size": 1},
        reported={"accept_length_definition": "completion_tokens / spec_verify_ct, includes the prefill token"}
        if measured
        else {},
        why=why,
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
