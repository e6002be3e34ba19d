"""Detection, pairs of scrapes, wrappers around files, warnings, and hostile content."""

import copy
import gzip
import json
import lzma
import pickle
import re
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from hubcmp import api, measurements
from hubcmp.compression import expand
from hubcmp.document import BytesDocument, Document
from hubcmp.engines._columns import Columns
from hubcmp.engines._sglang_windows import Windows
from hubcmp.engines._spans import Slice, line_start
from hubcmp.engines._spec_lines import Lines
from hubcmp.engines._text import blocks
from hubcmp.errors import FormatError, SourceError
from hubcmp.facts import Source
from hubcmp.measurements import Benchmark
from hubcmp.readers import PROBE, readers
from hubcmp.sources._files import open_benchmark, open_document
from tests.golden_runs import FIXTURES, check, measure, samples

READERS = FIXTURES / "engines"
LOG = READERS / "sglang_decode_log" / "sglang_0.5.23_dp2.log"
FIGURES = (
    "steps", "drafted", "accepted", "accept_length", "draft_acceptance_rate", "output_throughput", "decode_throughput", "num_spec_tokens",
    "n_requests", "n_windows",
)  # fmt: skip


def document(content: bytes) -> Document:
    return BytesDocument(Source("made up"), content)


def measured(content: bytes) -> Benchmark:
    return measurements.read([document(content)], "made up")


def message(found: Benchmark) -> str:
    return " ".join(problem.message for problem in found.problems)


@pytest.mark.parametrize("name", ["bad_gateway.html", "hello.txt", "not_a_benchmark.log", "other.json", "empty.log"])
def test_unknown_content_says_so_and_gives_nothing(name: str) -> None:
    found = measure(FIXTURES / "measurements" / name)
    assert found.format is None
    assert found.runs == ()
    assert all(problem.failed for problem in found.problems)
    assert ("empty" in message(found)) == (name == "empty.log")


def test_two_engines_in_one_file_are_reported_apart() -> None:
    found = measure(FIXTURES / "measurements" / "mixed_two_engines.log")
    assert found.format == "mixed"
    assert {run.engine for run in found.runs} == {"vllm", "sglang"}
    assert not found.exact
    assert "never blended" in message(found)


def test_a_second_engine_at_the_end_of_a_long_log_is_seen() -> None:
    noise = b"INFO:     nothing to see\n" * 20_000
    vllm = (READERS / "vllm_spec_log" / "vllm_0.9.2.log").read_bytes()
    assert measured(LOG.read_bytes() + b"\n" + noise + vllm).format == "mixed"


def test_a_long_start_up_before_the_first_line() -> None:
    found = measured(b"loading weights ...\n" * 30_000 + LOG.read_bytes())
    assert found.format == "sglang.decode_log"
    assert found.runs[0].accept_length == measure(LOG).runs[0].accept_length


@pytest.mark.parametrize("name", samples("wrapped", "measurements"))
def test_what_stands_around_each_line_is_taken_off(name: str) -> None:
    check("wrapped", name, "measurements")


def test_long_texts_before_the_figures_and_a_quoted_log_in_them() -> None:
    quoted = json.dumps({"text": LOG.read_text()})[1:-1].encode()
    answer = json.loads((READERS / "vllm_response" / "ngram_array.json").read_text())[0]
    content = b"{" + b", ".join([quoted] * 9) + b", " + json.dumps(answer)[1:].encode()
    assert len(content) > 2 * PROBE
    found = measured(content)
    assert (found.format, found.runs[0].n_requests) == ("vllm.response_metrics", 1)


def test_chunks_of_streams_count_once_per_stream() -> None:
    chunk = b'data: {"id": "%d", "timings": {"predicted_n": %d, "draft_n": %d, "draft_n_accepted": %d}}\n\n'
    content = chunk % (1, 2, 4, 1) + chunk % (1, 9, 8, 5) + b"data: {broken\n\n" + chunk % (2, 9, 4, 2)
    run = measured(content).runs[0]
    assert (run.n_requests, run.drafted, run.accepted) == (2, 12, 7)


@pytest.mark.parametrize(
    ("module", "stem"), [("vllm_prometheus", "vllm_0.33.0"), ("sglang_prometheus", "sglang_0.5.23")]
)
def test_a_restart_between_two_scrapes_gives_no_result(module: str, stem: str) -> None:
    before, after = (READERS / module / f"{stem}_{when}.prom" for when in ("before", "after"))
    assert measure(before, after).runs
    backwards = measure(after, before)
    assert (backwards.runs, backwards.engine) == ((), measure(before, after).engine)
    assert "restarted" in message(backwards)


def test_scrapes_of_two_engines_are_no_pair() -> None:
    after = READERS / "vllm_prometheus" / "vllm_0.33.0_after.prom"
    found = measure(READERS / "sglang_prometheus" / "sglang_0.5.23_before.prom", after)
    assert (found.runs, "different formats" in message(found)) == ((), True)


def test_formats_without_counters_are_no_pair() -> None:
    assert "no counters" in message(measure(LOG, LOG))


@pytest.mark.parametrize(
    "pack",
    [
        gzip.compress,
        lzma.compress,
        zstandard.compress,
        lambda b: gzip.compress(b[:5000]) + gzip.compress(b[5000:]),
        lambda b: zstandard.compress(b[:5000]) + zstandard.compress(b[5000:]),
    ],
)
def test_compressed_logs_read_like_plain_ones(pack) -> None:  # type: ignore[no-untyped-def]
    packed = measured(pack(LOG.read_bytes()))
    assert packed.runs[0].accept_length == measure(LOG).runs[0].accept_length


def test_broken_and_exploding_compression_is_refused() -> None:
    for pack in (gzip.compress, lzma.compress, zstandard.ZstdCompressor(write_checksum=True).compress):
        broken = bytearray(pack(LOG.read_bytes()))
        broken[100:140] = bytes(40)
        assert "broken" in message(measured(bytes(broken)))
    for pack in (lzma.compress, zstandard.compress):
        bomb = expand(document(pack(bytes(200 << 20))))
        with pytest.raises(FormatError, match="bomb"):
            sum(len(chunk) for chunk in bomb.chunks())


def test_rotated_logs_are_joined_oldest_first(tmp_path: Path) -> None:
    lines = LOG.read_bytes().splitlines(keepends=True)
    (tmp_path / "run.log").write_bytes(b"".join(lines[80:]))
    (tmp_path / "run.log.1").write_bytes(b"".join(lines[40:80]))
    (tmp_path / "run.log.2.gz").write_bytes(gzip.compress(b"".join(lines[:40])))
    (joined,) = open_benchmark(str(tmp_path / "run.log*"))
    assert b"".join(joined.chunks()) == LOG.read_bytes() + (b"" if LOG.read_bytes().endswith(b"\n") else b"\n")
    assert measurements.read([joined], "x").runs[0].accept_length == measure(LOG).runs[0].accept_length


def test_before_and_after_split_only_where_both_files_exist(tmp_path: Path) -> None:
    for name in ("a.prom", "b.prom", "c..d.prom"):
        (tmp_path / name).write_text("vllm:x 1\n")
    assert len(open_benchmark(f"{tmp_path}/a.prom..{tmp_path}/b.prom")) == 2
    assert len(open_benchmark(f"{tmp_path}/c..d.prom")) == 1
    with pytest.raises(SourceError, match="no such file"):
        open_benchmark(f"{tmp_path}/a.prom..{tmp_path}/missing.prom")


def test_a_missing_pattern_and_a_folder_are_source_errors(tmp_path: Path) -> None:
    for text in (f"{tmp_path}/*.log", str(tmp_path)):
        with pytest.raises(SourceError):
            open_benchmark(text)


DECODE = (
    b"[2026-01-01 00:00:00 TP0] Decode batch, #running-req: 1, #token: 9, token usage: 0.00, accept len: %s, accept rate: 0.50, "
    b"cuda graph: True, gen throughput (token/s): 90.00, #queue-req: 0\n"
)
PLAIN = (
    b"[x] Decode batch, #running-req: 1, #token: 9, token usage: 0.00, gen throughput (token/s): 90.00, #queue-req: 0\n"
)
MEAN = b'{"average_acceptance_length": 3.2, "backend": "sglang", "output_tokens": 290, "samples": 4, "spec_verify_count": 100}'
ARGS = b"server_args=ServerArgs(model_path='org/t', speculative_num_steps=3, speculative_eagle_topk=%d, speculative_num_draft_tokens=%d)\n"


WARNINGS: list[tuple[bytes, str]] = [
    (DECODE % b"1.00" * 5, "hardly any draft"),
    (b'{"batch_size": 1, "input_len": 9, "output_len": 9, "latency": 2.0, "acc_length": 1.0}', "fallback"),
    (ARGS % (1, 4) + DECODE % b"3.99" * 5, "at the ceiling"),
    (ARGS % (1, 4) + DECODE % b"4.90" * 5, "above the ceiling"),
    (ARGS % (4, 8) + DECODE % b"2.90" * 5, "a tree"),
    (ARGS % (4, 8) + DECODE % b"3.99" * 5, "at the ceiling of 4"),
    (ARGS % (1, 4) + DECODE % b"2.00" * 8 + DECODE % b"4.00" * 4, "looping"),
    (DECODE % b"2.71" * 8, "real text varies"),
    (b"SGLANG_SIMULATE_ACC_LEN=5\n" + DECODE % b"5.00", "simulated by a server setting"),
    (b'{"internal_states": [{"avg_spec_accept_length": 2.8}], "version": "0.5.23"}', "warm-up"),
    (MEAN, "averaged alike"),
    (PLAIN, "not a measured"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "word"), WARNINGS, ids=[word for _, word in WARNINGS])
def test_warnings_that_save_a_day(content: bytes, word: str) -> None:
    assert word in message(measured(content))


@pytest.mark.parametrize(("content", "word"), WARNINGS, ids=[word for _, word in WARNINGS])
def test_a_comparison_says_them_too(content: bytes, word: str, tmp_path: Path) -> None:
    for name in ("theirs", "ours"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text('{"architectures": ["LlamaForCausalLMEagle3"], "hidden_size": 8}')
    (tmp_path / "run.log").write_bytes(content)
    refs = [str(tmp_path / name) for name in ("theirs", "ours")]
    answer = api.compare(refs, bench=[str(tmp_path / "run.log")])
    assert word in " ".join(problem.message for problem in answer.problems)
    assert word in api.render(answer).replace("\n", " ")


def test_simulated_acceptance_is_not_credited_to_the_drafter(tmp_path: Path) -> None:
    """Its environment lies beside the log: both joined are one source."""
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "env.txt").write_bytes(
        b"SGLANG_SIMULATE_ACC_LEN=5\nSGLANG_SIMULATE_ACC_METHOD=match-expected\n"
    )
    (tmp_path / "served" / "server.log").write_bytes(DECODE % b"5.00")
    for name in ("theirs", "ours"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text('{"architectures": ["LlamaForCausalLMEagle3"], "hidden_size": 8}')
    refs = [str(tmp_path / name) for name in ("theirs", "ours")]
    answer = api.compare(refs, bench=[f"{tmp_path}/served/*"])
    ours = answer.drafters[1]
    assert ours.runs[0].accept_length == 5
    assert (ours.own("accept_length"), ours.own("throughput_tok_s"), ours.own("speedup")) == ((), (), ())
    row = next(row for row in answer.rows if row.metric == "accept_length")
    assert "simulated by a server setting" in row.cells[1].reason


def test_windows_of_many_steps_may_all_look_alike() -> None:
    """A hundred running requests give windows of thousands of steps, whose lengths hardly vary."""
    many = (DECODE % b"2.71" * 8).replace(b"#running-req: 1,", b"#running-req: 400,")
    assert "real text varies" not in message(measured(many))


def test_a_healthy_log_raises_no_warning() -> None:
    assert measure(LOG).problems == ()


def test_a_restart_with_other_settings_is_another_run() -> None:
    content = (
        ARGS % (1, 4)
        + DECODE % b"2.50" * 3
        + ARGS % (1, 6)
        + DECODE % b"3.50" * 3
        + ARGS % (1, 4)
        + DECODE % b"2.70" * 3
    )
    runs = measured(content).runs
    assert [(run.num_spec_tokens, run.n_windows) for run in runs] == [(3, 6), (5, 3)]
    assert runs[0].accept_length == pytest.approx(2.6)


def test_settings_and_constant_batch_are_kept() -> None:
    run = measured(ARGS % (1, 4) + DECODE % b"2.50" * 3).runs[0]
    assert (
        run.conditions | {"num_steps": 3, "topk": 1, "draft_length": 3, "batch_size": 1, "target_model": "org/t"}
        == run.conditions
    )
    assert run.decode_throughput == pytest.approx(90)
    assert run.settings["model_path"] == "org/t"
    assert run.source.where == "lines 2-4"
    assert len(run.samples) == 3


def test_results_pickle() -> None:
    found = measure(LOG)
    assert pickle.loads(pickle.dumps(found)) == found


SPEC = (READERS / "vllm_spec_log" / "vllm_0.12.0_color.log").read_bytes()


def lines_of(module: str, *names: str) -> list[bytes]:
    return [
        line
        for name in names
        for line in (READERS / module / name).read_bytes().splitlines(keepends=True)
        if line.endswith(b"\n")
    ]


VLLM = lines_of("vllm_spec_log", "vllm_0.12.0_color.log")
EMPTY = re.sub(rb"Accepted: \d+ tokens, Drafted: \d+", b"Accepted: 0 tokens, Drafted: 0", VLLM[5])
SGLANG = lines_of(
    "sglang_decode_log",
    "sglang_0.5.23_dp2.log",
    "sglang_0.5.16_dspark.log",
    "sglang_0.5.14_pd_hybrid.log",
    "sglang_no_spec.log",
)
SAMELIKE = [line for line in SGLANG if b"DP0 TP0 EP0] " in line]


def cut(data: st.DataObject, lines: list[bytes]) -> list[bytes]:
    """The lines as blocks of whole lines, cut anywhere between them."""
    cuts = sorted(data.draw(st.sets(st.integers(0, len(lines)), max_size=6)) | {0, len(lines)})
    return [b"".join(lines[a:b]) for a, b in pairwise(cuts)]


@given(st.data())
def test_vllm_lines_sum_alike_one_by_one_and_in_blocks(data: st.DataObject) -> None:
    spec = [line for line in VLLM if b"SpecDecoding" in line][:1]
    chosen = data.draw(st.lists(st.sampled_from([*VLLM, EMPTY]), min_size=1, max_size=60))
    single, fast = Lines(), Lines()
    for number, block in enumerate(spec + chosen, 1):
        single.add(block, number, 1)
    fast.add(spec[0], 1, 1)
    next(iter(fast.depths.values())).samples.coarse = True
    for block in cut(data, chosen):
        fast.add(block, 2, block.count(b"\n"))
    assert (fast.columns.layout is not None) == any(b"SpecDecoding" in line and line != EMPTY for line in chosen)
    assert single.depths.keys() == fast.depths.keys()
    for one, other in zip(single.depths.values(), fast.depths.values(), strict=True):
        assert (one.lines, one.accepted, one.drafted, one.fixed) == (
            other.lines,
            other.accepted,
            other.drafted,
            other.fixed,
        )
        assert (one.steps, *one.reached) == pytest.approx((other.steps, *other.reached))


@given(st.data())
def test_sglang_lines_sum_alike_one_by_one_and_in_blocks(data: st.DataObject) -> None:
    chosen = data.draw(
        st.lists(st.sampled_from(data.draw(st.sampled_from([SGLANG, SAMELIKE]))), min_size=1, max_size=60)
    )
    single, fast = Windows({}), Windows({})
    fast.samples.coarse = True
    for number, block in enumerate(chosen, 1):
        single.add(block, number, 1)
    for block in cut(data, chosen):
        fast.add(block, 1, block.count(b"\n"))
    fast.flush()
    assert (single.count, single.weight, single.speeds.batches) == (fast.count, fast.weight, fast.speeds.batches)
    assert (single.weighted, *single.rated) == pytest.approx((fast.weighted, *fast.rated))
    assert single.decode_throughput == pytest.approx(fast.decode_throughput)


def test_a_layout_is_learned_once_and_anew_when_lines_change() -> None:
    columns = Columns(
        b"Decode batch", re.compile(rb"Decode batch, #running-req: (\d+), [^\n]{0,90}accept len: ([\d.]+), \w+")
    )
    line = b"[x] Decode batch, #running-req: %d, graph: %s, accept len: %.2f, gen: 1\n"
    block = line % (2, b"True", 2.5) + line % (16, b"False", 3.25) + b"accept len: 9.00, noise\n"
    assert columns.rows(block) == [(b"2", b"2.50"), (b"16", b"3.25")]
    learned = columns.layout
    assert (columns.rows(line % (7, b"True", 1.0)), columns.layout) == ([(b"7", b"1.00")], learned)
    assert columns.rows(block + line % (7, b"True", 12.5)) is None
    assert columns.rows(block.replace(b"graph", b"npu graph")) is not None
    assert columns.rows(b"nothing to see\n") == []


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_spans_hold_every_line_once(parts: int) -> None:
    content = document(SPEC)
    cuts = [line_start(content, len(SPEC) * i // parts) for i in range(parts + 1)]
    pieces = [b"".join(blocks(Slice(content, a, b))) for a, b in pairwise(cuts)]
    assert b"".join(pieces) == SPEC
    assert all(piece.endswith(b"\n") for piece in pieces[:-1])


SAMPLES = sorted(
    p
    for p in READERS.rglob("*")
    if p.is_file() and not p.name.endswith(".golden.json") and p.parent.name in readers("benchmark")
)
HOSTILE = [
    b"nan",
    b"inf",
    b"1e999",
    b"-1",
    b"9" * 400,
    b"",
    b"\x00",
    b"\xff\xfe",
    b"null",
    b"true",
    b"{}",
    b"[]",
    b'"x"',
    b"0",
]


def assert_sane(found: Benchmark) -> None:
    for run in found.runs:
        for value in [getattr(run, name) for name in FIGURES] + list(run.per_position or ()):
            assert value is None or (0 <= value <= 1e15), run
    json.dumps([dict(run.reported) for run in found.runs], allow_nan=False)


@given(st.data())
def test_no_mutation_of_a_sample_raises_or_gives_an_insane_number(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(SAMPLES))
    content = path.read_bytes()[:20_000]
    numbers = [m for m in _numbers(content)]
    for _ in range(data.draw(st.integers(1, 4))):
        start, end = data.draw(st.sampled_from(numbers)) if numbers else (0, 0)
        content = content[:start] + data.draw(st.sampled_from(HOSTILE)) + content[end:]
        numbers = _numbers(content)
    cut = data.draw(st.integers(0, len(content)))
    assert_sane(measured(content))
    assert_sane(measured(content[:cut]))


def _numbers(content: bytes) -> list[tuple[int, int]]:
    return [m.span() for m in re.finditer(rb"\d+(?:\.\d+)?", content)]


JSON_SAMPLES = [p for p in SAMPLES if p.suffix in (".json", ".jsonl")]
STRANGE = [None, True, -1, 0, 1e300, "x", "", [], {}, [1, "x"], {"a": 1}, [[]], [{}]]


@given(st.data())
def test_json_of_another_shape_never_raises(data: st.DataObject) -> None:
    raw = data.draw(st.sampled_from(JSON_SAMPLES)).read_text("utf-8", "replace")
    value = json.loads(raw) if raw.lstrip()[0] == "[" or "\n " in raw else json.loads(raw.splitlines()[0])
    for _ in range(data.draw(st.integers(1, 3))):
        node = value
        while isinstance(node, dict | list) and node:
            key = data.draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
            if data.draw(st.booleans()) or not isinstance(node[key], dict | list) or not node[key]:
                node[key] = copy.deepcopy(data.draw(st.sampled_from(STRANGE)))
                break
            node = node[key]
    assert_sane(measured(json.dumps(value).encode()))


@given(st.binary(max_size=400))
def test_arbitrary_bytes_are_no_benchmark_and_no_exception(content: bytes) -> None:
    assert_sane(measured(content))


@given(st.sampled_from(SAMPLES), st.binary(max_size=60))
def test_every_reader_survives_every_content(path: Path, junk: bytes) -> None:
    content = document(junk + path.read_bytes()[:8000])
    for reader in readers("benchmark").values():
        try:
            found = reader.read(content)
        except FormatError:
            continue
        assert_sane(Benchmark("x", Source("x"), runs=found.runs))


def test_deep_and_huge_json_is_refused_in_one_line() -> None:
    deep = b'{"internal_states": ' + b"[" * 100_000
    found = measured(deep)
    assert found.runs == ()
    assert "\n" not in message(found)


def test_files_are_documents(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(b"0123456789")
    opened = open_document(str(path))
    assert (opened.size, opened.read(8, 10), b"".join(opened.chunks())) == (10, b"89", b"0123456789")
