"""EAGLE-3.1: EAGLE-3 with a norm per tapped state (`fc_norm`) or a switched output norm, which adds no tensor."""

from hubcmp.families import Family, Marks, _forms
from hubcmp.families.eagle3 import FROZEN_EMBEDDING

PLUGIN = Family(
    title="EAGLE-3.1",
    marks=Marks(
        tensors=(r"(fc_norm(\.#)?|aux_norm_low)\.weight",),
        keys=("fc_norm=true", "norm_output=true"),
        architectures=(r"\w*Eagle3_?1\w*",),
    ),
    refines=("eagle3", "eagle3_mla"),
    form=_forms.eagle3,
    frozen={"embedding": FROZEN_EMBEDDING},
    borrowed=("embedding",),
)
