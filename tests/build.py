"""Small builders for tests: a drafter, a figure, with everything that is not the point left at its default."""

from hubcmp.drafter import Drafter
from hubcmp.facts import Evidence, Fact, Scalar, Source, Span


def figure(
    value: float,
    label: str | None = "MT-Bench",
    metric: str = "accept_length",
    evidence: Evidence = Evidence.STATED,
    nearby: dict[str, Scalar] | None = None,
    stat: str | None = None,
    **conditions: Scalar,
) -> Fact:
    """A fact about the drafter itself, read from line 1 of a card."""
    return Fact(
        metric, Span.of(value), "tokens/step", evidence, "table", (Source("x", "sha", "README.md", "line 1"),),
        label=label, conditions=conditions, nearby=nearby or {}, stat=stat, raw=str(value),
    )  # fmt: skip


def setting(metric: str, value: str | tuple[int, ...]) -> Fact:
    """A declared setting."""
    return Fact(metric, value, "", Evidence.DECLARED, "config", (Source("x", "sha", "config.json", f"$.{metric}"),))


def drafter(ref: str, *figures: Fact, target: str = "org/Target-8B", given: dict[str, Scalar] | None = None) -> Drafter:
    """A drafter of one target with these figures."""
    settings = {"target_model": setting("target_model", target)} if target else {}
    return Drafter(ref, "hub", "sha", ref, None, settings, figures, given=given or {})
