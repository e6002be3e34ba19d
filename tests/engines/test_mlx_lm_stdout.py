"""Golden samples of mlx_lm.generate.stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("mlx_lm_stdout"))
def test_golden(name: str) -> None:
    check("mlx_lm_stdout", name)
