"""Golden samples of llamacpp.server_log."""

import pytest

from hubcmp.acceptance import simulated
from tests.golden_runs import FIXTURES, check, measure, samples

FOLDER = FIXTURES / "engines" / "llamacpp_server_log"


@pytest.mark.parametrize("name", samples("llamacpp_server_log"))
def test_golden(name: str) -> None:
    check("llamacpp_server_log", name)


@pytest.mark.parametrize(
    ("name", "made_up"), [("llamacpp_real_synthetic.log", True), ("llamacpp_real_draft.log", False)]
)
def test_simulated_acceptance_is_told(name: str, made_up: bool) -> None:
    found = measure(FOLDER / name)
    assert simulated(found.runs[0]) is made_up
    assert any("simulated" in problem.message for problem in found.problems) is made_up
