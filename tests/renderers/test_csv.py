"""CSV: every figure of an answer in one record per line, and nothing that a spreadsheet would run."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from hubcmp import api
from hubcmp.acceptance import Run
from hubcmp.answers import Benchmarks
from hubcmp.cli import cli
from hubcmp.comparison import Comparison, compare
from hubcmp.drafter import Drafter
from hubcmp.facts import Evidence, Fact, Source, Span
from hubcmp.measurements import Benchmark

EVIL = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1")


def length(value: Span, label: str, raw: str = "") -> Fact:
    spot = Source("a", "sha", "README.md", "line 3")
    return Fact("accept_length", value, "tokens/step", Evidence.STATED, "read", (spot,), label=label, raw=raw)


def pair(label: str = "GSM8K", raw: str = "3.17") -> Comparison:
    drafters = [
        Drafter(name, "hub", "sha", name, None, {}, (length(value, label, raw),))
        for name, value in (("a", Span.of(3.0)), ("b", Span(3.0, float("inf"))))
    ]
    return compare(drafters)


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_one_record_per_figure_and_drafter() -> None:
    found = [r for r in records(api.render(pair(), "csv")) if r["metric"] == "accept_length"]
    assert [(r["drafter"], r["value"], r["low"], r["high"]) for r in found] == [
        ("a", "3", "3", "3"),
        ("b", "", "3", ""),
    ]
    assert {r["benchmark"] for r in found} == {"GSM8K"}
    assert found[0]["sources"] == "a README.md line 3"
    assert found[1]["why_not"] == "a bound or a promise is not a measurement"


def test_what_is_missing_has_its_state() -> None:
    found = [r for r in records(api.render(pair(), "csv")) if r["metric"] == "training_samples"]
    assert [(r["state"], r["value"]) for r in found] == [("not stated", "")] * 2


@pytest.mark.parametrize("text", EVIL)
def test_no_text_starts_a_formula(text: str) -> None:
    drawn = api.render(pair(text, text), "csv")
    fields = [value for record in records(drawn) for value in record.values()]
    assert any(value.startswith("'") for value in fields)
    assert [v for v in fields if v.lstrip().startswith(("=", "+", "-", "@", "＝"))] == []


@pytest.mark.parametrize("text", ["one\r\ntwo", "a\nb", "x\u2028y", "z\x1b[31m", 'quote"d, comma'])
def test_one_record_per_line(text: str) -> None:
    drawn = api.render(pair(text, text), "csv")
    assert len(drawn.splitlines()) == len(records(drawn)) + 1
    assert "\x1b" not in drawn
    assert "\r" not in drawn


def test_a_negative_number_stays_a_number() -> None:
    answer = pair()
    row = next(row for row in answer.rows if row.metric == "accept_length")
    drawn = api.render(replace(answer, rows=(replace(row, deltas=(0.0, -0.25)),)), "csv")
    assert [r["delta"] for r in records(drawn)] == ["", "-0.25"]


def test_benchmarks_depths_and_cards(tmp_path: Path) -> None:
    run = Run(
        "sglang", "f", Source("x"), accept_length=2.5, per_position=(0.8, 0.5), conditions={"topk": 1, "thinking": True}
    )
    answer = Benchmarks((Benchmark("run.log", Source("run.log"), "f", runs=(run, run)),))
    found = records(api.render(answer, "csv"))
    assert [(r["source"], r["accept_length"], r["per_position"], r["config"]) for r in found] == [
        ("run.log", "2.5", "0.8; 0.5", "topk=1; thinking=true")
    ] * 2
    assert records(api.render(api.depth([(2.1, 2), (2.5, 4)], 3), "csv"))[0]["given"].startswith(
        "accept_length=2.1; depth=2;"
    )
    card = tmp_path / "README.md"
    card.write_text("# Drafter\n\nAccept length on MT-Bench: 2.5\n")
    assert records(api.render(api.card([str(card)]), "csv"))[0]["line"] == "3"
    assert records(api.render(api.bench(["no-such.log"]), "csv")) == []


def test_the_ending_chooses_it(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["depth", "2.1@2", "--to", "3", "-o", str(tmp_path / "x.csv")])
    assert done.exit_code == 0
    assert records((tmp_path / "x.csv").read_text())[0]["to"] == "3"
