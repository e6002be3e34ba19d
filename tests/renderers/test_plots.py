"""Plots: the figures and nothing but the figures, the same bytes every time, and text that stays text."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hubcmp.acceptance import Run
from hubcmp.comparison import Comparison, compare
from hubcmp.facts import Fact, Source, Span
from hubcmp.parameters import Reconciliation, Row
from hubcmp.renderers import _plots, pictures, render
from hubcmp.renderers._blocks import Plot, Point, Series, Table
from hubcmp.renderers._plot_parts import cut, spread
from hubcmp.renderers._views import _compare_plots as chosen
from tests.build import drafter, figure

ROOT = Path(__file__).parents[2]
THREE = {"num_steps": 3, "topk": 1, "num_draft_tokens": 4, "includes_bonus": True}
TWO = {"num_steps": 2, "topk": 1, "num_draft_tokens": 3, "includes_bonus": True}
HOSTILE = "</svg><script>alert(1)</script> $\\frac{1}{0}$ &amp; \u202e数 _x"


def rate(position: int, value: float, **conditions: str) -> Fact:
    return replace(figure(value, metric="accept_rate", **conditions), position=position)


def run(*rates: float) -> Run:
    return Run("vllm", "vllm", Source("x", "", "a.log"), per_position=rates, accept_length=1 + sum(rates))


def two(label: str = "MT-Bench") -> Comparison:
    """A drafter measured at depth 3 with a speedup, and one at depth 2."""
    gain = figure(1.5, label, "speedup", batch_size=1, **THREE)
    return compare([drafter("org/a", figure(3.0, label, **THREE), gain), drafter("org/b", figure(2.1, label, **TWO))])


def one(plots: list[Plot]) -> Plot:
    assert len(plots) == 1
    return plots[0]


def test_lengths_are_filled_where_measured_and_hollow_with_their_interval_where_estimated() -> None:
    plot = one(list(chosen.lengths(two())))
    assert plot.kind == "dots"
    assert [(p.series, p.x, p.look) for p in plot.points if p.look == "measured"] == [
        (0, 3.0, "measured"),
        (1, 2.1, "measured"),
    ]
    estimated = [p for p in plot.points if p.look == "estimated"]
    assert [(p.series, p.note) for p in estimated] == [(0, "at draft depth 2"), (1, "at draft depth 3")]
    assert all(p.low < p.x < p.high for p in estimated)
    assert all(p.text.startswith("≈ ") for p in estimated)


def test_a_promise_is_not_drawn_as_a_figure() -> None:
    found = compare([drafter("a", figure(3.0, **THREE)), drafter("b", figure(9.0, stat="up to", **THREE))])
    assert [p.x for p in one(list(chosen.lengths(found))).points] == [3.0]


def test_a_range_has_no_middle() -> None:
    span = replace(figure(3.0, **THREE), value=Span(3.17, 3.49), raw="3.17 to 3.49")
    point = one(list(chosen.lengths(compare([drafter("a", span), drafter("b")])))).points[0]
    assert (point.low, point.high, point.look) == (3.17, 3.49, "range")


def test_spellings_of_one_benchmark_stand_together() -> None:
    a = drafter("a", figure(2.0, "MT-Bench", **THREE), figure(2.2, "GSM8K", **THREE))
    b = drafter("b", figure(2.1, "mt_bench", **THREE))
    assert [p.group for p in one(list(chosen.lengths(compare([a, b])))).points] == ["MT-Bench", "MT-Bench", "GSM8K"]


def test_what_does_not_fit_is_counted() -> None:
    many = [figure(2 + i / 100, f"bench{i}", **THREE) for i in range(30)]
    plot = one(list(chosen.lengths(compare([drafter("a", *many), drafter("b")]))))
    assert (len(plot.points), plot.left_out) == (chosen.MOST, 30 - chosen.MOST)


def test_a_waterfall_ends_where_the_other_drafter_stands() -> None:
    rows = (
        Row("embedding", "frozen_copy", 0, 500, "", "", "a copy"),
        Row("mlp", "trainable", 300, 200, "", "", ""),
        Row("norm", "trainable", 8, 8, "", "", "equal on both sides"),
    )
    plot = one(list(chosen.waterfall(two(), 1, Reconciliation(308, 715, rows))))
    assert [(p.group, p.text) for p in plot.points] == [
        ("a", "308"),
        ("embedding", "+500"),
        ("mlp", "-100"),
        ("other", "+7"),
        ("b", "715"),
    ]
    ends = [p.high for p in plot.points]
    assert [p.low for p in plot.points[1:-1]] == ends[:3]
    assert ends[3] == 715


def test_equal_parameters_need_no_waterfall() -> None:
    rows = (Row("mlp", "trainable", 8, 8, "", "", "equal on both sides"),)
    assert list(chosen.waterfall(two(), 1, Reconciliation(8, 8, rows))) == []


def test_kinds_of_rate_are_never_drawn_on_one_scale() -> None:
    a = replace(
        drafter("a", rate(1, 0.7, rate_kind="conditional"), rate(2, 0.6, rate_kind="conditional")),
        runs=(run(0.8, 0.5),),
    )
    plots = list(chosen.positions(compare([a, drafter("b", rate(1, 0.75, rate_kind="marginal"))])))
    assert [(p.y, [(q.x, q.y) for q in p.points]) for p in plots] == [
        ("accepted, of all verify steps", [(1, 0.8), (2, 0.5), (1, 0.75)]),
        ("accepted, of those that got there", [(1, 0.7), (2, 0.6)]),
    ]


def test_speedup_needs_both_figures_of_one_run() -> None:
    plot = one(list(chosen.speedups(two())))
    assert [(p.series, p.x, p.y) for p in plot.points] == [(0, 3.0, 1.5)]
    assert plot.guides[0].y0 == plot.guides[0].y1 == 1.0
    assert plot.guides[0].label.startswith("break-even")
    apart = compare(
        [drafter("a", figure(3.0, **THREE), figure(1.5, metric="speedup", batch_size=1, **TWO)), drafter("b")]
    )
    assert list(chosen.speedups(apart)) == []


def test_nothing_to_draw_gives_no_plot() -> None:
    bare = compare([drafter("a"), drafter("b")])
    assert pictures(bare, "svg") == b""
    assert "<svg" not in render(bare, "html")


def test_every_plot_stands_in_its_own_table_and_words() -> None:
    for plot in (*chosen.lengths(two()), *chosen.speedups(two())):
        assert [row[1].text for row in plot.table.rows] == [p.text for p in plot.points]
        assert all(p.text in plot.alt and p.group in plot.alt for p in plot.points)


def svg(plot: Plot) -> ElementTree.Element:
    return ElementTree.fromstring(_plots.inline(plot))


def every(*texts: str) -> list[Plot]:
    """One plot of each kind, with these texts in every place that text from outside reaches."""
    a, b = texts
    series = (Series(a, 0), Series(b, 1), Series("difference", -1))
    points = (
        Point(0, 1.5, 0.9, a, a, b, 1.5, 1.5),
        Point(1, 2.5, 0.5, b, b, a, 2.2, 2.8, "estimated"),
        Point(2, 3.0, 0.2, a, b, b, 2.9, 1.0, "range"),
    )
    bare = Table(("", "of"), ())
    return [
        Plot(kind, f"{a} {kind}", "x", "y", series, points, bare, (chosen.Guide(b, 1.2, 3.0, 1, 1),))
        for kind in ("dots", "bars", "curves", "scatter")
    ]


def tags(element: ElementTree.Element) -> list[str]:
    return [child.tag.rpartition("}")[2] for child in element.iter()]


@pytest.mark.parametrize("index", range(4))
def test_hostile_text_stays_text(index: int) -> None:
    plain, hostile = (svg(every(text, text)[index]) for text in ("x" * len(HOSTILE), HOSTILE))
    assert sorted(set(tags(plain))) == sorted(set(tags(hostile)))
    assert "script" not in tags(hostile)
    shown = "".join(hostile.itertext())
    assert "</svg><script>" in shown
    assert "\\u202e" in shown
    assert "\u202e" not in shown
    assert "$\\frac" in shown


@pytest.mark.parametrize("plot", every("one", "two"), ids=lambda plot: plot.kind)
def test_an_svg_is_themed_named_small_and_loads_nothing(plot: Plot) -> None:
    text = _plots.inline(plot)
    root = svg(plot)
    assert root.attrib["role"] == "img"
    ids = {e.attrib["id"]: "".join(e.itertext()) for e in root.iter() if "id" in e.attrib}
    assert ids[root.attrib["aria-labelledby"]] == plot.title
    assert ids[root.attrib["aria-describedby"]] == plot.alt
    assert not re.search(r"#[0-9a-f]{6}\b", text)
    assert "date" not in text.lower().replace("update", "")
    assert re.findall(r'(?:href|src)="(?!#)', text) == []
    assert len(text) < 40_000


def test_ids_of_two_plots_do_not_clash() -> None:
    found = [set(re.findall(r' id="([^"]+)"', _plots.inline(plot))) for plot in every("one", "two")]
    assert sum(map(len, found)) == len(set.union(*found))


def test_an_estimate_is_hollow_and_its_interval_is_drawn() -> None:
    plot = every("one", "two")[0]
    solid = replace(plot, points=tuple(replace(p, look="measured", low=p.x, high=p.x) for p in plot.points[:2]))
    assert "hollow" in "".join(svg(plot).itertext())
    assert "hollow" not in "".join(svg(solid).itertext())
    assert "fill: var(--paper); stroke: var(--p1)" in _plots.inline(plot)
    assert "fill: var(--paper); stroke: var(--p1)" not in _plots.inline(solid)


CODE = """
import sys
from tests.renderers.test_plots import two
from hubcmp.renderers import pictures, render
sys.stdout.buffer.write(pictures(two(), sys.argv[1]) if sys.argv[1] != "html" else render(two(), "html").encode())
"""


@pytest.mark.parametrize("format_", ["svg", "png", "html"])
def test_same_figures_same_bytes_whatever_the_users_settings(tmp_path: Path, format_: str) -> None:
    (tmp_path / "matplotlibrc").write_text("svg.fonttype: path\nfont.size: 30\naxes.grid: True\n")
    outputs = [
        subprocess.run(
            [sys.executable, "-c", CODE, format_], cwd=place, capture_output=True, check=True,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
        ).stdout
        for place, seed in ((ROOT, "1"), (tmp_path, "2"))
    ]  # fmt: skip
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 5000


def test_files_hold_all_plots() -> None:
    assert pictures(two(), "png").startswith(b"\x89PNG")
    root = ElementTree.fromstring(pictures(two(), "svg"))
    shown = "".join(root.itertext())
    assert "Accept length by benchmark" in shown
    assert "Speedup against accept length" in shown


BLOCKED = """
import sys
sys.modules["matplotlib"] = None
from tests.renderers.test_plots import two
from hubcmp.errors import UsageError
from hubcmp.renderers import pictures, render
print(render(two(), "html"))
try:
    pictures(two(), "png")
except UsageError as error:
    print("refused:", error)
"""


def test_without_matplotlib_the_report_says_how_to_get_plots() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=True, cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    page, _, refused = done.stdout.partition("refused: ")
    assert page.count("pip install &#39;hubcmp[plots]&#39;") == 1
    assert "<svg" not in page
    assert "<summary>Accept length by benchmark</summary>" in page
    assert "pip install 'hubcmp[plots]'" in refused


def test_text_formats_leave_plots_out() -> None:
    for format_ in ("markdown", "terminal"):
        text = render(two(), format_)
        assert "Figures of this plot" not in text
        assert "Speedup against accept length" not in text


def test_names_are_pushed_apart_but_stay_inside() -> None:
    places = spread([1.0, 1.0, 1.01, 5.0, 9.9, 10.0], 0.5, 0.0, 10.0)
    ordered = sorted(places)
    assert all(b - a >= 0.5 - 1e-9 for a, b in pairwise(ordered))
    assert (min(places) >= 0, max(places) <= 10) == (True, True)


def test_long_text_ends_in_an_ellipsis() -> None:
    assert cut("short", 100) == "short"
    assert cut("x" * 100, 61) == "x" * 9 + "…"


def test_saving_nothing_is_nothing() -> None:
    assert _plots.save([], "svg") == b""


def call(*options: str) -> subprocess.CompletedProcess[str]:
    """`hubcmp compare` of the founding case's recorded evidence."""
    fixtures = ROOT / "fixtures"
    evidence = ["AQ-MedAI/Kimi-K2-Instruct-eagle3", str(fixtures / "story" / "recorded-ckpt")]
    return subprocess.run(
        [sys.executable, "-m", "hubcmp", "compare", *evidence, "--offline", "--cache", str(fixtures / "recorded"), *options],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip


@pytest.mark.parametrize(("name", "start"), [("p.svg", b"<?xml"), ("p.PNG", b"\x89PNG")])
def test_the_option_writes_a_file_beside_the_report(tmp_path: Path, name: str, start: bytes) -> None:
    done = call("--plot", str(tmp_path / name), "-o", str(tmp_path / "r.md"))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / name).read_bytes().startswith(start)
    assert (tmp_path / "r.md").read_text().startswith("# hubcmp")


def test_another_ending_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    done = call("--plot", str(tmp_path / "p.pdf"))
    assert done.returncode == 2
    assert "end the name in .svg or .png" in done.stderr
    assert done.stdout == ""
