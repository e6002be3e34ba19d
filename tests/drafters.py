"""Tensor names and shapes of every drafter family, written from the families' public definitions, for any size."""

from dataclasses import dataclass

Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Size:
    """Sizes of a drafter: hidden, inner, target vocabulary, draft vocabulary, heads, key/value heads, head width."""

    h: int
    i: int
    v: int
    d: int
    nh: int
    kv: int
    hd: int

    def config(self, **more: object) -> dict[str, object]:
        """The plain config of these sizes."""
        return {
            "hidden_size": self.h, "intermediate_size": self.i, "vocab_size": self.v, "num_attention_heads": self.nh,
            "num_key_value_heads": self.kv, "head_dim": self.hd, "num_hidden_layers": 1, **more,
        }  # fmt: skip


LLAMA_8B = Size(4096, 14336, 128256, 32000, 32, 8, 128)
QWEN_8B = Size(4096, 12288, 151936, 32000, 32, 8, 128)
KIMI = Size(7168, 18432, 163840, 163840, 64, 64, 128)


def attention(s: Size, prefix: str, width: int) -> Shapes:
    names = {
        "q_proj": (s.nh * s.hd, width),
        "k_proj": (s.kv * s.hd, width),
        "v_proj": (s.kv * s.hd, width),
        "o_proj": (s.h, s.nh * s.hd),
    }
    return {f"{prefix}self_attn.{name}.weight": shape for name, shape in names.items()}


def latent(
    s: Size, prefix: str, width: int, ql: int = 1536, kl: int = 512, no: int = 128, ro: int = 64, vh: int = 128
) -> Shapes:
    names = {
        "q_a_proj": (ql, width), "q_a_layernorm": (ql,), "q_b_proj": (s.nh * (no + ro), ql), "kv_a_proj_with_mqa": (kl + ro, width),
        "kv_a_layernorm": (kl,), "kv_b_proj": (s.nh * (no + vh), kl), "o_proj": (s.h, s.nh * vh),
    }  # fmt: skip
    return {f"{prefix}self_attn.{name}.weight": shape for name, shape in names.items()}


def mlp(s: Size, prefix: str) -> Shapes:
    return {
        f"{prefix}mlp.gate_proj.weight": (s.i, s.h), f"{prefix}mlp.up_proj.weight": (s.i, s.h), f"{prefix}mlp.down_proj.weight": (s.h, s.i),
    }  # fmt: skip


def norms(s: Size, prefix: str, *names: str) -> Shapes:
    return {f"{prefix}{name}.weight": (s.h,) for name in names}


def vocabulary(s: Size) -> Shapes:
    return {"d2t": (s.d,), "t2d": (s.v,)} if s.d < s.v else {}


def eagle1(s: Size, bias: bool = False) -> Shapes:
    extra: Shapes = {"fc.bias": (s.h,)} if bias else {}
    layer = attention(s, "layers.0.", s.h) | mlp(s, "layers.0.") | norms(s, "layers.0.", "post_attention_layernorm")
    return {"embed_tokens.weight": (s.v, s.h), "fc.weight": (s.h, 2 * s.h)} | extra | layer


def eagle3(
    s: Size, layers: int = 1, taps: int = 3, embedding: bool = False, first: str = "midlayer.", mla: bool = False
) -> Shapes:
    make = latent if mla else attention
    shapes: Shapes = {"embed_tokens.weight": (s.v, s.h)} if embedding else {}
    shapes |= {"fc.weight": (s.h, taps * s.h), "norm.weight": (s.h,), "lm_head.weight": (s.d, s.h)} | vocabulary(s)
    for n in range(layers):
        prefix = first if n == 0 else f"layers.{n}."
        shapes |= make(s, prefix, 2 * s.h if n == 0 else s.h) | mlp(s, prefix)
        shapes |= norms(s, prefix, "input_layernorm", "post_attention_layernorm", *(["hidden_norm"] if n == 0 else []))
    return shapes


def peagle(s: Size, layers: int = 4) -> Shapes:
    return eagle3(s, layers, embedding=True, first="layers.0.") | {"mask_hidden": (1, 1, 3 * s.h)}


def dflash(s: Size, layers: int = 5, taps: int = 5) -> Shapes:
    shapes: Shapes = {"fc.weight": (s.h, taps * s.h), "hidden_norm.weight": (s.h,), "norm.weight": (s.h,)}
    for n in range(layers):
        prefix = f"layers.{n}."
        shapes |= (
            attention(s, prefix, s.h) | mlp(s, prefix) | norms(s, prefix, "input_layernorm", "post_attention_layernorm")
        )
        shapes |= {f"{prefix}self_attn.q_norm.weight": (s.hd,), f"{prefix}self_attn.k_norm.weight": (s.hd,)}
    return shapes


def dspark(s: Size, rank: int = 256) -> Shapes:
    return dflash(s) | {
        "markov_head.markov_w1.weight": (s.v, rank), "markov_head.markov_w2.weight": (s.v, rank),
        "confidence_head.proj.weight": (1, s.h + rank), "confidence_head.proj.bias": (1,),
    }  # fmt: skip


def domino(s: Size, width: int = 256) -> Shapes:
    return dflash(s) | {
        "prefix_gru.weight_ih_l0": (3 * width, s.h), "prefix_gru.weight_hh_l0": (3 * width, width),
        "embed_proj.0.weight": (width, s.h + width), "embed_proj.2.weight": (s.v, width),
    }  # fmt: skip


def torchspec_dflash(s: Size) -> Shapes:
    names = {
        "fc.weight": "context_proj.weight",
        "hidden_norm.weight": "context_norm.weight",
        "norm.weight": "final_norm.weight",
    }
    return {names.get(name, name): shape for name, shape in dflash(s).items()} | {"embed_tokens.weight": (s.v, s.h)}


def medusa(s: Size, heads: int = 5, layers: int = 1, prefix: str = "") -> Shapes:
    shapes: Shapes = {}
    for head in range(heads):
        for n in range(layers):
            shapes |= {f"{prefix}{head}.{n}.linear.weight": (s.h, s.h), f"{prefix}{head}.{n}.linear.bias": (s.h,)}
        shapes[f"{prefix}{head}.{layers}.weight"] = (s.v, s.h)
    return shapes


def medusa_vllm(s: Size, heads: int = 5) -> Shapes:
    shapes: Shapes = {}
    for head in range(heads):
        shapes |= {f"blocks.{head}.layers.0.weight": (s.h, s.h), f"blocks.{head}.layers.0.bias": (s.h,)}
        shapes[f"lm_heads.{head}.weight"] = (s.v, s.h)
    return shapes


def hydra(s: Size, heads: int = 4) -> Shapes:
    shapes: Shapes = {}
    for head in range(heads):
        shapes |= {
            f"hydra_head.{head}.0.linear.weight": (s.h, (head + 2) * s.h),
            f"hydra_head.{head}.0.linear.bias": (s.h,),
            f"hydra_head.{head}.0.res_connection.weight": (s.h, (head + 2) * s.h),
            f"hydra_head.{head}.0.res_connection.bias": (s.h,),
        }
        shapes[f"hydra_head.{head}.1.weight"] = (s.v, s.h)
    return shapes


def mlp_speculator(v: int, wide: int, inner: int, n: int, prefix: str = "speculator.") -> Shapes:
    shapes: Shapes = {}
    for step in range(n):
        shapes |= {
            f"{prefix}emb.{step}.weight": (v, inner), f"{prefix}proj.{step}.weight": (inner, wide if step == 0 else inner),
            f"{prefix}head.{step}.weight": (v, inner), f"{prefix}ln.{step}.weight": (inner,), f"{prefix}ln.{step}.bias": (inner,),
        }  # fmt: skip
    return shapes


def qwen_mtp(s: Size) -> Shapes:
    layer = attention(s, "mtp.layers.0.", s.h) | mlp(s, "mtp.layers.0.")
    around = norms(s, "mtp.", "pre_fc_norm_embedding", "pre_fc_norm_hidden", "norm")
    return (
        {"mtp.fc.weight": (s.h, 2 * s.h)}
        | layer
        | around
        | norms(s, "mtp.layers.0.", "input_layernorm", "post_attention_layernorm")
    )


def mimo_mtp(s: Size, prefix: str = "model.mtp_layers.0.") -> Shapes:
    names = ("token_layernorm", "hidden_layernorm", "final_layernorm", "input_layernorm", "post_attention_layernorm")
    return (
        {f"{prefix}input_proj.weight": (s.h, 2 * s.h)}
        | attention(s, prefix, s.h)
        | mlp(s, prefix)
        | norms(s, prefix, *names)
    )


def nextn(s: Size, at: int, shared: bool = True) -> Shapes:
    prefix = f"model.layers.{at}."
    shapes: Shapes = {f"{prefix}eh_proj.weight": (s.h, 2 * s.h)} | attention(s, prefix, s.h) | mlp(s, prefix)
    shapes |= norms(s, prefix, "enorm", "hnorm", "shared_head.norm", "input_layernorm", "post_attention_layernorm")
    return shapes | (
        {f"{prefix}embed_tokens.weight": (s.v, s.h), f"{prefix}shared_head.head.weight": (s.v, s.h)} if shared else {}
    )


def plain(s: Size, layers: int = 2, tied: bool = False) -> Shapes:
    shapes: Shapes = {"model.embed_tokens.weight": (s.v, s.h), "model.norm.weight": (s.h,)}
    for n in range(layers):
        prefix = f"model.layers.{n}."
        shapes |= (
            attention(s, prefix, s.h) | mlp(s, prefix) | norms(s, prefix, "input_layernorm", "post_attention_layernorm")
        )
    return shapes if tied else shapes | {"lm_head.weight": (s.v, s.h)}
