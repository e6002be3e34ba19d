"""Golden samples of vllm.v0_spec_log."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("vllm_v0_log"))
def test_golden(name: str) -> None:
    check("vllm_v0_log", name)
