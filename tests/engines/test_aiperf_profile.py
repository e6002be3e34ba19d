"""Golden samples of aiperf.profile_export."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("aiperf_profile"))
def test_golden(name: str) -> None:
    check("aiperf_profile", name)
