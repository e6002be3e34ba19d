"""Golden samples of llamacpp.speculative_example."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("llamacpp_speculative"))
def test_golden(name: str) -> None:
    check("llamacpp_speculative", name)
