"""The dialects of config.json as a table: which key, at which place, says what. A new dialect is a new row here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["count", "figure", "flag", "text", "first", "ids"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its metric, what kind of value it is, and the paths where it may stand, the strongest first.

    A path is keys joined by dots; "*" takes the first entry of a table or list whose name is free. `nested` also tries
    each path below the tables that wrap a language model's own config. "first" is the first item of a list of texts.
    """

    metric: str
    kind: Kind
    paths: tuple[str, ...]
    nested: bool = True


NESTS = (
    "transformer_layer_config",
    "text_config",
    "llm_config",
    "language_config",
    "model",
    "thinker_config.text_config",
)
"""Tables that hold a language model's config inside another: the speculators wrapper, vision models, nested EAGLE."""


def _count(metric: str, *others: str) -> Setting:
    return Setting(metric, "count", (metric, *others))


def _flag(metric: str, *others: str) -> Setting:
    return Setting(metric, "flag", (metric, *others))


_DFLASH = "dflash_config"
_EAGLE = "eagle_config"
_QUANT = ("quantization_config", "quantization", "compression_config")

SETTINGS: tuple[Setting, ...] = (
    _count("hidden_size", "n_embd", "d_model"),
    _count("intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"),
    _count("num_hidden_layers", "n_layer", "num_layers"),
    _count("num_attention_heads", "n_head"),
    _count("num_key_value_heads", "num_attention_groups"),
    _count("head_dim"),
    _count("vocab_size"),
    _count("draft_vocab_size"),
    _count("target_hidden_size"),
    _count("num_target_layers", "target_num_hidden_layers"),
    _count("num_aux_hidden_states", f"{_EAGLE}.num_aux_hidden_states", f"{_DFLASH}.num_aux_hidden_states"),
    _count("max_position_embeddings", "n_positions"),
    _count("q_lora_rank"),
    _count("kv_lora_rank"),
    _count("qk_nope_head_dim"),
    _count("qk_rope_head_dim"),
    _count("v_head_dim"),
    _count("index_n_heads"),
    _count("index_head_dim"),
    _count("moe_intermediate_size"),
    _count("n_routed_experts", "num_experts", "num_local_experts"),
    _count("n_shared_experts", "num_shared_experts"),
    _count("shared_expert_intermediate_size"),
    _count("num_experts_per_tok"),
    _count("first_k_dense_replace"),
    _count("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers", "num_mtp_modules"),
    _count("block_size", f"{_DFLASH}.block_size"),
    _count("mask_token_id", f"{_DFLASH}.mask_token_id", "pard_token"),
    _count("markov_rank", f"{_DFLASH}.markov_rank"),
    _count("gru_hidden_size", f"{_DFLASH}.gru_hidden_size", f"{_DFLASH}.gru_hidden_dim"),
    _count("emb_dim", f"{_DFLASH}.emb_dim"),
    _count("inner_dim"),
    _count("n_predict"),
    _count("medusa_num_heads"),
    _count("medusa_num_layers"),
    _count("num_heads"),
    _count("hydra_num_heads"),
    _count("hydra_num_layers"),
    _count("conv_kernel_size", f"{_DFLASH}.conv_kernel_size"),
    _count("selector_rank", f"{_DFLASH}.selector_rank"),
    Setting("speculative_tokens", "count", ("speculators_config.proposal_methods.*.speculative_tokens",), False),
    Setting("rope_theta", "figure", ("rope_theta", "rope_parameters.rope_theta", "rope_scaling.rope_theta")),
    Setting("rope_type", "text", ("rope_scaling.rope_type", "rope_scaling.type", "rope_parameters.rope_type")),
    Setting("rope_factor", "figure", ("rope_scaling.factor", "rope_parameters.factor")),
    Setting(
        "aux_layer_ids",
        "ids",
        (
            "eagle_aux_hidden_state_layer_ids",
            f"{_EAGLE}.eagle_aux_hidden_state_layer_ids",
            f"{_DFLASH}.target_layer_ids",
            "dspark_target_layer_ids",
            "target_layer_ids",
            "aux_hidden_state_layer_ids",
            f"{_DFLASH}.aux_hidden_state_layer_ids",
            f"{_DFLASH}.layer_ids",
            f"{_EAGLE}.layer_ids",
            "eagle_layer_ids",
            f"{_EAGLE}.eagle_layer_ids",
        ),
    ),
    Setting("architectures", "first", ("architectures",), False),
    Setting("model_type", "text", ("model_type",)),
    Setting("speculators_model_type", "text", ("speculators_model_type",), False),
    Setting("speculators_version", "text", ("speculators_version", "speculators_config.speculators_version"), False),
    Setting(
        "algorithm", "text", ("speculators_config.algorithm", f"{_DFLASH}.projector_type", "projector_type"), False
    ),
    Setting(
        "target_model",
        "text",
        ("speculators_config.verifier.name_or_path", "base_model_name_or_path", "target_model_name_or_path"),
    ),
    Setting("target_architecture", "first", ("speculators_config.verifier.architectures",), False),
    Setting("dtype", "text", ("dtype", "torch_dtype")),
    Setting("hidden_act", "text", ("hidden_act", "hidden_activation")),
    Setting("hydra_head_arch", "text", ("hydra_head_arch",)),
    Setting("markov_head_type", "text", ("markov_head_type", f"{_DFLASH}.markov_head_type")),
    _flag("tie_word_embeddings"),
    _flag("tie_weights"),
    _flag("attention_bias", "qkv_bias"),
    _flag("bias", "fusion_bias"),
    _flag("layernorms"),
    _flag("grounded_heads"),
    _flag("mlp_bias"),
    _flag("attn_output_gate"),
    _flag("use_aux_hidden_state", f"{_EAGLE}.use_aux_hidden_state"),
    _flag("fc_norm", f"{_EAGLE}.fc_norm", "use_aux_norm"),
    _flag("norm_output", f"{_EAGLE}.norm_output"),
    _flag("norm_before_fc", f"{_EAGLE}.norm_before_fc"),
    _flag("norm_before_residual", f"{_EAGLE}.norm_before_residual"),
    _flag("use_last_layernorm", f"{_EAGLE}.use_last_layernorm"),
    _flag("use_input_layernorm_in_first_layer", f"{_EAGLE}.use_input_layernorm_in_first_layer"),
    _flag("use_mtp_layernorm", f"{_EAGLE}.use_mtp_layernorm"),
    _flag("embed_requires_grad"),
    _flag("has_lm_head", f"{_EAGLE}.has_lm_head"),
    _flag("enable_confidence_head", f"{_DFLASH}.enable_confidence_head"),
    _flag("confidence_head_with_markov", f"{_DFLASH}.confidence_head_with_markov"),
    _flag("sample_from_anchor", f"{_DFLASH}.sample_from_anchor"),
    Setting("quantisation", "text", tuple(f"{q}.{k}" for q in _QUANT for k in ("quant_method", "quant_algo", "mode"))),
    Setting("quant_format", "text", tuple(f"{q}.format" for q in _QUANT)),
    Setting(
        "quant_bits",
        "count",
        tuple(f"{q}.{k}" for q in _QUANT for k in ("bits", "w_bit", "num_bits", "config_groups.*.weights.num_bits")),
    ),
    Setting(
        "quant_group_size",
        "count",
        tuple(f"{q}.{k}" for q in _QUANT for k in ("group_size", "q_group_size", "config_groups.*.weights.group_size")),
    ),
)
"""Every setting that is understood; where several paths of one setting disagree, the first counts and the rest is named."""

UNITS: Mapping[str, str] = {"max_position_embeddings": "tokens", "block_size": "tokens", "num_hidden_layers": "layers"}
"""Units of the figures that have one."""
