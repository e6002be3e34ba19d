"""Packed weights: parameters and not containers are counted, scales are neither; some modules are wider than the rest."""

from typing import Any

import pytest

from hubcmp.parameters._schemes import Scheme, schemes
from tests.weights import ledger

PACKED = {
    "compressed-tensors": ({"l.up_proj.weight_packed": (64, 8), "l.up_proj.weight_scale": (64, 2), "l.up_proj.weight_shape": (2,)},
                           {"l.up_proj.weight_packed": "I32", "l.up_proj.weight_shape": "I64"}, {}),
    "AWQ": ({"l.up_proj.qweight": (64, 8), "l.up_proj.qzeros": (1, 8), "l.up_proj.scales": (1, 64)},
            {"l.up_proj.qweight": "I32", "l.up_proj.qzeros": "I32"}, {"quantization_config": {"quant_method": "awq", "bits": 4}}),
    "GPTQ with 8 bits": ({"l.up_proj.qweight": (16, 64), "l.up_proj.g_idx": (64,), "l.up_proj.scales": (1, 64)},
                         {"l.up_proj.qweight": "I32", "l.up_proj.g_idx": "I32"},
                         {"quantization_config": {"quant_method": "gptq", "bits": 8}}),
    "MLX": ({"l.up_proj.weight": (64, 8), "l.up_proj.scales": (64, 1), "l.up_proj.biases": (64, 1)},
            {"l.up_proj.weight": "U32"}, {"quantization": {"bits": 4, "group_size": 64}}),
    "NVFP4": ({"l.up_proj.weight": (64, 32), "l.up_proj.weight_scale": (64, 4), "l.up_proj.weight_scale_2": ()},
              {"l.up_proj.weight": "U8", "l.up_proj.weight_scale": "F8_E4M3", "l.up_proj.weight_scale_2": "F32"}, {}),
    "MXFP4": ({"l.experts.up_proj_blocks": (2, 32, 2, 16), "l.experts.up_proj_scales": (2, 32, 2)},
              {"l.experts.up_proj_blocks": "U8", "l.experts.up_proj_scales": "U8"}, {}),
    "bitsandbytes": ({"l.up_proj.weight": (2048, 1), "l.up_proj.weight.absmax": (64,), "l.up_proj.weight.quant_map": (16,)},
                     {"l.up_proj.weight": "U8", "l.up_proj.weight.absmax": "F32"}, {}),
    "FP8": ({"l.up_proj.weight": (64, 64), "l.up_proj.weight_scale_inv": (1, 1)}, {"l.up_proj.weight": "F8_E4M3"}, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", PACKED)
def test_packed_weights_count_parameters_and_scales_do_not(name: str) -> None:
    shapes, dtypes, config = PACKED[name]
    found = ledger({**shapes, "norm.weight": (64,)}, config, dtypes)
    assert found.params_total_excl_buffers == 64 * 64 + 64
    assert "quant_scale" in found.by_role
    assert any("packed" in warning for warning in found.warnings) == (name != "FP8")


def test_bits_under_text_config_and_bookkeeping_are_shown_apart() -> None:
    groups = {"config_groups": {"group_0": {"weights": {"num_bits": 4, "group_size": 32}}}}
    shapes, dtypes, _ = PACKED["compressed-tensors"]
    found = ledger({**shapes, "norm.weight": (64,)}, {"text_config": {"quantization_config": groups}}, dtypes)
    assert (found.elements_total_all_tensors, found.params_total_excl_buffers, found.by_role["quant_scale"]) == (
        706,
        4160,
        130,
    )


MODULE = "model.layers.0.mlp.up_proj"


def mlx(bits: int, group: int) -> dict[str, tuple[int, ...]]:
    """A matrix of 64 x 256 as MLX packs it."""
    return {
        f"{MODULE}.weight": (64, 256 * bits // 32),
        f"{MODULE}.scales": (64, 256 // group),
        f"{MODULE}.biases": (64, 256 // group),
        "model.norm.weight": (8,),
    }


@pytest.mark.parametrize(
    ("bits", "group", "quantization"),
    [
        (4, 64, {"bits": 4, "group_size": 64}),
        (8, 32, {"bits": 4, "group_size": 64, MODULE: {"bits": 8, "group_size": 32}}),
        (6, 64, {"bits": 4, "group_size": 64, MODULE.removeprefix("model."): {"bits": 6}}),
        (8, 64, {"bits": 4, "group_size": 64, "model.embed_tokens": {"bits": 8, "group_size": 64}}),
    ],
    ids=["rule", "exception", "exception without prefix and group", "shape of another's exception"],
)
def test_mlx_exceptions_beat_the_rule(bits: int, group: int, quantization: dict[str, Any]) -> None:
    found = ledger(mlx(bits, group), {"quantization": quantization}, {f"{MODULE}.weight": "U32"})
    assert found.params_total_excl_buffers == 64 * 256 + 8


def gptq(bits: int, *companions: str) -> dict[str, tuple[int, ...]]:
    """A matrix of 64 outputs and 256 inputs as GPTQ packs it."""
    shapes: dict[str, tuple[int, ...]] = {
        "qweight": (256 * bits // 32, 64),
        "scales": (2, 64),
        "qzeros": (2, 64 * bits // 32),
        "g_idx": (256,),
    }
    return {f"{MODULE}.{name}": shapes[name] for name in ("qweight", "scales", *companions)}


@pytest.mark.parametrize("companion", ["qzeros", "g_idx"])
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_companions_show_the_bits_whatever_the_config_says(bits: int, companion: str) -> None:
    dtypes = dict.fromkeys((f"{MODULE}.qweight", f"{MODULE}.qzeros", f"{MODULE}.g_idx"), "I32")
    found = ledger(gptq(bits, companion), {"quantization_config": {"quant_method": "gptq", "bits": 3}}, dtypes)
    assert found.params_total_excl_buffers == 64 * 256


@pytest.mark.parametrize(
    "quantization",
    [{"bits": 0}, {"bits": -4}, {"bits": 10**30}, {"bits": "4"}, {"bits": True}, [], {"bits": 4, "group_size": -1}, {MODULE: {"bits": 64}}],
    ids=str,
)  # fmt: skip
def test_a_width_that_cannot_be_is_not_believed(quantization: object) -> None:
    found = ledger(mlx(4, 64), {"quantization": quantization}, {f"{MODULE}.weight": "U32"})
    assert found.params_total_excl_buffers == 64 * 256 + 8


def test_schemes_are_found_wherever_the_quantisation_stands() -> None:
    groups = {"a": {"weights": {"num_bits": 4, "group_size": 128}}, "b": {"weights": {"num_bits": 8}}, "c": None}
    inner = {"text_config": {"quantization_config": {"config_groups": groups}}}
    assert schemes(inner).known == (Scheme(4, 128), Scheme(8))
    automatic = {"quantization_config": {"bits": 4, "group_size": 128, "extra_config": {"model.x": {"bits": 8}}}}
    assert schemes(automatic).of("model.x", 1, 1, 32) == Scheme(8, 128)
    assert schemes({}).of("model.x", 1, 1, 32) is None
