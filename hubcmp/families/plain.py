"""An ordinary small language model used as a drafter: a whole stack with its own embedding and head; everything is trained."""

from collections.abc import Mapping

from hubcmp.families import Family, Marks, _forms
from hubcmp.families._dimensions import Dimensions


def form(d: Dimensions) -> Mapping[str, int]:
    """Return L layers (experts after the dense ones) + norms + V*H embedding + V*H head unless tied."""
    dense = d.size("first_k_dense_replace", 0) if "n_routed_experts" in d.facts else 0
    block = _forms.total(_forms.attention(d, d.hidden), _forms.norms(2, d.hidden), _inner_norms(d))
    layers = {role: d.layers * n for role, n in block.items()}
    sparse = {role: (d.layers - dense) * n for role, n in _forms.experts(d).items()}
    wide = {"mlp": dense * _forms.mlp(d)["mlp"]} if dense else {}
    heads = {} if d.flag("tie_word_embeddings") else {"lm_head": d.vocabulary * d.hidden}
    return _forms.total(layers, sparse, wide, _forms.norms(1, d.hidden), _forms.embedding(d), heads)


def _inner_norms(d: Dimensions) -> Mapping[str, int]:
    return _forms.norms(2, d.head) if d.kind("qwen3", "bailing") else {}


PLUGIN = Family(
    title="plain model",
    marks=Marks(
        wrapper=("independent",),
        tensors=(r"(layers|h|blk|decoder\.layers)\.#\..*", r"(embed_tokens|wte|tok_embeddings|token_embd|embed)\.\w+", r".*norm\w*\.\w+"),
        tensors_without=(
            r"(fc|context_proj)\.weight", r".*hidden_norm.*", r".*eh_proj.*", r"mtp.*", r"mask_hidden.*",
            r"(medusa_head|hydra_head|markov_head|prefix_gru)\..*", r"proj\.#\.weight",
        ),
        architectures=(r"(?!.*(Eagle|Medusa|Hydra|MTP|NextN|DFlash|DSpark|Domino))\w+(ForCausalLM|LMHeadModel|ForConditionalGeneration)",),
    ),
    form=form,
)  # fmt: skip
