"""Golden samples of sglang.send_one."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("sglang_send_one"))
def test_golden(name: str) -> None:
    check("sglang_send_one", name)
