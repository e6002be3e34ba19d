"""Closed forms of the building blocks, in parameters; families add them up. Sources: the layers' public implementations."""

from collections import Counter
from collections.abc import Mapping

from hubcmp.families._dimensions import Dimensions


def total(*parts: Mapping[str, int]) -> dict[str, int]:
    """Add counts by role."""
    sums: Counter[str] = Counter()
    for part in parts:
        sums.update(part)
    return dict(sums)


def attention(d: Dimensions, width: int) -> dict[str, int]:
    """One attention block whose input is `width` wide, latent or grouped as the config has it."""
    return latent(d, width) if d.latent else grouped(d, width)


def grouped(d: Dimensions, width: int) -> dict[str, int]:
    """Query, key, value and output projections of grouped-query attention; the query is doubled when it is gated."""
    q, kv = d.heads * d.head, d.kv_heads * d.head
    queries = 2 * q if d.flag("attn_output_gate") else q
    sinks = d.heads if d.kind("gpt_oss") else 0
    return {"attention": (width * queries + 2 * width * kv + q * d.hidden) + _biases(d, queries + 2 * kv) + sinks}


def _biases(d: Dimensions, inputs: int) -> int:
    """Biases of attention: Qwen2 has them without saying so, and it, GLM and MiMo leave them out of the output projection."""
    if not d.flag("attention_bias", d.kind("qwen2")):
        return 0
    return inputs + (0 if d.kind("qwen2", "glm", "mimo", "chatglm") else d.hidden)


def latent(d: Dimensions, width: int) -> dict[str, int]:
    """Multi-head latent attention with its two inner norms; without a query rank the query is one matrix."""
    nope, rope, value, kv = (d.size(k) for k in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "kv_lora_rank"))
    q = d.size("q_lora_rank", 0)
    query = width * q + q * d.heads * (nope + rope) if q else width * d.heads * (nope + rope)
    rest = width * (kv + rope) + kv * d.heads * (nope + value) + d.heads * value * d.hidden
    return total({"attention": query + rest, "norm": q + kv}, _indexer(d, width, q))


def _indexer(d: Dimensions, width: int, q: int) -> dict[str, int]:
    """The indexer of sparse attention (DeepSeek V3.2, GLM-5): queries, one key with its layer norm, a weight per head."""
    heads, head = d.size("index_n_heads", 0), d.size("index_head_dim", 0)
    return {"attention": q * heads * head + width * head + width * heads, "norm": 2 * head} if heads and head else {}


def mlp(d: Dimensions) -> dict[str, int]:
    """Gate, up and down projection."""
    return {"mlp": 3 * d.hidden * d.inner}


def experts(d: Dimensions) -> dict[str, int]:
    """Routed and shared experts with their router; a dense MLP when the config lists no experts."""
    if "n_routed_experts" not in d.facts:
        return mlp(d)
    routed, width = d.size("n_routed_experts"), d.size("moe_intermediate_size", d.size("intermediate_size", 0))
    shared = d.size("shared_expert_intermediate_size", width * d.size("n_shared_experts", 0))
    gate = d.hidden if "shared_expert_intermediate_size" in d.facts else 0
    correction = routed if d.latent or d.kind("glm4_moe", "bailing", "gpt_oss") else 0
    biases = routed * (2 * width + d.hidden) if d.kind("gpt_oss") else 0
    return {"moe": 3 * d.hidden * (width * routed + shared) + biases, "router": routed * d.hidden + correction + gate}


def embedding(d: Dimensions) -> dict[str, int]:
    """The target's token embedding, as wide as the drafter."""
    return {"embedding": d.vocabulary * d.hidden}


def head(d: Dimensions) -> dict[str, int]:
    """An output head over the draft vocabulary."""
    return {"lm_head": d.draft_vocabulary * d.hidden}


def norms(count: int, width: int) -> dict[str, int]:
    """`count` RMS norms of one weight each."""
    return {"norm": count * width}


def eagle3(d: Dimensions) -> dict[str, int]:
    """EAGLE-3: fusion of the tapped states, a first layer twice as wide at its input, further layers, norms and heads."""
    more = d.layers - 1
    first = attention(d, 2 * d.hidden)
    further = {role: more * n for role, n in attention(d, d.hidden).items()}
    tapped = d.taps * d.target_hidden
    around = norms(4 + 2 * more, d.hidden)
    before = {"norm": tapped} if d.flag("norm_before_fc") or d.flag("fc_norm") else {}
    layers = {"mlp": d.layers * mlp(d)["mlp"]}
    return total(first, further, layers, {"fusion": tapped * d.hidden}, around, before, head(d), embedding(d))


def dflash(d: Dimensions) -> dict[str, int]:
    """DFlash: layers with query and key norms, one fusion matrix, two norms around; embedding and head are the target's."""
    inner = {} if d.latent else norms(2, d.head)
    layer = total(attention(d, d.hidden), mlp(d), norms(2, d.hidden), inner)
    layers = {role: d.layers * n for role, n in layer.items()}
    return total(layers, {"fusion": d.taps * d.target_hidden * d.hidden}, norms(2, d.hidden), embedding(d), head(d))
