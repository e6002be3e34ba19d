"""Golden samples of llamacpp.prometheus."""

import pytest

from tests.golden_runs import FIXTURES, check, measure, samples

FOLDER = FIXTURES / "engines" / "llamacpp_prometheus"


@pytest.mark.parametrize("name", samples("llamacpp_prometheus"))
def test_golden(name: str) -> None:
    check("llamacpp_prometheus", name)


def test_a_restart_between_two_scrapes_leaves_no_run() -> None:
    found = measure(FOLDER / "llamacpp_real_before_restart.prom", FOLDER / "llamacpp_real_after_restart.prom")
    assert found.runs == ()
    assert "restarted" in found.problems[0].message


def test_a_server_that_has_not_speculated_has_no_length() -> None:
    found = measure(FOLDER / "llamacpp_real_plain_after.prom")
    assert found.runs[0].accept_length is None
    assert [problem.message.partition("; ")[2] for problem in found.problems] == [
        "no verify step yet: send requests, and measure them with --for"
    ]
