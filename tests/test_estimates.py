"""What follows from figures: the strongest method first, and a reason where nothing may follow."""

from dataclasses import replace

import pytest

from hubcmp import costs, estimates
from hubcmp.acceptance import Run
from hubcmp.estimates import Estimate
from hubcmp.facts import Evidence, Source, Span, Unknown
from tests.build import drafter, figure

CHAIN = {"topk": 1}


def test_one_length_is_estimated_by_the_decay() -> None:
    fact = figure(2.10, num_steps=2, **CHAIN)
    found = estimates.at_depth(drafter("a", fact), fact, 3)
    assert isinstance(found, Estimate)
    assert (round(found.value, 2), found.method) == (2.37, "from 2.1 at depth 2, x 0.97 per position")
    assert found.inputs == (fact,)


def test_two_depths_are_interpolated() -> None:
    low, high = figure(2.36, num_steps=3, **CHAIN), figure(2.60, num_steps=7, **CHAIN)
    found = estimates.at_depth(drafter("a", low, high), low, 5)
    assert isinstance(found, Estimate)
    assert (found.method, found.inputs) == ("between two measured depths", (low, high))


def test_the_drafters_own_decay_goes_before_the_general_one() -> None:
    others = [
        figure(value, label, num_steps=depth, **CHAIN)
        for label, depth, value in (
            ("GSM8K", 3, 2.88),
            ("GSM8K", 7, 3.51),
            ("HumanEval", 3, 3.24),
            ("HumanEval", 7, 4.49),
        )
    ]
    fact = figure(3.23, "MATH-500", num_steps=3, **CHAIN)
    found = estimates.at_depth(drafter("a", fact, *others), fact, 7)
    general = estimates.at_depth(drafter("a", fact), fact, 7)
    assert isinstance(found, Estimate)
    assert isinstance(general, Estimate)
    assert found.method == "from 3.23 at depth 3, with the decay of the drafter's other benchmarks"
    assert list(found.inputs) == [fact, *others]
    assert found.value < general.value
    one = estimates.at_depth(drafter("a", fact, *others[:2]), fact, 7)
    assert isinstance(one, Estimate)
    assert one.method == general.method


def test_a_length_that_was_measured_is_not_estimated() -> None:
    low, high = figure(2.36, num_steps=3, **CHAIN), figure(2.60, num_steps=7, **CHAIN)
    assert estimates.at_depth(drafter("a", low, high), low, 7) is None


def test_other_settings_are_no_siblings() -> None:
    low, high = figure(2.36, num_steps=3, temperature=0, **CHAIN), figure(2.60, num_steps=7, temperature=1, **CHAIN)
    found = estimates.at_depth(drafter("a", low, high), low, 5)
    assert isinstance(found, Estimate)
    assert "per position" in found.method


def test_per_position_rates_are_exact() -> None:
    source = Source("run.log", "", "run.log")
    fact = replace(figure(2.5, num_steps=3, evidence=Evidence.OBSERVED), sources=(source,))
    run = Run(engine="sglang", format="x", source=source, per_position=(0.8, 0.45, 0.25), accept_length=2.5)
    found = estimates.at_depth(replace(drafter("a", fact), runs=(run,)), fact, 2)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(2.25)
    assert found.span.exact


@pytest.mark.parametrize(
    ("conditions", "reason"),
    [
        ({"num_steps": 3, "topk": 8}, "tree"),
        ({"block_size": 16}, "per-position rates"),
        ({"num_steps": 12, "topk": 1}, "depths 2 to 8"),
    ],
)
def test_what_may_not_be_brought_says_why(conditions: dict[str, int], reason: str) -> None:
    fact = figure(2.5, **conditions)
    item = drafter("a", fact)
    if "block_size" in conditions:
        item = replace(item, settings={**item.settings, "block_size": fact})
    found = estimates.at_depth(item, fact, 2)
    assert isinstance(found, Unknown)
    assert reason in found.reason


def test_an_unknown_depth_gives_nothing() -> None:
    fact = figure(2.5)
    assert estimates.at_depth(drafter("a", fact), fact, 2) is None


def test_a_nearby_depth_is_used_and_said() -> None:
    fact = figure(3.165, nearby={"num_steps": 3, "topk": 1})
    found = estimates.at_depth(drafter("a", fact), fact, 2)
    assert isinstance(found, Estimate)
    assert any("not bound to the figure" in text for text in found.assumptions)


def run(length: float | None, speed: float, **settings: str) -> Run:
    conditions = {"num_steps": 2, "topk": 1} if length else {}
    source = Source("log", "", "log")
    return Run(
        engine="sglang",
        format="x",
        source=source,
        accept_length=length,
        decode_throughput=speed,
        conditions=conditions,
        settings=settings,
    )


def test_cycle_cost_needs_like_servers() -> None:
    alike = replace(drafter("a"), runs=(run(2.1, 94.0, tp_size="8"),), plains=(run(None, 88.8, tp_size="8"),))
    cost = costs.cycle(alike)
    assert isinstance(cost, Estimate)
    assert round(cost.value, 2) == 1.98
    unlike = replace(alike, plains=(run(None, 88.8, tp_size="4"),))
    refused = costs.cycle(unlike)
    assert isinstance(refused, Unknown)
    assert "tp_size" in refused.reason


def test_what_if_refuses_lengths_above_the_ceiling() -> None:
    item = replace(drafter("a"), runs=(run(2.1, 94.0),), plains=(run(None, 88.8),))
    cost = costs.cycle(item)
    assert isinstance(cost, Estimate)
    possible = Estimate("b", "accept_length", "t", 2.7, Span(2.6, 2.8), "tokens/step", "m", (), (figure(2.7),))
    found = list(costs.what_if(item, cost, [possible, replace(possible, value=3.5, span=Span(3.4, 3.6))]))
    assert [round(e.value, 1) for e in found] == [120.9]
    assert found[0].span.low < found[0].value < found[0].span.high


def test_implied_lengths_need_an_anchor_under_the_same_settings() -> None:
    gain, other = figure(1.24, "MT-Bench", "speedup", num_steps=3), figure(1.80, "Math500", "speedup", num_steps=3)
    known = figure(3.490, "Math500")
    found = list(estimates.implied(drafter("a", gain, other, known)))
    assert [(e.label, round(e.value, 2)) for e in found] == [("MT-Bench", 2.40)]
    apart = figure(1.80, "Math500", "speedup", num_steps=5)
    assert list(estimates.implied(drafter("a", gain, apart, known))) == []
