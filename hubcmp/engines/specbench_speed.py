"""What Spec-Bench's speed.py prints per task; "mean accepted tokens" already counts the bonus token."""

import re

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._text import REPORT_LIMIT, head, is_json, measured, pairs, sections, text
from hubcmp.readers import Reader, Reading

FORMAT = "specbench.speed.stdout"
_TASK = re.compile(r"Task:[ \t]{0,10}([^\n=]{1,80}?)[ \t]{0,10}(?:=|\n|$)")


def recognises(document: Document) -> bool:
    """Return whether the head holds the row of mean accepted tokens."""
    start = head(document)
    return not is_json(start) and b"#Mean accepted tokens:" in start


def read(document: Document) -> Reading:
    """Return one run per task."""
    report = text(document, REPORT_LIMIT)
    parts = sections(report, "Task:") or [(1, report)]
    return Reading(FORMAT, runs=tuple(_run(document, line, part) for line, part in parts if "#Mean accepted" in part))


def _run(document: Document, line: int, part: str) -> Run:
    values = pairs(part)
    task = _TASK.search(part)
    printed = {"baseline_throughput": "tokens per second for the baseline", "speedup": "speedup ratio"}
    return Run(
        engine="spec-bench",
        format=FORMAT,
        source=document.source.at(f"line {line}"),
        weighting="steps",
        window="run",
        accept_length=measured(values, "#mean accepted tokens"),
        output_throughput=measured(values, "tokens per second"),
        dataset=task[1].strip() if task else None,
        reported={name: value for name, key in printed.items() if (value := measured(values, key)) is not None},
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
