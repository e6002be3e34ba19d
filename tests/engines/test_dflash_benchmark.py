"""Golden samples of dflash.benchmark.stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("dflash_benchmark"))
def test_golden(name: str) -> None:
    check("dflash_benchmark", name)
