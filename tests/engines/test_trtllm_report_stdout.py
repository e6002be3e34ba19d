"""Golden samples of trtllm.bench.report_stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("trtllm_report_stdout"))
def test_golden(name: str) -> None:
    check("trtllm_report_stdout", name)
