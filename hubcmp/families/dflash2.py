"""DFlash2: DFlash with grouped convolutions and a selector of candidates."""

from hubcmp.families import Family, Marks, _forms
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
    form=_forms.dflash,
    roles=((r"(\w*conv\w*|\w*selector\w*)\..*", "other"),),
    frozen=SHARED,
    borrowed=("embedding", "lm_head"),
    unimplied={
        "other": "the config gives the convolutions' kernel and the selector's rank, not how many there are and where"
    },
)
