"""DFlash: a block of tokens drafted at once by a few layers that attend to fused states of the target."""

from collections.abc import Mapping

from hubcmp.families import Family, Marks, _forms

SHARED: Mapping[str, str] = {
    "embedding": "DFlash drafters use the target's embedding; a stored one is its frozen copy",
    "lm_head": "DFlash drafters use the target's head; a stored one is a frozen copy of its rows",
}

PLUGIN = Family(
    title="DFlash",
    marks=Marks(
        wrapper=("dflash",),
        tensors=(r"(fc|context_proj)\.weight", r"(hidden_norm|context_norm)\.weight", r"layers\.#\..*"),
        tensors_without=(r"layers\.#\.hidden_norm\.weight", r"mtp.*"),
        keys=("block_size",),
        architectures=(r"DFlash\w*",),
        repository=(r".*dflash.*",),
    ),
    form=_forms.dflash,
    frozen=SHARED,
    borrowed=("embedding", "lm_head"),
)
