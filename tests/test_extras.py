"""What the user adds on the command line: whose it is, what it says, and advice when it makes no sense."""

import pytest

from hubcmp import extras
from hubcmp.errors import UsageError
from hubcmp.facts import Evidence

REFS = ("org/name", "./ckpt", "a=b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("./ckpt=run.log", (1, "run.log")),
        ("org/name=run.log", (0, "run.log")),
        ("1=run.log", (0, "run.log")),
        ("run.log", (2, "run.log")),
        ("other=run.log", (2, "other=run.log")),
        ("4=run.log", (2, "4=run.log")),
        ("a=b=run.log", (2, "run.log")),
        ("2=a=b.log", (1, "a=b.log")),
        ("./ckpt", (2, "./ckpt")),
    ],
)
def test_owner(text: str, expected: tuple[int, str]) -> None:
    assert extras.owner(text, REFS) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [("training_samples=37K", 37_000), ("training_samples=1.4M", 1_400_000), ("speedup=+24%", 1.24), ("speedup=1.8x", 1.8),
     ("accept_rate=83%", 0.83), ("accept_length=2.1", 2.1)],
)  # fmt: skip
def test_fact(text: str, value: float) -> None:
    fact = extras.stated(text, "./ckpt")
    assert fact.number == pytest.approx(value)
    assert fact.evidence == Evidence.GIVEN
    assert fact.sources[0].path == "command line"


@pytest.mark.parametrize(
    "text", ["training_samples", "loss=3", "accept_length=about two", "accept_length=1e999", "speedup="]
)
def test_fact_that_makes_no_sense(text: str) -> None:
    with pytest.raises(UsageError, match="--fact"):
        extras.stated(text, "./ckpt")


def test_conditions() -> None:
    found = extras.conditions("benchmark=MT-Bench,temperature=0, num_steps=3,includes_bonus=false")
    assert found == {"benchmark": "MT-Bench", "temperature": 0.0, "num_steps": 3, "includes_bonus": False}


@pytest.mark.parametrize("text", ["benchmark", "colour=red", "num_steps=three", "thinking=maybe", "benchmark="])
def test_conditions_that_make_no_sense(text: str) -> None:
    with pytest.raises(UsageError, match="--given"):
        extras.conditions(text)


def test_length_at_depth() -> None:
    assert extras.length_at_depth("2.10@2") == (2.10, 2)


@pytest.mark.parametrize("text", ["2.10", "2.10@", "@2", "two@2", "2.10@0", "nan@2", "0.5@2", "2.1@99"])
def test_length_at_depth_that_makes_no_sense(text: str) -> None:
    with pytest.raises(UsageError, match=r"2\.10@2"):
        extras.length_at_depth(text)
