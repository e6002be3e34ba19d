"""Golden samples of sglang.server_info."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("sglang_server_info"))
def test_golden(name: str) -> None:
    check("sglang_server_info", name)
