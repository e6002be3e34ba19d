"""What a tensor is for, from its name: an ordered table of patterns, the first that fits decides."""

import re
from collections.abc import Iterable

PREFIXES = re.compile(
    r"(?:model|draft_model|eagle_module|dflash_module|module|language_model|speculator|dspark|draft|base_model|transformer|text_model)\."
)
"""Wrappers around the drafter's own names; the engines strip them before they load, and so do the patterns here."""

BUFFER_ROLES = frozenset({"vocab_map", "quant_scale", "rotary"})
"""Roles that are never parameters."""

Rule = tuple[str, str]

RULES: tuple[Rule, ...] = (
    (r"(d2t|t2d|hot_token_ids?|draft_to_target|target_to_draft|vocab_mapping)(\.|$)", "vocab_map"),
    (r"(inv_freq|cos_cached|sin_cached|rotary_emb|rope_freqs|freqs_cis)(\.|$)", "rotary"),
    (
        r"(\w*_scales?|\w*_scale_(inv|\d)|scales?|qzeros|zeros|biases|g_idx|\w+_g_idx|\w*zero_point|\w+_shape|absmax|nested_absmax"
        r"|quant_map|nested_quant_map|quant_state\.\w+|SCB|weight_format|_amax|_pre_quant_scale|_double_scale)$",
        "quant_scale",
    ),
    (r"(mask_hidden|mask_token|mask_emb\w*|mask_state)(\.|$)", "mask_param"),
    (r"(markov_head|logit_head|markov_w\d)(\.|$)", "markov_head"),
    (r"confidence_head(\.|$)", "confidence_head"),
    (
        r"(\w*score_correction_bias|expert_bias|shared_expert_gate|router|ffn_gate_inp|gate\.(weight|bias|wg\.\w+|tid2eid))(\.|$)",
        "router",
    ),
    (r"(experts|shared_experts?|shared_mlp|fc\d_latent_proj|ffn_[a-z]+_(exps|shexp))(\.|$)", "moe"),
    (r"([a-z0-9_]*norm\d?(_[a-z]+)*|ln(_\w+)?)(\.|$)", "norm"),
    (r"(embed_tokens|tok_embeddings|word_embeddings|token_embd|wte|wpe|embed|embeddings?|emb)(\.|$)", "embedding"),
    (r"([a-z_]*lm_heads?|shared_head\.head|heads?|embed_out|output)(\.|$)", "lm_head"),
    (
        r"([a-z_]*attn|attention|self_attention|cross_attention|linear_attn|[qkvo]_proj|qkv_proj|attn_[a-z_]+)(\.|$)",
        "attention",
    ),
    (r"(mlp|feed_forward|ffn|gate_proj|up_proj|down_proj|gate_up_proj|ffn_[a-z_]+|w[123])(\.|$)", "mlp"),
    (r"(fc\d?|eh_proj|e_proj|h_proj|input_proj|context_proj|mtp_linear_proj|fusion(_fc)?)(\.|$)", "fusion"),
)
"""Roles of all families. Patterns start at the beginning of a name's component."""


def strip(name: str) -> str:
    """Return the name as the drafter itself has it: without wrappers, and EAGLE's `midlayer` as its layer 0."""
    while match := PREFIXES.match(name):
        name = name[match.end() :]
    return "layers.0." + name.removeprefix("midlayer.") if name.startswith("midlayer.") else name


def role_of(name: str, rules: Iterable[Rule] = ()) -> str:
    """Return the role of a stripped name, "other" when no rule fits; `rules` of a family come first."""
    for pattern, role in (*rules, *RULES):
        if re.search(rf"(?:^|\.)(?:{pattern})", name):
            return role
    return "other"
