"""hubcmp.toml: read as the command line would say it, paths from where the file lies, and refused with advice."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hubcmp.cli import cli
from hubcmp.errors import UsageError
from hubcmp.project import KEYS, Project, parse
from tests.test_story import RECORDED, THEIRS, build

TWO = 'drafters = ["org/theirs", "./ckpt"]\n'


def nothing(path: str) -> bool:
    return False


def lies(*paths: str) -> Callable[[str], bool]:
    return lambda path: path in paths


def read(text: str, name: str = "hubcmp.toml", there: Callable[[str], bool] = nothing) -> Project:
    return parse(text.encode(), name, there)


def test_everything_a_file_may_say() -> None:
    text = TWO + (
        'target = "org/target"\nbaseline = "./ckpt"\nbenches = ["./ckpt=ours.log", "1=theirs.json"]\nplains = "plain.log"\n'
        'givens = ["temperature=0,benchmark=MT-Bench"]\nfacts = ["org/theirs=training_samples=1.4M"]\n'
        'train_data = "data/*.parquet"\ngates = ["accept_length < 2.0"]\noutput = ["report.md", "report.json"]\n'
    )  # fmt: skip
    assert read(text) == Project(
        refs=("org/theirs", "./ckpt"),
        bench=("2=ours.log", "1=theirs.json"),
        plain=("2=plain.log",),
        fact=("1=training_samples=1.4M",),
        given=("1=target_model=org/target", "2=target_model=org/target", "2=temperature=0,benchmark=MT-Bench"),
        train_data=("2=data/*.parquet",),
        baseline="2",
        fail_on=("accept_length < 2.0",),
        output=(Path("report.md"), Path("report.json")),
    )


@pytest.mark.parametrize(
    ("written", "source", "there"),
    [
        ("ours.log", "sub/ours.log", ()),
        ("./ours.log", "sub/ours.log", ()),
        ("../ours.log", "sub/../ours.log", ()),
        ("/var/ours.log", "/var/ours.log", ()),
        ("-", "-", ()),
        ("logs/*.log", "sub/logs/*.log", ()),
        ("a.prom..b.prom", "sub/a.prom..sub/b.prom", ("sub/a.prom", "sub/b.prom")),
        ("../a.prom..b.prom", "sub/../a.prom..sub/b.prom", ("sub/../a.prom", "sub/b.prom")),
        ("a..b.log", "sub/a..b.log", ("sub/a..b.log",)),
    ],
)
def test_sources_lie_where_the_file_lies(written: str, source: str, there: tuple[str, ...]) -> None:
    found = read(TWO + f'benches = "{written}"', "sub/hubcmp.toml", lies(*there))
    assert found.bench == (f"2={source}",)


def test_drafters_lie_where_the_file_lies() -> None:
    text = 'drafters = ["org/theirs", "./ckpt", "ckpt", "/models/x", "local/one"]\nbenches = "./ckpt=a.log"\noutput = "r.md"'
    found = read(text, "sub/hubcmp.toml", lies("sub/local/one"))
    assert found.refs == ("org/theirs", "sub/ckpt", "ckpt", "/models/x", "sub/local/one")
    assert found.bench == ("2=sub/a.log",)
    assert found.output == (Path("sub/r.md"),)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "name two or more drafters"),
        ('drafters = ["a/b"]', "name two or more drafters"),
        ("drafters = [", "no TOML ("),
        ("drafters = 3", "drafters is a string or a list of strings"),
        ("drafters = [1, 2]", "drafters is a string or a list of strings"),
        (TWO + 'bench = "x.log"', f"unknown key 'bench'; did you mean benches? there are: {', '.join(KEYS)}"),
        (TWO + "[tool]\nx = 1", f"unknown key 'tool'; there are: {', '.join(KEYS)}"),
        (TWO + "[benches]\nx = 1", "benches is a string or a list of strings"),
        (TWO + 'target = ["a", "b"]', "target is one string"),
        (TWO + 'gates = [""]', "gates is a string or a list of strings"),
        (TWO * 2, "no TOML ("),
    ],
)
def test_refused_with_one_line_of_advice(text: str, advice: str) -> None:
    with pytest.raises(UsageError) as error:
        read(text, "sub/hubcmp.toml")
    assert str(error.value).startswith("sub/hubcmp.toml: ")
    assert advice in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(UsageError, match="no TOML"):
        parse(b"\xff\xfe", "hubcmp.toml", nothing)


def run(*options: str) -> Result:
    return CliRunner().invoke(cli, ["report", *options, *RECORDED])


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("story") / "work")


def test_report_is_the_comparison_it_describes(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(story)
    done = run("--format", "json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert [d["ref"] for d in data["drafters"]] == [THEIRS, "./ckpt"]
    assert [gate["outcome"] for gate in data["gates"]] == ["passed", "passed", "not decided"]
    assert data["drafters"][1]["given"] == {"temperature": 0}


def test_report_runs_from_anywhere(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(story.parent)
    done = run("--config", "work/hubcmp.toml", "--format", "json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert [d["ref"] for d in data["drafters"]] == [THEIRS, "work/ckpt"]
    assert data["drafters"][1]["given"] == {"temperature": 0}


def test_report_writes_what_the_file_names(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(story)
    text = (story / "hubcmp.toml").read_text()
    (story / "other.toml").write_text(f'{text}output = ["out.md", "out.json"]\n')
    done = run("--config", "other.toml", "--comment-id", "ci")
    assert (done.exit_code, done.stdout) == (0, "")
    assert (story / "out.md").read_text().startswith("<!-- hubcmp:ci ")
    assert json.loads((story / "out.json").read_text())["verdict"]["word"] == "NOT COMPARABLE AS GIVEN"


def test_without_a_file_report_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run()
    assert done.exit_code == 2
    assert "hubcmp.toml: No such file or directory" in done.stderr


def test_a_failed_gate_of_the_file_fails(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(story)
    text = (story / "hubcmp.toml").read_text()
    (story / "strict.toml").write_text(text.replace("accept_length < 2.0", "accept_length < 2.5"))
    assert run("--config", "strict.toml").exit_code == 1
