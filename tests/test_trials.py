"""A/B: what resampling shows, what it does not, and what is never subtracted."""

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import zstandard
from click.testing import CliRunner

from hubcmp import acceptance, api
from hubcmp.acceptance import Run, Sample
from hubcmp.answers import Benchmarks
from hubcmp.cli import cli
from hubcmp.contracts import CONTRACTS
from hubcmp.document import BytesDocument
from hubcmp.estimates import Estimate
from hubcmp.facts import Scalar, Source, Unknown
from hubcmp.measurements import Benchmark, read
from hubcmp.renderers._views._trials import sentence
from hubcmp.sources._files import open_document
from hubcmp.trials import Difference, speeds, trials, unpaired

ENGINES = Path(__file__).parents[1] / "fixtures" / "engines"


def samples(rate: float, count: int, seed: int) -> tuple[Sample, ...]:
    """Requests of 50 to 150 steps that accept `rate` drafts per step on average."""
    random = Random(seed)
    steps = [random.randint(50, 150) for _ in range(count)]
    return tuple(Sample(n, n * rate * random.uniform(0.8, 1.2)) for n in steps)


def run(units: tuple[Sample, ...] = (), length: float | None = None, depth: int | None = 3, **fields: object) -> Run:
    steps, accepted = sum(u.steps for u in units), sum(u.accepted for u in units)
    length = 1 + accepted / steps if units else length
    rate = (length - 1) / depth if length is not None and depth else None
    return Run("sglang", "made up", Source("x"), accept_length=length, num_spec_tokens=depth, samples=units,
               draft_acceptance_rate=rate, **fields)  # type: ignore[arg-type]  # fmt: skip


def against(first: Run, second: Run) -> dict[str, Difference]:
    (trial,) = trials((Benchmark("a", Source("a"), runs=(first,)), Benchmark("b", Source("b"), runs=(second,))))
    return {d.metric: d for d in trial.differences}


def test_a_real_difference_is_shown_with_its_interval_and_units() -> None:
    found = against(run(samples(1.2, 80, 1)), run(samples(1.5, 60, 2)))["accept_length"]
    assert found.shown is True
    assert found.units == (80, 60)
    assert found.interval is not None
    assert 0.2 < found.interval.low < found.change < found.interval.high < 0.4


def test_the_rate_follows_the_length_at_one_number_of_drafted_tokens() -> None:
    found = against(run(samples(1.2, 80, 1)), run(samples(1.5, 60, 2)))
    length, rate = found["accept_length"], found["draft_acceptance_rate"]
    assert length.interval is not None
    assert rate.interval is not None
    assert rate.interval.low == pytest.approx(length.interval.low / 3)
    assert "draft_acceptance_rate" not in against(run(samples(1.2, 80, 1)), run(samples(1.2, 80, 1), depth=4))


def test_two_runs_of_one_drafter_show_no_difference() -> None:
    found = against(run(samples(1.2, 40, 3)), run(samples(1.2, 40, 4)))["accept_length"]
    assert found.shown is False


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    seen = [
        against(run(samples(1.2, 30, n)), run(samples(1.2, 30, n + 1000)))["accept_length"].shown for n in range(40)
    ]
    assert 34 <= seen.count(False) <= 40


def test_the_same_figures_on_every_call() -> None:
    one, two = run(samples(1.2, 40, 3)), run(samples(1.3, 40, 4))
    assert against(one, two) == against(one, two)


def test_fewer_than_six_units_make_no_claim() -> None:
    found = against(run(samples(1.0, 5, 1)), run(samples(2.0, 80, 2)))["accept_length"]
    assert (found.interval, found.shown, found.units) == (None, None, (5, 80))
    assert "no claim" in found.note


def test_a_printed_length_has_no_interval() -> None:
    found = against(run(length=2.1), run(length=2.4))["accept_length"]
    assert found.change == pytest.approx(0.3)
    assert found.shown is None
    assert "no interval" in found.note


def test_long_logs_are_pooled_and_keep_their_sums() -> None:
    units = samples(1.2, 25_000, 5)
    pooled = acceptance.pool(units, 1000)
    assert len(pooled) == 1000
    assert sum(u.steps for u in pooled) == sum(u.steps for u in units)
    assert sum(u.accepted for u in pooled) == pytest.approx(sum(u.accepted for u in units))
    assert acceptance.pool((), 1000) == ()


def test_two_depths_are_brought_to_the_lesser_one_and_look_estimated() -> None:
    found = against(run(samples(1.2, 40, 1), depth=3), run(samples(1.4, 40, 2), depth=5))["accept_length"]
    assert (found.depth, found.estimated) == (3, True)
    assert found.first == pytest.approx(run(samples(1.2, 40, 1)).accept_length)
    assert found.second < 2.4
    assert found.interval is not None
    alone = against(run(samples(1.2, 40, 1)), run(samples(1.4, 40, 2)))["accept_length"].interval
    assert alone is not None
    assert found.interval.high - found.interval.low > alone.high - alone.low  # the estimate's own doubt is in it


def test_an_estimate_without_units_claims_nothing() -> None:
    found = against(run(length=1.9, depth=3), run(length=3.4, depth=5))["accept_length"]
    assert (found.estimated, found.interval, found.shown) == (True, None, None)
    assert "estimated, to within" in found.note
    few = against(run(samples(0.9, 5, 1), depth=3), run(samples(2.4, 40, 2), depth=5))["accept_length"]
    assert (few.estimated, few.shown) == (True, None)
    assert "no claim" in few.note


def test_per_position_rates_bring_a_depth_down_exactly() -> None:
    deep = run(length=2.86, depth=5, per_position=(0.7, 0.5, 0.36, 0.2, 0.1))
    found = against(run(length=2.4, depth=3), deep)["accept_length"]
    assert (found.second, found.estimated, found.depth) == (pytest.approx(2.56), False, 3)


def test_positions_with_units_give_an_interval_at_the_lesser_depth() -> None:
    deep = run(samples(1.8, 40, 2), depth=5, per_position=(0.7, 0.5, 0.36, 0.15, 0.09))
    found = against(run(samples(1.2, 40, 1), depth=3), deep)["accept_length"]
    assert (found.estimated, found.shown) == (False, True)
    assert found.interval is not None
    assert found.interval.low < found.change < found.interval.high


def test_a_depth_that_was_never_seen_is_not_estimated() -> None:
    found = against(run(length=1.5, depth=1), run(length=2.4, depth=3))["accept_length"]
    assert "draft depths differ" in found.note
    assert found.shown is None


@pytest.mark.parametrize(
    ("one", "two", "why"),
    [
        ({"topk": 1}, {"topk": 8}, "chain or tree (topk) differs"),
        ({"temperature": 0}, {"temperature": 1}, "temperature differs"),
        ({"draft": "chain"}, {"draft": "tree"}, "draft differs"),
        ({"language": "en"}, {"language": "zh"}, "language differs"),
        ({"target_model": "org/a"}, {"target_model": "org/b"}, "target model differs"),
        ({}, {"simulated_acceptance": True}, "simulated on one side"),
    ],
)
def test_what_is_not_comparable_is_not_subtracted(one: dict[str, Scalar], two: dict[str, Scalar], why: str) -> None:
    items = tuple(
        Benchmark(name, Source(name), runs=(run(samples(1.2, 40, 1), conditions=found),))
        for name, found in (("a", one), ("b", two))
    )
    (trial,) = trials(items)
    assert why in trial.refused[0]
    assert [d for d in trial.differences if d.metric != "throughput_tok_s"] == []


def test_other_data_and_other_averages_are_not_subtracted() -> None:
    first = run(length=2.1, dataset="gsm8k", weighting="steps")
    (trial,) = trials(tuple(Benchmark(n, Source(n), runs=(r,)) for n, r in (
        ("a", first), ("b", run(length=2.4, dataset="mt-bench", weighting="requests")))))  # fmt: skip
    assert [why.split(" (")[0] for why in trial.refused] == ["dataset differs", "averaged differently"]
    assert trials(tuple(Benchmark(n, Source(n), runs=(r,)) for n, r in (
        ("a", run(length=2.1, weighting="steps")), ("b", run(length=2.4, weighting="drafted tokens")))))[0].refused == ()  # fmt: skip


def test_runs_are_paired_by_data_and_batch() -> None:
    first = Benchmark("a", Source("a"), runs=tuple(run(length=2.0, dataset=d) for d in ("gsm8k", "mt-bench")))
    other = Benchmark(
        "b", Source("b"), runs=(run(length=2.2, dataset="mt-bench"), run(length=3.0, dataset="humaneval"))
    )
    assert [trial.what for trial in trials((first, other))] == ["mt-bench"]


def test_runs_are_paired_by_settings_each_once() -> None:
    def two(name: str, *settings: tuple[str, int, float]) -> Benchmark:
        runs = tuple(run(length=x, conditions={"draft": draft, "temperature": t}) for draft, t, x in settings)
        return Benchmark(name, Source(name), runs=runs)

    first = two("a", ("chain", 0, 1.7), ("chain", 1, 1.5), ("tree", 0, 2.2))
    other = two("b", ("tree", 0, 2.4), ("chain", 0, 1.8), ("tree", 1, 1.6))
    found = [(t.differences[0].first, t.differences[0].second) for t in trials((first, other))]
    assert found == [(2.2, 2.4), (1.7, 1.8)]
    assert unpaired((first, other), trials((first, other))) == ()
    lone = two("c", ("other", 0, 2.0), ("other", 1, 2.0))
    assert unpaired((first, lone), trials((first, lone))) == ("c",)


def test_spellings_of_one_benchmark_are_one() -> None:
    found = against(run(length=2.0, dataset="MT-Bench"), run(length=2.2, dataset="mt_bench"))
    assert found["accept_length"].change == pytest.approx(0.2)


def test_drafters_in_one_source_are_set_against_the_first() -> None:
    """Longer acceptance at half the speed is no win, and each workload is judged for itself."""
    found = trials((read([open_document(str(ENGINES / "own_harness" / "two_workloads.json"))], "runs.json"),))
    told = [sentence(trial) for trial in found]
    assert [(t.second, t.what) for t in found] == [("runs.json: block15", "prose"), ("runs.json: block15", "struct")]
    assert "from 2.50 to 2.90 (+0.40, not tested), throughput from 517.0 to 244.0 tok/s (-52.8%)" in told[0]
    assert told[0].endswith("it accepts longer runs and is slower")
    assert told[1].endswith("(+44.2%)")


def test_what_else_differs_is_named() -> None:
    first, second = run(length=2.0, engine_version="0.5.10"), run(length=1.5, engine_version="0.5.23", batch_size=8)
    (trial,) = trials((Benchmark("a", Source("a"), runs=(first,)), Benchmark("b", Source("b"), runs=(second,))))
    assert trial.apart == ("engine version (0.5.10 and 0.5.23)",)


def test_simulated_speeds_are_compared_at_one_simulated_length() -> None:
    made = {"simulated_acceptance": True}
    one = run(length=3.0, output_throughput=100.0, conditions=made)
    assert "throughput_tok_s" in against(one, run(length=3.0, output_throughput=90.0, conditions=made))
    assert "throughput_tok_s" not in against(one, run(length=3.5, output_throughput=90.0, conditions=made))
    assert "throughput_tok_s" not in against(one, run(length=3.0, output_throughput=90.0))


def test_throughput_of_another_batch_is_not_subtracted() -> None:
    one = run(length=2.0, output_throughput=100.0, batch_size=1)
    assert "throughput_tok_s" in against(one, run(length=2.0, output_throughput=90.0, batch_size=1))
    assert "throughput_tok_s" not in against(one, run(length=2.0, output_throughput=90.0, batch_size=8))


def test_one_plain_run_serves_every_drafter_of_its_workload() -> None:
    mine = [run(length=2.1, output_throughput=x, conditions={"drafter": d}) for d, x in (("a", 90.0), ("b", 80.0))]
    base = Run("sglang", "made up", Source("p"), output_throughput=60.0)
    spec, plain = Benchmark("s", Source("s"), runs=tuple(mine)), Benchmark("p", Source("p"), runs=(base,))
    assert [s.speedup for s in speeds((spec,), (plain,))] == [pytest.approx(1.5), pytest.approx(4 / 3)]


def test_plain_decoding_gives_speedup_and_break_even() -> None:
    spec = Benchmark("a", Source("a"), runs=(run(length=2.1, output_throughput=90.0),))
    plain = Benchmark("p", Source("p"), runs=(Run("sglang", "made up", Source("p"), output_throughput=60.0),))
    (speed,) = speeds((spec,), (plain,))
    assert isinstance(speed.cost, Estimate)
    assert (speed.speedup, speed.cost.value) == (pytest.approx(1.5), pytest.approx(1.4))
    (without,) = speeds((spec,), (Benchmark("p", Source("p"), runs=(Run("sglang", "made up", Source("p")),)),))
    assert (without.speedup, type(without.cost)) == (None, Unknown)


def test_the_command_prints_it_in_every_format(tmp_path: Path) -> None:
    logs = [
        str(p) for p in (ENGINES / "sglang_decode_log" / f"sglang_{n}.log" for n in ("0.5.10_bonus_rate", "0.5.23_dp2"))
    ]
    for format_ in ("terminal", "markdown", "html", "csv"):
        result = CliRunner().invoke(cli, ["bench", *logs, "--plain", logs[0], "--format", format_])
        assert result.exit_code == 0, result.output
    saved = tmp_path / "saved.json"
    CliRunner().invoke(cli, ["bench", *logs, "-o", str(saved)])
    data = json.loads(saved.read_text())
    CONTRACTS["bench"].validate_json(saved.read_text())
    assert "against_first" not in data[0]
    assert {d["metric"] for d in data[1]["against_first"][0]["differences"]} >= {"accept_length"}


def test_saved_results_keep_their_units() -> None:
    """Tomorrow's run can be set against today's saved one with an interval."""
    units = samples(1.2, 700, 1)
    saved = api.render(Benchmarks((Benchmark("a", Source("a"), "made up", runs=(run(units),)),)), "json")
    (again,) = read([BytesDocument(Source("saved.json"), saved.encode())], "saved.json").runs
    assert len(again.samples) == 250
    assert sum(u.accepted for u in again.samples) == pytest.approx(sum(u.accepted for u in units), rel=1e-6)


def test_a_saved_comparison_is_set_side_by_side_again() -> None:
    items = tuple(
        Benchmark(n, Source(n), "made up", runs=(run(samples(r, 40, i)),))
        for i, (n, r) in enumerate((("a", 1.2), ("b", 1.5)))
    )
    saved = api.render(Benchmarks(items, trials(items)), "json")
    (again,) = trials((read([BytesDocument(Source("ab.json"), saved.encode())], "ab.json"),))
    assert (again.first, again.second, again.differences[0].shown) == ("ab.json: a", "ab.json: b", True)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstandard.compress])
def test_saved_results_are_sources_when_packed(pack: Callable[[bytes], bytes]) -> None:
    saved = api.render(Benchmarks((Benchmark("a", Source("a"), "made up", runs=(run(samples(1.2, 20, 1)),)),)), "json")
    (again,) = read([BytesDocument(Source("x"), pack(saved.encode()))], "x").runs
    assert len(again.samples) == 20
