"""EAGLE-3 with multi-head latent attention, as for DeepSeek and Kimi targets."""

from hubcmp.families import Family, Marks, _forms
from hubcmp.families.eagle3 import FROZEN_EMBEDDING

PLUGIN = Family(
    title="EAGLE-3 (MLA)",
    marks=Marks(
        tensors=(r"layers\.#\.self_attn\.kv_a_proj_with_mqa\.\w+", r"layers\.#\.hidden_norm\.weight"),
        architectures=(r"Eagle3Deepseek\w*",),
    ),
    refines=("eagle3",),
    form=_forms.eagle3,
    frozen={"embedding": FROZEN_EMBEDDING},
    borrowed=("embedding",),
)
