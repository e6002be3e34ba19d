"""SGLang's GET /server_info: the server's settings and, per data-parallel rank, the lifetime accept length."""

from typing import Any

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._json import get, items, keys, number, objects, word
from hubcmp.engines._sglang import conditions, drafted_per_step, settings
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "sglang.server_info"


def recognises(document: Document) -> bool:
    """Return whether the head holds a server's internal state and is no benchmark result that quotes one."""
    found = keys(document)
    return bool(found & {"internal_states", "avg_spec_accept_length"}) and not found & {"completed", "acc_length"}


def read(document: Document) -> Reading:
    """Return one run per reply: the plain mean over ranks, because the ranks' step counts are not told."""
    return Reading(FORMAT, runs=tuple(_run(document, where, reply) for where, reply in objects(document)))


def lifetime(info: Any) -> tuple[float | None, list[float]]:
    """Return (mean over ranks, each rank's) lifetime accept length of a server info object; 1+A/N."""
    states = (
        items(info, "internal_states")
        or items(info, "decode", 0, "internal_states")
        or [get(info, "decode", 0) or info]
    )
    ranks = [v for v in (number(state, "avg_spec_accept_length") for state in states) if v is not None and v >= 1]
    return (sum(ranks) / len(ranks) if ranks else None), ranks


def described(info: Any) -> tuple[dict[str, str], dict[str, Scalar], int | None]:
    """Return (settings, conditions, drafted tokens per step) of a server info object."""
    raw = settings(get(info, "decode", 0) or info)
    found = conditions(raw)
    return raw, found, drafted_per_step(found)


def _run(document: Document, where: str, reply: dict[str, Any]) -> Run:
    length, ranks = lifetime(reply)
    raw, found, nodes = described(reply)
    return Run(
        engine="sglang",
        format=FORMAT,
        source=document.source.at(where),
        engine_version=word(reply, "version"),
        weighting="ranks, unweighted" if len(ranks) > 1 else "steps",
        window="server lifetime (since start or /flush_cache)",
        num_spec_tokens=nodes,
        accept_length=length,
        draft_acceptance_rate=(length - 1) / nodes if length is not None and nodes else None,
        conditions=found,
        settings=raw,
        reported={"per_rank_accept_length": ranks} if len(ranks) > 1 else {},
        why={"steps": "the reply holds a mean without counts"},
    )


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
