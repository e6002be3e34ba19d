"""Golden samples of aiperf.server_metrics."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("aiperf_server_metrics"))
def test_golden(name: str) -> None:
    check("aiperf_server_metrics", name)
