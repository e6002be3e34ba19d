"""Facts, sources and problems as plain JSON data, the same in every contract."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass

from hubcmp.errors import Problem
from hubcmp.facts import Evidence, Fact, Source, Span, Unknown


def source(item: Source) -> dict[str, str]:
    """Return a source as {"ref", "revision", "path", "where"}."""
    return {"ref": item.ref, "revision": item.revision, "path": item.path, "where": item.where}


def value(fact: Fact) -> object:
    """Return a fact's value: a number, text, a yes or no, a list of ids; null for an open or wide span (see low and high)."""
    if isinstance(fact.value, Span):
        return fact.value.low if fact.value.exact else None
    return list(fact.value) if isinstance(fact.value, tuple) else fact.value


def figure(fact: Fact) -> dict[str, object]:
    """Return a fact with everything that says how far to trust it; optional keys only where they apply."""
    spread = fact.value if isinstance(fact.value, Span) else None
    ends = fact.interval or spread
    optional = {
        "position": fact.position,
        "stat": fact.stat,
        "approx": fact.approx or None,
        "conditions": dict(fact.conditions) or None,
        "nearby": dict(fact.nearby) or None,
    }
    return {
        "value": value(fact),
        "low": None if ends is None else ends.low,
        "high": None if ends is None else ends.high,
        "unit": fact.unit,
        "evidence": fact.evidence.word,
        "method": fact.method,
        "sources": [source(s) for s in fact.sources],
        "raw": fact.raw,
    } | {key: item for key, item in optional.items() if item is not None}


def named(fact: Fact) -> dict[str, object]:
    """Return a fact with its metric, subject and benchmark, as drafters list them."""
    return {"metric": fact.metric, "subject": fact.subject, "benchmark": fact.label} | figure(fact)


def unknowns(items: Iterable[Unknown]) -> list[dict[str, str]]:
    """Return gaps as {"metric", "reason", "state"}."""
    return [{"metric": u.metric, "reason": u.reason, "state": u.state} for u in items]


def problems(items: Iterable[Problem]) -> list[dict[str, object]]:
    """Return problems as {"where", "message", "failed"}."""
    return [{"where": p.where, "message": p.message, "failed": p.failed} for p in items]


def plain(value: object, *left_out: str) -> object:
    """Return any value of ours as JSON data: dataclasses by their fields without those `left_out`, evidence as its word."""
    if isinstance(value, Evidence):
        return value.word
    if is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.name not in left_out}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value
