"""speculators' printed acceptance report: the difference of vLLM's counters over a run."""

import re
from dataclasses import replace

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts, ratio
from hubcmp.engines._text import REPORT_LIMIT, figure, head, is_json, sections, text
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "speculators.acceptance_report.stdout"
_TITLE = "Speculative Decoding Acceptance Report"
_ROW = re.compile(
    r"(?m)^[ \t]{0,20}(Num drafts|Num draft tokens|Num accepted tokens|Acceptance length)[ \t:]{1,60}([\d.,]{1,20})"
)
_POSITION = re.compile(r"(?m)^[ \t]{0,20}Position \d{1,3}[ \t:]{1,60}(\d(?:\.\d{1,8})?)")


def recognises(document: Document) -> bool:
    """Return whether the head holds the report's title."""
    start = head(document)
    return not is_json(start) and _TITLE.encode() in start


def read(document: Document) -> Reading:
    """Return one run per report."""
    report = text(document, REPORT_LIMIT)
    return Reading(FORMAT, runs=tuple(_run(document, line, part) for line, part in sections(report, _TITLE)))


def _run(document: Document, line: int, part: str) -> Run:
    values = {name: figure(value) for name, value in _ROW.findall(part)}
    n, drafted, taken = (values.get(name) for name in ("Num drafts", "Num draft tokens", "Num accepted tokens"))
    places = [figure(p) or 0.0 for p in _POSITION.findall(part)]
    length, total = values.get("Acceptance length"), Counts()
    if n and taken is not None:
        total.add(n, taken, drafted, [p * n for p in places])
    depth = ratio(drafted or 0, n or 0) or len(places) or None
    known: dict[str, Scalar] = {"num_speculative_tokens": depth, "draft_length": depth} if depth else {}
    base = Run(
        engine="vllm",
        format=FORMAT,
        source=document.source.at(f"line {line}"),
        kind="exact" if n else "reported",
        window="run delta",
        num_spec_tokens=depth,
        accept_length=length if length and length > 1 else None,
        conditions={"engine": "vllm", **known},
    )
    return replace(total.fill(base), samples=())


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
