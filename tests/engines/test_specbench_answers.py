"""Golden samples of specbench.answers.jsonl."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("specbench_answers"))
def test_golden(name: str) -> None:
    check("specbench_answers", name)
