"""A card's own rows against each other: what they confirm about its definitions, and where they contradict; nothing is converted."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean

from hubcmp.errors import Problem
from hubcmp.facts import Scalar
from hubcmp.labels import canonical
from hubcmp.readers.card.claims import Claim

_TOLERANCE = 0.02
"""Rounding that two figures of one card may differ by, relative to their size."""
_MEAN = "mean"


def contradictions(claims: Sequence[Claim], where: str) -> Iterator[Problem]:
    """Yield what the claims contradict among themselves, each with both lines; `where` names the card."""
    own = [c for c in claims if c.subject == "self" and c.stat not in ("estimate", "up to")]
    yield from _above_ceiling(own, where)
    yield from _averages(own, where)
    yield from _speedups(claims, where)
    yield from _lengths_and_rates(own, where)
    yield from _positions(own, where)


def _above_ceiling(own: Sequence[Claim], where: str) -> Iterator[Problem]:
    """A length above drafted tokens + 1 cannot have been measured at the stated depth."""
    for claim in own:
        ceiling = _ceiling(claim.conditions)
        if claim.metric == "accept_length" and ceiling is not None and claim.value > ceiling * (1 + 1e-9):
            yield Problem(
                f"{where} line {claim.line}",
                f"accept length {claim.raw} exceeds {ceiling}, the most that the stated draft settings "
                f"allow; one of the two is wrong or counted otherwise",
            )


def _ceiling(conditions: Mapping[str, Scalar]) -> int | None:
    """Return the largest accept length at the stated depth: one token of the target beside every drafted one."""
    for key, extra in (("num_speculative_tokens", 1), ("num_steps", 1), ("num_draft_tokens", 0), ("block_size", 0)):
        value = conditions.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value + extra
    return None


def _averages(own: Sequence[Claim], where: str) -> Iterator[Problem]:
    """An average row must lie within the figures it averages (their mean, or weighted by prompts somewhere between)."""
    for group in _groups(own, lambda c: (c.block, c.metric, c.position, _settings(c, ("prompts", "dataset")))):
        means = [c for c in group if c.label and canonical(c.label) == _MEAN]
        rows = [c.value for c in group if c.label and canonical(c.label) != _MEAN]
        for mean in means if len(rows) > 1 else ():
            slack = _TOLERANCE * abs(mean.value)
            if not min(rows) - slack <= mean.value <= max(rows) + slack:
                yield Problem(
                    f"{where} line {mean.line}",
                    f"average {mean.raw} lies outside the {len(rows)} figures it stands with ({min(rows):g} "
                    f"to {max(rows):g}, mean {fmean(rows):.4g})",
                )


def _speedups(claims: Sequence[Claim], where: str) -> Iterator[Problem]:
    """A speedup must be its own row's throughput over plain decoding's."""
    for group in _groups(claims, lambda c: (c.block, c.line, c.label)):
        by = {(c.metric, c.subject): c for c in group if c.stat is None}
        fast, plain, gain = (
            by.get(("throughput_tok_s", "self")),
            by.get(("throughput_tok_s", "baseline")),
            by.get(("speedup", "self")),
        )
        if (
            fast
            and plain
            and gain
            and plain.value
            and len(group) == 3
            and abs(fast.value / plain.value - gain.value) > 0.03 * gain.value + 0.006
        ):
            yield Problem(
                f"{where} line {gain.line}",
                f"speedup {gain.raw} is not {fast.raw} / {plain.raw} = {fast.value / plain.value:.3f}x of the same row",
            )


def _lengths_and_rates(own: Sequence[Claim], where: str) -> Iterator[Problem]:
    """Rates beside lengths: say which definition all rows confirm, or that none does; no rate is converted without it."""
    for group in _groups(own, lambda c: (c.block,)):
        pairs = list(_pairs(group))
        if len(pairs) < 2:
            continue
        kept = [
            rule
            for rule in _DEFINITIONS
            if all(_close(rule(a.value, _ceiling(a.conditions)), r.value) for a, r in pairs)
        ]
        if not kept and all(_ceiling(a.conditions) for a, _ in pairs):
            lines = ", ".join(str(a.line) for a, _ in pairs[:4])
            yield Problem(
                f"{where} lines {lines}",
                "accept rates and lengths of the same rows fit neither (length - 1) / drafted nor length "
                "/ (drafted + 1); the rate's definition is unknown, so it is not converted",
            )


def _close(expected: float | None, stated: float) -> bool:
    return expected is not None and abs(expected - stated) <= _TOLERANCE * max(stated, 0.1)


def _of_drafted(length: float, ceiling: int | None) -> float | None:
    return None if not ceiling or ceiling < 2 else (length - 1) / (ceiling - 1)


def _of_all(length: float, ceiling: int | None) -> float | None:
    return None if not ceiling else length / ceiling


_DEFINITIONS = (_of_drafted, _of_all)
"""What is called acceptance rate, as a function of the accept length and its ceiling."""


def _pairs(group: Sequence[Claim]) -> Iterator[tuple[Claim, Claim]]:
    """Yield (length, rate) of one row under one set of conditions."""
    lengths = {(c.line, c.label, _settings(c)): c for c in group if c.metric == "accept_length"}
    for rate in group:
        key = (rate.line, rate.label, _settings(rate))
        if rate.metric == "accept_rate" and rate.position is None and key in lengths:
            yield lengths[key], rate


def _positions(own: Sequence[Claim], where: str) -> Iterator[Problem]:
    """Per-position rates beside a length: 1 + their sum, or 1 + the sum of their products, is the length; marginal ones cannot rise."""
    for group in _groups(
        [c for c in own if c.position is not None], lambda c: (c.block, c.label, _settings(c, ("rate_kind",)))
    ):
        rates = [c for c in sorted(group, key=lambda c: c.position or 0)]
        length = next(
            (c for c in own if c.metric == "accept_length" and c.label == rates[0].label and c.block == rates[0].block),
            None,
        )
        if length is None or len(rates) < 2 or [c.position for c in rates] != list(range(1, len(rates) + 1)):
            continue
        lengths = {"marginal": 1 + sum(c.value for c in rates), "conditional": 1 + _products([c.value for c in rates])}
        stated = rates[0].conditions.get("rate_kind")
        if message := _kind(lengths, length, stated):
            yield Problem(
                f"{where} lines {rates[0].line} and {length.line}", f"the {len(rates)} per-position rates {message}"
            )


def _kind(lengths: Mapping[str, float], length: Claim, stated: Scalar | None) -> str | None:
    """Say what is wrong with a list of per-position rates, or None when the length beside them confirms what is said of them."""
    fitting = [kind for kind, value in lengths.items() if _close(value, length.value)]
    if fitting and (stated is None or stated in fitting):
        return None
    if fitting:
        return f"are called {stated}, but give the accept length {length.raw} only when read as {fitting[0]}"
    sums = " or ".join(f"{value:.3f} ({kind})" for kind, value in lengths.items())
    return f"give {sums}, the accept length is {length.raw}; their definition is unknown, so they are not converted"


def _products(rates: Sequence[float]) -> float:
    total, reached = 0.0, 1.0
    for rate in rates:
        reached *= rate
        total += reached
    return total


def _settings(claim: Claim, without: Sequence[str] = ()) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((k, str(v)) for k, v in claim.conditions.items() if k not in without))


def _groups(claims: Sequence[Claim], key: Callable[[Claim], tuple[object, ...]]) -> list[list[Claim]]:
    found: dict[tuple[object, ...], list[Claim]] = defaultdict(list)
    for claim in claims:
        found[key(claim)].append(claim)
    return list(found.values())
