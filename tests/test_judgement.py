"""How gates come out: never decided by what is missing, not comparable, too small or only estimated."""

from dataclasses import replace

import pytest

from hubcmp.comparison import Outcome, compare
from hubcmp.drafter import Drafter
from hubcmp.facts import Evidence, Fact, Span
from hubcmp.gates import parse
from hubcmp.judgement import judge
from tests.build import drafter, figure

FULL = {"num_steps": 3, "topk": 1, "num_draft_tokens": 4, "includes_bonus": True}


def outcome(gate: str, *drafters: Drafter) -> Outcome:
    (found,) = judge([parse(gate)], compare(drafters))
    return found


def length(*values: float, label: str | None = "MT-Bench", **conditions: object) -> list[Fact]:
    """One figure per value; several are runs under the same conditions."""
    return [figure(value, label, evidence=Evidence.OBSERVED, **(FULL | conditions)) for value in values]  # type: ignore[arg-type]


def params(value: float) -> Fact:
    return replace(figure(value, None, "params_trainable", Evidence.OBSERVED), unit="params")


def pair(base: list[Fact], own: list[Fact], **more: str) -> tuple[Drafter, Drafter]:
    return drafter("base", *base), drafter("own", *own, **more)


@pytest.mark.parametrize(
    ("gate", "base", "own", "state"),
    [
        ("accept_length < 2.0", 3.0, 2.5, "passed"),
        ("accept_length < 2.0", 1.5, 2.5, "passed"),
        ("accept_length < 2.6", 3.0, 2.5, "failed"),
        ("accept_length <= 2.5", 3.0, 2.5, "failed"),
        ("accept_length > 2.0", 3.0, 2.5, "failed"),
        ("accept_length drops > 5%", 2.5, 2.3, "failed"),
        ("accept_length drops > 10%", 2.5, 2.3, "passed"),
        ("accept_length drops > 0.1", 2.5, 2.3, "failed"),
        ("accept_length drops > 0.3", 2.5, 2.3, "passed"),
        ("accept_length drops > 5%", 2.3, 2.9, "passed"),
        ("accept_length rises > 5%", 2.3, 2.9, "failed"),
        ("accept_length changes > 5%", 2.3, 2.9, "failed"),
        ("accept_length changes > 5%", 2.9, 2.3, "failed"),
        ("accept_length changes > 50%", 2.9, 2.3, "passed"),
        ("accept_length[mt_bench] drops > 5%", 2.5, 2.3, "failed"),
    ],
)
def test_lines_and_changes(gate: str, base: float, own: float, state: str) -> None:
    assert outcome(gate, *pair(length(base), length(own))).state == state


def test_exact_metrics_have_no_noise() -> None:
    assert outcome("params_trainable rises > 1%", *pair([params(100)], [params(102)])).state == "failed"
    assert outcome("params_trainable rises > 3%", *pair([params(100)], [params(102)])).state == "passed"
    assert outcome("params_trainable rises > 10", *pair([params(0)], [params(100)])).state == "failed"
    assert outcome("params_trainable rises > 10%", *pair([params(0)], [params(100)])).state == "not decided"


@pytest.mark.parametrize(
    ("gate", "drafters", "reason"),
    [
        ("accept_length < 2", pair(length(2.5), []), "accept length not stated (no card of own states it)"),
        ("accept_length drops > 5%", pair([], length(2.5)), "base has no accept length on MT-Bench"),
        ("accept_length drops > 5%", pair(length(2.5, label="GSM8K"), length(2.0)), "base has no accept length on MT-Bench"),
        ("accept_length[GSM8K] < 2", pair(length(2.5), length(2.5)), "no accept length on GSM8K; there are: MT-Bench"),
        ("accept_length drops > 5%", pair(length(2.5), length(2.0, num_steps=2, num_draft_tokens=3)), "draft depth differs (3 / 2)"),
        ("accept_length drops > 5%", pair(length(2.5), length(2.0), target="org/Other"), "target model differs"),
        ("accept_length < 2.1 if comparable", pair(length(2.5), length(2.0), target="org/Other"), "target model differs"),
        ("accept_length < 2.1 if comparable", pair([], length(2.0)), "base has no accept length on MT-Bench"),
        ("accept_length < 3 with n >= 100", pair(length(2.5), length(2.0)), "number of samples not stated for own"),
        ("accept_length < 3 with n >= 100", pair(length(2.5), length(2.0, prompts=80)), "80 samples for own, the gate asks for 100"),
        ("accept_length drops > 5% with n >= 100", pair(length(2.5), length(2.0, prompts=100)), "not stated for base"),
        ("accept_length drops > 5%", pair(length(1.02), length(1.01)), "the baseline accepts almost nothing"),
        ("accept_length rises > 5%", pair(length(1.0), length(2.0)), "the baseline accepts almost nothing"),
        ("accept_length drops > 2%", pair(length(2.5), length(2.42)), "within 5%, where like runs differ"),
        ("accept_length < 3", pair(length(2.5), [figure(2.0, stat="estimate", **FULL)]), "only an estimate"),
        ("accept_length < 3", pair(length(2.5), [figure(2.0, evidence=Evidence.ESTIMATED, **FULL)]), "only an estimate"),
        ("accept_length < 3", pair(length(2.5), [figure(2.0, stat="up to", **FULL)]), "a promise"),
    ],
)  # fmt: skip
def test_not_decided_says_why_and_fails_only_when_asked(
    gate: str, drafters: tuple[Drafter, Drafter], reason: str
) -> None:
    found = outcome(gate, *drafters)
    assert found.state == "not decided"
    assert reason in found.reason
    strict = outcome(f"{gate} or unknown", *drafters)
    assert strict.state == "failed"
    assert reason in strict.reason


def test_like_runs_are_judged_by_their_spread() -> None:
    legs = [figure(v, None, "accept_rate", Evidence.OBSERVED, **FULL) for v in (0.112, 0.074, 0.104)]
    found = outcome("accept_rate < 0.1", *pair([], legs))
    assert (found.state, len(found.cases)) == ("not decided", 1)
    assert "7.4% to 11.2% lies on both sides of 10.0%" in found.reason
    assert outcome("accept_rate < 0.07", *pair([], legs)).state == "passed"
    assert outcome("accept_rate < 0.12", *pair([], legs)).state == "failed"


def test_the_spread_of_like_runs_decides_a_small_change() -> None:
    base = length(2.50, 2.51, 2.49)
    assert outcome("accept_length drops > 2%", *pair(base, length(2.41, 2.40, 2.42))).state == "failed"
    assert outcome("accept_length drops > 2%", *pair(base, length(2.40, 2.50))).state == "not decided"
    assert outcome("accept_length drops > 2%", *pair(base, length(2.49, 2.50))).state == "passed"


def test_enough_samples_decide_a_small_change() -> None:
    drafters = pair(length(2.5, prompts=500), length(2.42, prompts=500))
    assert outcome("accept_length drops > 2% with n >= 500", *drafters).state == "failed"


def test_samples_may_be_given_by_the_user() -> None:
    own = drafter("own", *length(2.0), given={"prompts": 200})
    assert outcome("accept_length < 2.5 with n >= 100", drafter("base"), own).state == "failed"


def test_a_line_beside_the_figure_decides_and_says_that_runs_differ() -> None:
    found = outcome("accept_length < 2.05", *pair([], length(2.0)))
    assert found.state == "failed"
    assert "within 5% of the line" in found.reason


def test_a_range_decides_only_a_line_outside_it() -> None:
    wide = replace(length(2.0)[0], value=Span(2.0, 2.4))
    assert outcome("accept_length < 1.9", *pair([], [wide])).state == "passed"
    assert outcome("accept_length < 2.2", *pair([], [wide])).state == "not decided"
    assert outcome("accept_length drops > 1%", *pair(length(3.0), [wide])).state == "not decided"


def test_the_worst_case_is_the_outcome() -> None:
    own = [*length(2.5), *length(1.5, label="GSM8K"), *length(2.2, label="MATH")]
    found = outcome("accept_length < 2.0", drafter("base"), drafter("own", *own), drafter("third"))
    assert found.state == "failed"
    assert found.reason == "own on GSM8K: 1.50 < 2.00"
    assert [case.state for case in found.cases] == ["passed", "failed", "passed", "not decided"]


def test_a_change_is_judged_where_both_have_a_figure() -> None:
    base = [*length(2.5), *length(3.0, label="GSM8K")]
    assert outcome("accept_length drops > 5%", *pair(base, length(2.5))).state == "passed"


def test_a_change_is_shown_with_both_ends() -> None:
    found = outcome("accept_length drops > 5%", *pair(length(2.5), length(2.0)))
    assert found.reason == "own on MT-Bench: from 2.50 to 2.00 (-20.0%): drops > 5.0%"


def test_settings_are_not_mixed() -> None:
    cold, hot = length(2.5, temperature=0), length(1.5, temperature=1)
    assert outcome("accept_length drops > 5%", *pair([*cold, *hot], [*cold, *hot])).state == "passed"


def test_a_long_reason_is_counted() -> None:
    own = [fact for n in range(6) for fact in length(1.5, label=f"set {n}")]
    assert outcome("accept_length < 2.0", *pair([], own)).reason.endswith("; and 3 more")
