"""Settings side by side: what is equal in substance though not in spelling, and what only looks alike."""

import pytest

from hubcmp.comparison import compare
from hubcmp.drafter import Drafter
from hubcmp.rows import setting_rows
from tests.build import drafter, setting


def with_layers(ref: str, ids: tuple[int, ...]) -> Drafter:
    return Drafter(ref, "hub", "sha", ref, None, {"aux_layer_ids": setting("aux_layer_ids", ids)}, ())


@pytest.mark.parametrize(
    ("a", "b", "state"),
    [
        ((2, 30, 58), (2, 30, 58), "equal"),
        ((2, 30, 58), (1, 29, 57), "equal by convention"),
        ((1, 29, 57), (2, 30, 58), "equal by convention"),
        ((2, 30, 58), (2, 29, 57), "differs"),
        ((3, 31, 59), (2, 30, 58), "differs"),
        ((2, 30, 58), (2, 30), "differs"),
    ],
)
def test_layer_ids_are_compared_by_convention(a: tuple[int, ...], b: tuple[int, ...], state: str) -> None:
    row = next(setting_rows([with_layers("a", a), with_layers("b", b)]))
    assert row.why_not.startswith(state)


@pytest.mark.parametrize(
    ("other", "state"),
    [("Target-8B", "equal"), ("org/target-8b", "equal"), ("org/Target-70B", "differs"), ("", "unknown")],
)
def test_targets_are_compared_by_name(other: str, state: str) -> None:
    row = next(setting_rows([drafter("a"), drafter("b", target=other)]))
    assert row.why_not == state


def test_a_missing_setting_is_not_stated() -> None:
    found = compare([drafter("a"), drafter("b", target="")])
    row = next(r for r in found.rows if r.metric == "target_model")
    assert row.cells[1].state == "not stated"
    assert row.cells[1].reason
