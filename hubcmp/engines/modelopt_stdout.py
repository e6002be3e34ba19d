"""What Model-Optimizer's specdec_bench prints: request, turn and length per line, the mean, a histogram."""

import re

from hubcmp.document import Document
from hubcmp.engines._modelopt import from_histogram
from hubcmp.engines._text import REPORT_LIMIT, figure, head, is_json, measured, pairs, sections, text
from hubcmp.readers import Reader, Reading

FORMAT = "modelopt.specdec_bench.stdout"
_TITLE = "Acceptance Length Histogram"
_PAIR = re.compile(r"(\d{1,3}):[ \t]{0,4}(\d{1,12})")
_TURN = re.compile(r"(?m)^(\d{1,9}) \d{1,6} \d{1,4}(?:\.\d{1,20})?[ \t]{0,4}$")


def recognises(document: Document) -> bool:
    """Return whether the head holds the printed histogram."""
    start = head(document)
    return not is_json(start) and _TITLE.encode() in start


def read(document: Document) -> Reading:
    """Return one run per histogram; the rows above it name its requests."""
    report = text(document, REPORT_LIMIT)
    runs, above = [], report.partition(_TITLE)[0]
    for line, part in sections(report, _TITLE):
        printed, _, rest = part.partition("}")
        histogram = {key: figure(value) for key, value in _PAIR.findall(printed)}
        requests = len(set(_TURN.findall(above))) or None
        average = measured(pairs(above), "average al")
        runs.append(from_histogram(FORMAT, document.source.at(f"line {line}"), histogram, average, requests))
        above = rest
    return Reading(FORMAT, runs=tuple(runs))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
