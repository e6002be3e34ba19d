"""The launch flag against the drafter's family: an EAGLE-3 head under the flag EAGLE runs, and accepts nothing."""

from collections.abc import Iterator, Mapping

from hubcmp.checks import Check, Finding, Subject
from hubcmp.families import lineage

FLAGS: Mapping[str, tuple[str, ...]] = {
    "eagle": ("eagle1", "mtp"),
    "eagle3": ("eagle3",),
    "nextn": ("mtp",),
    "dflash": ("dflash",),
    "medusa": ("medusa",),
    "standalone": ("plain",),
}
"""Families that each value of SGLang's --speculative-algorithm serves."""


def look(subject: Subject) -> Iterator[Finding]:
    """Yield whether each measured run was started with the flag of the drafter's family."""
    for run in subject.drafter.runs:
        flag = run.settings.get("speculative_algorithm", "").strip("'\"")
        served = FLAGS.get(flag.lower().replace("-", "").replace("_", ""))
        if not served or subject.family == "unknown":
            continue
        told = f"the run was started as {flag}"
        if set(served) & set(lineage(subject.family)):
            yield subject.fine(f"{told}, which serves {subject.family}", (run.source,))
        else:
            why = f"but the drafter is of the family {subject.family}: no error comes, and next to nothing is accepted"
            yield subject.fault(f"{told}, {why}", (run.source,))


PLUGIN = Check("launch flag and family", look)
