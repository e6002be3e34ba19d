"""The comparison's layout for few and many drafters."""

import pytest

from hubcmp.comparison import compare
from hubcmp.renderers import render
from hubcmp.renderers._blocks import Cell
from hubcmp.renderers._views._grid import Line, grid
from tests.build import drafter, figure

FULL = {"num_steps": 3, "topk": 1, "num_draft_tokens": 4, "includes_bonus": True}


def text(n: int) -> str:
    drafters = [drafter(f"org/d{i}", figure(2.0 + i / 10, **FULL)) for i in range(n)]
    return render(compare(drafters), "markdown")


@pytest.mark.parametrize("n", [2, 3, 4, 5, 40])
def test_no_table_is_wider_than_seven_columns(n: int) -> None:
    rows = [line for line in text(n).splitlines() if line.startswith("|")]
    assert rows
    assert max(line.count("|") - 1 for line in rows) <= 7


@pytest.mark.parametrize("n", [2, 3, 5])
def test_every_drafter_and_its_difference_is_there(n: int) -> None:
    report = text(n)
    for i in range(n):
        assert f"org/d{i}" in report
        assert f"{2 + i / 10:.1f}" in report
    assert f"+{(n - 1) / 10:.2f}" in report
    assert f"org/d{n - 1} accepts" in report


def test_many_drafters_with_the_same_cell_share_a_row() -> None:
    refs = list("abcde")
    table = grid("setting", refs, [Line(Cell("hidden size"), tuple(Cell(v) for v in ("8", "8", "4", "8", "4")))])
    assert [[c.text for c in row] for row in table.rows] == [
        ["hidden size", "a, b, d", "8"],
        ["hidden size", "c, e", "4"],
    ]


def test_no_cell_is_empty_but_the_reference_difference() -> None:
    for line in text(2).splitlines():
        if line.startswith("|") and not line.startswith("| :"):
            assert "|  |" not in line.replace("|  | org", "")
