"""What SpecForge's benchmarks print per benchmark and setting."""

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import told
from hubcmp.engines._text import REPORT_LIMIT, counted, head, is_json, measured, pairs, sections, text
from hubcmp.readers import Reader, Reading

FORMAT = "specforge.print_results.stdout"
_TITLE = " Evaluation Results"


def recognises(document: Document) -> bool:
    """Return whether the head holds a block of evaluation results with its throughput row."""
    start = head(document)
    return not is_json(start) and _TITLE.encode() in start and b"Average Output throughput:" in start


def read(document: Document) -> Reading:
    """Return one run per block."""
    report = text(document, REPORT_LIMIT)
    return Reading(FORMAT, runs=tuple(_run(document, line, part) for line, part in sections(report, _TITLE)))


def _run(document: Document, line: int, part: str) -> Run:
    values = pairs(part)
    length = measured(values, "average accept length")
    length, why = told(length)
    return Run(
        engine="sglang",
        format=FORMAT,
        source=document.source.at(f"line {line}"),
        weighting="steps, prefill token counted; mean of runs" if length else None,
        window="run",
        n_requests=counted(values, "number of questions"),
        accept_length=length,
        output_throughput=measured(values, "average output throughput"),
        dataset=part.partition(_TITLE)[0].strip()[:100] or None,
        conditions={"engine": "sglang"},
        why=why if length or why else {"accept_length": "not printed"},
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
