"""EAGLE-1, EAGLE-2 and HASS: one layer behind a fusion of embedding and last hidden state; the files cannot be told apart.

EAGLE-2 draws another tree with the same weights, HASS trains the same module with another loss (SafeAILab/EAGLE cnets1.py).
"""

from collections.abc import Mapping

from hubcmp.families import Family, Marks, _forms
from hubcmp.families._dimensions import Dimensions


def form(d: Dimensions) -> Mapping[str, int]:
    """Return V*H (frozen) + 2H*H (+H) + L layers with two norms each, less the first layer's input norm.

    With `layernorms` (speculators) that norm stays, and the embedding and the output have one more each.
    """
    fusion = {"fusion": 2 * d.hidden * d.hidden + (d.hidden if d.flag("bias") else 0)}
    layer = _forms.total(_forms.attention(d, d.hidden), _forms.mlp(d), _forms.norms(2, d.hidden))
    layers = {role: d.layers * n for role, n in layer.items()}
    around = {"norm": 2 * d.hidden if d.flag("layernorms") else -d.hidden}
    return _forms.total(fusion, layers, around, _forms.embedding(d), _forms.head(d))


PLUGIN = Family(
    title="EAGLE-1 / EAGLE-2 / HASS",
    marks=Marks(
        wrapper=("eagle", "hass"),
        tensors=(r"fc\.weight", r"layers\.#\.self_attn\..*"),
        tensors_without=(r".*hidden_norm.*", r"norm\.weight", r"mask_hidden", r"context_proj.*", r"mtp.*"),
        architectures=(r"LlamaForCausalLMEagle", r"EagleLlamaForCausalLM", r"Eagle(?!3)\w*ForCausalLM"),
        repository=(r"eagle-(?!3)\w+.*", r".*\bhass\b.*"),
    ),
    form=form,
    frozen={
        "embedding": "EAGLE-1 trainers load the target's embedding and freeze it",
        "lm_head": "EAGLE-1 trains no head of its own: a stored one is the target's",
    },
    borrowed=("lm_head", "embedding"),
    unimplied={"fusion": "trainers add a bias to the fusion unless told otherwise, and configs need not say so"},
)
