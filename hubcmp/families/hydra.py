"""Hydra: Medusa's heads made sequential; the input of head i also holds the tokens drafted before it."""

from collections.abc import Mapping

from hubcmp.families import Family, Marks, _forms
from hubcmp.families._dimensions import Dimensions


def form(d: Dimensions) -> Mapping[str, int]:
    """Return the heads' blocks and output layers; the prefix kind has one decoder layer in front of them.

    The first block of head i (from 0) reads the state and i + 1 tokens, with one matrix for its path and one for the way around
    it: 2 * ((i + 2)*H*H + H). Further blocks, and all of heads that are not grounded, are Medusa's: H*H + H. Each head ends in V*H.
    """
    heads, layers, square = d.size("hydra_num_heads"), d.size("hydra_num_layers", 1), d.hidden * d.hidden
    block = square + d.hidden
    grounded = d.flag("grounded_heads", True)
    first = sum(2 * (block + (head + 1) * square) for head in range(heads)) if grounded else heads * block
    further = heads * (layers - 1) * block
    prefix = _forms.total(_forms.attention(d, d.hidden), _forms.mlp(d), _forms.norms(2, d.hidden))
    front = prefix if d.text("hydra_head_arch").startswith("prefix") else {}
    return _forms.total({"resblock": first + further, "lm_head": heads * d.vocabulary * d.hidden}, front)


PLUGIN = Family(
    title="Hydra",
    marks=Marks(
        tensors=(r"(hydra_head|hydra_mlp|hydra_lm_head)\..*",),
        keys=("hydra_num_heads", "hydra_head_arch"),
        architectures=(r"Hydra\w*",),
        repository=(r".*hydra.*",),
    ),
    refines=("medusa",),
    form=form,
    roles=(
        (r"(linear|res_connection)\.(weight|bias)$", "resblock"),
        (r"(hydra_lm_head|lm_head)\..*", "lm_head"),
        (r"hydra_head\.\d+\.\d+\.(weight|bias)$", "lm_head"),
    ),
    unimplied={
        "resblock": "the config need not say whether heads are grounded, nor whether blocks have a matrix around them"
    },
)
