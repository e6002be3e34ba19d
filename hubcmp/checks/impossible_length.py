"""An accept length above draft depth + 1: the length, the depth or the definition is wrong."""

from collections.abc import Iterator

from hubcmp.acceptance import ceiling, draft_length
from hubcmp.checks import Check, Finding, Subject
from hubcmp.facts import Span


def look(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each accept length that its own bound depth does not allow."""
    for fact in subject.drafter.own("accept_length"):
        depth = draft_length(fact.conditions)
        if depth is not None and isinstance(fact.value, Span) and fact.value.low > ceiling(depth):
            message = (
                f"an accept length of {fact.value.low:g} is not possible at draft depth {depth}, whose ceiling is "
                f"{ceiling(depth):g}; the length, the depth or its definition is wrong"
            )
            yield subject.warning(message, fact.sources)


PLUGIN = Check("accept length above the ceiling", look)
