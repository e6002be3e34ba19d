"""Mixed widths of packed weights: what the shapes beside them show, and what a config says module by module."""

from typing import Any

import pytest

from hubcmp.parameters._schemes import Scheme, schemes
from tests.weights import ledger

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
