"""The founding case over real HTTP, and what becomes of the report when the Hub says no."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hubcmp.cli import cli
from tests.hub import COMMIT, TOKEN, Blob, Fault, Hub, Repository, header
from tests.test_story import CALL, STORY, THEIRS, build


def files() -> dict[str, Blob | bytes]:
    """The published drafter as the Hub serves it."""
    names = ("config.json", "README.md")
    texts: dict[str, Blob | bytes] = {name: (STORY / "hub" / name).read_bytes() for name in names}
    return texts | {
        "model.safetensors": header(json.loads((STORY / "hub" / "model.safetensors.header.json").read_text()))
    }


@pytest.fixture(scope="module")
def server() -> Iterator[Hub]:
    with Hub({}) as hub:
        yield hub


@pytest.fixture
def hub(server: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    """The loopback Hub with the story's drafter, an empty cache, and the story's folder as the current one."""
    server.reset()
    server.repositories = {THEIRS: Repository(files())}
    monkeypatch.setenv("HF_ENDPOINT", server.endpoint)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(build(tmp_path / "work"))
    return server


def compare(*options: str, call: tuple[str, ...] = CALL) -> tuple[Result, dict[str, Any]]:
    done = CliRunner().invoke(cli, [*call, "--format", "json", *options])
    return done, json.loads(done.stdout) if done.stdout else {}


def cell(data: dict[str, Any], metric: str, side: int = 0) -> dict[str, Any]:
    return next(r for r in data["rows"] if r["metric"] == metric)["cells"][side]


def test_the_story_over_http(hub: Hub) -> None:
    done, data = compare()
    assert done.exit_code == 0, done.output
    assert data["drafters"][0]["revision"] == COMMIT
    assert data["verdict"]["word"] == "NOT COMPARABLE AS GIVEN"
    assert data["reconciliation"]["rest"] == 0
    assert cell(data, "params_stored")["value"] == 1_190_948_864
    assert cell(data, "params_stored")["sources"][0]["revision"] == COMMIT
    assert len(hub.requests) <= 7
    assert hub.sent < 80_000


def test_markdown_links_to_the_commit(hub: Hub) -> None:
    done = CliRunner().invoke(cli, [*CALL, "--format", "markdown"])
    assert f"/blob/{COMMIT}/README.md?code=true#L31" in done.stdout
    assert hub.requests


def test_second_run_asks_only_which_commit(hub: Hub) -> None:
    first, _ = compare()
    hub.reset()
    second, data = compare()
    assert first.stdout == second.stdout
    assert [r.path for r in hub.requests] == [f"/api/models/{THEIRS}"]
    assert data["warnings"] == []


@pytest.mark.parametrize(
    ("missing", "metric", "state"),
    [("README.md", "training_samples", "absent"), ("model.safetensors", "params_stored", "absent")],
)
def test_a_missing_optional_file_is_named_and_fine(hub: Hub, missing: str, metric: str, state: str) -> None:
    kept = {name: content for name, content in files().items() if name != missing}
    hub.repositories = {THEIRS: Repository(kept)}
    done, data = compare()
    assert done.exit_code == 0, done.output
    found = cell(data, metric)
    assert (found["state"], found["value"]) == (state, None)
    assert found["reason"]
    assert cell(data, metric, side=1)["value"]


def test_a_gated_drafter_is_not_checked_and_says_what_to_do(hub: Hub) -> None:
    hub.repositories = {THEIRS: Repository(files(), gated=True)}
    done, data = compare()
    assert done.exit_code == 3
    assert cell(data, "params_stored")["state"] == "estimated"  # from the size of the file, which is public
    for metric in ("params_trainable", "training_samples"):
        assert cell(data, metric)["state"] == "not checked"
        assert "gated" in cell(data, metric)["reason"]
    assert any("token" in w["message"].lower() or "log in" in w["message"].lower() for w in data["warnings"])
    assert cell(data, "params_stored", side=1)["value"] == 2_594_729_984


def test_a_token_opens_it_and_shows_nowhere(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.repositories = {THEIRS: Repository(files(), gated=True)}
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    done, _ = compare()
    assert done.exit_code == 0, done.output
    assert TOKEN not in done.output


@pytest.mark.parametrize("ref", ["nobody/nothing", f"{THEIRS}@no-such-branch"])
def test_an_unknown_repository_or_revision_leaves_the_other_side(hub: Hub, ref: str) -> None:
    done, data = compare(call=("compare", ref, "./ckpt"))
    assert done.exit_code == 3
    assert cell(data, "params_stored", side=1)["value"] == 2_594_729_984
    assert any(w["failed"] and ref.partition("@")[0] in w["where"] + w["message"] for w in data["warnings"])
    assert hub.requests


def test_rate_limited_for_good_gives_a_partial_report(hub: Hub) -> None:
    hub.reset(Fault("429", value={"RateLimit": '"api";r=0;t=290', "Retry-After": "290"}))
    done, data = compare()
    assert done.exit_code == 3
    assert cell(data, "params_stored")["state"] == "not checked"
    assert "rate limit" in cell(data, "params_stored")["reason"]
    assert any("290" in w["message"] for w in data["warnings"])
    assert len(hub.requests) < 10


def test_nothing_at_all_is_exit_4(hub: Hub) -> None:
    done, _ = compare(call=("compare", "nobody/nothing", "nobody/else"))
    assert done.exit_code == 4
    assert hub.requests


def test_recording_replays_the_report(hub: Hub) -> None:
    online, _ = compare()
    recorded = CliRunner().invoke(cli, ["record", THEIRS, "-o", "evidence"])
    assert recorded.exit_code == 0, recorded.output
    hub.reset(Fault("drop"))
    offline, data = compare("--offline", "--cache", "evidence")
    assert offline.exit_code == 0
    assert json.loads(online.stdout)["rows"] == data["rows"]
    assert hub.requests == []


@pytest.mark.parametrize(
    "wrong",
    [
        ("--fact", "loss=3"),
        ("--given", "colour=red"),
        ("--fail-on", "accept_length"),
        ("--baseline", "nobody"),
        ("--bench", "./ckpt="),
    ],
)
def test_a_wrong_call_is_refused_before_anything_is_fetched(hub: Hub, wrong: tuple[str, str]) -> None:
    done = CliRunner().invoke(cli, ["compare", THEIRS, "./ckpt", *wrong])
    assert done.exit_code == 2
    assert hub.requests == []
