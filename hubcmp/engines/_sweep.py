"""Sweeps over draft settings on SGLang: objects with steps, topk, num_draft_tokens and the server's lifetime accept length."""

from collections.abc import Mapping
from typing import Any

from hubcmp.acceptance import Run
from hubcmp.engines._json import number, whole, word
from hubcmp.facts import Scalar, Source


def draft(result: Mapping[str, Any]) -> tuple[dict[str, Scalar], int | None]:
    """Return (conditions, drafted tokens per step) of a setting; steps 0 or null means no draft that is known."""
    names = {"steps": "num_steps", "topk": "topk", "num_draft_tokens": "num_draft_tokens", "batch_size": "batch_size"}
    found: dict[str, Scalar] = {"engine": "sglang"}
    found |= {key: value for name, key in names.items() if (value := whole(result, name))}
    nodes = whole(result, "num_draft_tokens")
    if "num_steps" in found:
        found["draft_length"] = found["num_steps"]
    return found, nodes - 1 if nodes and nodes > 1 and whole(result, "steps") else None


def setting(
    format: str, source: Source, result: Mapping[str, Any], throughput: float | None, reported: Mapping[str, object]
) -> Run:
    """Return the run of one setting with `acc_length` = 1+A/N of the server's lifetime, which a restart per setting confines."""
    conditions, nodes = draft(result)
    length = number(result, "acc_length")
    baseline = whole(result, "steps") == 0
    measured = length if length and length > 1 and not baseline else None
    return Run(
        engine="sglang",
        format=format,
        source=source,
        weighting="steps" if measured else None,
        window="server lifetime (avg_spec_accept_length)",
        num_spec_tokens=nodes,
        accept_length=measured,
        draft_acceptance_rate=(measured - 1) / nodes if measured and nodes else None,
        output_throughput=throughput,
        dataset=word(result, "benchmark"),
        batch_size=whole(result, "batch_size"),
        conditions=conditions,
        reported={key: value for key, value in reported.items() if value is not None},
        why={} if measured else {"accept_length": "baseline without speculation" if baseline else "not measured"},
    )
