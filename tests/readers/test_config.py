"""config.json in every dialect: each figure with the place where it stands, hostile JSON refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hubcmp.errors import FormatError
from hubcmp.facts import Evidence, Fact, Span
from hubcmp.readers import Reading
from hubcmp.readers.config import read, recognises
from tests.weights import text

FIXTURES = Path(__file__).parents[2] / "fixtures" / "readers" / "config"


def opened(value: object) -> Reading:
    return read(text(value, "config.json"))


def facts(value: object) -> dict[str, Fact]:
    return {fact.metric: fact for fact in opened(value).facts}


def test_a_plain_config_gives_figures_with_their_places() -> None:
    found = facts((FIXTURES / "kimi-k2-eagle3-aq-noembed" / "config.json").read_bytes())
    assert found["hidden_size"].value == Span.of(7168)
    assert found["hidden_size"].sources[0].where == "$.hidden_size"
    assert found["hidden_size"].evidence is Evidence.DECLARED
    assert found["aux_layer_ids"].value == (2, 30, 58)
    assert found["aux_layer_ids"].sources[0].where == "$.eagle_config.eagle_aux_hidden_state_layer_ids"
    assert found["tie_word_embeddings"].value is False
    assert found["dtype"].value == "bfloat16"


def test_the_speculators_wrapper_is_unwrapped() -> None:
    found = facts((FIXTURES / "llama31-8b-eagle3-speculators" / "config.json").read_bytes())
    assert found["hidden_size"].sources[0].where == "$.transformer_layer_config.hidden_size"
    assert found["target_model"].value == "meta-llama/Llama-3.1-8B-Instruct"
    assert found["speculative_tokens"].sources[0].where == "$.speculators_config.proposal_methods.0.speculative_tokens"
    assert found["rope_theta"].value == Span.of(10000.0)
    assert found["norm_before_residual"].value is True


@pytest.mark.parametrize(
    ("config", "where"),
    [
        (
            {"eagle_aux_hidden_state_layer_ids": [1, 2, 3], "target_layer_ids": [4]},
            "$.eagle_aux_hidden_state_layer_ids",
        ),
        (
            {"eagle_config": {"eagle_aux_hidden_state_layer_ids": [1, 2, 3]}},
            "$.eagle_config.eagle_aux_hidden_state_layer_ids",
        ),
        ({"dflash_config": {"target_layer_ids": [1, 2, 3]}}, "$.dflash_config.target_layer_ids"),
        ({"dspark_target_layer_ids": [1, 2, 3]}, "$.dspark_target_layer_ids"),
        ({"target_layer_ids": [1, 2, 3]}, "$.target_layer_ids"),
        ({"aux_hidden_state_layer_ids": [1, 2, 3]}, "$.aux_hidden_state_layer_ids"),
        ({"eagle_config": {"layer_ids": [1, 2, 3]}}, "$.eagle_config.layer_ids"),
        ({"eagle_layer_ids": [1, 2, 3]}, "$.eagle_layer_ids"),
    ],
)
def test_layer_ids_are_found_in_every_dialect(config: dict[str, Any], where: str) -> None:
    fact = facts(config)["aux_layer_ids"]
    assert (fact.value, fact.sources[0].where) == ((1, 2, 3), where)


@pytest.mark.parametrize("nest", ["text_config", "llm_config", "model", "transformer_layer_config"])
def test_nested_configs_are_looked_into(nest: str) -> None:
    found = facts(
        {nest: {"hidden_size": 8, "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}}
    )
    assert found["hidden_size"].sources[0].where == f"$.{nest}.hidden_size"
    assert (found["quantisation"].value, found["quant_bits"].value) == ("awq", Span.of(4))


def test_bits_are_found_below_a_group_of_any_name() -> None:
    groups = {"config_groups": {"group_7": {"weights": {"num_bits": 8, "group_size": 32}}}}
    found = facts({"text_config": {"quantization_config": groups}})
    assert found["quant_bits"].value == Span.of(8)
    assert (
        found["quant_bits"].sources[0].where
        == "$.text_config.quantization_config.config_groups.group_7.weights.num_bits"
    )


def test_places_that_disagree_are_named_and_the_strongest_counts() -> None:
    reading = opened({"hidden_size": 64, "text_config": {"hidden_size": 32}})
    assert facts({"hidden_size": 64, "text_config": {"hidden_size": 32}})["hidden_size"].value == Span.of(64)
    assert "$.text_config.hidden_size" in str(reading.problems[0])


def test_null_says_nothing_and_unknown_keys_are_handed_back() -> None:
    reading = opened({"draft_vocab_size": None, "vocab_size": 9, "made_up": [1]})
    assert [fact.metric for fact in reading.facts] == ["vocab_size"]
    assert dict(reading.leftover) == {"made_up": [1]}


@pytest.mark.parametrize("value", [-1, 1.5, True, "64", [64], 2**60, {}])
def test_a_size_that_is_no_size_is_a_problem_and_not_a_fact(value: object) -> None:
    reading = opened({"hidden_size": value})
    assert reading.facts == ()
    assert "not a usable hidden_size" in reading.problems[0].message


def test_byte_order_mark_and_infinity_are_survived() -> None:
    assert opened(b'\xef\xbb\xbf{"hidden_size": 8, "time_step_limit": [0, Infinity], "rope_theta": NaN}').facts[
        0
    ].value == Span.of(8)


HOSTILE = {
    "not JSON": b"{",
    "no object": b"[1]",
    "deep": b'{"a":' * 100_000,
    "deep and complete": b'{"a":' * 40 + b"1" + b"}" * 40,
    "deep lists": b'{"a":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "a key that says two things": b'{"hidden_size": 1, "hidden_size": 2}',
    "not UTF-8": b'{"a": "\xff"}',
    "a number of many digits": b'{"hidden_size": ' + b"9" * 5000 + b"}",
    "larger than any config": b'{"a": "' + b"x" * (3 << 20) + b'"}',
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_json_is_refused_in_one_line(content: bytes) -> None:
    with pytest.raises(FormatError) as refusal:
        opened(content)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300


KEYS = st.sampled_from(
    [
        "hidden_size",
        "eagle_config",
        "quantization_config",
        "speculators_config",
        "architectures",
        "dtype",
        "config_groups",
        "x",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=15,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_any_object_is_read(value: dict[str, object]) -> None:
    for fact in opened(json.dumps(value).encode()).facts:
        assert isinstance(fact.value, Span | str | bool | tuple)


def test_only_config_json_is_recognised() -> None:
    assert recognises(text({}, "sub/config.json"))
    assert not recognises(text({}, "generation_config.json"))
