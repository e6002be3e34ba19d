"""The terminal: every width, wide characters, nothing from outside that steers it, commands that stay one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hubcmp.renderers import json as json_renderer
from hubcmp.renderers._blocks import Bullets, Cell, Commands, Fold, Paragraph, Report, Section, Table, View
from hubcmp.renderers._plain import visible
from hubcmp.renderers.terminal import drawn

COMMAND = "python -m sglang.launch_server --model-path org/target" + " --speculative-num-draft-tokens 4" * 8
STEERING = [
    "\x1b]0;title\x07",
    "\x1b[31mred",
    "\x9b31mred",
    "\x1b]52;c;aGk=\x07",
    "\rover",
    "\x08\x7f",
    "\u202eevil\u2066",
    "zero\u200bwidth",
    "tag\U000e0041",
    "\ufff9between\ufffb",
    "\u2028line",
    "\ud800",
    "\u3164",
]


def report(text: str) -> Report:
    """Every block that a terminal draws, with this text in each place."""
    rows = (
        (Cell(text), Cell("3.490", note=text, refs=(1, 2)), Cell("2.10", "estimated")),
        (Cell("数学推理基准测试集 与一个很长的名字"), Cell("1.0"), Cell("")),
    )
    table = Table((text, "org/theirs", "./ckpt"), rows, caption=text, numeric=frozenset({1, 2}))
    blocks = (Paragraph(text), Bullets((Cell(text),)), Fold(text, (table, Paragraph(text))), Commands((COMMAND,)))
    return Report(text, (Section(text, blocks),), footer=(text,))


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
@pytest.mark.parametrize("text", ["accept length of a drafter", "接受长度 on 数学推理", "w" * 300])
def test_lines_keep_within_the_width(width: int, text: str) -> None:
    lines = drawn(report(text), width, False).splitlines()
    assert [line for line in lines if cell_len(line) > width and COMMAND not in line] == []


def test_a_command_to_copy_stays_one_line() -> None:
    assert f"  {COMMAND}" in drawn(report("x"), 40, False).splitlines()


def test_flags_and_names_are_not_broken_but_listed_where_a_table_has_no_room() -> None:
    flag = "--speculative-num-draft-tokens"
    table = Table(
        ("axis", "org/a-drafter-with-a-name", "how"), ((Cell("draft depth"), Cell("2"), Cell(f"use {flag} 4")),)
    )
    text = Report("t", (Section("", (table,)),))
    assert all(flag in drawn(text, width, False) for width in (40, 60, 80, 120))
    assert "  how: use" in drawn(text, 60, False)
    assert "  how: use" not in drawn(text, 100, False)


@pytest.mark.parametrize("text", STEERING)
def test_text_from_outside_cannot_steer_a_terminal(text: str) -> None:
    for width in (40, 120):
        out = drawn(report(text), width, False)
        assert not any(c != "\n" and visible(c) != c for c in out)


@given(st.text())
def test_visible_text_is_one_printable_line(text: str) -> None:
    shown = visible(text)
    assert all(c == visible(c) for c in shown)
    assert len((shown + "x").splitlines()) == 1


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_json_reads_back_as_itself_and_holds_nothing_that_steers(text: str) -> None:
    import json

    out = json_renderer.draw(View({"a": text}, lambda: Report("", ())))
    assert json.loads(out) == {"a": text}
    assert not any(c in out for c in "\x1b\x9b\x07\x7f\u202e\u200b\u2028")


def test_colour_is_only_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    estimated = Report("t", (Section("", (Bullets((Cell("2.37", "estimated"),)),)),))
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b" not in drawn(estimated, 80, False)
    assert "\x1b[33m" in drawn(estimated, 80, True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[33m" not in drawn(estimated, 80, True)
    assert "≈ 2.37" in drawn(estimated, 80, True)
