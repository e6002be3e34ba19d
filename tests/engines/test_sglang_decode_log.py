"""Golden samples of sglang.decode_log."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("sglang_decode_log"))
def test_golden(name: str) -> None:
    check("sglang_decode_log", name)
