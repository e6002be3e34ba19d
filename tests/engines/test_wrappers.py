"""Every format reads the same behind what containers, launchers, terminals and log services put around its lines."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hubcmp import measurements
from hubcmp.document import BytesDocument
from hubcmp.engines._wrappers import behind_noise, unwrap
from hubcmp.facts import Source
from hubcmp.measurements import Benchmark
from tests.golden_runs import FIXTURES

FIGURES = (
    "steps", "drafted", "accepted", "accept_length", "draft_acceptance_rate", "per_position", "output_throughput", "decode_throughput",
    "num_spec_tokens", "n_requests", "conditions",
)  # fmt: skip
CUT = "vllm_0.8.5_nan_cut.log"
"""Its last line is cut; behind a wrapper that ends each line nobody can see that."""
Wrap = Callable[[bytes], bytes]


def samples() -> list[Path]:
    """One sample of every format, and every server log."""
    found = []
    for folder in sorted((FIXTURES / "engines").iterdir()):
        files = [path for path in sorted(folder.iterdir()) if not path.name.endswith(".golden.json")]
        found += files if folder.name.endswith("_log") else files[:1]
    return [path for path in found if path.name != CUT]


def document(content: bytes) -> BytesDocument:
    return BytesDocument(Source("made up"), content)


def figures(content: bytes) -> tuple[str | None, str | None, list[list[object]]]:
    found: Benchmark = measurements.read([document(content)], "made up")
    return found.format, found.engine_version, [[getattr(run, name) for name in FIGURES] for run in found.runs]


def each(prefix: bytes) -> Wrap:
    """Put a prefix before each line; %d is the line's number."""

    def wrap(content: bytes) -> bytes:
        lines = enumerate(content.splitlines(keepends=True))
        return b"".join((prefix % (i % 60) if b"%" in prefix else prefix) + line for i, line in lines)

    return wrap


def envelope(key: str, end: str = "") -> Wrap:
    def wrap(content: bytes) -> bytes:
        lines = content.decode("utf-8", "replace").splitlines()
        return b"".join(json.dumps({"time": "02:40:00", key: line + end}).encode() + b"\n" for line in lines)

    return wrap


def bars(content: bytes) -> bytes:
    """A progress bar redraws itself between the lines."""
    lines = enumerate(content.splitlines(keepends=True))
    return b"".join(b"\r 10%|#   | 1/10 [00:01<00:09]\r" + line if i % 3 == 1 else line for i, line in lines)


def coloured(content: bytes) -> bytes:
    return b"".join(b"\x1b[32m" + line + b"\x1b[0m\n" for line in content.splitlines())


WRAPPERS: dict[str, Wrap] = {
    "docker logs -t": each(b"2026-12-01T02:40:%02d.123456789Z "),
    "docker compose": each(b"vllm-server-1  | "),
    "docker compose, coloured": each(b"\x1b[36mvllm-server-1  | \x1b[0m"),
    "docker json-file": envelope("log", "\n"),
    "kubectl --prefix": each(b"[pod/vllm-7d9f8c6b5d-x2x9k/server] "),
    "kubectl --prefix --timestamps": each(b"[pod/vllm-7d9f8c6b5d-x2x9k/server] 2026-12-01T02:40:%02d.123456789Z "),
    "container runtime": each(b"2026-12-01T02:40:%02d.123456789Z stdout F "),
    "journald": each(b"Dec 01 02:40:%02d node7 vllm[12345]: "),
    "journald -o short-iso": each(b"2026-12-01T02:40:%02d+0000 node7 python3[12345]: "),
    "journald -o json": envelope("MESSAGE"),
    "cloud logs": envelope("message"),
    "ts": each(b"Dec 01 02:40:%02d "),
    "ts -s": each(b"00:00:%02d "),
    "ray": each(b"(RayWorkerWrapper pid=1234, ip=10.0.0.7) "),
    "ray, coloured": each(b"\x1b[36m(RayWorker pid=1234)\x1b[0m "),
    "srun --label": each(b"0: "),
    "srun --label, padded": each(b" 0: "),
    "torch ranks": each(b"[rank0]: "),
    "torchrun": each(b"[default0]:"),
    "mpirun": each(b"[1,0]<stdout>:"),
    "GitHub Actions": each(b"2026-12-01T02:40:%02d.1234567Z "),
    "gh run view": each(b"bench\tRun benchmark\t2026-12-01T02:40:%02d.1234567Z "),
    "GitLab": each(b"2026-12-01T02:40:%02d.123456Z 01O "),
    "quoted": each(b"> "),
    "indented": each(b"    "),
    "progress bars": bars,
    "colours": coloured,
    "CRLF": lambda content: content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "CR": lambda content: content.replace(b"\r\n", b"\n").replace(b"\n", b"\r"),
    "byte order mark": lambda content: b"\xef\xbb\xbf" + content,
    "UTF-16": lambda content: content.decode("utf-8", "replace").encode("utf-16"),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_every_format_reads_the_same_behind_a_wrapper(name: str) -> None:
    for path in samples():
        content = path.read_bytes()
        assert figures(WRAPPERS[name](content)) == figures(content), path.name


def test_figures_in_colour_are_read() -> None:
    """Rich handlers colour every number of a line."""
    for folder, old in (
        ("sglang_decode_log", b"len: "),
        ("vllm_spec_log", b"Accepted: "),
        ("lmdeploy_log", b"length: "),
    ):
        path = next(p for p in sorted((FIXTURES / "engines" / folder).glob("*.log")) if old in p.read_bytes())
        content = path.read_bytes()
        assert figures(content.replace(old, old + b"\x1b[1;36m").replace(b", ", b"\x1b[0m, ")) == figures(content)


@pytest.mark.parametrize("path", samples(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_has_no_wrapper_keeps_its_own_columns(path: Path) -> None:
    content = path.read_bytes()
    assert figures(b"".join(unwrap(document(content)).chunks())) == figures(content)


def test_noise_before_json_is_left_out() -> None:
    content = (FIXTURES / "engines" / "vllm_response" / "vllm_0.33.0_chat_responses.jsonl").read_bytes()
    noise = b"WARNING: the tokenizer is slow\nwarming up {3 prompts}\n"
    assert figures(noise + content) == figures(content)
    assert behind_noise(document(content)).read(0, len(content)) == content


def test_a_column_of_names_is_no_prefix() -> None:
    """Ten services in ten lines: that is a table."""
    table = b"".join(b"name%s | 1.5\n" % bytes([97 + i]) for i in range(10))
    whole = document(table)
    assert unwrap(whole) is whole
