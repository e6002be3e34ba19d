"""The run between scrapes of a live server: counters that grow, reset and stall, and servers that go away."""

import json
import math
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import generate_latest

from hubcmp import api
from hubcmp._watch import Clock, Duration, Watching, loop
from hubcmp.cli import cli
from hubcmp.document import BytesDocument
from hubcmp.facts import Source
from hubcmp.feeds import LogFeed, ServerFeed, StillFeed, feed
from hubcmp.live import MOST_NOTES, MOST_POINTS, Course, Session
from hubcmp.measurements import Benchmark
from hubcmp.renderers._watched import sparkline, table
from hubcmp.sources._tail import LINE, Tail
from tests.engine_server import Vllm, reply, serving
from tests.golden_runs import FIXTURES

LOG = FIXTURES / "engines" / "sglang_decode_log" / "sglang_0.5.23_dp2.log"


def scrape(engine: Vllm) -> BytesDocument:
    return BytesDocument(Source("x"), generate_latest(engine.registry))


def said(found: Benchmark) -> str:
    return " ".join(p.message for p in found.problems)


def test_the_run_is_what_happened_between_first_and_last() -> None:
    engine, session = Vllm(), Session("x")
    engine.decode(1000, [100, 0, 0])  # before anybody looked
    session.add(scrape(engine), 0.0)
    engine.decode(100, [70, 50, 30])
    session.add(scrape(engine), 5.0)
    engine.decode(100, [90, 70, 40])
    session.add(scrape(engine), 10.0)
    found = session.benchmark()
    (run,) = found.runs
    assert (run.steps, run.accepted, run.accept_length) == (200, 350, 2.75)
    assert run.per_position == (0.8, 0.6, 0.35)
    assert run.output_throughput == 55.0
    assert run.window == "10 s of a live server (all its traffic)"
    assert [(s.steps, s.accepted) for s in run.samples] == [(100, 150), (100, 200)]
    assert [(p.accept_length, p.throughput) for p in session.points] == [(2.5, 50.0), (3.0, 60.0)]
    assert found.problems == ()


def test_a_restart_begins_a_new_run() -> None:
    engine, session = Vllm(), Session("x")
    engine.decode(1000, [900, 800, 700])
    session.add(scrape(engine), 0.0)
    engine.restart()
    engine.decode(10, [1, 0, 0])
    session.add(scrape(engine), 5.0)
    engine.decode(100, [70, 50, 30])
    session.add(scrape(engine), 10.0)
    found = session.benchmark()
    assert found.runs[0].accept_length == 2.5
    assert found.runs[0].steps == 100
    assert "restarted" in said(found)


def test_counters_that_stall_are_no_measurement() -> None:
    engine, session = Vllm(), Session("x")
    engine.decode(1000, [900, 800, 700])
    for second in (0.0, 5.0, 10.0):
        session.add(scrape(engine), second)
    found = session.benchmark()
    assert found.runs[0].accept_length is None
    assert "send requests while it is measured" in said(found)


def gauge(value: float) -> BytesDocument:
    return BytesDocument(Source("x"), f'sglang:spec_accept_length{{tp_rank="0"}} {value}\n'.encode())


def test_a_gauge_is_averaged_once_per_change() -> None:
    session = Session("x")
    for second, value in enumerate((1.2, 1.2, 2.0, 2.0, 3.0, 3.0, 3.0, 2.5)):
        session.add(gauge(value), float(second))
    (run,) = session.benchmark().runs
    assert run.accept_length == pytest.approx(2.5)  # not 1.2: that was there before anybody looked
    assert (run.kind, run.n_windows, run.weighting) == ("reported", 3, "mean of the gauge, once per change")
    assert session.news == 7.0


def test_a_gauge_that_stands_still_is_of_earlier_traffic() -> None:
    session = Session("x")
    for second in (0.0, 5.0, 10.0):
        session.add(gauge(2.0), second)
    found = session.benchmark()
    assert found.runs[0].accept_length is None
    assert "no speculative step in 10 s" in said(found)


def test_a_reply_without_counts_stays_what_it_says() -> None:
    session = Session("x")
    info = BytesDocument(Source("x"), b'{"internal_states": [{"avg_spec_accept_length": 2.5}]}')
    session.add(info, 0.0)
    session.add(info, 5.0)
    found = session.benchmark()
    assert found.runs[0].accept_length == 2.5
    assert "no counts" in said(found)


def iterations(steps: int, accepted: int) -> bytes:
    stats = {"numDraftTokens": 3 * steps, "numAcceptedTokens": accepted, "numRequestsWithDraftTokens": steps}
    return json.dumps([{"iter": 1, "iterLatencyMS": 3.0, "specDecodingStats": stats}]).encode()


def test_what_a_queue_hands_out_is_added_up() -> None:
    replies = [iterations(1000, 100), iterations(100, 150), b"[]", iterations(300, 650)]

    def answer(request: BaseHTTPRequestHandler) -> None:
        reply(request, replies.pop(0), "application/json")

    with serving(answer) as (url, _):
        replies.insert(0, iterations(1, 1))  # shows where the server answers
        watched = feed(f"{url}/metrics", follow=False)
        loop([watched], Watching(15.0, 5.0), Ticks().clock)
    found = watched.benchmark()
    (run,) = found.runs
    assert (run.steps, run.drafted, run.accepted, run.accept_length) == (400, 1200, 800, 3.0)
    assert (run.kind, run.n_windows) == ("exact", 2)
    assert [(s.steps, s.accepted) for s in run.samples] == [(100, 150), (300, 650)]
    assert not any(problem.failed for problem in found.problems)


def test_time_without_a_request_is_not_in_the_throughput() -> None:
    engine, session = Vllm(), Session("x")
    for second, (running, steps) in enumerate([(0, 0), (0, 0), (2, 50), (0, 50), (0, 0)]):
        engine.running.labels("m", "0").set(running)
        engine.decode(steps, [steps, 0, 0])
        session.add(scrape(engine), float(second))
    found = session.benchmark()
    assert found.runs[0].output_throughput == 100.0  # 200 tokens in the two seconds that had requests
    assert "no request in 2 of 4 s" in said(found)
    assert session.news == 3.0


def test_a_request_under_way_is_no_idle_time() -> None:
    """Some servers count tokens when a request ends: until then they only tell that it runs."""
    engine, session = Vllm(), Session("x")
    for second, (running, steps) in enumerate([(0, 0), (1, 0), (1, 0), (0, 60)]):
        engine.running.labels("m", "0").set(running)
        engine.decode(steps, [steps, 0, 0])
        session.add(scrape(engine), float(second))
    found = session.benchmark()
    assert found.runs[0].output_throughput == 40.0  # 120 tokens in three seconds
    assert found.problems == ()


def test_a_server_without_speculation_has_a_speed() -> None:
    session = Session("x")
    for second, tokens in ((0.0, 100), (5.0, 600)):
        session.add(BytesDocument(Source("x"), f"vllm:generation_tokens_total {tokens}\n".encode()), second)
    found = session.benchmark()
    assert found.runs[0].output_throughput == 100.0
    assert "does not speculate" in said(found)


def test_hours_of_scrapes_take_bounded_memory() -> None:
    engine, session, course = Vllm(), Session("x"), Course()
    for second in range(MOST_POINTS + 20):
        session.missed(second - 0.5, "gone")
        session.add(scrape(engine), float(second))
        engine.decode(10, [5, 3, second % 3])
    run, hours = session.benchmark().runs[0], 10_000
    for _ in range(hours):
        course.add(run, 0.0)
    assert len(session.points) == MOST_POINTS
    assert len(session.benchmark().problems) == MOST_NOTES
    samples = course.counts.samples.freeze()
    assert len(samples) < hours / 2
    assert sum(s.steps for s in samples) == hours * (run.steps or 0)


def test_intervals_that_give_no_figure_leave_no_units() -> None:
    session = Session("x")
    for second, (steps, tokens) in enumerate([(0, 0), (10, 40), (40, 45), (50, 120)]):
        lines = f"sglang:spec_verify_calls_total {steps}\nsglang:generation_tokens_total {tokens}\n"
        session.add(BytesDocument(Source("x"), lines.encode()), float(second))
    (run,) = session.benchmark().runs
    assert (run.accept_length, run.samples) == (2.4, ())


SERIES = st.sampled_from(
    [
        "vllm:spec_decode_num_drafts_total", "vllm:spec_decode_num_draft_tokens_total", "vllm:generation_tokens_total",
        "vllm:spec_decode_num_accepted_tokens_total", "vllm:num_requests_running", "sglang:spec_accept_length",
        "sglang:spec_verify_calls_total", "sglang:generation_tokens_total", "llamacpp:tokens_predicted_total",
        'vllm:spec_decode_num_accepted_tokens_per_pos_total{position="0"}', "trtllm_spec_decode_num_draft_tokens_total",
    ]
)  # fmt: skip
VALUES = st.sampled_from(["0", "1", "7", "3e5", "1e308", "1e400", "-5", "NaN", "+Inf", "x"])
REPLIES = st.one_of(
    st.lists(st.tuples(SERIES, VALUES).map(" ".join), max_size=6).map(lambda lines: "\n".join(lines).encode()),
    st.binary(max_size=40),
    st.sampled_from([b"[]", b'{"internal_states": [{"avg_spec_accept_length": 1e308}]}', iterations(10, 15)]),
)


@given(st.lists(st.one_of(st.none(), REPLIES), max_size=5))
def test_whatever_a_server_says_gives_a_figure_or_none(replies: list[bytes | None]) -> None:
    session = Session("x")
    for second, content in enumerate(replies):
        if content is None:
            session.missed(float(second), "gone")
        else:
            session.add(BytesDocument(Source("x"), content), float(second))
    for run in session.benchmark().runs:
        assert run.accept_length is None or (run.accept_length >= 1 and math.isfinite(run.accept_length))
        assert all(math.isfinite(value) for value in (run.steps, run.drafted, run.output_throughput) if value)


class Ticks:
    """A clock that moves only when somebody waits, and does something each time."""

    def __init__(self, *then: object) -> None:
        self.time, self.then = 0.0, iter(then)

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float) -> None:
        self.time += seconds
        event = next(self.then, None)
        if callable(event):
            event()

    @property
    def clock(self) -> Clock:
        return Clock(self.now, self.wait)


def test_a_live_server_is_polled_until_the_time_is_over() -> None:
    engine = Vllm()
    engine.decode(1000, [100, 0, 0])
    ticks = Ticks(lambda: engine.decode(100, [70, 50, 30]), lambda: engine.decode(100, [90, 70, 40]))
    with serving(engine.answer) as (url, seen):
        watched = feed(url, follow=False)
        loop([watched], Watching(10.0, 5.0), ticks.clock)
    assert isinstance(watched, ServerFeed)
    assert watched.benchmark().runs[0].accept_length == 2.75
    assert [path for path, _ in seen] == ["/prometheus/metrics", "/v1/models", *["/metrics"] * 4]


def test_an_interrupt_ends_it_with_a_result() -> None:
    engine = Vllm()

    def stop() -> None:
        raise KeyboardInterrupt

    ticks = Ticks(lambda: engine.decode(100, [70, 50, 30]), stop)
    with serving(engine.answer) as (url, _):
        watched = feed(url, follow=False)
        loop([watched], Watching(None, 5.0), ticks.clock)
    assert watched.benchmark().runs[0].accept_length == 2.5


def test_a_server_that_dies_ends_its_run_at_the_last_answer() -> None:
    engine = Vllm()
    with serving(engine.answer) as (url, _):
        watched = feed(url, follow=False)
        watched.poll(0.0)
        engine.decode(100, [70, 50, 30])
        watched.poll(5.0)
    watched.poll(10.0)
    watched.poll(15.0)
    found = watched.benchmark()
    assert found.runs[0].accept_length == 2.5
    assert found.runs[0].output_throughput == 50.0
    assert said(found).count("no answer from 10 s on") == 1
    assert [problem.failed for problem in found.problems] == [True]
    assert "nothing answers" in watched.status
    answer = api.measured([found])
    assert (answer.failed, answer.nothing) == (True, False)  # exit code 3


def test_an_outage_that_ends_is_a_warning() -> None:
    engine, session = Vllm(), Session("x")
    session.add(scrape(engine), 0.0)
    session.missed(5.0, "busy")
    session.missed(10.0, "busy")
    engine.decode(100, [70, 50, 30])
    session.add(scrape(engine), 15.0)
    found = session.benchmark()
    assert found.runs[0].accept_length == 2.5
    assert [(p.message, p.failed) for p in found.problems] == [("no answer from 5 s to 15 s: busy", False)]
    assert session.status == ""


def test_a_server_that_dies_before_the_first_scrape_gives_nothing() -> None:
    engine = Vllm()
    with serving(engine.answer) as (url, _):
        watched = feed(url, follow=False)
    watched.poll(0.0)
    found = watched.benchmark()
    assert (found.runs, found.problems[0].failed) == ((), True)


def test_it_ends_once_the_load_is_over() -> None:
    engine = Vllm()
    ticks = Ticks(lambda: engine.decode(100, [70, 50, 30]), lambda: engine.decode(100, [90, 70, 40]))
    with serving(engine.answer) as (url, _):
        watched = feed(url, follow=False)
        loop([watched], Watching(None, 5.0, idle=10.0), ticks.clock)
    assert watched.benchmark().runs[0].accept_length == 2.75
    assert ticks.time == 20.0


def test_plain_decoding_is_measured_beside_it() -> None:
    engine, tokens = Vllm(), 0

    def fast(request: BaseHTTPRequestHandler) -> None:
        engine.decode(100, [70, 50, 30])
        engine.answer(request)

    def plain(request: BaseHTTPRequestHandler) -> None:
        nonlocal tokens
        tokens += 125
        found = request.path == "/metrics"
        reply(request, f"vllm:generation_tokens_total {tokens}\n".encode(), status=200 if found else 404)

    with serving(fast) as (url, _), serving(plain) as (other, _):
        call = ["bench", f"{url}/metrics", "--plain", f"{other}/metrics", "--for", "0.4s", "--every", "0.2s"]
        result = CliRunner().invoke(cli, [*call, "--format", "json"])
    (data,) = json.loads(result.output)
    (speed,) = data["against_plain"]
    assert speed["speedup"] > 0


def test_a_server_that_is_not_there_is_not_waited_for() -> None:
    with serving(Vllm().answer) as (url, _):
        pass
    assert isinstance(feed(url, follow=False), StillFeed)
    result = CliRunner().invoke(cli, ["bench", url, "--for", "1h"])
    assert result.exit_code == 4
    assert "nothing answers" in result.output


def grow(path: Path) -> Iterator[list[bytes]]:
    lines = LOG.read_bytes().splitlines(keepends=True)
    yield lines[: len(lines) // 2]
    yield lines[len(lines) // 2 :]


def test_a_growing_log_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    first, second = grow(path)
    path.write_bytes(b"".join(first))

    def write() -> None:
        with path.open("ab") as file:
            file.write(b"".join(second) + b"[2026-01-01 Decode batch, #running-req: 1, half a li")

    watched = feed(str(path), follow=True)
    loop([watched], Watching(5.0, 5.0), Ticks(write).clock)
    assert isinstance(watched, LogFeed)
    assert len(watched.points) == 1
    assert watched.points[0].accept_length is not None
    whole = feed(str(LOG), follow=False).benchmark()
    assert watched.benchmark().runs[0].accept_length == whole.runs[0].accept_length


def test_a_log_that_is_replaced_or_truncated_is_read_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_bytes(LOG.read_bytes())
    tail = Tail(str(path))
    assert tail.new().read(0, 10) == b""
    path.write_bytes(b"one\ntwo")
    assert tail.new().read(0, 100) == b"one\n"
    path.rename(tmp_path / "run.log.1")
    path.write_bytes(b"three and a bit\n")
    assert tail.new().read(0, 100) == b"two\nthree and a bit\n"
    assert (tail.truncated, tail.is_rotated()) == (1, True)


def test_nothing_is_lost_when_a_log_is_rotated(tmp_path: Path) -> None:
    path, old = tmp_path / "run.log", tmp_path / "run.log.1"
    first, second = grow(path)
    path.write_bytes(b"".join(first[:-2]))
    watched = feed(str(path), follow=True)
    watched.poll(0.0)
    with path.open("ab") as file:
        file.write(b"".join(first[-2:]))  # after the last look
    path.rename(old)
    watched.poll(5.0)
    assert watched.status == ""
    old.unlink()  # packed and removed by whoever rotates
    watched.poll(10.0)
    assert "still there" in watched.status
    path.write_bytes(b"".join(second))
    watched.poll(15.0)
    found = watched.benchmark()
    whole = feed(str(LOG), follow=False).benchmark()
    assert (watched.status, found.problems) == ("", whole.problems)
    assert found.runs[0].accept_length == whole.runs[0].accept_length
    assert found.runs[0].n_windows == whole.runs[0].n_windows


def test_a_truncated_log_says_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_bytes(LOG.read_bytes() * 2)
    watched = feed(str(path), follow=True)
    watched.poll(0.0)
    path.write_bytes(LOG.read_bytes())
    watched.poll(5.0)
    assert "was truncated" in said(watched.benchmark())


def test_a_log_may_come_later(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    watched = feed(str(path), follow=True)
    watched.poll(0.0)
    assert "No such file" in watched.status
    path.write_bytes(LOG.read_bytes())
    watched.poll(5.0)
    assert (len(watched.points), watched.status) == (1, "")
    assert watched.benchmark().runs


def test_a_line_that_never_ends_takes_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_bytes(b"")
    tail = Tail(str(path))
    tail.new()
    for _ in range(3):
        with path.open("ab") as file:
            file.write(b"x" * LINE)
        assert tail.new().size == 0
    assert len(tail._rest) == LINE


def test_following_ends_when_the_writer_is_done(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_bytes(b"")
    lines = LOG.read_bytes().splitlines(keepends=True)

    def write() -> None:
        with path.open("ab") as file:
            file.write(b"".join(lines[:20]))

    ticks = Ticks(write, write)
    watched = feed(str(path), follow=True)
    loop([watched], Watching(None, 5.0, follow=True, idle=10.0), ticks.clock)
    assert ticks.time == 20.0


def test_a_log_that_goes_away_is_said(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_bytes(LOG.read_bytes())
    watched = feed(str(path), follow=True)
    watched.poll(0.0)
    path.unlink()
    watched.poll(5.0)
    assert "still there" in said(watched.benchmark())


@pytest.mark.parametrize(
    ("text", "seconds"), [("60s", 60.0), ("5m", 300.0), ("1h", 3600.0), ("90", 90.0), ("0.5 s", 0.5)]
)
def test_times(text: str, seconds: float) -> None:
    assert Duration().convert(text, None, None) == seconds


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (["--for", "soon"], "write a time such as"),
        (["--for", "0s"], "write a time such as"),
        (["--for", "60s"], "nothing to wait for"),
        (["--watch"], "nothing to wait for"),
        (["--until-idle", "60s"], "nothing to wait for"),
    ],
)
def test_calls_that_make_no_sense(call: list[str], said: str) -> None:
    result = CliRunner().invoke(cli, ["bench", str(LOG), *call])
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize("source", ["http://127.0.0.1:1", "-", "logs/*.log", f"{LOG}..{LOG}"])
def test_following_what_does_not_grow_is_refused(source: str) -> None:
    result = CliRunner().invoke(cli, ["bench", source, "--follow"])
    assert (result.exit_code, "growing logs" in result.output) == (2, True)


def test_a_server_is_not_measured_while_offline() -> None:
    with serving(Vllm().answer) as (url, seen):
        result = CliRunner().invoke(cli, ["bench", url, "--for", "1h", "--offline"])
    assert (result.exit_code, seen) == (4, [])
    assert "leave --offline out" in result.output


def test_the_command_measures_a_live_server() -> None:
    engine = Vllm()
    answered = 0

    def answer(request: BaseHTTPRequestHandler) -> None:
        nonlocal answered
        engine.answer(request)
        answered += 1
        engine.decode(100, [70, 50, 30])

    with serving(answer) as (url, _):
        result = CliRunner().invoke(cli, ["bench", url, "--for", "0.2s", "--every", "0.2s", "--format", "json"])
    (data,) = json.loads(result.output)
    assert answered >= 3
    assert data["records"][0]["accept_length"] == 2.5
    assert data["source"] == f"{url}/metrics"


def test_the_live_table_shows_the_last_interval() -> None:
    engine, session = Vllm(), Session("http://host/metrics")
    for second in (0.0, 5.0, 10.0):
        session.add(scrape(engine), second)
        engine.decode(100, [70, 50, int(second) * 3 + 10])
    with serving(engine.answer) as (url, _):
        watched = feed(url, follow=False)
    assert isinstance(watched, ServerFeed)
    watched.session = session
    drawn = table([watched], 10.0)
    cells = [str(next(iter(column.cells))) for column in drawn.columns]
    assert cells == ["http://host/metrics", "2.450", "▁█", "0.70 0.50 0.25", "49.0", "▁█"]
    session.missed(15.0, "gone")
    assert str(table([watched], 15.0).caption) == "http://host/metrics: no answer from 15 s on: gone"


def test_sparklines() -> None:
    assert sparkline([]) == ""
    assert sparkline([2.0, 2.0]) == "▄▄"
    assert sparkline([1.0, None, 2.0]) == "▁ █"
