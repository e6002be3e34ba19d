"""Golden samples of modelopt.specdec_bench.acceptance_rate."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("modelopt_acceptance_rate"))
def test_golden(name: str) -> None:
    check("modelopt_acceptance_rate", name)
