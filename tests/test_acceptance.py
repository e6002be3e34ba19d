"""The normal form's arithmetic: worked examples, bounds, and what must be refused."""

import json
import statistics
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubcmp import acceptance
from hubcmp.acceptance import at_depth, between, ceiling, cycle_cost, depth_bound, draft_length, from_positions

DASHBOARD = Path(__file__).parents[1] / "fixtures" / "dashboard" / "specbundle.jsonl"


def test_worked_example_from_depth_two_to_three() -> None:
    result = at_depth(2.10, 2, 3)
    assert (round(result.value, 2), round(result.interval.low, 2), round(result.interval.high, 2)) == (2.37, 2.32, 2.42)
    assert (result.bounds.low, round(result.bounds.high, 2), result.method) == (2.10, 2.65, "estimated")


@pytest.mark.parametrize(("length", "expected"), [(3.165, 2.58), (3.490, 2.76)])
def test_founding_lengths_at_depth_two(length: float, expected: float) -> None:
    assert round(at_depth(length, 3, 2).value, 2) == expected


def test_same_depth_is_exact() -> None:
    result = at_depth(2.10, 2, 2)
    assert (result.value, result.interval.low, result.interval.high, result.method) == (2.10, 2.10, 2.10, "exact")


@pytest.mark.parametrize(("length", "depth", "to"), [(3.5, 2, 3), (0.9, 3, 2), (2.1, 1, 3), (2.1, 3, 9)])
def test_impossible_or_unseen_depths_are_refused(length: float, depth: int, to: int) -> None:
    with pytest.raises(ValueError, match="depth"):
        at_depth(length, depth, to)


@given(st.integers(2, 8), st.integers(2, 8), st.floats(0.01, 0.99))
def test_estimates_stay_within_their_bounds(depth: int, to: int, share: float) -> None:
    length = 1 + share * depth
    result = at_depth(length, depth, to)
    assert result.bounds.low - 1e-9 <= result.interval.low <= result.interval.high <= result.bounds.high + 1e-9
    assert 1 <= result.value <= ceiling(to) + 1e-9


@given(st.integers(2, 8), st.integers(2, 8), st.floats(0.05, 0.95))
def test_there_and_back_again(depth: int, to: int, share: float) -> None:
    length = 1 + share * min(depth, to) * 0.9
    there = at_depth(length, depth, to).value
    assert at_depth(there, to, depth).value == pytest.approx(length, abs=1e-6)


def test_per_position_rates_are_exact() -> None:
    assert from_positions((0.8, 0.45, 0.25), 2) == pytest.approx(2.25)
    with pytest.raises(ValueError, match="reach depth 3"):
        from_positions((0.8, 0.45, 0.25), 4)


def test_interpolation_needs_a_depth_on_each_side() -> None:
    found = between([(2.36, 3), (2.60, 7)], 5)
    assert found is not None
    assert found.method == "interpolated"
    assert 2.36 < found.value < 2.60
    assert between([(2.36, 3), (2.60, 4)], 5) is None


@pytest.mark.parametrize(("length", "bound"), [(3.49, 3), (3.0, 2), (2.0, 1), (1.0, 0), (3.0001, 3)])
def test_a_length_proves_a_depth(length: float, bound: int) -> None:
    assert depth_bound(length) == bound


def test_cycle_cost_is_break_even() -> None:
    cost = cycle_cost(2.10, 88.8, 94.0)
    assert round(cost, 2) == 1.98
    assert round(ceiling(2) / cost * 88.8, 1) == 134.3
    with pytest.raises(ValueError, match="above 0"):
        cycle_cost(2.1, 0, 94)


@pytest.mark.parametrize(
    ("conditions", "depth"),
    [
        ({"num_steps": 3, "topk": 1, "num_draft_tokens": 4}, 3),
        ({"num_steps": 3, "topk": 8, "num_draft_tokens": 10}, 3),
        ({"num_draft_tokens": 4}, 3),
        ({"num_draft_tokens": 10, "topk": 8}, None),
        ({"num_speculative_tokens": 5}, 5),
        ({"block_size": 16}, 15),
        ({"temperature": 0}, None),
    ],
)
def test_draft_length_of_each_dialect(conditions: dict[str, int], depth: int | None) -> None:
    assert draft_length(conditions) == depth


def test_implied_length_of_the_founding_card() -> None:
    assert round(acceptance.implied_length(1.24, 3.490, 1.80), 2) == 2.40


def _errors(start: int, to: int) -> tuple[list[float], list[bool]]:
    """Relative errors and interval hits over every public pair of one drafter and benchmark."""
    rows = [json.loads(line) for line in DASHBOARD.read_text().splitlines()]
    lengths = {
        (r["target"], r["drafter"], r["benchmark"], r["num_steps"]): r["accept_length"] for r in rows if r["topk"] == 1
    }
    errors, hits = [], []
    for (target, drafter, benchmark, depth), length in lengths.items():
        truth = lengths.get((target, drafter, benchmark, to))
        if depth == start and truth is not None:
            result = at_depth(length, start, to)
            errors.append(abs(result.value - truth) / truth)
            hits.append(result.interval.low <= truth <= result.interval.high)
    return errors, hits


@pytest.mark.parametrize(
    ("start", "to", "limit"), [(3, 5, 0.015), (5, 3, 0.015), (5, 7, 0.015), (7, 5, 0.015), (3, 7, 0.025)]
)
def test_the_decay_holds_on_public_measurements(start: int, to: int, limit: float) -> None:
    errors, _ = _errors(start, to)
    assert len(errors) >= 20
    assert statistics.mean(errors) <= limit


def test_intervals_cover_about_nine_in_ten() -> None:
    hits = [hit for start, to in ((3, 5), (5, 3), (5, 7), (7, 5), (3, 7), (7, 3)) for hit in _errors(start, to)[1]]
    assert 0.85 <= statistics.mean(hits) <= 0.97


def test_a_decay_is_found_again() -> None:
    for decay in (0.9, 0.97, 1.05):
        short, long = (acceptance.length_at(0.7, depth, decay) for depth in (3, 7))
        assert acceptance.decay_of((short, 3), (long, 7)) == pytest.approx(decay, abs=1e-6)
        assert acceptance.decay_of((long, 7), (short, 3)) == pytest.approx(decay, abs=1e-6)


def test_a_drafters_own_decay_beats_the_general_one_on_public_measurements() -> None:
    rows = [json.loads(line) for line in DASHBOARD.read_text().splitlines()]
    lengths: dict[tuple[str, str], dict[int, float]] = {}
    for r in rows:
        if r["topk"] == 1:
            lengths.setdefault((r["target"] + r["drafter"], r["benchmark"]), {})[r["num_steps"]] = r["accept_length"]
    own, general, hits = [], [], []
    for key, depths in lengths.items():
        for start, to in permutations(depths, 2):
            others = [
                d for other, d in lengths.items() if other[0] == key[0] and other != key and {start, to} <= set(d)
            ]
            if len(others) > 1:
                decays = [acceptance.decay_of((d[start], start), (d[to], to)) for d in others]
                found = acceptance.at_own_depth(depths[start], start, to, decays)
                own.append(abs(found.value / depths[to] - 1))
                general.append(abs(at_depth(depths[start], start, to).value / depths[to] - 1))
                hits.append(found.interval.low <= depths[to] <= found.interval.high)
    assert len(own) >= 100
    assert statistics.mean(own) < 0.9 * statistics.mean(general)
    assert 0.85 <= statistics.mean(hits) <= 0.97
