"""The plain transport: when it may be used, how it reads bodies, and that its troubles are left to huggingface_hub's session."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hubcmp.reference import Reference
from hubcmp.sources import Access, Patience, _plain
from hubcmp.sources._http import Session, Wanted
from hubcmp.sources._plain import Plain
from hubcmp.sources.hub import fetch
from tests.hub import TOKEN, Fault, Hub

QUICK = Access(patience=Patience(total=5.0, silence=1.0, pause=0.01), plain=True)
NOWHERE = {"HF_HOME": "/no/such/folder"}


def test_nobody_logged_in_and_no_proxy_needs_no_library() -> None:
    assert _plain.suffices(NOWHERE, {})
    assert _plain.suffices({**NOWHERE, "HF_TOKEN": " ", "HTTPS_PROXY": "", "NO_PROXY": "localhost"}, {})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HF_TOKEN", "hf_x"),
        ("HUGGING_FACE_HUB_TOKEN", "hf_x"),
        ("HF_OIDC_RESOURCE", "org/name"),
        ("HTTPS_PROXY", "http://proxy:8080"),
        ("http_proxy", "http://proxy:8080"),
        ("All_Proxy", "http://proxy:8080"),
    ],
)
def test_a_token_or_a_proxy_needs_the_library(name: str, value: str) -> None:
    assert not _plain.suffices({**NOWHERE, name: value}, {})


def test_a_saved_token_needs_the_library(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("hf_x")
    assert not _plain.suffices({"HF_HOME": str(tmp_path)}, {})
    assert not _plain.suffices({**NOWHERE, "HF_TOKEN_PATH": str(tmp_path / "token")}, {})
    assert _plain.suffices({"HF_HOME": str(tmp_path), "HF_TOKEN_PATH": str(tmp_path / "none")}, {})


@pytest.mark.parametrize("module", ["huggingface_hub", "google.colab"])
def test_a_program_that_may_have_set_a_client_factory_needs_the_library(module: str) -> None:
    assert not _plain.suffices(NOWHERE, {module: object()})


def session(hub: Hub) -> Session:
    return Session(hub.endpoint, QUICK.patience, Plain())


def test_connections_are_used_again_and_closed_in_the_end(hub: Hub) -> None:
    asking = session(hub)
    for _ in range(3):
        assert asking.get(f"{hub.endpoint}/org/drafter/resolve/main/config.json", Wanted(1000)).status == 200
    assert isinstance(asking.transport, Plain)
    assert {place: len(idle) for place, idle in asking.transport._idle.items()} == {
        ("http", "127.0.0.1", int(hub.endpoint.rpartition(":")[2])): 1
    }
    asking.transport.close()
    assert asking.transport._idle == {}


def test_compressed_text_is_bounded_by_what_it_unpacks_to(hub: Hub) -> None:
    hub.repositories["org/drafter"].files["README.md"] = b"a" * 900_000
    asking = session(hub)
    url = f"{hub.endpoint}/org/drafter/resolve/main/README.md"
    assert asking.get(url, Wanted(1_000_000)).body == b"a" * 900_000
    assert hub.sent < 5_000
    with pytest.raises(Exception, match="more than 100,000 bytes"):
        asking.get(url, Wanted(100_000))
    asking.transport.close()


def test_trouble_is_left_to_the_library_at_once(hub: Hub) -> None:
    hub.reset(Fault("drop", "*", times=1))
    asking = session(hub)
    assert asking.get(f"{hub.endpoint}/org/drafter/resolve/main/config.json", Wanted(1000)).status == 200
    assert not isinstance(asking.transport, Plain)
    assert len(hub.requests) == 3


def test_refusals_are_final_without_the_library(hub: Hub) -> None:
    bundle = fetch(Reference("org/gated", "hub", "org/gated"), QUICK)
    assert "HF_TOKEN" in bundle.problems[0].message
    assert len(hub.requests) == 4


def test_endpoint_without_tls_is_named(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint.replace("http:", "https:"))
    problems = fetch(Reference("org/drafter", "hub", "org/drafter"), replace(QUICK, plain=True)).problems
    assert [("certificates" in p.message, "127.0.0.1" in p.message) for p in problems] == [(True, True)]


CHILD = """
import json, sys
from hubcmp import api
answer = api.params(["org/drafter"])
print(json.dumps([answer.failed, "huggingface_hub" in sys.modules]))
"""


@pytest.mark.parametrize("token", ["", TOKEN])
def test_the_library_is_loaded_only_where_it_is_needed(hub: Hub, token: str) -> None:
    environment = {**os.environ, "HF_TOKEN": token}
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        environment.pop(name, None)
        environment.pop(name.lower(), None)
    run = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True, env=environment)
    assert json.loads(run.stdout) == [False, bool(token)]
    assert len(hub.requests) == 7
    assert all(bool(request.authorization) == (bool(token) and request.host == "hub") for request in hub.requests)
