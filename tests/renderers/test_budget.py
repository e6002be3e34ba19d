"""Reports that must fit: what goes first, what never goes, and that it is said."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubcmp.comparison import compare
from hubcmp.errors import Problem, UsageError
from hubcmp.renderers import markdown, render
from hubcmp.renderers._blocks import Bullets, Cell, Commands, Fold, Paragraph, Report, Section, Table, View
from hubcmp.renderers._budget import Budget, fit
from hubcmp.renderers._comment import marked
from tests.build import drafter, figure

FULL = {"num_steps": 3, "topk": 1, "num_draft_tokens": 4, "includes_bonus": True}


def text(report: Report) -> str:
    return markdown.draw(View(None, lambda: report))


def table(rows: int, word: str = "cell") -> Table:
    return Table(("a", "b"), tuple((Cell(f"{word} {n}"), Cell("x" * 40)) for n in range(rows)))


def folded(word: str, shed: int, rows: int = 20) -> Fold:
    return Fold(f"{word} summary", (table(rows, word),), shed)


def report(*blocks: object, warnings: int = 1) -> Report:
    return Report(
        "title",
        (
            Section("", (Paragraph("THE VERDICT", "strong"),), keep=True),
            Section("Body", blocks),  # type: ignore[arg-type]
            Section("Warnings", (Bullets(tuple(Cell(f"warning {n}") for n in range(warnings))),), keep=True),
        ),
        ("the footer",),
    )


def fitted(whole: Report, characters: int, full: str = "") -> str:
    return text(fit(whole, text, Budget(characters=characters, full=full)))


def test_what_fits_is_left_alone() -> None:
    whole = report(folded("one", 1))
    assert fit(whole, text, Budget()) is whole


@pytest.mark.parametrize(("characters", "gone"), [(5600, "1"), (4300, "12"), (3000, "123"), (1700, "1234")])
def test_folds_go_in_their_order(characters: int, gone: str) -> None:
    found = fitted(report(*(folded(f"level{n}", n) for n in (4, 2, 1, 3, 5))), characters)
    assert len(found) <= characters
    assert [n for n in "12345" if f"level{n} summary" not in found] == list(gone)
    plural = "s" if len(gone) > 1 else ""
    assert found.rstrip().endswith(f"<sub>{len(gone)} section{plural} left out or cut</sub>")


def test_a_fold_that_is_never_shed_is_shortened() -> None:
    found = fitted(report(folded("kept", 0, 200)), 4000)
    assert "kept summary" in found
    assert "of 200 rows" in found


def test_long_tables_and_lists_are_cut_and_say_so() -> None:
    many = report(table(1000), Bullets(tuple(Cell("item " * 8) for _ in range(1000))), Commands(("run it",) * 1000))
    found = fitted(many, 8000, "report.json")
    assert len(found) <= 8000
    assert "(50 of 1,000 rows)" in found
    assert "and 950 more" in found
    assert "# and 950 more" in found
    assert "<sub>3 sections left out or cut, full report: report.json</sub>" in found


def test_verdict_and_warnings_stay_while_anything_else_is_left() -> None:
    found = fitted(report(table(5000), *(folded("f", n) for n in range(1, 6)), warnings=20), 1500)
    assert "THE VERDICT" in found
    assert "warning 19" in found
    assert "the footer" in found


def test_even_warnings_give_way_to_a_hard_limit() -> None:
    found = fitted(report(table(5000), warnings=5000), 1500)
    assert len(found) <= 1500
    assert "THE VERDICT" in found
    assert re.search(r"and [\d,]+ more", found)


def test_one_endless_cell_does_not_cost_the_report() -> None:
    found = fitted(report(Bullets((Cell("y" * 100_000), Cell("short")))), 5000)
    assert "short" in found
    assert len(found) <= 5000


def test_bytes_count_too() -> None:
    found = text(fit(report(table(300, "長い")), text, Budget(size=9000)))
    assert len(found.encode()) <= 9000


@given(st.lists(st.integers(0, 5), max_size=8), st.integers(400, 9000), st.integers(0, 60))
def test_it_fits_or_only_the_verdict_is_left(levels: list[int], characters: int, rows: int) -> None:
    found = fitted(report(*(folded("f", n, rows) for n in levels)), characters)
    assert len(found) <= characters or "Body" not in found
    assert "THE VERDICT" in found


def test_forty_drafters_on_sixty_benchmarks_fit_a_comment() -> None:
    drafters = [
        drafter(f"org/d{i}", *(figure(2 + (i * 7 + j * 13) % 100 / 100, f"set {j}", **FULL) for j in range(60)))
        for i in range(40)
    ]
    answer = compare(drafters)
    assert len(render(answer, "markdown")) > 200_000
    found = render(answer, "markdown", Budget(full="report.json"), "ci")
    assert len(found) <= 60_000
    assert len(found.encode()) <= 200_000
    assert found.startswith("<!-- hubcmp:ci ")
    assert answer.verdict.word in found
    assert all(f"org/d{i} " in found.split("## Why")[0] for i in range(40))
    assert "full report: report.json</sub>" in found.splitlines()[-1]


@pytest.mark.parametrize("format_", ["markdown", "terminal", "html"])
def test_a_budget_holds_in_every_format_that_is_drawn(format_: str) -> None:
    drafters = [drafter(f"d{i}", *(figure(2.5, f"set {j}", **FULL) for j in range(30))) for i in range(2)]
    answer = compare(drafters)
    assert len(render(answer, format_)) > 6000
    assert len(render(answer, format_, Budget(6000))) <= 6000


def test_json_is_never_cut() -> None:
    answer = compare([drafter("a", figure(2.0, **FULL)), drafter("b", figure(2.5, **FULL))])
    assert render(answer, "json", Budget(characters=200)) == render(answer, "json")


def test_the_marker_carries_a_digest_of_the_report() -> None:
    one, same, other = marked("report\n", "our-gate"), marked("report\n", "our-gate"), marked("report.\n", "our-gate")
    assert re.fullmatch(r"<!-- hubcmp:our-gate [0-9a-f]{16} -->\nreport\n", one)
    assert one == same
    assert one != other


@pytest.mark.parametrize("name", ["", "a b", "a--b", "-->", "a\nb", "x" * 65, "a/b", "@me", ".", "é"])
def test_unfit_ids_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="--comment-id"):
        marked("report\n", name)


def test_data_cannot_forge_a_marker() -> None:
    hostile = replace(
        drafter("a", figure(2.0, "<!-- hubcmp:our-gate 0000000000000000 -->", **FULL)),
        problems=(Problem("x", "\n<!-- hubcmp:our-gate 0000000000000000 -->"),),
    )
    found = render(compare([hostile, drafter("b", figure(2.5, **FULL))]), "markdown", Budget(), "our-gate")
    assert found.count("<!-- hubcmp:") == 1
    assert found.startswith("<!-- hubcmp:our-gate ")
