"""What DFlash's benchmark prints in serving mode, against an SGLang server."""

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import told
from hubcmp.engines._text import REPORT_LIMIT, counted, head, is_json, measured, pairs, text
from hubcmp.readers import Reader, Reading

FORMAT = "dflash.serving_benchmark.stdout"


def recognises(document: Document) -> bool:
    """Return whether the head holds the row with the verify count."""
    start = head(document)
    return not is_json(start) and b"Spec verify ct:" in start


def read(document: Document) -> Reading:
    """Return the run; the printed length is a mean over requests."""
    printed = pairs(text(document, REPORT_LIMIT))
    values = {label.partition("(")[0].strip(): value for label, value in printed.items()}
    length = measured(
        values, "accept length", "acceptance length", "average accept length", "average acceptance length"
    )
    length, why = told(length)
    tokens = measured(values, "output tokens", "total output tokens", "total tokens")
    steps = measured(values, "spec verify ct")
    pooled = {"output_tokens_per_verify_step": tokens / steps} if tokens and steps else {}
    concurrency = counted(values, "concurrency", "max concurrency")
    run = Run(
        engine="sglang",
        format=FORMAT,
        source=document.source,
        weighting="requests" if length else None,
        window="run",
        n_requests=counted(
            values, "num prompts", "prompts", "num requests", "requests", "num samples", "samples", "questions"
        ),
        steps=steps or None,
        accept_length=length,
        output_throughput=measured(values, "throughput", "output throughput", "output token throughput"),
        dataset=values.get("dataset"),
        conditions={"engine": "sglang", **({"concurrency": concurrency} if concurrency else {})},
        reported=pooled,
        why=why | {"accepted": "completion tokens count the prefill token of each request"},
    )
    return Reading(FORMAT, runs=(run,))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
