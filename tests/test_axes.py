"""Comparability per axis: what a figure binds, what the drafter states, what is proven, and what stays unknown."""

import pytest

from hubcmp.axes import Axis, axes
from hubcmp.facts import Fact, Scalar
from tests.build import drafter, figure


def axis(name: str, a: Fact, b: Fact, target: str = "org/Target-8B", given: dict[str, Scalar] | None = None) -> Axis:
    sides = [(drafter("a", a), a), (drafter("b", b, target=target, given=given), b)]
    return next(x for x in axes(a.metric, sides) if x.name == name)


def test_a_nearby_setting_never_counts() -> None:
    found = axis("temperature", figure(2.1, nearby={"temperature": 0}), figure(2.2, temperature=0))
    assert (found.state, found.values[0].value) == ("unknown", "")


def test_bound_conditions_are_compared() -> None:
    assert axis("temperature", figure(2.1, temperature=0), figure(2.2, temperature=0)).state == "equal"
    assert axis("temperature", figure(2.1, temperature=0), figure(2.2, temperature=1)).state == "differs"


@pytest.mark.parametrize(
    ("other", "state"),
    [("Target-8B", "equal"), ("other-org/target-8b", "equal"), ("org/Target-70B", "differs"), ("", "unknown")],
)
def test_targets_are_compared_by_name_without_organisation(other: str, state: str) -> None:
    assert axis("target_model", figure(2.1), figure(2.2), target=other).state == state


def test_the_dialects_of_depth_are_one_axis() -> None:
    assert (
        axis("draft_length", figure(2.1, num_steps=3, topk=1), figure(2.2, num_speculative_tokens=3)).state == "equal"
    )


def test_a_length_proves_a_depth() -> None:
    found = axis("draft_length", figure(3.49), figure(2.1, num_steps=2))
    assert (found.state, str(found.values[0])) == ("differs", "at least 3")
    assert axis("draft_length", figure(3.49), figure(2.1, num_steps=5)).state == "unknown"
    assert axis("draft_length", figure(3.49), figure(3.2)).state == "unknown"


def test_the_user_may_say_what_sources_do_not() -> None:
    found = axis("temperature", figure(2.1, temperature=0), figure(2.2), given={"temperature": 0})
    assert (found.state, found.values[1].how) == ("equal", "given by the user")


def test_the_source_wins_over_the_user() -> None:
    found = axis("temperature", figure(2.1, temperature=0), figure(2.2, temperature=1), given={"temperature": 0})
    assert found.state == "differs"


def test_silence_on_the_bonus_token_does_not_block() -> None:
    found = axis("definition", figure(2.1), figure(2.2, includes_bonus=True))
    assert (found.state, found.decisive) == ("unknown", False)
    other = axis("definition", figure(1.1, includes_bonus=False), figure(2.2, includes_bonus=True))
    assert (other.state, other.decisive) == ("differs", True)


def test_spellings_of_a_benchmark_are_one() -> None:
    assert axis("benchmark", figure(2.1, "MT-Bench"), figure(2.2, "mtbench")).state == "equal"
    assert axis("benchmark", figure(2.1, "MT-Bench"), figure(2.2, None)).state == "unknown"
