"""Golden samples of sglang.generate_response."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("sglang_generate_response"))
def test_golden(name: str) -> None:
    check("sglang_generate_response", name)
