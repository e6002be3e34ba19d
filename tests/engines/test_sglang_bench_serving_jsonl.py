"""Golden samples of sglang.bench_serving.jsonl."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("sglang_bench_serving_jsonl"))
def test_golden(name: str) -> None:
    check("sglang_bench_serving_jsonl", name)
