"""Golden samples of mlx_lm.generation_response.jsonl."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("mlx_lm_responses"))
def test_golden(name: str) -> None:
    check("mlx_lm_responses", name)
