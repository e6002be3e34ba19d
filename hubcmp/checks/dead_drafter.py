"""An accept length of about 1: nothing that is drafted is accepted, which is mostly wiring and not a bad drafter."""

from collections.abc import Iterator

from hubcmp.checks import Check, Finding, Subject
from hubcmp.facts import Evidence

NEAR_ONE = 1.05
"""Accept lengths below this were wiring faults in public reports (exactly 1.00, 1.02, 1.036)."""


def look(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each measured accept length of about 1."""
    for fact in subject.drafter.own("accept_length"):
        if fact.evidence >= Evidence.OBSERVED and fact.number < NEAR_ONE:
            message = (
                f"accept length {fact.number:.2f} means that almost no draft is accepted; "
                "check the algorithm flag, layer ids and head before judging the drafter"
            )
            yield subject.fault(message, fact.sources)


PLUGIN = Check("accept length of about 1", look)
