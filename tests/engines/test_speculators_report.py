"""Golden samples of speculators.acceptance_report.stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("speculators_report"))
def test_golden(name: str) -> None:
    check("speculators_report", name)
