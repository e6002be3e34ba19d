"""DFlash2: DFlash with grouped convolutions and a selector of candidates."""

from hubcmp.families import Family, Marks
from hubcmp.families.dflash import SHARED

PLUGIN = Family(
    title="DFlash2",
    marks=Marks(
        wrapper=("dflash2",),
        keys=("conv_kernel_size", "selector_rank", "algorithm=dflash2"),
        architectures=(r"DFlash2\w*",),
        repository=(r".*dflash-?2.*",),
    ),
    refines=("dflash",),
    frozen=SHARED,
    borrowed=("embedding", "lm_head"),
)
