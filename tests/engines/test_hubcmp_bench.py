"""Golden samples of hubcmp.bench."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("hubcmp_bench"))
def test_golden(name: str) -> None:
    check("hubcmp_bench", name)
