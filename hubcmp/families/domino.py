"""Domino: DFlash whose block is corrected token by token with a small recurrent network over the prefix."""

from hubcmp.families import Family, Marks
from hubcmp.families.dflash import SHARED

PLUGIN = Family(
    title="Domino",
    marks=Marks(
        wrapper=("domino",),
        tensors=(r"prefix_gru\..*",),
        keys=("algorithm=domino",),
        architectures=(r"Domino\w*",),
        repository=(r".*domino.*",),
    ),
    refines=("dflash",),
    roles=((r"(prefix_gru|embed_proj)\..*", "other"),),
    frozen=SHARED,
    borrowed=("embedding", "lm_head"),
)
