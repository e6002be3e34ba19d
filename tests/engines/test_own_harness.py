"""Small JSON of one's own harness: one convention for the bonus token, one run per setting."""

import pytest

from tests.golden_runs import FIXTURES, check, measure, samples

FOLDER = FIXTURES / "engines" / "own_harness"


@pytest.mark.parametrize("name", samples("own_harness"))
def test_golden(name: str) -> None:
    check("own_harness", name)


def test_a_length_without_the_bonus_token_is_called_out() -> None:
    without, counted = measure(FOLDER / "run-a.json"), measure(FOLDER / "run-b.json")
    assert without.runs[0].accept_length == counted.runs[0].accept_length == 2.3
    assert "leaves the bonus token out" in without.problems[0].message
    assert counted.problems == ()


def test_four_settings_are_four_runs() -> None:
    runs = measure(FOLDER / "chain_and_tree.json").runs
    assert [(r.conditions["draft"], r.conditions["temperature"], r.accept_length) for r in runs] == [
        ("chain", 0, 1.7), ("chain", 1, 1.5), ("tree", 0, 2.19), ("tree", 1, 1.55),
    ]  # fmt: skip


def test_workloads_stay_apart() -> None:
    runs = measure(FOLDER / "two_workloads.json").runs
    prose = [(r.accept_length, r.output_throughput) for r in runs if r.dataset == "prose"]
    assert prose == [(2.5, 517), (2.9, 244)]


def test_legs_of_one_thing_say_their_spread() -> None:
    """No verdict from one leg, and none against a threshold inside the spread."""
    found = measure(FOLDER / "legs.json")
    assert [run.per_position for run in found.runs] == [(0.112,), (0.074,), (0.104,)]
    told = " ".join(problem.message for problem in found.problems)
    assert "0.074 to 0.112, mean 0.09667, a spread of 51%" in told
    assert "threshold 0.1 lies inside" in told


def test_settings_that_differ_have_no_common_figure() -> None:
    told = " ".join(problem.message for problem in measure(FOLDER / "chain_and_tree.json").problems)
    assert "draft: chain, tree; temperature: 0, 1" in told
    assert "none for all" in told
