"""Golden samples of angelslim.answers.jsonl."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("angelslim_answers"))
def test_golden(name: str) -> None:
    check("angelslim_answers", name)
