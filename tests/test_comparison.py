"""Verdicts and differences: never across a condition that differs, never when one is unknown."""

from dataclasses import replace
from random import Random

import pytest

from hubcmp.acceptance import Run, Sample
from hubcmp.comparison import Comparison, compare
from hubcmp.drafter import Drafter, run_facts
from hubcmp.facts import Evidence, Fact, Source, Span
from hubcmp.resampling import pooled
from tests.build import drafter, figure

FULL = {"num_steps": 3, "topk": 1, "num_draft_tokens": 4, "includes_bonus": True}


def both(a: Fact, b: Fact, **kwargs: str) -> Comparison:
    return compare([drafter("a", a), drafter("b", b, **kwargs)])


def delta(comparison: Comparison) -> float | None:
    return next(r for r in comparison.rows if r.metric == "accept_length").deltas[-1]


def test_equal_conditions_are_comparable() -> None:
    found = both(figure(2.0, **FULL), figure(2.5, **FULL))
    assert found.verdict.word == "COMPARABLE"
    assert delta(found) == pytest.approx(0.5)
    assert "b accepts longer runs than a (+25.0%) on MT-Bench" in found.verdict.sentence


def test_a_small_difference_names_no_winner() -> None:
    found = both(figure(2.50, **FULL), figure(2.55, **FULL))
    assert "no difference claimed" in found.verdict.sentence


@pytest.mark.parametrize("change", [{"num_steps": 2, "num_draft_tokens": 3}, {"topk": 4}, {"includes_bonus": False}])
def test_a_decisive_difference_forbids_subtraction(change: dict[str, int]) -> None:
    found = both(figure(2.0, **FULL), figure(2.5, **(FULL | change)))
    assert found.verdict.word == "NOT COMPARABLE AS GIVEN"
    assert delta(found) is None
    assert len(found.verdict.sentence) <= 160


def test_other_targets_are_not_comparable() -> None:
    assert both(figure(2.0, **FULL), figure(2.5, **FULL), target="org/Other").verdict.word == "NOT COMPARABLE AS GIVEN"


def test_an_unknown_depth_is_incomplete() -> None:
    found = both(figure(2.0, topk=1), figure(2.5, topk=1))
    assert found.verdict.word == "INCOMPLETE"
    assert delta(found) is None


def test_contributing_differences_are_named_but_do_not_forbid() -> None:
    found = both(figure(2.0, temperature=0, **FULL), figure(2.5, temperature=1, **FULL))
    assert found.verdict.word == "COMPARABLE"
    assert "temperature differs (0 / 1)" in found.verdict.reasons


def test_a_promise_is_not_subtracted() -> None:
    assert delta(both(figure(2.0, **FULL), figure(2.5, stat="up to", **FULL))) is None


def test_no_accept_length_at_all() -> None:
    found = compare([drafter("a", figure(2.0, **FULL)), drafter("b")])
    assert found.verdict.word == "INCOMPLETE"
    assert found.verdict.reasons[0] == "no accept length for b"


def test_a_measured_length_of_one_is_wiring() -> None:
    dead = figure(1.0, evidence=Evidence.OBSERVED, **FULL)
    found = both(figure(2.0, **FULL), dead)
    assert found.verdict.word == "WIRING PROBLEM LIKELY"
    assert "almost no draft is accepted" in found.verdict.sentence


def test_several_settings_stay_several_rows() -> None:
    four = [
        figure(v, temperature=t, topk=k, num_steps=3)
        for v, k, t in ((1.7, 1, 0), (1.5, 1, 1), (2.19, 8, 0), (1.55, 8, 1))
    ]
    found = compare([drafter("a", *four), drafter("b", figure(1.8, temperature=1, topk=8, num_steps=3))])
    rows = [r for r in found.rows if r.metric == "accept_length"]
    assert len(rows) == 4
    shared = next(r for r in rows if r.shared)
    assert shared.cells[0].fact is not None
    assert shared.cells[0].fact.number == 1.55
    assert shared.deltas[-1] == pytest.approx(0.25)


def test_equal_inputs_give_no_difference() -> None:
    found = both(figure(2.0, **FULL), figure(2.0, **FULL))
    assert delta(found) == 0


def test_three_drafters_are_set_against_the_first() -> None:
    found = compare([drafter(r, figure(v, **FULL)) for r, v in (("a", 2.0), ("b", 2.5), ("c", 3.0))])
    row = next(r for r in found.rows if r.metric == "accept_length")
    assert row.deltas == pytest.approx((0.0, 0.5, 1.0))


def test_an_estimate_of_the_card_is_marked() -> None:
    found = both(figure(2.0, **FULL), figure(2.5, stat="estimate", **FULL))
    row = next(r for r in found.rows if r.metric == "accept_length" and r.cells[1].fact)
    assert row.cells[1].state == "estimated"
    assert delta(found) is None


def test_a_range_is_no_single_figure() -> None:
    wide = figure(2.0, **FULL)
    span = Fact(
        wide.metric, Span(2.0, 2.4), wide.unit, wide.evidence, "prose", wide.sources, label=wide.label, conditions=FULL
    )
    assert delta(both(wide, span)) is None


def test_one_drafter_is_no_comparison() -> None:
    with pytest.raises(ValueError, match="at least two"):
        compare([drafter("a")])


def measured(ref: str, rate: float, seed: int, count: int = 40) -> Drafter:
    """A drafter with a run of `count` requests that accept about `rate` drafts per step."""
    random = Random(seed)
    units = tuple(Sample(100, 100 * rate * random.uniform(0.9, 1.1)) for _ in range(count))
    source = Source(ref, path=f"{ref}.log")
    run = Run("sglang", "made up", source, accept_length=pooled(units), dataset="MT-Bench", num_spec_tokens=3, samples=units,
              conditions={"num_steps": 3, "topk": 1})  # fmt: skip
    return replace(drafter(ref, *run_facts(run)), runs=(run,))


def test_measured_lengths_are_compared_with_their_interval() -> None:
    near = compare([measured("org/a", 1.20, 1), measured("org/b", 1.21, 2)])
    assert "95 % interval includes zero" in near.verdict.sentence
    far = compare([measured("org/a", 1.20, 1), measured("org/b", 1.28, 2)])
    assert far.verdict.sentence.startswith("org/b accepts longer runs")  # 3.6 %: small, and shown all the same
    row = next(row for row in far.rows if row.metric == "accept_length")
    assert row.intervals[0] is None
    assert row.intervals[1] is not None
    assert row.intervals[1].low < (row.deltas[1] or 0) < row.intervals[1].high


def test_stated_lengths_and_few_units_have_no_interval() -> None:
    for second in (drafter("org/b", figure(2.4, num_steps=3, topk=1)), measured("org/b", 1.4, 2, count=5)):
        rows = compare([measured("org/a", 1.2, 1), second]).rows
        assert [row.intervals for row in rows if row.metric == "accept_length"] == [()]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (figure(6.4, "GSM8K (English)", **FULL), figure(3.3, "GSM8K (Chinese)", **FULL)),
        (figure(6.4, "GSM8K", language="en", **FULL), figure(3.3, "GSM8K", language="zh", **FULL)),
    ],
)
def test_prompts_in_other_languages_are_not_subtracted(one: Fact, two: Fact) -> None:
    found = both(one, two)
    assert found.verdict.word == "NOT COMPARABLE AS GIVEN"
    assert "prompt language differs (en / zh)" in found.verdict.sentence
    assert delta(found) is None


def test_languages_are_matched_with_their_own() -> None:
    first = drafter("org/a", figure(6.4, "GSM8K (en)", **FULL), figure(3.3, "GSM8K (zh)", **FULL))
    second = drafter("org/b", figure(3.6, "GSM8K (Chinese)", **FULL), figure(6.5, "GSM8K (English)", **FULL))
    rows = [row for row in compare([first, second]).rows if row.metric == "accept_length"]
    assert [pytest.approx(0.1), pytest.approx(0.3)] == [row.deltas[1] for row in rows]
