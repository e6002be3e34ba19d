"""What Model-Optimizer's ar_validate prints. Its "AR" is a length: mean over samples of tokens per step, on short outputs."""

import re

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._text import REPORT_LIMIT, counted, figure, head, is_json, measured, pairs, sections, text
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "modelopt.ar_validate.stdout"
_TITLE = "AR Validation Results"
_SETTING = re.compile(r"\b(osl|steps)[ \t]{0,4}=[ \t]{0,4}(\d{1,7})")
_ROWS = ("samples", "all")


def recognises(document: Document) -> bool:
    """Return whether the head holds the title."""
    start = head(document)
    return not is_json(start) and _TITLE.encode() in start


def read(document: Document) -> Reading:
    """Return one run per title."""
    report = text(document, REPORT_LIMIT)
    return Reading(FORMAT, runs=tuple(_run(document, line, part) for line, part in sections(report, _TITLE)))


def _run(document: Document, line: int, part: str) -> Run:
    title, _, rest = part.partition("\n")
    stated = {name: int(value) for name, value in _SETTING.findall(title)}
    values = pairs(rest)
    length, depth, samples = measured(values, "all"), stated.get("steps") or None, counted(values, "samples")
    categories = {name: figure(value) for name, value in values.items() if name not in _ROWS}
    known: dict[str, Scalar] = {"draft_length": depth} if depth else {}
    known |= {"max_tokens": stated["osl"]} if stated.get("osl") else {}
    return Run(
        engine="modelopt",
        format=FORMAT,
        source=document.source.at(f"line {line}"),
        weighting="samples",
        window=f"{samples or 'unknown number of'} samples x {stated.get('osl', 'unknown')} tokens (osl)",
        n_requests=samples,
        num_spec_tokens=depth,
        accept_length=length,
        draft_acceptance_rate=(length - 1) / depth if length and depth else None,
        conditions=known,
        reported={"by_category": {name: value for name, value in categories.items() if value is not None}},
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
