"""The bootstrap: what it covers, what it leaves open, and that it is the same everywhere."""

from random import Random

import pytest

from hubcmp.acceptance import Sample
from hubcmp.resampling import LEAST, interval, pooled


def requests(count: int, seed: int) -> tuple[Sample, ...]:
    """Requests whose share of accepted drafts varies, as real texts do."""
    random = Random(seed)
    steps = [random.randint(10, 300) for _ in range(count)]
    return tuple(Sample(n, n * min(2.9, max(0.1, random.gauss(1.2, 0.4)))) for n in steps)


@pytest.mark.parametrize("units", [6, 10, 30])
def test_like_runs_are_told_apart_in_about_one_of_twenty(units: int) -> None:
    spans = [interval(requests(units, n), requests(units, n + 5000)) for n in range(100)]
    inside = sum(1 for span in spans if span is not None and span.low <= 0 <= span.high)
    assert 90 <= inside <= 99


def test_a_gap_of_many_spreads_is_seen_with_six_units() -> None:
    first = tuple(Sample(100, 100 + n) for n in range(6))
    second = tuple(Sample(100, 150 + n) for n in range(6))
    span = interval(first, second)
    assert span is not None
    assert 0.4 < span.low < 0.5 < span.high < 0.6


def test_fewer_units_give_none() -> None:
    assert interval(requests(LEAST - 1, 1), requests(50, 2)) is None
    assert interval((), ()) is None


def test_five_thousand_units_are_drawn_as_pools() -> None:
    span = interval(requests(5000, 1), requests(5000, 2))
    assert span is not None
    assert 0.01 < span.high - span.low < 0.06


def test_scaled_drafts_scale_the_interval() -> None:
    whole, half = (interval(requests(40, 1), requests(40, 2), (x, x)) for x in (1.0, 0.5))
    assert whole is not None
    assert half is not None
    assert half.low == pytest.approx(whole.low / 2, abs=1e-6)


def test_sums_first_then_one_division() -> None:
    assert pooled((Sample(1, 3), Sample(99, 0))) == pytest.approx(1.03)
    assert pooled(()) == 1.0
