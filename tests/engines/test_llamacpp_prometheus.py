"""Golden samples of llamacpp.prometheus."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("llamacpp_prometheus"))
def test_golden(name: str) -> None:
    check("llamacpp_prometheus", name)
