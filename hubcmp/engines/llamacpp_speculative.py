"""The summary of llama.cpp's llama-speculative example."""

import re

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._text import REPORT_LIMIT, figure, head, is_json, text
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "llamacpp.speculative_example"
_COUNT = re.compile(r"(?m)^[^\n=]{0,80}?\b(n_draft|n_predict|n_drafted|n_accept)[ \t]{0,20}=[ \t]{0,20}(\d{1,12})")
_DECODED = re.compile(
    r"decoded[ \t]{1,20}\d{1,12} tokens in[ \t]{1,20}[\d.]{1,20} seconds, speed:[ \t]{1,20}([\d.]{1,20}) t/s"
)


def recognises(document: Document) -> bool:
    """Return whether the head holds the drafted and accepted counts of the example."""
    start = head(document)
    return not is_json(start) and bool(
        re.search(rb"\bn_drafted {0,20}= ?\d", start) and re.search(rb"\bn_accept {0,20}= ?\d", start)
    )


def read(document: Document) -> Reading:
    """Return the run. Steps = n_predict - n_accept follows from the example's loop only, so it is not given."""
    report = text(document, REPORT_LIMIT)
    values = {name: figure(value) for name, value in _COUNT.findall(report)}
    depth, drafted, taken = values.get("n_draft"), values.get("n_drafted"), values.get("n_accept")
    predicted, speed = values.get("n_predict"), _DECODED.search(report)
    known: dict[str, Scalar] = {"draft_length": int(depth)} if depth else {}
    steps = predicted - taken if predicted and taken is not None else 0.0
    estimate = {"accept_length_if_every_loop_adds_one_token": predicted / steps} if predicted and steps > 0 else {}
    run = Run(
        engine="llama.cpp",
        format=FORMAT,
        source=document.source,
        kind="derived",
        weighting="drafted tokens" if drafted else None,
        window="run",
        n_requests=1,
        num_spec_tokens=int(depth) if depth else None,
        drafted=drafted,
        accepted=taken,
        draft_acceptance_rate=taken / drafted if drafted and taken is not None else None,
        output_throughput=figure(speed[1]) if speed else None,
        conditions={"engine": "llama.cpp", "batch_size": 1, **known},
        reported=estimate,
        why={"accept_length": "the summary does not count verify steps"},
    )
    return Reading(FORMAT, runs=(run,))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
