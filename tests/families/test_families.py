"""Every family in every dialect: recognised by its evidence, counted exactly, each status with its reason."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hubcmp.families import families, lineage
from hubcmp.families._roles import role_of, strip
from hubcmp.parameters import Ledger
from tests import drafters as make
from tests.drafters import KIMI, LLAMA_8B, QWEN_8B, Shapes, Size
from tests.weights import ledger

VICUNA_13B = Size(5120, 13824, 32000, 32000, 40, 40, 128)
LLAMA_70B = Size(8192, 28672, 128256, 128256, 64, 8, 128)
QWEN_32B = Size(5120, 25600, 151936, 32000, 64, 8, 128)
VICUNA_7B = Size(4096, 11008, 32000, 32000, 32, 32, 128)
MLA: dict[str, Any] = {
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
}


class Case(NamedTuple):
    """A drafter and what its ledger must say; the figures are published or follow from the papers' formulas."""

    name: str
    family: str
    shapes: Shapes
    config: dict[str, Any]
    trainable: int
    frozen: int


def wrapped(size: Size, kind: str, version: str, **more: Any) -> dict[str, Any]:
    """A config of the speculators library around the layer's own."""
    layer = size.config(num_hidden_layers=more.pop("layers", 1))
    return {
        "speculators_model_type": kind, "speculators_version": version, "draft_vocab_size": size.d,
        "transformer_layer_config": layer, **more,
    }  # fmt: skip


EAGLE3_LLAMA = make.eagle3(LLAMA_8B, embedding=True, first="layers.0.")
EMBEDDING, HEAD = 525336576, 131072000

CASES = [
    Case("EAGLE-1 8B", "eagle1", make.eagle1(LLAMA_8B), LLAMA_8B.config(), 251662336, EMBEDDING),
    Case("EAGLE-1 70B", "eagle1", make.eagle1(LLAMA_70B), LLAMA_70B.config(), 989863936, 1050673152),
    Case("EAGLE-1 with bias", "eagle1", make.eagle1(LLAMA_8B, bias=True), LLAMA_8B.config(bias=True), 251666432, EMBEDDING),
    Case("EAGLE-3 8B", "eagle3", make.eagle3(LLAMA_8B), LLAMA_8B.config(draft_vocab_size=32000), 424689664, 0),
    Case("EAGLE-3 13B", "eagle3", make.eagle3(VICUNA_13B), VICUNA_13B.config(), 638341120, 0),
    Case("EAGLE-3 32B", "eagle3", make.eagle3(QWEN_32B), QWEN_32B.config(draft_vocab_size=32000), 782520320, 0),
    Case("EAGLE-3 full vocabulary", "eagle3", make.eagle3(Size(7168, 12288, 163840, 163840, 64, 64, 128), embedding=True),
         Size(7168, 12288, 163840, 163840, 64, 64, 128).config(), 2003857408, 1174405120),
    Case("EAGLE-3 speculators 0.9", "eagle3", EAGLE3_LLAMA, wrapped(LLAMA_8B, "eagle3", "0.9.0"), 293617664, EMBEDDING + HEAD),
    Case("EAGLE-3 speculators 0.4", "eagle3", EAGLE3_LLAMA, wrapped(LLAMA_8B, "eagle3", "0.4.0"), 424689664, EMBEDDING),
    Case("EAGLE-3 speculators with a trained embedding", "eagle3", EAGLE3_LLAMA,
         wrapped(LLAMA_8B, "eagle3", "0.9.0", embed_requires_grad=True), 293617664 + EMBEDDING, HEAD),
    Case("EAGLE-3 MLA of TorchSpec", "eagle3_mla", make.eagle3(KIMI, embedding=True, mla=True),
         KIMI.config(architectures=["Eagle3DeepseekV2ForCausalLM"], **MLA), 1841199104, 1174405120),
    Case("EAGLE-3 MLA of ModelOpt", "eagle3_mla", make.eagle3(KIMI, mla=True, first="layers.0."),
         KIMI.config(eagle_config={"use_last_layernorm": True}, draft_vocab_size=163840, **MLA), 666793984, 1174405120),
    Case("EAGLE-3 of ModelOpt with a draft vocabulary", "eagle3", make.eagle3(LLAMA_8B, first="layers.0."),
         LLAMA_8B.config(eagle_config={"use_last_layernorm": True}, draft_vocab_size=32000), 424689664, 0),
    Case("EAGLE-3.1", "eagle31", make.eagle3(LLAMA_8B) | {f"fc_norm.{i}.weight": (4096,) for i in range(3)},
         LLAMA_8B.config(draft_vocab_size=32000, fc_norm=True), 424689664 + 3 * 4096, 0),
    Case("EAGLE-3.1 by the output norm", "eagle31", make.eagle3(LLAMA_8B),
         LLAMA_8B.config(draft_vocab_size=32000, norm_output=True), 424689664, 0),
    Case("P-EAGLE of SpecForge", "peagle", make.peagle(QWEN_8B),
         QWEN_8B.config(num_hidden_layers=4, draft_vocab_size=32000), 1600704512, 0),
    Case("P-EAGLE of speculators", "peagle", make.peagle(QWEN_8B), wrapped(QWEN_8B, "peagle", "0.9.0", layers=4), 1600704512 - HEAD, HEAD),
    Case("DFlash", "dflash", make.dflash(QWEN_8B), QWEN_8B.config(num_hidden_layers=5, block_size=16,
         dflash_config={"target_layer_ids": [1, 9, 17, 25, 33]}), 1048626432, 0),
    Case("DFlash of TorchSpec", "dflash", make.torchspec_dflash(QWEN_8B), QWEN_8B.config(num_hidden_layers=5, num_aux_hidden_states=5),
         1048626432, 622329856),
    Case("DFlash of speculators", "dflash", make.dflash(QWEN_8B) | {"lm_head.weight": (32000, 4096)} | make.vocabulary(QWEN_8B),
         wrapped(QWEN_8B, "dflash", "0.9.0", layers=5, aux_hidden_state_layer_ids=[2, 10, 18, 26, 34]), 1048626432, HEAD),
    Case("DFlash2", "dflash2", make.dflash(QWEN_8B), QWEN_8B.config(num_hidden_layers=5, architectures=["DFlash2DraftModel"],
         num_aux_hidden_states=5), 1048626432, 0),
    Case("DSpark", "dspark", make.dspark(QWEN_8B), QWEN_8B.config(num_hidden_layers=5, num_aux_hidden_states=5,
         dflash_config={"markov_rank": 256, "projector_type": "dspark"}), 1126422017, 0),
    Case("Domino", "domino", make.domino(QWEN_8B), QWEN_8B.config(num_hidden_layers=5, num_aux_hidden_states=5,
         dflash_config={"gru_hidden_dim": 256, "emb_dim": 256}), 1048626432 + 3342336 + 1114112 + 38895616, 0),
    Case("Medusa", "medusa", make.medusa(VICUNA_7B), VICUNA_7B.config(medusa_num_heads=5), 739266560, 0),
    Case("Medusa with a prefix", "medusa", make.medusa(VICUNA_7B, prefix="medusa_head."),
         VICUNA_7B.config(medusa_num_heads=5), 739266560, 0),
    Case("Medusa as vllm has it", "medusa", make.medusa_vllm(VICUNA_7B), VICUNA_7B.config(medusa_num_heads=5), 739266560, 0),
    Case("Hydra", "hydra", make.hydra(VICUNA_7B), VICUNA_7B.config(hydra_num_heads=4, hydra_num_layers=1, hydra_head_arch="mlp"),
         4 * (131072000 + 2 * 4096) + 2 * 14 * 4096 * 4096, 0),
    Case("MLP speculator", "mlp_speculator", make.mlp_speculator(128256, 4096, 3072, 4),
         {"architectures": ["MLPSpeculatorPreTrainedModel"], "vocab_size": 128256, "emb_dim": 4096, "inner_dim": 3072, "n_predict": 4},
         3192938496, 0),
    Case("MTP of Qwen", "mtp", make.qwen_mtp(QWEN_8B), QWEN_8B.config(), 226512896, 0),
    Case("MTP of MiMo", "mtp", make.mimo_mtp(QWEN_8B), QWEN_8B.config(), 226512896, 0),
    Case("MTP of speculators", "mtp", make.mimo_mtp(QWEN_8B, "mtp_layers.0.") | {"embed_tokens.weight": (151936, 4096)},
         wrapped(QWEN_8B, "mtp", "0.9.0"), 226512896, 622329856),
    Case("MTP as DeepSeek names it", "mtp", make.nextn(QWEN_8B, 36), QWEN_8B.config(num_nextn_predict_layers=1), 226512896, 2 * 622329856),
    Case("plain model", "plain", make.plain(LLAMA_8B), LLAMA_8B.config(num_hidden_layers=2), 2 * EMBEDDING + 2 * 218112000 + 4096, 0),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_family_and_status_of_every_dialect(case: Case) -> None:
    found = ledger(case.shapes, case.config)
    assert (found.family, found.by_status["trainable"], found.by_status["frozen_copy"]) == (
        case.family,
        case.trainable,
        case.frozen,
    )
    assert found.decision.reasons
    assert all(entry.reason for entry in found.entries)


EXACT = [case for case in CASES if families()[case.family].form is not None]


@pytest.mark.parametrize("case", EXACT, ids=lambda case: case.name)
def test_closed_form_of_the_config_equals_the_header(case: Case) -> None:
    form = ledger(case.shapes, case.config).closed_form
    assert form is not None
    assert not form.missing
    assert [row for row in form.rows if row.reason and not row.reason.startswith("absent")] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_wrapping_prefixes_change_nothing(case: Case) -> None:
    bare = ledger(case.shapes, case.config)
    for prefix in ("model.", "draft_model.", "module."):
        found = ledger({prefix + name: shape for name, shape in case.shapes.items()}, case.config)
        assert (found.family, found.by_role, found.by_status) == (bare.family, bare.by_role, bare.by_status), prefix


def test_what_no_config_gives_is_named_beside_the_difference() -> None:
    convolutions = {"layers.0.conv.weight": (4096, 64, 4), "selector.down.weight": (256, 4096)}
    config = QWEN_8B.config(
        num_hidden_layers=5, num_aux_hidden_states=5, dflash_config={"conv_kernel_size": 4, "selector_rank": 256}
    )
    found = ledger(make.dflash(QWEN_8B) | convolutions, config)
    assert (found.family, found.by_role["other"]) == ("dflash2", 2 * 4096 * 256)
    form = found.closed_form
    assert form is not None
    assert [(r.role, "not how many" in r.reason) for r in form.rows if r.reason.startswith("unexplained")] == [
        ("other", True)
    ]


@pytest.mark.parametrize(
    ("kind", "flags", "attention"),
    [
        ("llama", {"attention_bias": True}, 8 * 8 * 2 + 2 * 8 * 4 + 8 + 2 * 4 + 8),
        ("qwen2", {}, 8 * 8 * 2 + 2 * 8 * 4 + 8 + 2 * 4),
        ("glm4_moe", {"attention_bias": True}, 8 * 8 * 2 + 2 * 8 * 4 + 8 + 2 * 4),
        ("gpt_oss", {"attention_bias": True}, 8 * 8 * 2 + 2 * 8 * 4 + 8 + 2 * 4 + 8 + 2),
        ("qwen3", {"attn_output_gate": True}, 8 * 8 * 3 + 2 * 8 * 4),
    ],
)
def test_biases_and_sinks_of_attention_follow_the_model_type(kind: str, flags: dict[str, Any], attention: int) -> None:
    config = Size(8, 16, 32, 32, 2, 1, 4).config(model_type=kind, architectures=["ModelForCausalLM"], **flags)
    form = ledger(make.plain(Size(8, 16, 32, 32, 2, 1, 4), layers=1), config).closed_form
    assert form is not None
    assert {row.role: row.implied for row in form.rows}["attention"] == attention


def test_no_family_needs_the_config_to_count() -> None:
    for case in CASES:
        found = ledger(case.shapes)
        assert found.params_total_excl_buffers == case.trainable + case.frozen, case.name


def test_an_unknown_architecture_still_has_totals() -> None:
    found = ledger({"encoder.block.weight": (8, 8), "other.bias": (8,)})
    assert (found.family, found.params_total_excl_buffers, found.by_status["unknown"]) == ("unknown", 72, 72)
    assert "nothing" in found.decision.reasons[0]


def test_architectures_and_repository_name_do_not_beat_tensor_names() -> None:
    config = LLAMA_8B.config(architectures=["LlamaForCausalLM"], draft_vocab_size=32000)
    assert ledger(make.eagle3(LLAMA_8B), config).family == "eagle3"
    found = ledger(make.plain(LLAMA_8B), LLAMA_8B.config(), ref="someone/model_eagle3")
    assert found.family == "plain"
    assert any("not followed: repository name" in reason for reason in found.decision.reasons)


def test_without_weights_the_weaker_evidence_decides() -> None:
    from hubcmp.families._recognition import Clues, recognise

    assert recognise(Clues(repository="org/Model-EAGLE3")).family == "eagle3"
    assert recognise(Clues(repository="org/Model-8B-DFlash-b16")).family == "dflash"
    assert recognise(Clues(repository="org/Model-8B")).family == "unknown"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("model.embed_tokens.weight", "embedding"),
        ("fc.bias", "fusion"),
        ("midlayer.self_attn.q_norm.weight", "norm"),
        ("aux_norm_low.weight", "norm"),
        ("input_norm.weight", "norm"),
        ("d2t", "vocab_map"),
        ("layers.0.self_attn.rotary_emb.inv_freq", "rotary"),
        ("layers.0.mlp.experts.7.up_proj.weight", "moe"),
        ("layers.0.mlp.shared_experts.up_proj.weight", "moe"),
        ("layers.0.mlp.gate.weight", "router"),
        ("layers.0.mlp.gate.e_score_correction_bias", "router"),
        ("layers.0.mlp.gate_proj.weight_scale_inv", "quant_scale"),
        ("layers.0.self_attn.k_proj.k_scale", "quant_scale"),
        ("logit_head.markov_w1.weight", "markov_head"),
        ("markov_head.gate_proj.weight", "markov_head"),
        ("confidence_head.proj.bias", "confidence_head"),
        ("model.layers.61.shared_head.head.weight", "lm_head"),
        ("model.layers.61.shared_head.norm.weight", "norm"),
        ("mask_hidden", "mask_param"),
        ("something.else.weight", "other"),
    ],
)
def test_roles_come_from_names(name: str, role: str) -> None:
    assert role_of(strip(name)) == role


def test_a_special_form_inherits_the_rules_of_its_base() -> None:
    assert lineage("peagle")[0] == "peagle"
    assert {"eagle3", "eagle3_mla", "eagle31"} <= set(lineage("peagle"))
    assert lineage("no such family") == ("no such family",)


ARCH = Path(__file__).parents[2] / "fixtures" / "arch"


@pytest.mark.parametrize("path", sorted((ARCH / "expected").glob("*.json")), ids=lambda path: path.stem)
def test_published_drafters_are_booked_tensor_by_tensor(path: Path) -> None:
    want = json.loads(path.read_text())
    found = _published(path.stem)
    assert found.params_total_excl_buffers == want["params_total_excl_buffers"]
    assert found.elements_total_all_tensors == want["elements_total_all_tensors"]
    assert (found.payload_bytes, found.tensor_count) == (want["payload_bytes"], want["tensor_count"])
    assert dict(found.by_role) == want["by_role"]
    assert dict(found.by_status) == want["by_status"]
    assert {name: [role, status, n] for name, role, status, n in found.tensors()} == want["tensors"]


def _published(name: str) -> Ledger:
    from hubcmp.parameters import account
    from hubcmp.readers import config
    from tests.weights import bundle, safetensors, text

    entries = json.loads((ARCH / "headers" / f"{name}.json").read_text())
    document = text((ARCH / "configs" / f"{name}.json").read_bytes(), "config.json")
    return account(bundle(safetensors(entries), document), config.read(document))
