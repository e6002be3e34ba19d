"""Golden samples of sglang.bench_speculative.jsonl."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("sglang_bench_speculative"))
def test_golden(name: str) -> None:
    check("sglang_bench_speculative", name)
