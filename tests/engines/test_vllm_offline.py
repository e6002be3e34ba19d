"""Golden samples of vllm.offline_example."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("vllm_offline"))
def test_golden(name: str) -> None:
    check("vllm_offline", name)
