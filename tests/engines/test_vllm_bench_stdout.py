"""Golden samples of vllm.bench_serve.stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("vllm_bench_stdout"))
def test_golden(name: str) -> None:
    check("vllm_bench_stdout", name)
