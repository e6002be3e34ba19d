"""Hydra: Medusa's heads made sequential; the input of head i also holds the tokens drafted before it."""

from hubcmp.families import Family, Marks

PLUGIN = Family(
    title="Hydra",
    marks=Marks(
        tensors=(r"(hydra_head|hydra_mlp|hydra_lm_head)\..*",),
        keys=("hydra_num_heads", "hydra_head_arch"),
        architectures=(r"Hydra\w*",),
        repository=(r".*hydra.*",),
    ),
    refines=("medusa",),
    roles=(
        (r"(linear|res_connection)\.(weight|bias)$", "resblock"),
        (r"(hydra_lm_head|lm_head)\..*", "lm_head"),
        (r"hydra_head\.\d+\.\d+\.(weight|bias)$", "lm_head"),
    ),
)
