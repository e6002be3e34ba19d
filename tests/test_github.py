"""The action and the documented workflows: rights, pins, no text of strangers in scripts, and what the commenting scripts do."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from hubcmp.cli import cli
from tests.test_story import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
DOCUMENT = (ROOT / "docs" / "github.md").read_text()
OWN, COMPARE, COMMENT = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", DOCUMENT, flags=re.S))
HARNESS = """
const { context, comments, pulls } = JSON.parse(require('fs').readFileSync(0, 'utf8'))
const calls = []
const rest = {
  issues: { listComments: 'comments', createComment: async call => calls.push(['create', call]),
            updateComment: async call => calls.push(['update', call]) },
  pulls: { list: 'pulls' },
}
const paginate = async (what, query) => { calls.push([what, query]); return what === 'pulls' ? pulls : comments }
const script = process.argv[1]
const AsyncFunction = (async () => {}).constructor
new AsyncFunction('github', 'context', 'core', 'require', script)(
  { rest, paginate }, context, { notice: text => calls.push(['notice', text]) }, require,
).then(() => console.log(JSON.stringify(calls)), error => console.log(JSON.stringify([['error', error.message]])))
"""
SHA = "9fceb02d0ae598e95dc970b74767f19372d61af8"
REPO = {"owner": "us", "repo": "model"}


def steps(workflow: Any) -> list[Any]:
    """Every step of an action or workflow."""
    jobs = workflow.get("jobs", {}).values()
    return [step for job in jobs for step in job["steps"]] if jobs else workflow["runs"]["steps"]


@pytest.mark.parametrize("workflow", [ACTION, OWN, COMPARE, COMMENT], ids=["action", "own", "compare", "comment"])
def test_text_of_strangers_never_becomes_code(workflow: Any) -> None:
    for step in steps(workflow):
        assert "${{" not in step.get("run", "")
        assert "${{" not in step.get("with", {}).get("script", "")
        assert re.fullmatch(r"[\w./-]+@[\w.]+", step.get("uses", "x@v1"))


def test_rights_are_the_least() -> None:
    assert OWN["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert COMPARE["permissions"] == {"contents": "read"}
    assert COMMENT["permissions"] == {"actions": "read", "pull-requests": "write"}
    assert "pull_request_target" not in DOCUMENT
    assert not [step for step in steps(COMMENT) if "checkout" in step["uses"] or "run" in step]
    assert COMMENT[True]["workflow_run"]["workflows"] == [COMPARE["name"]]


def test_the_action_calls_options_that_exist() -> None:
    call = steps(ACTION)[-1]["run"].splitlines()[-1]
    known = {option for parameter in cli.commands["report"].params for option in parameter.opts}
    assert call.startswith("hubcmp report ")
    assert {word for word in call.split() if word.startswith("-")} <= known
    assert set(ACTION["outputs"]) == {"verdict", "exit-code", "report", "json"}


def script(workflow: Any, folder: Path, comments: list[Any], **context: Any) -> list[Any]:
    """Run a workflow's commenting script in `folder` with a made-up GitHub; return its calls in order."""
    if not shutil.which("node"):
        pytest.skip("node is not installed, so the workflow's script cannot run")
    payload = {"comments": comments, "pulls": context.pop("pulls", []), "context": {"repo": REPO, **context}}
    done = subprocess.run(
        ["node", "-e", HARNESS, steps(workflow)[-1]["with"]["script"]],
        cwd=folder, input=json.dumps(payload), capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return json.loads(done.stdout)


def note(body: str, login: str = "github-actions[bot]", number: int = 5) -> dict[str, Any]:
    return {"id": number, "user": {"login": login}, "body": body}


BODY = "<!-- hubcmp:drafter 0123456789abcdef -->\n# report\n"


@pytest.mark.parametrize(
    ("comments", "last"),
    [
        ([], "create"),
        ([note(BODY, "mallory")], "create"),
        ([note("look: " + BODY)], "create"),
        ([note(BODY.replace("drafter", "drafter2"))], "create"),
        ([note(BODY.replace("0123", "ffff"))], "update"),
        ([note(BODY.replace("\n", "\r\n"))], "comments"),
    ],
    ids=["first", "planted", "quoted", "other id", "changed", "unchanged"],
)
def test_the_comment_is_found_again(tmp_path: Path, comments: list[Any], last: str) -> None:
    (tmp_path / "hubcmp-report").mkdir()
    (tmp_path / "hubcmp-report" / "comment.md").write_text(BODY)
    calls = script(OWN, tmp_path, comments, payload={"pull_request": {"number": 7}})
    assert calls[0] == ["comments", REPO | {"issue_number": 7, "per_page": 100}]
    assert calls[-1][0] == last
    if last != "comments":
        assert calls[-1][1]["body"] == BODY


RUN = {
    "head_sha": SHA,
    "head_branch": "patch-1",
    "head_repository": {"owner": {"login": "fork"}},
    "html_url": "https://github.com/us/model/actions/runs/1",
}
PULLS = [{"number": 11, "head": {"sha": "0" * 40}}, {"number": 12, "head": {"sha": SHA}}]
REPORT = {
    "schema_version": 1,
    "verdict": {"word": "COMPARABLE", "sentence": "@everyone <img src=x>"},
    "gates": [{"outcome": "passed", "gate": "@team"}, {"outcome": "failed"}, {"outcome": "not decided"}],
    "pull_request": 1,
    "number": 1,
}


def comment(folder: Path, report: object, pulls: list[Any] = PULLS, comments: list[Any] | None = None) -> list[Any]:
    (folder / "report").mkdir()
    text = report if isinstance(report, str) else json.dumps(report)
    (folder / "report" / "report.json").write_text(text)
    return script(COMMENT, folder, comments or [], pulls=pulls, payload={"workflow_run": RUN})


def test_a_forks_comment_goes_to_the_pull_request_of_the_event(tmp_path: Path) -> None:
    calls = comment(tmp_path, REPORT)
    assert calls[0] == ["pulls", REPO | {"head": "fork:patch-1", "state": "open"}]
    name, call = calls[-1]
    assert (name, call["issue_number"]) == ("create", 12)
    assert call["body"].startswith(
        f"<!-- hubcmp:drafter {SHA} -->\n**COMPARABLE**. Gates: 1 failed, 1 not decided, 1 passed."
    )
    assert "@" not in call["body"]
    assert "<img" not in call["body"]


@pytest.mark.parametrize(
    "report",
    [
        REPORT | {"verdict": {"word": "COMPARABLE @everyone"}},
        REPORT | {"gates": [{"outcome": "passed <b>"}]},
        REPORT | {"gates": {"length": 1}},
        REPORT | {"schema_version": 2},
        {"schema_version": 1, "verdict": {"word": "COMPARABLE"}},
        "null",
        "[]",
        "{",
        "x" * 20_000_001,
    ],
    ids=lambda report: str(report)[:40],
)
def test_a_forged_artifact_is_refused(tmp_path: Path, report: object) -> None:
    assert [name for name, _ in comment(tmp_path, report)] == ["error"]


def test_without_an_open_pull_request_nothing_is_said(tmp_path: Path) -> None:
    assert [name for name, _ in comment(tmp_path, REPORT, pulls=PULLS[:1])] == ["pulls", "notice"]
