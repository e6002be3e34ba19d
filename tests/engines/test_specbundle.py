"""The public dashboard's rows, and how a drafter takes only its own from them."""

from pathlib import Path

import pytest

from hubcmp.document import Bundle, BytesDocument
from hubcmp.drafter import Extra, assemble
from hubcmp.errors import Problem
from hubcmp.facts import Source
from hubcmp.measurements import Benchmark, read
from hubcmp.parameters import account

ROWS = Path(__file__).parents[2] / "fixtures" / "engines" / "specbundle" / "rows.jsonl"
OURS = "lmsys/SGLang-EAGLE3-Qwen3-235B-A22B-Instruct-2507-SpecForge"


@pytest.fixture
def bench() -> Benchmark:
    return read([BytesDocument(Source("rows.jsonl", "", "rows.jsonl"), ROWS.read_bytes())], "rows.jsonl")


def test_rows_become_runs_with_their_settings(bench: Benchmark) -> None:
    assert (bench.format, len(bench.runs)) == ("specbundle.jsonl", 40)
    run = bench.runs[0]
    assert (run.accept_length, run.output_throughput, run.dataset, run.batch_size) == (2.3567, 633.48, "gsm8k", 8)
    assert run.conditions == {
        "num_steps": 3,
        "topk": 1,
        "num_draft_tokens": 4,
        "batch_size": 8,
        "target_model": "Qwen3-235B-A22B-Instruct-2507",
    }
    assert run.source.where == "line 1"


def test_a_drafter_takes_only_its_own_rows(bench: Benchmark) -> None:
    bundle = Bundle(OURS, "hub", "sha", OURS)
    drafter = assemble(bundle, [], account(bundle), Extra(benches=(bench,)))
    assert 0 < len(drafter.runs) < len(bench.runs)
    assert {run.reported["drafter"] for run in drafter.runs} == {OURS}
    lengths = [f.number for f in drafter.own("accept_length") if f.label == "gsm8k" and f.conditions["num_steps"] == 3]
    assert 2.8763 in lengths
    assert {f.label for f in drafter.own("speedup")} >= {"gsm8k"}


def test_a_table_without_rows_of_the_drafter_says_so(bench: Benchmark) -> None:
    bundle = Bundle("org/other", "hub", "sha", "org/other")
    drafter = assemble(bundle, [], account(bundle), Extra(benches=(bench,)))
    assert drafter.runs == ()
    assert any(
        isinstance(p, Problem) and p.failed and "no row is about org/other" in p.message for p in drafter.problems
    )
