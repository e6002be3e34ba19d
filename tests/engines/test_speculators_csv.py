"""Golden samples of speculators.acceptance.csv."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("speculators_csv"))
def test_golden(name: str) -> None:
    check("speculators_csv", name)
