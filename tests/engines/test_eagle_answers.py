"""Golden samples of eagle.answers.jsonl."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("eagle_answers"))
def test_golden(name: str) -> None:
    check("eagle_answers", name)
