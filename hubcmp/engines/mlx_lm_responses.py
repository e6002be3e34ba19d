"""MLX-LM's generation responses, one object per token with `from_draft`: every step ends with one token of the target."""

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts
from hubcmp.engines._json import get, keys, objects, whole
from hubcmp.readers import Reader, Reading

FORMAT = "mlx_lm.generation_response.jsonl"


def recognises(document: Document) -> bool:
    """Return whether the head marks tokens as drafted or not."""
    return "from_draft" in keys(document)


def read(document: Document) -> Reading:
    """Return one run over all requests; a request starts where the token count falls, and its last token is repeated."""
    total, requests, last, run = Counts(), 0, 0, 0
    for _, token in objects(document):
        drafted, n = get(token, "from_draft"), whole(token, "generation_tokens")
        if not isinstance(drafted, bool) or (n is not None and n == last):
            continue
        if n is None or n < last or not requests:
            requests += 1 if n is not None or not requests else 0
            run = 0
        last = n or 0
        run += drafted
        if not drafted:
            total.add(1, run)
            run = 0
    total.accepted += run
    base = Run(
        engine="mlx-lm",
        format=FORMAT,
        source=document.source,
        kind="exact",
        window="per token",
        n_requests=requests,
        conditions={"engine": "mlx-lm"},
        why={"drafted": "only accepted drafts are told"},
    )
    return Reading(FORMAT, runs=(total.fill(base),))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
