"""Golden samples of vllm.spec_log."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("vllm_spec_log"))
def test_golden(name: str) -> None:
    check("vllm_spec_log", name)
