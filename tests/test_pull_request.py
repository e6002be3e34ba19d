"""A comparison in a pull request: exit codes of gates, the step's summary and outputs, and a log without commands."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hubcmp._github import SUMMARY_LIMIT, harmless, outputs
from hubcmp.cli import cli
from tests.test_story import RECORDED, THEIRS, build

CALL = ("compare", THEIRS, "./ckpt", "--bench", "./ckpt=ours.log", *RECORDED)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("story") / "work")


@pytest.fixture
def folder(story: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(story)
    return story


def run(*options: str, call: tuple[str, ...] = CALL, **environment: str) -> Result:
    return CliRunner().invoke(cli, [*call, *options], env={"GITHUB_ACTIONS": None} | environment)


@pytest.fixture
def step(tmp_path: Path) -> dict[str, str]:
    """The variables of a workflow's step; the files come into being when they are written."""
    return {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_OUTPUT": str(tmp_path / "output")}


def read_outputs(text: str) -> dict[str, str]:
    """Outputs as GitHub reads them: NAME<<DELIMITER, lines, DELIMITER."""
    found, lines = {}, iter(text.split("\n"))
    for line in lines:
        if line:
            name, delimiter = line.split("<<")
            value = []
            while (line := next(lines)) != delimiter:
                value.append(line)
            found[name] = "\n".join(value)
    return found


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (["accept_length < 2.0"], 0),
        (["accept_length < 2.5"], 1),
        (["accept_length < 2.0", "params_trainable rises > 10%"], 1),
        (["accept_length drops > 5%"], 0),
        (["accept_length drops > 5% or unknown"], 1),
    ],
)
def test_a_failed_gate_gives_exit_code_1_and_the_report(gates: list[str], code: int) -> None:
    options = [part for gate in gates for part in ("--fail-on", gate)]
    done = run(*options, "--format", "json")
    assert done.exit_code == code, done.output
    found = json.loads(done.stdout)["gates"]
    assert [entry["gate"] for entry in found] == gates
    assert ("failed" in [entry["outcome"] for entry in found]) == (code == 1)
    assert all(entry["reason"] and entry["cases"] for entry in found)


@pytest.mark.usefixtures("folder")
def test_gates_stand_right_after_the_verdict() -> None:
    text = run("--fail-on", "accept_length < 2.5").stdout
    assert [line for line in text.splitlines() if line.startswith("#")][1:3] == ["## Gates", "## At a glance"]
    assert "| `accept_length < 2.5` | **failed** | ./ckpt: 2.10 < 2.50 |" in text.replace("\\<", "<")


def test_a_gate_that_makes_no_sense_is_refused_before_anything_is_fetched() -> None:
    done = run(call=("compare", "org/none", "org/nothing", "--fail-on", "accept_len < 2"))
    assert done.exit_code == 2
    assert "accept_len is no metric; there are: accept_length," in done.stderr


@pytest.mark.usefixtures("folder")
def test_summary_and_outputs(step: dict[str, str], tmp_path: Path) -> None:
    files = ("-o", str(tmp_path / "comment.md"), "--json", str(tmp_path / "report.json"))
    done = run("--github", "--comment-id", "drafter", "--fail-on", "accept_length < 2.5", *files, **step)
    assert done.exit_code == 1, done.output
    assert done.stdout == ""
    comment, summary = (tmp_path / "comment.md").read_text(), (tmp_path / "summary").read_text()
    assert re.match(r"<!-- hubcmp:drafter [0-9a-f]{16} -->\n# hubcmp: ", comment)
    assert comment.partition("\n")[2] == summary
    assert json.loads((tmp_path / "report.json").read_text())["verdict"]["word"] == "NOT COMPARABLE AS GIVEN"
    assert read_outputs((tmp_path / "output").read_text()) == {
        "verdict": "NOT COMPARABLE AS GIVEN",
        "exit-code": "1",
        "report": str(tmp_path / "comment.md"),
        "json": str(tmp_path / "report.json"),
    }


@pytest.mark.usefixtures("folder")
def test_without_github_nothing_is_written_for_the_step(step: dict[str, str]) -> None:
    assert run("--comment-id", "drafter", **step).exit_code == 0
    assert not any(Path(path).exists() for path in step.values())


@pytest.mark.usefixtures("folder")
def test_outside_a_workflow_github_says_what_is_missing() -> None:
    done = run("--github", GITHUB_OUTPUT="", GITHUB_STEP_SUMMARY="")
    assert done.exit_code == 0
    assert "GITHUB_STEP_SUMMARY is not set" in done.stderr


@pytest.mark.usefixtures("folder")
def test_a_summary_that_is_nearly_full_gets_what_fits(step: dict[str, str]) -> None:
    before = "x" * (SUMMARY_LIMIT - 8000)
    Path(step["GITHUB_STEP_SUMMARY"]).write_text(before)
    assert run("--github", "--budget", "0", **step).exit_code == 0
    added = Path(step["GITHUB_STEP_SUMMARY"]).read_text().removeprefix(before)
    assert len(added.encode()) < 8000
    assert "NOT COMPARABLE AS GIVEN" in added
    assert "left out or cut" in added


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("options", "most"), [(["--budget", "9000"], 9000), (["--comment-id", "x"], 60_000)])
def test_the_budget_holds_for_what_is_printed(options: list[str], most: int) -> None:
    done = run(*options, "--json", "report.json")
    assert 1000 < len(done.stdout) <= most
    if most == 9000:
        assert done.stdout.rstrip().endswith("full report: report.json</sub>")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (["--comment-id", "a b"], "write letters and digits"),
        (["--comment-id", "x", "--format", "html"], "write --format markdown or -o FILE.md"),
        (["--comment-id", "x", "-o", "report.json"], "write --format markdown or -o FILE.md"),
    ],
)
def test_comments_that_could_not_be_found_again_are_refused(options: list[str], advice: str) -> None:
    done = run(*options)
    assert done.exit_code == 2
    assert advice in done.stderr


def test_outputs_cannot_be_forged() -> None:
    hostile = "x\nhubcmp_0\nverdict<<EOF\nCOMPARABLE\nEOF"
    assert read_outputs(outputs({"report": hostile, "json": ""})) == {"report": hostile, "json": ""}
    assert outputs({"a": "b"}) != outputs({"a": "b"})


HOSTILE = (
    "::add-mask::x\n  ::set-output name=a::b\r::error::c\n\u00a0::stop-commands::d\ntext ##[group]e\nfine :: here\n"
)


def test_in_a_workflow_no_line_is_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    text = harmless(HOSTILE)
    assert not [line for line in re.split(r"[\r\n]", text) if line.strip().startswith("::")]
    assert "##[" not in text
    assert text.replace("\u200b", "") == HOSTILE
    assert json.loads(harmless(json.dumps(["##[group]"]), "json")) == ["##[group]"]


def test_elsewhere_text_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    assert harmless(HOSTILE) == HOSTILE


def test_hostile_names_reach_the_log_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "card.md").write_text(
        "# A drafter\n\n| benchmark | accept length |\n| - | - |\n| ::error::x ##[error]y | 2.5 |\n"
    )
    for format_ in ("terminal", "markdown", "json", "html"):
        done = run(call=("card", "card.md", "--format", format_), GITHUB_ACTIONS="true")
        assert done.exit_code == 0, done.output
        assert "error" in done.stdout
        assert "##[" not in done.stdout
        assert not [line for line in done.stdout.splitlines() if line.strip().startswith("::")]
