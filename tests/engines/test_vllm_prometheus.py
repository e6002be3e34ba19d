"""Golden samples of vllm.prometheus."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("vllm_prometheus"))
def test_golden(name: str) -> None:
    check("vllm_prometheus", name)
