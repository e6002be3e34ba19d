"""Golden samples of eagle.alpha.jsonl."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("eagle_alpha"))
def test_golden(name: str) -> None:
    check("eagle_alpha", name)
