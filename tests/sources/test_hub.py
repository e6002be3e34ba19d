"""The Hub source against the loopback Hub, through the real huggingface_hub client."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub.utils import set_client_factory
from huggingface_hub.utils._http import default_client_factory

from hubcmp.document import Bundle
from hubcmp.errors import UsageError
from hubcmp.reference import Reference
from hubcmp.sources import Access, Patience
from hubcmp.sources.hub import fetch
from tests.hub import COMMIT, OTHER_COMMIT, TOKEN, Blob, Fault, Hub, header
from tests.sources.conftest import CARD, CONFIG, TENSORS

QUICK = Access(patience=Patience(total=5.0, silence=1.0, pause=0.01))


def get(text: str, access: Access = QUICK) -> Bundle:
    repo, _, revision = text.partition("@")
    return fetch(Reference(text, "hub", repo, revision), access)


def test_drafter_gives_documents_pinned_to_the_commit(hub: Hub) -> None:
    bundle = get("org/drafter")
    assert {d.source.path: d.source.revision for d in bundle.documents} == dict.fromkeys(
        ("config.json", "README.md", "model.safetensors"), COMMIT
    )
    assert (bundle.revision, bundle.resolved, bundle.problems, bundle.unknowns) == (COMMIT, "org/drafter", (), ())
    document = bundle.named("model.safetensors")
    assert document is not None
    assert document.size == header(TENSORS).size
    assert document.read(8, 11) == header(TENSORS).head[8:19]
    config = bundle.named("config.json")
    assert config is not None
    assert config.read(0, 999) == CONFIG


def test_one_drafter_costs_seven_requests_and_80_kb_and_a_header_two_more_only_when_asked_for(hub: Hub) -> None:
    get("org/drafter")
    assert len(hub.requests) == 7
    assert hub.sent <= 80_000
    hub.reset()
    get("org/drafter@" + COMMIT)
    assert hub.requests == []
    get("org/drafter")
    assert [request.path for request in hub.requests] == ["/api/models/org/drafter"]


def test_card_alone_asks_for_no_weights(hub: Hub) -> None:
    bundle = get("org/drafter", QUICK.only("card"))
    assert [d.source.path for d in bundle.documents] == ["README.md"]
    assert all("safetensors" not in request.path for request in hub.requests)


def test_token_reaches_its_own_host_only(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    bundle = get("org/gated")
    assert bundle.problems == ()
    assert {request.host for request in hub.requests} == {"hub", "cdn"}
    assert all(bool(request.authorization) == (request.host == "hub") for request in hub.requests)


def test_gated_repository_still_gives_what_is_public(hub: Hub) -> None:
    bundle = get("org/gated")
    assert bundle.revision == COMMIT
    assert len(bundle.problems) == 1
    assert "gated" in bundle.problems[0].message
    assert "HF_TOKEN" in bundle.problems[0].message
    assert {unknown.metric for unknown in bundle.unknowns} == {"config", "card", "weights"}


def test_private_or_missing_is_one_problem(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [p.message.partition(";")[0] for p in get("org/private").problems] == ["no such repository without a login"]
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    assert [p.message for p in get("org/nothing").problems] == ["no such repository with this token"]


def test_missing_repository_may_be_a_misspelt_path(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs" / "epoch_3").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert get("runs/epoch_9").problems[0].message.endswith("; or did you mean runs/epoch_3 here?")
    assert "did you mean" not in get("runs/other").problems[0].message


def test_a_commit_may_be_required(hub: Hub) -> None:
    access = replace(QUICK, require_sha=True)
    assert get(f"org/drafter@{COMMIT}", access).problems == ()
    hub.reset()
    for ref in ("org/drafter", "org/drafter@main", f"org/drafter@{COMMIT[:12]}"):
        with pytest.raises(UsageError, match="whole commit sha"):
            get(ref, access)
    assert hub.requests == []


def test_missing_optional_files_are_unknown_and_no_failure(hub: Hub) -> None:
    bundle = get("org/bare")
    assert [(u.metric, u.state) for u in bundle.unknowns] == [("config", "absent"), ("card", "absent")]
    assert bundle.problems == ()


def test_revision_is_escaped_and_resolved(hub: Hub) -> None:
    hub.repositories["org/drafter"].commits = {"refs/pr/3": OTHER_COMMIT}
    assert get("org/drafter@refs/pr/3").revision == OTHER_COMMIT
    assert "no such revision" in get("org/drafter@v9").problems[0].message


def test_abbreviated_commit_is_resolved(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.repositories["org/drafter"].commits = {"v1": OTHER_COMMIT, OTHER_COMMIT: OTHER_COMMIT}
    bundle = get("org/drafter@2222222")
    assert (bundle.revision, bundle.ref, bundle.problems) == (OTHER_COMMIT, "org/drafter@2222222", ())
    assert len(bundle.documents) == 3
    hub.reset()
    offline = get("org/drafter@22222222", replace(QUICK, offline=True))
    assert (offline.revision, offline.problems, hub.requests) == (OTHER_COMMIT, (), [])
    hub.repositories["org/drafter"].commits["v2"] = "2222222" + "3" * 33
    assert "2 commits start with 2222222" in get("org/drafter@2222222").problems[0].message
    assert "no such revision" in get("org/drafter@abcdef0").problems[0].message


def test_renamed_repository_shows_both_names(hub: Hub) -> None:
    bundle = get("org/old")
    assert (bundle.ref, bundle.resolved, bundle.revision) == ("org/old", "org/drafter", COMMIT)
    assert [p.failed for p in bundle.problems] == [False]
    assert len(bundle.documents) == 3


def test_shards_take_one_read_each_sized_by_the_index(hub: Hub) -> None:
    bundle = get("org/sharded")
    ranges = [request.range for request in hub.requests if request.host == "cdn"]
    assert ranges == [f"bytes=0-{int(1.6 * 400_001 / 3) - 1}"] * 3
    assert len([d for d in bundle.documents if d.source.path.endswith(".safetensors")]) == 3
    assert all("index" not in request.path for request in hub.requests)


def test_long_header_takes_two_reads_and_never_the_weights(hub: Hub) -> None:
    many = {f"t{n}": {"dtype": "BF16", "shape": [4, 1], "data_offsets": [8 * n, 8 * n + 8]} for n in range(3000)}
    hub.repositories["org/drafter"].files["model.safetensors"] = header(many)
    document = get("org/drafter").named("model.safetensors")
    assert document is not None
    asked = [request.range for request in hub.requests if request.host == "cdn"]
    assert asked[0] == "bytes=0-65535"
    assert len(asked) == 2
    before = len(hub.requests)
    length = int.from_bytes(document.read(0, 8), "little")
    assert document.read(8, length) == header(many).head[8:]
    assert len(hub.requests) == before


@pytest.mark.parametrize("length", [99_993, 99_994, 100_000, 100_001])
def test_header_at_the_edge_of_a_first_read_is_whole(hub: Hub, length: int) -> None:
    blob = header(TENSORS)
    text = blob.head[8:] + b" " * (length - len(blob.head) + 8)
    hub.repositories["org/drafter"].files["model.safetensors"] = replace(
        blob, head=length.to_bytes(8, "little") + text, size=8 + length + (1 << 31)
    )
    document = get("org/drafter").named("model.safetensors")
    assert document is not None
    assert document.read(8, length) == text


def test_pickle_is_offered_by_its_ends_and_never_fetched(hub: Hub) -> None:
    bundle = get("org/pickle")
    document = bundle.named("pytorch_model.bin")
    assert document is not None
    assert document.size == 850_000_000
    assert [r.range for r in hub.requests if r.host == "cdn"] == ["bytes=0-65535", "bytes=849934464-849999999"]
    before = len(hub.requests)
    assert len(document.read(850_000_000 - 22, 22)) == 22
    assert len(hub.requests) == before
    assert hub.sent < 200_000


def test_pickle_whose_end_cannot_be_read_is_not_fetched_whole(hub: Hub) -> None:
    hub.reset(Fault("ignore_range", "*.bin", "cdn"))
    bundle = get("org/pickle")
    assert [d.source.path for d in bundle.documents] == ["config.json"]
    assert "ignores byte ranges" in bundle.problems[0].message
    assert hub.sent < 64 << 20  # what lies in socket buffers when the client hangs up counts as sent


def test_long_start_is_read_on_in_growing_steps(hub: Hub) -> None:
    hub.repositories["org/bare"].files = {"draft.gguf": Blob(b"GGUF", 5_000_000_000)}
    document = get("org/bare").named("draft.gguf")
    assert document is not None
    for offset in range(0, 8 << 20, 4096):
        document.read(offset, 4096)
    assert len([request for request in hub.requests if request.host == "cdn"]) < 12


def test_client_factory_of_the_user_is_used(hub: Hub) -> None:
    asked: list[str] = []

    def factory() -> Any:
        client = default_client_factory()
        client.event_hooks["request"].append(lambda request: asked.append(str(request.url)))
        return client

    set_client_factory(factory)
    try:
        get("org/drafter")
    finally:
        set_client_factory(default_client_factory)
    assert len(asked) == len(hub.requests) == 7


def test_optimizer_state_is_never_offered(hub: Hub) -> None:
    files = hub.repositories["org/pickle"].files
    files["training_state.pt"] = files["optimizer.pt"] = files["pytorch_model.bin"]
    assert [d.source.path for d in get("org/pickle").documents] == ["config.json", "pytorch_model.bin"]


def test_unsafe_names_in_the_list_lead_to_no_request(hub: Hub) -> None:
    hub.repositories["org/sharded"].files["../../other/private/model.safetensors"] = b"secret"
    bundle = get("org/sharded")
    assert any("unsafe names" in p.message for p in bundle.problems)
    assert all(".." not in request.path and "other" not in request.path for request in hub.requests)


def test_index_is_asked_for_only_where_names_do_not_tell_the_shards_and_opens_nothing_elsewhere(hub: Hub) -> None:
    names = [
        "../../../../other-org/private/resolve/main/model.safetensors",
        "/etc/hostname",
        "http://127.0.0.1:9/x.safetensors",
    ]
    names += ["a.safetensors", "sub/b.safetensors", "bad\0name.safetensors", "..\\x.safetensors"]
    index = json.dumps({"weight_map": {str(n): name for n, name in enumerate(names)}}).encode()
    files = {
        "model.safetensors.index.json": index,
        "a.safetensors": header(TENSORS),
        "sub/b.safetensors": header(TENSORS),
    }
    hub.repositories["org/drafter"].files = {**files, "z.safetensors": header(TENSORS)}
    bundle = get("org/drafter")
    found = ["model.safetensors.index.json", "a.safetensors", "sub/b.safetensors"]
    assert [d.source.path for d in bundle.documents] == found
    assert all("/org/drafter" in request.path for request in hub.requests)


def test_revision_that_moves_is_asked_for_again_at_the_commit(hub: Hub) -> None:
    hub.reset(Fault("moves", "*/resolve/main/*"), Fault("moves", "/api/resolve-cache/*", times=2))
    bundle = get("org/drafter")
    assert bundle.problems == ()
    assert len(bundle.documents) == 3


def test_offline_uses_the_cache_and_says_when_it_was_filled(hub: Hub, tmp_path: Path) -> None:
    access = replace(QUICK, cache=tmp_path / "cache")
    get("org/drafter", access)
    hub.reset()
    bundle = get("org/drafter", replace(access, offline=True))
    assert hub.requests == []
    assert bundle.revision == COMMIT
    assert {d.source.path for d in bundle.documents} == {"config.json", "README.md", "model.safetensors"}
    assert [(p.failed, "main was " + COMMIT in p.message) for p in bundle.problems] == [(False, True)]
    missing = get("org/bare", replace(access, offline=True))
    assert [p.failed for p in missing.problems] == [True]


def test_offline_by_environment_asks_for_nothing(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "offline" in get("org/drafter").problems[0].message
    assert hub.requests == []


def test_download_by_huggingface_hub_is_read_first(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = tmp_path / "home/hub/models--org--drafter/snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_bytes(CONFIG)
    (snapshot / "README.md").write_bytes(CARD)
    (snapshot / "model.safetensors").write_bytes(header(TENSORS).head)
    (snapshot.parent.parent / "refs").mkdir()
    (snapshot.parent.parent / "refs/main").write_text(COMMIT)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    bundle = get("org/drafter")
    assert {d.source.path for d in bundle.documents} == {"config.json", "README.md", "model.safetensors"}
    assert hub.requests == []


def test_endpoint_with_a_path(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint + "/mirror/")
    bundle = get("org/drafter")
    assert bundle.problems == ()
    assert len(bundle.documents) == 3
