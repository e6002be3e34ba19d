"""Golden samples of vllm.response_metrics."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("vllm_response"))
def test_golden(name: str) -> None:
    check("vllm_response", name)
