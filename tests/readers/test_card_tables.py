"""Planted figures come back whole from any table: transposed, with further columns, bold, as HTML, among prose."""

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from hubcmp.document import BytesDocument
from hubcmp.facts import Source
from hubcmp.readers.card import PLUGIN

SETS = ("MT-Bench", "GSM8K", "HumanEval", "MATH-500", "Alpaca", "MBPP", "C-Eval")
COLUMNS = {"accept_length": ("Accept length", "{:.2f}"), "speedup": ("Speedup", "{:.2f}x"),
           "accept_rate": ("Acceptance rate", "{:.1f}%"), "throughput_tok_s": ("tok/s", "{:.1f}")}  # fmt: skip
NOISE = ("The figures hold up over quite different domains.", "A longer accepted run means lower latency.",
         "See the paper for the method.", "Released under MIT.")  # fmt: skip


@dataclass(frozen=True)
class Planted:
    """What a random table holds and how it is written."""

    grid: list[list[str]]
    values: set[tuple[str, str, float]]


@st.composite
def planted(draw: st.DrawFn) -> Planted:
    sets = draw(st.lists(st.sampled_from(SETS), min_size=2, max_size=5, unique=True))
    metrics = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=4, unique=True))
    bold = draw(st.booleans())
    extra = draw(st.booleans())
    grid = [["Benchmark", *(COLUMNS[m][0] for m in metrics), *(["TTFT (ms)"] if extra else [])]]
    values = set()
    for name in sets:
        row = [name]
        for metric in metrics:
            number = draw(st.integers(101, 999))
            shown = number / 10 if metric in ("accept_rate", "throughput_tok_s") else number / 100
            text = COLUMNS[metric][1].format(shown)
            row.append(f"**{text}**" if bold else text)
            values.add((metric, name, round(shown / 100 if metric == "accept_rate" else shown, 6)))
        grid.append([*row, *(["81"] if extra else [])])
    return Planted(grid, values)


def read(text: str) -> set[tuple[str, str, float]]:
    reading = PLUGIN.read(BytesDocument(Source("org/Some-Drafter", "", "README.md"), text.encode()))
    return {(f.metric, str(f.label), round(f.number, 6)) for f in reading.facts if f.metric in COLUMNS}


def pipes(grid: list[list[str]]) -> str:
    rows = ["| " + " | ".join(row) + " |" for row in grid]
    return "\n".join([rows[0], "|" + "---|" * len(grid[0]), *rows[1:]])


def html(grid: list[list[str]]) -> str:
    def cells(row: list[str], tag: str) -> str:
        return "".join(f"<{tag}>{c.replace('**', '')}</{tag}>" for c in row)

    body = "\n".join(f"<tr>{cells(row, 'td')}</tr>" for row in grid[1:])
    return f"<table>\n<tr>{cells(grid[0], 'th')}</tr>\n{body}\n</table>"


def page(table: str, noise: str) -> str:
    return f"# Some-Drafter\n\n## Results\n\n{noise}\n\n{table}\n\n{noise}\n"


@settings(max_examples=40, deadline=None)
@given(planted(), st.sampled_from(NOISE))
def test_planted_figures_come_back(table: Planted, noise: str) -> None:
    assert read(page(pipes(table.grid), noise)) == table.values


@settings(max_examples=40, deadline=None)
@given(planted(), st.sampled_from(NOISE))
def test_transposed(table: Planted, noise: str) -> None:
    turned = [list(row) for row in zip(*table.grid, strict=True)]
    turned[0][0] = "Metric"
    assert read(page(pipes(turned), noise)) == table.values


@settings(max_examples=40, deadline=None)
@given(planted(), st.sampled_from(NOISE))
def test_as_html(table: Planted, noise: str) -> None:
    assert read(page(html(table.grid), noise)) == table.values


def only(text: str, metric: str = "accept_length") -> list[tuple[str, str | None, float, object]]:
    reading = PLUGIN.read(BytesDocument(Source("org/Some-Drafter-EAGLE3", "", "README.md"), text.encode()))
    return [(f.subject, f.label, f.number, dict(f.conditions)) for f in reading.facts if f.metric == metric]


def test_nested_heads_with_settings_above_and_metrics_below() -> None:
    rows = [
        ["", "BS=1", "", "BS=8", ""],
        ["Dataset", "AccLen", "Spd.", "AccLen", "Spd."],
        ["GSM8K", "2.61", "1.7x", "2.60", "1.4x"],
    ]
    assert only(pipes(rows)) == [
        ("self", "GSM8K", 2.61, {"batch_size": 1}),
        ("self", "GSM8K", 2.6, {"batch_size": 8}),
    ]
    assert [v for _, _, v, _ in only(pipes(rows), "speedup")] == [1.7, 1.4]


def test_blank_cells_repeat_the_one_above() -> None:
    rows = [["Task", "Concurrency", "Accept length"], ["GSM8K", "1", "2.9"], ["", "8", "2.8"]]
    assert only(pipes(rows)) == [
        ("self", "GSM8K", 2.9, {"concurrency": 1}),
        ("self", "GSM8K", 2.8, {"concurrency": 8}),
    ]


def test_methods_as_columns_under_a_caption() -> None:
    text = "## Results\n\nAcceptance length:\n\n" + pipes(
        [["Benchmark", "Vanilla", "Eagle3", "MTP", "Difference"], ["GSM8K", "1.0", "3.4", "3.5", "+4.1%"]]
    )
    assert [(s, v) for s, _, v, _ in only(text)] == [("baseline", 1.0), ("self", 3.4), ("other:MTP", 3.5)]


def test_alternatives_take_their_part_of_the_label() -> None:
    text = pipes([["Set", "chat en / zh"], ["accept length", "2.41 / 2.02"]])
    assert [(label, v) for _, label, v, _ in only(text)] == [("chat en", 2.41), ("chat zh", 2.02)]


def test_positions_count_from_one_whatever_the_card_counts_from() -> None:
    text = "# D\n\nPer-position acceptance:\n\n" + pipes([["Position", "GSM8K"], ["0", "0.8"], ["1", "0.6"]])
    reading = PLUGIN.read(BytesDocument(Source("org/D", "", "README.md"), text.encode()))
    assert [(f.position, f.number) for f in reading.facts if f.metric == "accept_rate"] == [(1, 0.8), (2, 0.6)]


def test_an_inferred_metric_says_so() -> None:
    """What the card does not name is read, and its method tells that it was inferred."""
    text = "# x\n\n| Dataset | Acceptance rate |\n|---|---|\n| GSM8K | 2.25 |\n| MT-Bench | 61% |\n"
    reading = PLUGIN.read(BytesDocument(Source("x", "sha256:0", "README.md"), text.encode()))
    found = {f.metric: f.method for f in reading.facts if f.metric.startswith("accept")}
    assert found["accept_length"].startswith("inferred: a bare figure above 1")
    assert found["accept_rate"] == "read from the card"


def test_colours_of_a_terminal_and_lengths_below_one_are_no_claims() -> None:
    text = "# x\n\naccept length: \x1b[31;1m2.40\x1b[0m on GSM8K\n\nacceptance length 0.52 on MT-Bench\n"
    reading = PLUGIN.read(BytesDocument(Source("x", "sha256:0", "README.md"), text.encode()))
    assert [f.number for f in reading.facts if f.metric == "accept_length"] == [2.40]
