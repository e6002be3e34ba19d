"""Golden samples of llamacpp.timings."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("llamacpp_timings"))
def test_golden(name: str) -> None:
    check("llamacpp_timings", name)
