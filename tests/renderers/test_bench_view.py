"""The view of `hubcmp bench`: the contract's keys, six decimals, and a report that names what is missing."""

import json

import pytest

from hubcmp.answers import Benchmarks
from hubcmp.renderers import render
from hubcmp.renderers._views._results import names
from hubcmp.renderers._views.bench import FIELDS, view
from hubcmp.renderers.terminal import drawn
from hubcmp.trials import trials
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


def test_markdown_has_one_table_and_warnings_below() -> None:
    text = render(ANSWER, "markdown")
    assert text.index("## Results") < text.index("| p1 | ") < text.index("## Be careful")
    assert "█░" in text
    assert "not derivable" in text
    assert "0.800" in text


def runs(*names: str) -> Benchmarks:
    files = (path for name in names for path in READERS.glob(f"*/{name}"))
    items = tuple(measure(path) for path in files)
    return Benchmarks(items, trials(items))


ONE = ("vllm_0.9.2.log",)
TWO = ("sglang_0.5.10_bonus_rate.log", "sglang_0.5.23_dp2.log")
FIVE = (*TWO, "vllm_0.9.2.log", "llamacpp_real_draft.log", "vllm_0.33.0_chat_responses.jsonl")


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("names", [ONE, TWO, FIVE], ids=["one", "two", "five"])
def test_results_stay_a_table_at_every_width(names: tuple[str, ...], width: int) -> None:
    text = drawn(view(runs(*names)).layout(), width, False)
    lines = text[text.index("Results") :].splitlines()
    assert max(map(len, lines)) <= width
    assert "─" * 20 in lines[4] + lines[3] + lines[2]
    assert "accept length: " not in text


def test_two_sources_are_answered_in_the_first_line() -> None:
    text = drawn(view(runs(*TWO)).layout(), 200, False)
    first = text.splitlines()[2]
    assert first.startswith(
        " - sglang_0.5.23_dp2.log against sglang_0.5.10_bonus_rate.log: accept length from 2.83 to 2.84"
    )
    assert first.endswith("which shows no difference")
    assert "~ +0.0" in text


def test_many_runs_name_once_what_they_share() -> None:
    text = render(Benchmarks(runs(*FIVE).items[:1] * 5), "markdown")
    assert "all: engine sglang" in text
    assert "In no source: steps, requests, tok/s." in text


def test_names_are_shortened_while_they_stay_apart() -> None:
    short = names(["x/a.log", "y/a.log", "z/b.log", "http://h:1/b"])
    assert [short(n) for n in ("x/a.log", "z/b.log", "z/b.log: eagle", "http://h:1/b")] == [
        "x/a.log", "b.log", "b.log: eagle", "http://h:1/b",
    ]  # fmt: skip
    assert names(["z/b.log"])("z/b.log: eagle") == "eagle"


def test_the_layout_is_built_only_when_drawn() -> None:
    assert view(ANSWER).data is not None


def test_nothing_measured_is_said() -> None:
    assert "Nothing was measured" in render(Benchmarks((ANSWER.items[2],)), "markdown")
