"""Golden samples of specforge.bench_eagle3.json."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("specforge_bench_eagle3"))
def test_golden(name: str) -> None:
    check("specforge_bench_eagle3", name)
