"""Golden samples of lmdeploy.log."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("lmdeploy_log"))
def test_golden(name: str) -> None:
    check("lmdeploy_log", name)
