"""Golden samples of trtllm.iteration_stats."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("trtllm_iteration_stats"))
def test_golden(name: str) -> None:
    check("trtllm_iteration_stats", name)
