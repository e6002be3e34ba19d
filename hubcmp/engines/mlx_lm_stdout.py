"""What MLX-LM's generate prints: throughput only, acceptance never."""

import re

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._text import REPORT_LIMIT, figure, head, is_json, text
from hubcmp.readers import Reader, Reading

FORMAT = "mlx_lm.generate.stdout"
_SPEED = re.compile(r"(?m)^Generation: \d{1,12} tokens, ([\d.]{1,20}) tokens-per-sec")


def recognises(document: Document) -> bool:
    """Return whether the head holds the generation line."""
    start = head(document)
    return not is_json(start) and bool(
        re.search(rb"(?m)^Generation: \d{1,12} tokens, [\d.]{1,20} tokens-per-sec", start)
    )


def read(document: Document) -> Reading:
    """Return one run per generation printed."""
    runs = [
        Run(
            engine="mlx-lm",
            format=FORMAT,
            source=document.source,
            n_requests=1,
            output_throughput=figure(speed),
            conditions={"engine": "mlx-lm", "batch_size": 1},
            why={"accept_length": "mlx-lm prints no acceptance; its Python API marks each token with from_draft"},
        )
        for speed in _SPEED.findall(text(document, REPORT_LIMIT))
    ]
    return Reading(FORMAT, runs=tuple(runs))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
