"""What SGLang's bench_one_batch_server prints: key lines per batch size, then one table of the same runs (counted once)."""

import re

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._text import REPORT_LIMIT, figure, head, is_json, measured, pairs, sections, text
from hubcmp.engines.sglang_one_batch_jsonl import one_batch
from hubcmp.readers import Reader, Reading

FORMAT = "sglang.bench_one_batch_server.stdout"
_START = "batch size:"
_ROW = re.compile(r"(?m)^\|([^\n]{1,1000})\|[ \t]{0,20}$")


def recognises(document: Document) -> bool:
    """Return whether the head holds the key lines or the table of a one-batch run."""
    start = head(document)
    lines = re.search(rb"(?m)^batch size: ?\d", start) and re.search(rb"(?m)^output throughput: ", start)
    table = re.search(rb"(?m)^\| {1,20}batch size \|[^\n]{0,400}output throughput", start)
    return not is_json(start) and bool(lines or table)


def read(document: Document) -> Reading:
    """Return one run per batch size, from the key lines where there are any, otherwise from the table."""
    report = text(document, REPORT_LIMIT)
    parts = sections(report, _START)
    runs = [_from_lines(document, line, part) for line, part in parts] or _from_table(document, report)
    return Reading(FORMAT, runs=tuple(runs))


def _from_lines(document: Document, line: int, part: str) -> Run:
    values = pairs(part.split("\n|")[0])
    size, speed = measured(values, "batch size"), measured(values, "output throughput")
    return one_batch(FORMAT, document.source.at(f"line {line}"), size, speed, measured(values, "acc_length"))


def _from_table(document: Document, report: str) -> list[Run]:
    rows = [[cell.strip() for cell in row.split("|")] for row in _ROW.findall(report)]
    head_row = next((row for row in rows if "batch size" in row), [])
    found = [
        dict(zip(head_row, row, strict=False)) for row in rows if row != head_row and not row[0].startswith(("-", ":"))
    ]
    return [
        one_batch(
            FORMAT,
            document.source.at(f"table row {number}"),
            figure(row.get("batch size")),
            figure(row.get("output throughput (tok/s)")),
            figure(row.get("acc length")),
        )
        for number, row in enumerate(found, 1)
    ]


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
