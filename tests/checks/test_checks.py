"""Wiring faults: each check fires on its fault and stays quiet beside it."""

from hubcmp.checks import Subject, dead_drafter, impossible_length, near_ceiling
from hubcmp.facts import Evidence
from tests.build import drafter, figure


def test_dead_drafter_fires_on_a_measured_length_of_one() -> None:
    found = list(dead_drafter.look(Subject(drafter("a", figure(1.02, evidence=Evidence.OBSERVED)))))
    assert [f.severe for f in found] == [True]
    assert "1.02" in found[0].message
    assert found[0].sources


def test_dead_drafter_is_quiet_on_cards_and_on_working_drafters() -> None:
    quiet = (figure(1.0), figure(1.5, evidence=Evidence.OBSERVED))
    assert not list(dead_drafter.look(Subject(drafter("a", *quiet))))


def test_impossible_length_fires_above_the_ceiling() -> None:
    found = list(impossible_length.look(Subject(drafter("a", figure(3.2, num_steps=2)))))
    assert "ceiling is 3" in found[0].message


def test_impossible_length_is_quiet_at_the_ceiling_and_for_nearby_depths() -> None:
    quiet = (figure(3.0, num_steps=2), figure(3.2, nearby={"num_steps": 2}))
    assert not list(impossible_length.look(Subject(drafter("a", *quiet))))


def test_near_ceiling_fires_on_a_card_that_accepts_every_draft() -> None:
    found = list(near_ceiling.look(Subject(drafter("a", figure(3.96, num_steps=3)))))
    assert "ceiling of 4" in found[0].message
    assert not found[0].severe


def test_near_ceiling_is_quiet_below_above_and_on_measured_runs() -> None:
    quiet = (figure(3.5, num_steps=3), figure(4.2, num_steps=3), figure(3.9, nearby={"num_steps": 3}))
    measured = figure(3.96, num_steps=3, evidence=Evidence.OBSERVED)  # the run's own warning says it
    assert not list(near_ceiling.look(Subject(drafter("a", *quiet, measured))))
