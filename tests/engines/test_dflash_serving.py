"""Golden samples of dflash.serving_benchmark.stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("dflash_serving"))
def test_golden(name: str) -> None:
    check("dflash_serving", name)
