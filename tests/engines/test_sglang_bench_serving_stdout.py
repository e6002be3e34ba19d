"""Golden samples of sglang.bench_serving.stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("sglang_bench_serving_stdout"))
def test_golden(name: str) -> None:
    check("sglang_bench_serving_stdout", name)
