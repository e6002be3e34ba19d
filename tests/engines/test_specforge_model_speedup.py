"""Golden samples of specforge.bench_model_speedup.jsonl."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("specforge_model_speedup"))
def test_golden(name: str) -> None:
    check("specforge_model_speedup", name)
