"""Norm switches whose default differs between trainer and engine: a key that is left out means another computation there."""

from collections.abc import Iterator

from hubcmp.checks import Check, Finding, Subject
from hubcmp.families import lineage


def look(subject: Subject) -> Iterator[Finding]:
    """Yield the norm switches of an EAGLE-3 config that are left to defaults which differ."""
    settings = subject.drafter.settings
    if "eagle3" not in lineage(subject.family) or "hidden_size" not in settings:
        return
    left = []
    if "speculators_model_type" in settings and "norm_before_residual" not in settings:
        left.append("norm_before_residual (vLLM takes true for the speculators wrapper, false elsewhere)")
    if "norm_output" not in settings and subject.tensor("fc_norm.0.weight") is not None:
        left.append("norm_output (SpecForge takes true, SGLang and vLLM false)")
    if left:
        message = f"the config leaves out {' and '.join(left)}: the same weights are computed differently"
        yield subject.warning(message, subject.sources("hidden_size"))


PLUGIN = Check("norm switches", look)
