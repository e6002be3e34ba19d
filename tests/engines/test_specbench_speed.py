"""Golden samples of specbench.speed.stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("specbench_speed"))
def test_golden(name: str) -> None:
    check("specbench_speed", name)
