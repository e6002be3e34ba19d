"""Golden samples of sglang.bench_one_batch_server.stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("sglang_one_batch_stdout"))
def test_golden(name: str) -> None:
    check("sglang_one_batch_stdout", name)
