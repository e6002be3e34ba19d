"""Golden samples of modelopt.specdec_bench.stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("modelopt_stdout"))
def test_golden(name: str) -> None:
    check("modelopt_stdout", name)
