"""Medusa: several heads on the target's last state, each some residual blocks and a full output layer."""

from collections.abc import Mapping

from hubcmp.families import Family, Marks
from hubcmp.families._dimensions import Dimensions


def form(d: Dimensions) -> Mapping[str, int]:
    """Return heads * (layers * (H*H + H) + V*H); the head count in configs is known to be wrong at times."""
    heads = d.size("num_heads" if "num_heads" in d.facts else "medusa_num_heads")
    layers = d.size("medusa_num_layers", d.size("num_hidden_layers", 1))
    return {
        "resblock": heads * layers * (d.hidden * d.hidden + d.hidden),
        "lm_head": heads * d.vocabulary * d.hidden,
    }


PLUGIN = Family(
    title="Medusa",
    marks=Marks(
        wrapper=("medusa",),
        tensors=(r"(medusa_head\.#\.#|medusa_heads?\.#\.#|#\.#|blocks\.#\.layers\.#)(\.linear)?\.weight",),
        tensors_without=(r".*self_attn.*", r"layers\.#\..*"),
        keys=("medusa_num_heads",),
        architectures=(r"Medusa\w*", r"\w*Medusa\w*"),
        repository=(r".*medusa.*",),
    ),
    form=form,
    roles=(
        (r"(linear|blocks\.\d+\.layers\.\d+)\.(weight|bias)$", "resblock"),
        (r"(lm_heads\.\d+|(medusa_heads?\.)?\d+\.\d+)\.(weight|bias)$", "lm_head"),
    ),
)
