"""Golden samples of sglang.prometheus."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("sglang_prometheus"))
def test_golden(name: str) -> None:
    check("sglang_prometheus", name)
