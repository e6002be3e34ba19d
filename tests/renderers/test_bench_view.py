"""The view of `hubcmp bench`: the contract's keys, six decimals, and a report that names what is missing."""

import json

from hubcmp.answers import Benchmarks
from hubcmp.renderers import render
from hubcmp.renderers._views.bench import FIELDS, view
from tests.golden_runs import FIXTURES, measure

READERS = FIXTURES / "engines"
ANSWER = Benchmarks(
    (
        measure(READERS / "sglang_decode_log" / "sglang_0.5.23_dp2.log"),
        measure(READERS / "vllm_offline" / "vllm_offline_spec_decode.txt"),
        measure(FIXTURES / "measurements" / "empty.log"),
    )
)


def test_json_holds_the_contract_in_order() -> None:
    items = json.loads(render(ANSWER, "json"))
    assert [item["format"] for item in items] == ["sglang.decode_log", "vllm.offline_example", None]
    assert list(items[0]) == [
        "schema_version", "source", "format", "engine", "engine_version", "window", "exact", "records", "warnings",
    ]  # fmt: skip
    record = items[0]["records"][0]
    assert set(FIELDS) <= set(record)
    assert (record["class"], record["accept_length"], record["steps"]) == ("derived", 2.838653, None)
    assert record["config"]["num_steps"] == 3
    assert items[1]["exact"] is True
    assert items[1]["records"][0]["per_position"] == [0.8, 0.52, 0.26]
    assert items[2]["records"] == []
    assert "empty" in items[2]["warnings"][0]


def test_markdown_has_one_table_positions_and_warnings_below() -> None:
    text = render(ANSWER, "markdown")
    assert text.index("Results") < text.index("Acceptance per position") < text.index("Be careful")
    assert "2.839" in text
    assert "not derivable" in text
    assert "0.800" in text


def test_the_layout_is_built_only_when_drawn() -> None:
    assert view(ANSWER).data is not None


def test_nothing_measured_is_said() -> None:
    assert "Nothing was measured" in render(Benchmarks((ANSWER.items[2],)), "markdown")
