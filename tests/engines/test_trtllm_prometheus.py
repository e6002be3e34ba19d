"""Golden samples of trtllm.prometheus."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("trtllm_prometheus"))
def test_golden(name: str) -> None:
    check("trtllm_prometheus", name)
