"""Golden samples of llamacpp.server_log."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("llamacpp_server_log"))
def test_golden(name: str) -> None:
    check("llamacpp_server_log", name)
