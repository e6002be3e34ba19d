"""speculators' older analysis of vLLM logs (before June 2026): drafted tokens and per-position rates weighted by them."""

import re

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._text import REPORT_LIMIT, figure, head, is_json, measured, pairs, text
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "speculators.acceptance_analysis.stdout"
_LIST = r"[ \t]{0,10}:?[ \t\n]{0,20}\[([^\]]{1,2000})\]"
_RATES = re.compile(r"(?i)weighted per-position acceptance rates?" + _LIST)
_CONDITIONAL = re.compile(r"(?i)conditional acceptance rates?" + _LIST)
_FIGURE = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{0,20})?(?:e-\d{1,3})?(?![\w])")


def recognises(document: Document) -> bool:
    """Return whether the head holds the total of drafted tokens beside per-position rates."""
    start = head(document)
    return not is_json(start) and b"Total drafted tokens:" in start and b"per-position acceptance rate" in start


def read(document: Document) -> Reading:
    """Return the run: accept length = 1 + sum of the rates. Steps are not printed."""
    report = text(document, REPORT_LIMIT)
    rates = _figures(_RATES.search(report))
    values = pairs(report)
    known: dict[str, Scalar] = {"num_speculative_tokens": len(rates), "draft_length": len(rates)} if rates else {}
    conditional = _figures(_CONDITIONAL.search(report))
    run = Run(
        engine="vllm",
        format=FORMAT,
        source=document.source,
        kind="derived",
        weighting="drafted tokens",
        window="run, sums over log lines",
        num_spec_tokens=len(rates) or None,
        drafted=measured(values, "total drafted tokens"),
        accept_length=1 + sum(rates) if rates else None,
        per_position=tuple(rates) or None,
        conditions={"engine": "vllm", **known},
        reported={"conditional_acceptance_rates": conditional} if conditional else {},
        why={"steps": "only drafted tokens are printed, not verify steps"},
    )
    return Reading(FORMAT, runs=(run,))


def _figures(found: re.Match[str] | None) -> list[float]:
    """Return the figures of a printed numpy list, "[0.8 0.57]" or "[np.float64(0.8), ...]"."""
    inside = re.sub(r"float\d{2}", "", found[1]) if found else ""
    return [value for raw in _FIGURE.findall(inside) if (value := figure(raw)) is not None and value <= 1]


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
