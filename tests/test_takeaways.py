"""Sentences that follow: signs kept, what is trainable said, nothing claimed where a figure is missing."""

from hubcmp.facts import Evidence, Fact
from hubcmp.parameters import Reconciliation
from hubcmp.parameters._reconciliation import Row
from hubcmp.takeaways import takeaways
from tests.build import drafter, figure


def counted(value: float) -> Fact:
    return figure(value, None, "params_trainable", Evidence.OBSERVED)


def row(role: str, left: int, right: int, reason: str = "counted") -> Row:
    return Row(role, "trainable", left, right, "", "", reason)


def test_a_gap_keeps_the_sign_of_each_part() -> None:
    gap = Reconciliation(100, 90, (row("mlp", 60, 30), row("lm_head", 40, 60, "64 against 32 rows")))
    (found,) = takeaways([drafter("a"), drafter("b")], [(1, gap)], [])
    assert found.text == (
        "b stores 10 parameters fewer than a: -30 mlp: counted; +20 lm_head: 64 against 32 rows; unexplained rest 0"
    )


def test_what_is_trainable_is_said_where_both_are_known() -> None:
    gap = Reconciliation(100, 130, (row("embedding", 0, 30),))
    (found,) = takeaways([drafter("a", counted(100)), drafter("b", counted(100))], [(1, gap)], [])
    assert found.text.endswith("Of all that is stored, 100 against 100 are trainable")
    assert len(found.inputs) == 2


def test_equal_counts_are_one_sentence() -> None:
    (found,) = takeaways([drafter("a"), drafter("b")], [(1, Reconciliation(9, 9, (row("mlp", 9, 9),)))], [])
    assert found.text == "a and b store the same number of parameters in every role"


def test_a_length_above_the_other_depths_ceiling_was_never_reachable() -> None:
    theirs, ours = drafter("a", figure(3.4, "GSM8K")), drafter("b", figure(2.1, num_steps=2, topk=1))
    (found,) = takeaways([theirs, ours], [], [])
    assert (
        found.text
        == "b ran at draft depth 2, where no accept length exceeds 3.0: 3.4 and above was never reachable there"
    )


def test_an_unbound_depth_proves_nothing() -> None:
    theirs, ours = drafter("a", figure(3.4, "GSM8K")), drafter("b", figure(2.1, nearby={"num_steps": 2, "topk": 1}))
    assert takeaways([theirs, ours], [], []) == ()
