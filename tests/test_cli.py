"""The command line as a new user meets it: wrong calls, exit codes, pipes, locales and terminals."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hubcmp.cli import cli
from tests.test_story import ROOT, THEIRS, build

CLOSED = "http://127.0.0.1:9"
"""An address where nobody listens (the discard port)."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder: a checkpoint, logs, and things that are none of these."""
    folder = build(tmp_path_factory.mktemp("cli") / "desk")
    shutil.copytree(ROOT / "fixtures" / "recorded", folder / "recorded")
    for name in ("one", "two"):
        (folder / "checkpoints" / name).mkdir(parents=True)
        shutil.copy(folder / "ckpt" / "config.json", folder / "checkpoints" / name)
    for name in ("empty", "notes", "garbled"):
        (folder / name).mkdir()
    (folder / "notes" / "todo.txt").write_text("train more\n")
    (folder / "garbled" / "config.json").write_bytes(bytes(range(128, 256)) * 8)
    (folder / "card.md").write_text("# A card\n")
    (folder / "empty.log").touch()
    (folder / "other.log").write_text("nothing that is known\n")
    (folder / "noise.bin").write_bytes(bytes(range(256)) * 8)
    (folder / "a=b.log").write_text("nothing that is known\n")
    return folder


@pytest.fixture(autouse=True)
def _there(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk)


def call(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(cli, arguments, prog_name="hubcmp", env={"HF_HOME": "hf", **environment})


def both(*options: str) -> tuple[str, ...]:
    """A comparison that works, with these options."""
    return ("compare", THEIRS, "./ckpt", "--offline", "--cache", "recorded", *options)


WRONG = [
    (("compare",), 2, "Missing argument 'REF REF...'; see"),
    (("compare", "./ckpt"), 2, "compare needs at least two references, for example"),
    (("compare", "./ckptt", "./ckpt"), 2, "./ckptt: no such file or folder; for a Hub repository write hub:org/name; did you mean ./ckpt?"),
    (("compare", "ckptt", "./ckpt"), 2, "neither a file or folder here nor a repository id; write a path, or org/name; did you mean ckpt?"),
    (("compare", "ckpt/confg.json", "./ckpt"), 2, "did you mean ckpt/config.json?"),
    (("compare", "./ckpt", "./ckpt"), 2, "./ckpt is given twice; name another drafter, or tell two runs of it apart"),
    (("compare", "-", "./ckpt"), 2, "-: standard input is no drafter; benchmark output goes behind --bench"),
    (("compare", "http://127.0.0.1:9/metrics", "./ckpt"), 2, "a server is no drafter; benchmark output goes behind --bench"),
    (("compare", "./checkpoints", "./ckpt"), 2, "./checkpoints holds 2 checkpoints: one, two; name one, for example ./checkpoints/two"),
    (("comapre", "./ckpt", "./ckpt"), 2, "No such command 'comapre'"),
    (("params", ""), 2, "'' is not a reference; write org/name, a folder or a file"),
    (("params", "org/name@"), 2, "'' is not a revision; write a branch, a tag or a commit sha after the @"),
    (("params", "org/name:v1"), 2, "org/name:v1: a revision stands behind @; write org/name@v1"),
    (("params", "org/name", "--require-sha"), 2, "org/name: its default branch moves; write org/name@ and the whole commit sha"),
    (("params", "org/name@v1", "--require-sha"), 2, "org/name@v1: v1 may move; write org/name@ and the whole commit sha"),
    (("params", "https://mirror.example/org/name"), 2, "and the address of a mirror of the Hub into HF_ENDPOINT"),
    (("params", "a/b/c"), 2, "a/b/c: neither a file or folder here nor a repository id"),
    (("params", "https://huggingface.co/datasets/a/b"), 2, "is no model repository; give the page of one"),
    (("params", "./empty"), 4, "./empty: holds no config.json, README.md or weight file; name the folder of a checkpoint"),
    (("params", "./notes"), 4, "./notes: holds no config.json, README.md or weight file"),
    (("params", "./garbled"), 4, "./garbled: config.json: not valid JSON"),
    (("params", "./noise.bin"), 4, "./noise.bin: not a weight file that is known; safetensors, torch zip files and GGUF are"),
    (("params", "ours.log"), 4, "ours.log: is no weight file, config or card; benchmark output goes behind --bench"),
    (("params", "org/name", "--offline"), 4, "org/name: it is not in the cache, and offline nothing is asked for; run once online"),
    (("card", "ours.log"), 4, "ours.log: is no weight file, config or card"),
    (("card", "ckpt/config.json"), 4, "ckpt/config.json: is no card; a card is a Markdown file such as README.md"),
    (("bench", "missing.log"), 4, "missing.log: no such file; give a benchmark's output, a log or a scrape"),
    (("bench", "./ckpt"), 4, "./ckpt: a folder; give a benchmark's output"),
    (("bench", "empty.log"), 4, "empty.log: the file is empty; nothing was measured"),
    (("bench", "a..b"), 4, "a..b: no such file"),
    (("bench", "card.md"), 4, "card.md: no known benchmark format; expected the output, log, answers or scrape"),
    (("depth", "2.1", "--to", "3"), 2, "2.1: write an accept length and the draft depth it was measured at, such as 2.10@2"),
    (("depth", "2.1@2"), 2, "Missing option '--to'; see"),
    (("depth", "2.1@2", "--to", "0"), 2, "Invalid value for '--to': 0 is not in the range"),
    (("depth", "5@2", "--to", "3"), 2, "an accept length of 5 is not possible at draft depth 2: it lies between 1 and 3"),
    (("depth", "nan@2", "--to", "3"), 2, "nan@2: write an accept length"),
    (("report", "--config", "none.toml"), 2, "none.toml: No such file or directory; write one as the README shows"),
    (("record", "./ckpt"), 2, "Missing option '-o' / '--output'; see"),
    (("record", "org/name", "-o", "kept", "--offline"), 4, "org/name: it is not in the cache"),
    (("cache", "frob"), 2, "No such command 'frob'; see"),
    (both("--format", "pdf"), 2, "'pdf' is not one of 'terminal', 'markdown',"),
    (both("--fromat", "json"), 2, "No such option '--fromat'"),
    (both("-o", "report.docx"), 2, "report.docx: its ending names no format; write --format, or end the name in .md"),
    (both("-o", "nowhere/report.md"), 2, "-o nowhere/report.md: nowhere is no folder; choose another place"),
    (both("-o", "ckpt"), 2, "File 'ckpt' is a directory; see"),
    (both("--baseline", "./other"), 2, "--baseline ./other: name one of the references of this call, or its number (1 to 2)"),
    (both("--bench", "missing.log"), 3, "missing.log: no such file; give a benchmark's output, a log or a scrape"),
    (both("--bench", "nobody=ours.log"), 3, f"nobody is no REF of this call either, those are {THEIRS} and ./ckpt"),
    (both("--bench", "3=ours.log"), 3, "3 is no REF of this call either"),
    (both("--bench", "a=b.log"), 3, "a=b.log: no known benchmark format"),
    (both("--bench", "card.md"), 3, "card.md: no known benchmark format"),
    (both("--bench", "2="), 2, "--bench 2=: nothing is given; hubcmp compare --help shows how it is written"),
    (both("--bench", "ours.log", "--bench", "2=ours.log"), 2, "--bench 2=ours.log: it is given twice, and would count twice"),
    (both("--bench", "ours.log", "--plain", "ours.log"), 3, "ours.log: this run speculates, so it is no plain decoding"),
    (both("--fact", "samples=37K"), 2, "--fact samples=37K: write METRIC=VALUE with a metric of: accept_length,"),
    (both("--fact", "training_samples"), 2, "write METRIC=VALUE"),
    (both("--fact", "training_samples=lots"), 2, "not a quantity: 'lots'; write a number such as 37000, 37K or 1.4M"),
    (both("--fact", "accept_length=-3"), 2, "accept length lies between 0 and 1,000,000"),
    (both("--fact", "accept_rate=250%"), 2, "accept rate lies between 0 and 1"),
    (both("--fact", "accept_length=1e999"), 2, "not a quantity"),
    (both("--given", "temprature=0"), 2, "write KEY=VALUE,... with keys of: benchmark,"),
    (both("--given", "temperature=hot"), 2, "--given temperature=hot: write a number"),
    (both("--given", "temperature=nan"), 2, "write a number from 0 to"),
    (both("--given", "num_steps=0"), 2, "write a number from 1 to"),
    (both("--given", "num_steps=2.5"), 2, "write a whole number"),
    (both("--given", "topk=1", "--given", "topk=2"), 2, "topk is given twice, as 1 and as 2; give it once"),
    (both("--fail-on", "accept_lenght < 2"), 2, "accept_lenght is no metric; there are: accept_length,"),
]  # fmt: skip
"""(call, exit code, words of the line that says what is wrong and what to do)"""


@pytest.mark.parametrize(
    ("arguments", "code", "words"), WRONG, ids=lambda v: " ".join(v) if isinstance(v, tuple) else ""
)
def test_a_wrong_call_gives_one_clear_line(arguments: tuple[str, ...], code: int, words: str) -> None:
    done = call(*arguments)
    lines = done.stderr.splitlines()
    assert done.exit_code == code, done.stderr
    assert all(line.startswith("hubcmp: ") for line in lines)
    assert len([line for line in lines if words in line]) == 1, done.stderr
    assert code != 2 or (len(lines) == 1 and done.stdout == "")


@pytest.mark.parametrize(
    ("address", "code", "words"),
    [
        ("nonsense", 2, "HF_ENDPOINT is not an address like https://huggingface.co; correct it or unset it"),
        ("http://example.com", 2, "http to example.com would send your token in the clear; use https"),
        (CLOSED, 4, "org/name: no connection to 127.0.0.1; check the network, the proxy or HF_ENDPOINT"),
    ],
)
def test_an_endpoint_of_no_use_is_named(address: str, code: int, words: str) -> None:
    done = call("params", "org/name", HF_ENDPOINT=address)
    assert done.exit_code == code
    assert done.stderr.splitlines() == [f"hubcmp: {line}" for line in done.stderr.replace("hubcmp: ", "").splitlines()]
    assert words in done.stderr


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"HF_TOKEN": "hf_\u043f"}, "the token holds characters that no token has; set HF_TOKEN anew or log in again"),
        ({"SSL_CERT_FILE": "nowhere.pem"}, "no connection can be set up (FileNotFoundError); check SSL_CERT_FILE"),
        (
            {"HTTP_PROXY": "ftp://x", "NO_PROXY": ""},
            "no connection can be set up (ValueError); check SSL_CERT_FILE and the proxy",
        ),
    ],
)
def test_an_environment_that_allows_no_connection_is_named(environment: dict[str, str], words: str) -> None:
    """In a process of its own, since the library keeps one client."""
    with start("params", "org/name", HF_ENDPOINT=CLOSED, HF_HOME="hf", **environment) as child:
        assert child.stderr is not None
        line = child.stderr.read().decode()
    assert child.returncode == 4
    assert line.startswith(f"hubcmp: org/name: {words}")
    assert line.count("\n") == 1


def test_two_runs_of_one_drafter_are_told_apart_by_number() -> None:
    done = call("compare", "./ckpt", "./ckpt", "--bench", "1=ours.log", "--bench", "2=ours.log", "--offline")
    assert done.exit_code == 0, done.stderr


def test_a_failed_source_is_named_on_stderr_and_in_the_report() -> None:
    done = call(*both("--bench", "missing.log", "--format", "json"))
    assert done.exit_code == 3
    assert done.stderr == "hubcmp: missing.log: no such file; give a benchmark's output, a log or a scrape\n"
    assert json.loads(done.stdout)["warnings"]


def test_one_reference_that_cannot_be_recorded_does_not_keep_the_others_away() -> None:
    done = call("record", "org/name", THEIRS, "./ckpt", "-o", "evidence", "--offline", "--cache", "recorded")
    assert done.exit_code == 3
    assert len(done.stdout.splitlines()) == 2
    again = call("compare", THEIRS, "./ckpt", "--offline", "--cache", "evidence")
    assert again.exit_code == 0, again.stderr


def test_a_recording_of_torch_weights_gives_the_same_ledger(desk: Path) -> None:
    """The names of a torch zip lie at its end, and its sizes in between."""
    torch = pytest.importorskip("torch")
    (desk / "torch").mkdir(exist_ok=True)
    tensors = {"lm_head.weight": torch.zeros(1000, 64), "midlayer.self_attn.q_proj.weight": torch.zeros(512, 512)}
    torch.save(tensors, desk / "torch" / "pytorch_model.bin")
    here = call("params", "torch", "--format", "json")
    assert call("record", "torch", "-o", "kept").exit_code == 0
    kept = call("params", "kept", "--format", "json")
    assert (here.exit_code, kept.exit_code) == (0, 0), kept.stderr
    assert json.loads(here.stdout) == json.loads(kept.stdout)
    assert sum(path.stat().st_size for path in (desk / "kept").rglob("*") if path.is_file()) < 300_000


def start(*arguments: str, **environment: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "hubcmp", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | environment,
    )  # fmt: skip


def test_a_reader_that_stops_early_is_no_error() -> None:
    with start(*both("--bench", "ours.log"), PYTHONUNBUFFERED="1") as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait() == 0


def test_a_pipe_gets_the_same_bytes_under_every_locale() -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    outputs = []
    for environment in (plain, {"LC_ALL": "C.UTF-8"}):
        with start(*both("--bench", "ours.log"), **environment) as child:
            outputs.append(child.communicate()[0])
            assert child.returncode == 0
    assert outputs[0] == outputs[1]
    assert "≈".encode() in outputs[0]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_at_once_with_one_line() -> None:
    """The server takes the connection and never answers, so only the interrupt can end the call early."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        with start("params", "org/name", HF_ENDPOINT=address, HF_HOME="hf") as child:
            connection, _ = server.accept()
            with connection:
                child.send_signal(signal.SIGINT)
                out, err = child.communicate()
    assert (child.returncode, out) == (130, b"")
    assert err.decode().split("\n") == ["", "hubcmp: interrupted", ""]


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_a_terminal_is_told_what_is_waited_for() -> None:
    """On a terminal's stderr and nowhere else; the server never answers, so only the interrupt ends the wait."""
    import pty

    master, slave = pty.openpty()
    with socket.create_server(("127.0.0.1", 0)) as server:
        environment = os.environ | {"HF_ENDPOINT": f"http://127.0.0.1:{server.getsockname()[1]}", "TERM": "xterm"}
        command = [sys.executable, "-m", "hubcmp", "params", "org/name"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=slave, env=environment | {"HF_HOME": "hf"}
        ) as child:
            os.close(slave)
            seen = b""
            while b"hubcmp: reading org/name" not in seen:
                seen += os.read(master, 1024)
            child.send_signal(signal.SIGINT)
            assert child.stdout is not None
            assert child.stdout.read() == b""
    assert child.returncode == 130
    os.close(master)


@pytest.mark.parametrize("format_", ["terminal", "markdown", "html", "json"])
def test_hostile_text_never_reaches_a_terminal(desk: Path, format_: str) -> None:
    hostile = "\x1b]0;owned\x07\x9b31m\u202e\u200b"
    (desk / "hostile").mkdir(exist_ok=True)
    (desk / "hostile" / "README.md").write_text(
        f"# EAGLE-3{hostile}\n\n| Benchmark | accept length |\n|-|-|\n| MT{hostile} | 2.5 |\n"
    )
    (desk / "hostile" / "config.json").write_text(json.dumps({"model_type": f"llama{hostile}", "hidden_size": hostile}))
    (desk / "hostile" / f"m{hostile.replace('/', '')}.safetensors").write_bytes(b"12345678")
    for done in (
        call("compare", "./hostile", "./ckpt", "--format", format_),
        call("card", "./hostile", "--format", format_),
    ):
        assert "MT" in done.stdout
        assert not any(c in done.output for c in "\x1b\x07\x9b\u202e\u200b")


def test_paths_are_completed() -> None:
    for words in ("hubcmp compare ./c", "hubcmp compare --bench ou", "hubcmp params c"):
        done = call(_HUBCMP_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
        assert done.stdout.startswith("file,")
