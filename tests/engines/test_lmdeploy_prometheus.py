"""Golden samples of lmdeploy.prometheus."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("lmdeploy_prometheus"))
def test_golden(name: str) -> None:
    check("lmdeploy_prometheus", name)
