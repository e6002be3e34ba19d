"""llama.cpp's responses: `timings` with drafted and accepted tokens, but no count of steps."""

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._json import get, keys, number, objects
from hubcmp.readers import Reader, Reading

FORMAT = "llamacpp.timings"


def recognises(document: Document) -> bool:
    """Return whether the head holds timings of generated tokens."""
    return {"timings", "predicted_n"} <= keys(document)


def read(document: Document) -> Reading:
    """Return one run over all responses. predicted_n - accepted - 1 would be near the steps, not equal: not given."""
    timings = [found for _, reply in objects(document) if isinstance(found := get(reply, "timings"), dict)]
    drafted = [(number(t, "draft_n"), number(t, "draft_n_accepted")) for t in timings]
    pairs = [(d, a) for d, a in drafted if d and a is not None]
    offered, taken = sum(d for d, _ in pairs), sum(a for _, a in pairs)
    run = Run(
        engine="llama.cpp",
        format=FORMAT,
        source=document.source,
        kind="derived",
        weighting="drafted tokens" if pairs else None,
        window="per request",
        n_requests=len(timings),
        drafted=offered if pairs else None,
        accepted=taken if pairs else None,
        draft_acceptance_rate=taken / offered if pairs else None,
        output_throughput=number(timings[0], "predicted_per_second") if len(timings) == 1 else None,
        conditions={"engine": "llama.cpp"},
        why={"accept_length": "the responses do not count verify steps; the server log or /metrics does"},
    )
    return Reading(FORMAT, runs=(run,))


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
