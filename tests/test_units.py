"""Numbers as people write them, to exact values and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubcmp import units


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.4M", 1_400_000),
        ("37k", 37_000),
        ("2.6B", 2_600_000_000),
        ("1,739,710", 1_739_710),
        ("3万", 30_000),
        ("1.4 million", 1_400_000),
        ("0.25", 0.25),
    ],
)
def test_quantities(text: str, value: float) -> None:
    assert units.parse_quantity(text) == value


@pytest.mark.parametrize("text", ["", "many", "1.4Q", "1" * 31, "1.2.3", "M"])
def test_what_is_no_quantity(text: str) -> None:
    with pytest.raises(ValueError, match="not a quantity"):
        units.parse_quantity(text)


@given(st.integers(0, 10**9))
def test_counts_with_a_letter_are_exact(n: int) -> None:
    assert units.parse_quantity(f"{n}K") == n * 1000


def test_writing() -> None:
    assert units.count(1_190_948_864) == "1.191B"
    assert units.count(410) == "410"
    assert units.exact(1_190_948_864) == "1,190,948,864"
    assert units.percent(0.548) == "54.8%"
    assert units.gain(1.0586) == "+5.9%"
    assert units.size(5_190_135_808) == "5.19 GB"
    assert units.size(12) == "12 B"
