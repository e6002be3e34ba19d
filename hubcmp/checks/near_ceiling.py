"""An accept length at its ceiling on a card: looping output or a depth that is too short; a measured run says so itself."""

from collections.abc import Iterator

from hubcmp.acceptance import ceiling, draft_length
from hubcmp.checks import Check, Finding, Subject
from hubcmp.facts import Evidence, Span

NEAR = 0.97
"""Share of the drafts, accepted on average, from which a figure is too good for natural text."""


def look(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each stated accept length that accepts nearly every draft of its own bound depth."""
    for fact in subject.drafter.own("accept_length"):
        depth = draft_length(fact.conditions)
        if depth is None or depth < 1 or fact.evidence >= Evidence.OBSERVED or not isinstance(fact.value, Span):
            continue
        if NEAR * depth <= fact.value.low - 1 <= depth:
            message = (
                f"an accept length of {fact.value.low:g} is at the ceiling of {ceiling(depth):g} at draft depth {depth}: "
                "looping output, simulated acceptance, or a draft that is too short to tell drafters apart"
            )
            yield subject.warning(message, fact.sources)


PLUGIN = Check("accept length at the ceiling", look)
