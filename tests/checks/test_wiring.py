"""Every check fires on its fault, says what is wrong, and is content with a sound drafter."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from hubcmp import api
from hubcmp.acceptance import Run
from hubcmp.answers import Checked
from hubcmp.checks import Subject, algorithm_flag
from hubcmp.checks.layer_ids import convention
from hubcmp.cli import cli
from hubcmp.contracts import CONTRACTS
from hubcmp.facts import Source
from hubcmp.renderers._views.check import word
from tests.checks.conftest import CONFIG, KEPT, OFFSETS, SMALL, faults, said, write
from tests.drafters import eagle3, medusa

Check = Callable[..., Checked]


def without(*names: str) -> dict[str, tuple[int, ...]]:
    return {name: shape for name, shape in eagle3(SMALL).items() if name not in names}


def test_a_sound_drafter_is_fine(check: Check) -> None:
    found = check(target={}, engine="vllm")
    assert {word(f) for f in found.findings} == {"fine"}
    assert {f.check for f in found.findings} >= {
        "fusion_width",
        "layer_ids",
        "draft_vocabulary",
        "draft_head",
        "target_fit",
    }


def test_fusion_width_against_the_layer_ids(check: Check) -> None:
    found = check(eagle_config={"eagle_aux_hidden_state_layer_ids": [2, 10, 18, 33]})
    assert said(found, "fusion_width") == [
        ("fault", "fc.weight takes 3 hidden states of 16, but the config names 4 layer ids")
    ]


def test_fusion_width_against_the_hidden_size(check: Check) -> None:
    assert "no multiple" in said(check(target_hidden_size=20), "fusion_width")[0][1]


@pytest.mark.parametrize(
    ("ids", "engine", "state", "what"),
    [
        ([2, 18, 33], "vllm", "fine", "as they are meant"),
        ([1, 17, 32], "vllm", "warning", "off by one layer"),
        ([2, 18, 33], "sglang", "warning", "off by one layer"),
        ([1, 17, 32], "sglang", "fine", "as they are meant"),
        ([5, 17, 30], "vllm", "not checked", "is not told"),
        ([2, 18, 36], "vllm", "warning", "reach outside"),
        ([2, 18, 40], "vllm", "fault", "reach outside"),
        ([2, 18, 33], "", "not checked", "name the engine"),
    ],
)
def test_layer_ids(check: Check, ids: list[int], engine: str, state: str, what: str) -> None:
    found = check(eagle_config={"eagle_aux_hidden_state_layer_ids": ids}, engine=engine, target={})
    assert said(found, "layer_ids")[0][0] == state
    assert what in said(found, "layer_ids")[0][1]


def test_sglang_reads_either_list_right_for_a_target_of_deepseeks_kind(check: Check) -> None:
    found = check(engine="sglang", target={"model_type": "kimi_k2"})
    assert said(found, "layer_ids")[0][0] == "fine"


def test_unusual_ids_are_named_so_that_a_fallback_shows(check: Check) -> None:
    """Ids in the nested place that an engine missed: it took the usual ones, which differ in the first."""
    found = check(eagle_config={"eagle_aux_hidden_state_layer_ids": [1, 21, 40]}, target={"num_hidden_layers": 43})
    assert any(
        "layer ids [1, 21, 40]: they are not the usual [2, 21, 40]" in text for _, text in said(found, "layer_ids")
    )


def test_ids_are_read_from_a_config_that_gives_no_sizes(check: Check) -> None:
    missing = dict.fromkeys(key for key in CONFIG if key not in ("architectures", "eagle_config"))
    ids = {"eagle_aux_hidden_state_layer_ids": [1, 21, 40], "use_aux_hidden_state": True}
    found = check(shapes={}, target={"num_hidden_layers": 43}, eagle_config=ids, **missing)
    assert any("[1, 21, 40]" in text and "[2, 21, 40]" in text for _, text in said(found, "layer_ids"))


def test_no_layer_ids_are_a_warning(check: Check) -> None:
    assert said(check(eagle_config=None, target={}), "layer_ids") == [
        ("warning", "the config names no layer ids: engines take their default, here [2, 18, 33], right or not")
    ]


def test_conventions() -> None:
    assert convention([1, 29, 57], 61) == "outputs"
    assert convention([2, 30, 58], 61) == "inputs"
    assert convention([2, 30, 58], None) == "inputs"
    assert convention([], None) == convention([7, 8], 61) == ""


@pytest.mark.parametrize(
    ("offsets", "what"),
    [
        (KEPT, "absolute ids"),
        ([0] * SMALL.d, "holds zeros only"),
        ([o + 1 for o in OFFSETS], "not the same"),
        ([o + 50 for o in OFFSETS], "outside the vocabulary"),
        ([*reversed(OFFSETS)], "do not rise"),
    ],
)
def test_maps_that_mislead(check: Check, offsets: list[int], what: str) -> None:
    shapes = without("t2d") if what == "holds zeros only" else None
    (state, text), *rest = said(check(shapes=shapes, offsets=offsets), "draft_vocabulary")
    assert (state, rest) == ("fault", [])
    assert what in text


def test_a_map_that_is_missing_or_cast(check: Check) -> None:
    assert "without d2t" in said(check(shapes=without("d2t", "t2d")), "draft_vocabulary")[0][1]


def test_a_map_cast_to_floats_is_a_fault(check: Check) -> None:
    (state, text), *_ = said(check(dtypes={"d2t": "F32"}), "draft_vocabulary")
    assert (state, "F32 instead of I64" in text) == ("fault", True)


def test_a_head_of_another_size(check: Check) -> None:
    assert "has 40 rows, but draft_vocab_size is 50" in said(check(draft_vocab_size=50), "draft_vocabulary")[0][1]


def test_a_head_that_is_declared_but_not_stored(check: Check) -> None:
    assert [f.check for f in faults(check(shapes=without("lm_head.weight")))] == ["draft_head"]


def test_a_tied_head_that_is_stored(check: Check) -> None:
    assert said(check(tie_word_embeddings=True), "draft_head")[0][0] == "warning"


@pytest.mark.parametrize(
    ("target", "engine", "state", "what"),
    [
        ({"hidden_size": 20}, "", "fault", "hidden states of 16, the target's are 20 wide"),
        ({"vocab_size": 90}, "", "fault", "another tokenizer"),
        ({"vocab_size": 120}, "", "warning", "another tokenizer"),
        ({"max_position_embeddings": 40960}, "", "warning", "8,192 tokens, the target's 40,960"),
        ({"rope_theta": 1e6}, "", "warning", "rope theta is 10000.0, the target's 1000000.0"),
        ({"quantization_config": {"quant_method": "fp8"}}, "", "warning", "quantised (fp8)"),
        ({"kv_lora_rank": 512}, "sglang", "warning", "attention backend"),
    ],
)
def test_what_does_not_fit_the_target(
    check: Check, target: dict[str, object], engine: str, state: str, what: str
) -> None:
    found = said(check(target=target, engine=engine), "target_fit")
    assert [s for s, text in found if what in text] == [state]


def test_a_short_context_is_told_without_a_target(check: Check) -> None:
    found = said(check(max_position_embeddings=2048), "target_fit")
    assert [state for state, _ in found] == ["warning", "not checked"]


def test_norm_switches_left_to_defaults(check: Check) -> None:
    found = said(check(speculators_model_type="eagle3"), "norm_defaults")
    assert [state for state, _ in found] == ["warning"]


def test_a_launch_flag_of_another_family(check: Check) -> None:
    drafter = check().drafter
    for flag, state in (("EAGLE", "fault"), ("EAGLE3", "fine"), ("'eagle3'", "fine")):
        run = Run("sglang", "x", Source("run.log"), accept_length=1.0, settings={"speculative_algorithm": flag})
        subject = Subject(replace(drafter, runs=(run,)))
        assert [word(f) for f in algorithm_flag.look(subject)] == [state]


def test_every_finding_names_the_drafter_and_its_sources(check: Check) -> None:
    found = check(target={"hidden_size": 20}, draft_vocab_size=50)
    assert all(f.message.startswith(f"{f.ref}: ") for f in found.findings)
    assert all(f.sources for f in faults(found))


@pytest.mark.parametrize(("said_heads", "state"), [(5, "fine"), (2, "warning")])
def test_head_count(tmp_path: Path, said_heads: int, state: str) -> None:
    config = SMALL.config(medusa_num_heads=said_heads, medusa_num_layers=1, architectures=["MedusaModel"])
    folder = write(tmp_path / "medusa", config, medusa(SMALL), [], {})
    (found,) = api.check([str(folder)]).items
    assert found.drafter.ledger is not None
    assert found.drafter.ledger.family == "medusa"
    assert [s for s, _ in said(found, "head_count")] == [state]


@pytest.mark.parametrize("format_", ["terminal", "markdown", "html", "csv", "json"])
def test_the_command_prints_every_finding_and_exits_1_on_a_fault(tmp_path: Path, format_: str) -> None:
    shapes = eagle3(SMALL)
    for name, kept, code in (("sound", shapes, 0), ("faulty", {k: v for k, v in shapes.items() if k != "d2t"}, 1)):
        folder = write(tmp_path / name, CONFIG, kept, OFFSETS, {})
        result = CliRunner().invoke(cli, ["check", str(folder), "--engine", "vllm", "--format", format_])
        assert result.exit_code == code
        assert ("without d2t" in " ".join(result.output.split())) == bool(code)
        if format_ == "json":
            CONTRACTS["check"].validate_json(result.output)
        if format_ == "csv":
            assert len(result.output.splitlines()) == 1 + len(api.check([str(folder)], engine="vllm").items[0].findings)
