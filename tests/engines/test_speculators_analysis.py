"""Golden samples of speculators.acceptance_analysis.stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("speculators_analysis"))
def test_golden(name: str) -> None:
    check("speculators_analysis", name)
