"""Golden samples of guidellm.benchmarks."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("guidellm"))
def test_golden(name: str) -> None:
    check("guidellm", name)
