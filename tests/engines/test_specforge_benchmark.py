"""Golden samples of specforge.benchmark.json."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("specforge_benchmark"))
def test_golden(name: str) -> None:
    check("specforge_benchmark", name)
