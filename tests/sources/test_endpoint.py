"""Live servers over real HTTP: where they are found, what is refused, and that nothing of the Hub reaches them."""

import gzip
import json
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from hubcmp import api
from hubcmp.errors import UsageError
from hubcmp.measurements import Benchmark
from hubcmp.sources import Access, _endpoint
from tests.engine_server import Vllm, reply, serving

INFO = {"version": "0.5.9", "speculative_num_steps": 3, "speculative_eagle_topk": 1, "speculative_num_draft_tokens": 4,
        "internal_states": [{"avg_spec_accept_length": 2.5}]}  # fmt: skip


def measured(answer: Callable[[BaseHTTPRequestHandler], None], path: str = "") -> Benchmark:
    with serving(answer) as (url, _):
        return api.bench([url + path]).items[0]


def why(found: Benchmark) -> str:
    assert not found.runs
    return " ".join(p.message for p in found.problems)


def test_metrics_are_found_behind_a_bare_address() -> None:
    engine = Vllm()
    engine.decode(100, [70, 50, 30])
    with serving(engine.answer) as (url, seen):
        found = api.bench([url]).items[0]
    assert found.format == "vllm.prometheus"
    assert found.runs[0].accept_length == 2.5
    assert found.text == f"{url}/metrics"
    assert any("server start" in p.message for p in found.problems)
    assert [path for path, _ in seen] == ["/prometheus/metrics", "/v1/models", "/metrics"]


def test_the_servers_state_is_asked_where_there_are_no_metrics() -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        if request.path == "/server_info":
            reply(request, json.dumps(INFO).encode(), "application/json")
        else:
            reply(request, b"<html>no such page</html>")

    found = measured(answer)
    assert (found.format, found.runs[0].accept_length) == ("sglang.server_info", 2.5)


def test_a_full_address_is_asked_alone() -> None:
    engine = Vllm()
    with serving(engine.answer) as (url, seen):
        api.bench([f"{url}/metrics"])
    assert [path for path, _ in seen] == ["/metrics"]


def queue(request: BaseHTTPRequestHandler) -> None:
    """Answer as TensorRT-LLM without metrics of Prometheus: its /metrics hands out what it holds, once."""
    iteration = {"iter": 1, "iterLatencyMS": 3.0}
    stats = {"numDraftTokens": 30, "numAcceptedTokens": 15, "numRequestsWithDraftTokens": 10}
    replies: dict[str, object] = {
        "/metrics": [iteration | {"specDecodingStats": stats}],
        "/v1/models": {"object": "list", "data": [{"id": "m", "object": "model", "owned_by": "tensorrt_llm"}]},
    }
    found = replies.get(request.path)
    reply(request, json.dumps(found).encode(), "application/json", 200 if found else 404)


def test_a_queue_is_emptied_only_by_its_full_address() -> None:
    with serving(queue) as (url, seen):
        bare = api.bench([url]).items[0]
        assert "/metrics" not in [path for path, _ in seen]
        assert "full address" in why(bare)
        assert api.bench([f"{url}/metrics"]).items[0].runs[0].accept_length == 2.5
    assert [path for path, _ in seen].count("/metrics") == 1


@pytest.mark.parametrize("models", [b"", b"[]", b'{"data": 1}', b'{"data": [{"owned_by": 7}, {}]}', b"[" * 100_000])
def test_a_server_that_says_nothing_of_its_owner_is_asked_for_its_metrics(models: bytes) -> None:
    engine = Vllm()
    engine.decode(100, [70, 50, 30])

    def answer(request: BaseHTTPRequestHandler) -> None:
        if request.path == "/v1/models":
            reply(request, models)
        else:
            engine.answer(request)

    assert measured(answer).runs[0].accept_length == 2.5


def test_a_server_is_not_asked_while_offline() -> None:
    with serving(Vllm().answer) as (url, seen):
        assert "--offline" in why(api.bench([url], [url], Access(offline=True)).items[0])
    assert seen == []


def test_a_server_is_a_source_of_a_comparison_unless_offline(tmp_path: Path) -> None:
    refs = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text('{"architectures": ["LlamaForCausalLMEagle3"], "hidden_size": 64}')
        refs.append(str(tmp_path / name))
    engine = Vllm()
    engine.decode(100, [70, 50, 30])
    with serving(engine.answer) as (url, seen):
        online = api.compare(refs, bench=[f"{refs[1]}={url}"])
        asked = len(seen)
        offline = api.compare(refs, bench=[f"{refs[1]}={url}"], access=Access(offline=True))
        assert len(seen) == asked
    assert [fact.number for fact in online.drafters[1].own("accept_length")] == [2.5]
    assert offline.drafters[1].own("accept_length") == ()
    assert any("leave --offline out" in problem.message for problem in offline.problems)


def test_no_proxy_stands_before_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    engine = Vllm()
    engine.decode(10, [5, 3, 1])
    assert measured(engine.answer).runs


def test_nothing_of_the_hub_reaches_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    engine = Vllm()
    engine.decode(10, [5, 3, 1])
    with serving(engine.answer) as (url, seen):
        assert api.bench([url]).items[0].runs
    assert all("authorization" not in headers and "hf_secret" not in str(headers) for _, headers in seen)


def test_a_password_in_the_address_is_not_shown() -> None:
    engine = Vllm()
    with serving(engine.answer) as (url, seen):
        found = api.bench([url.replace("//", "//user:hunter2@")]).items[0]
        other = api.bench([url.replace("//", "//user:hunter2@") + "/nowhere"]).items[0]
    assert seen[0][1]["authorization"].startswith("Basic ")
    assert "hunter2" not in repr(found) + repr(other)


def test_parameters_reach_the_server_but_a_key_is_not_shown() -> None:
    with serving(lambda request: reply(request, b"", status=404)) as (url, seen):
        found = api.bench([f"{url}/metrics?model=a/b&api_key=hunter2#x"]).items[0]
        api.bench([f"{url}/?model=a"])
    assert "hunter2" not in repr(found)
    assert f"{url}/metrics?model=a/b: answers 404" in why(found)
    assert [path for path, _ in seen][:2] == ["/metrics?model=a/b&api_key=hunter2", "/prometheus/metrics?model=a"]


def test_a_redirect_to_another_server_is_not_followed() -> None:
    with serving(Vllm().answer) as (elsewhere, seen):

        def answer(request: BaseHTTPRequestHandler) -> None:
            reply(request, b"", status=302, Location=f"{elsewhere}/metrics")

        assert "another server" in why(measured(answer, "/metrics"))
    assert seen == []


def test_a_redirect_on_the_same_server_is_followed_a_few_times() -> None:
    engine = Vllm()
    engine.decode(10, [5, 3, 1])

    def answer(request: BaseHTTPRequestHandler) -> None:
        if request.path == "/moved":
            reply(request, b"", status=307, Location="/metrics")
        elif request.path == "/loop":
            reply(request, b"", status=307, Location="/loop")
        else:
            engine.answer(request)

    assert measured(answer, "/moved").runs
    assert "redirects" in why(measured(answer, "/loop"))


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "asks for a key"),
        (403, "asks for a key"),
        (500, "answers 500"),
        (404, "answers 404"),
        (204, "answers 204"),
    ],
)
def test_refusals_say_what_to_do(status: int, said: str) -> None:
    assert said in why(measured(lambda request: reply(request, b"", status=status), "/metrics"))


def test_a_server_without_metrics_is_told_which_flag_it_needs() -> None:
    message = why(measured(lambda request: reply(request, b"no", status=404)))
    assert "/metrics 404" in message
    assert "--enable-metrics" in message


@pytest.mark.parametrize(
    "body", [b"<html>hello</html>", b"", bytes(range(256)) * 40, b"{}", b"vllm:", b"# TYPE vllm:x counter\n"]
)
def test_what_is_no_scrape_gives_no_figure(body: bytes) -> None:
    found = measured(lambda request: reply(request, body), "/metrics")
    assert all(run.accept_length is None for run in found.runs)


def test_endless_and_slow_replies_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_endpoint, "LIMIT", 1 << 20)
    monkeypatch.setattr(_endpoint, "DEADLINE", 0.3)

    def endless(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while True:
            request.wfile.write(b"vllm:x 1\n" * 10_000)

    def drip(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        for _ in range(100):
            request.wfile.write(b"v")
            request.wfile.flush()
            time.sleep(0.02)

    def drip_headers(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
        for _ in range(100):
            request.wfile.write(b"v")
            request.wfile.flush()
            time.sleep(0.02)

    assert "larger than" in why(measured(endless, "/metrics"))
    assert "complete within" in why(measured(drip, "/metrics"))
    assert "complete within" in why(measured(drip_headers, "/metrics"))


def test_a_server_that_hangs_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_endpoint, "SILENCE", 0.2)
    with serving(lambda request: time.sleep(0.4)) as (url, seen):
        assert "no answer within" in why(api.bench([url]).items[0])
    assert len(seen) == 1


def test_a_compressed_reply_is_not_unfolded() -> None:
    body = gzip.compress(b"vllm:x 1\n" * 1000)
    found = measured(lambda request: reply(request, body, **{"Content-Encoding": "gzip"}), "/metrics")
    assert "compressed" in why(found)


def test_nobody_there_is_one_line() -> None:
    with serving(Vllm().answer) as (url, _):
        pass
    message = why(api.bench([url]).items[0])
    assert "nothing answers" in message
    assert "check host and port" in message


@pytest.mark.parametrize("text", ["http://", "http://host:port", "http://host:99999999", "https:///x", "http://[::1"])
def test_an_address_that_is_none_is_a_wrong_call(text: str) -> None:
    with pytest.raises(UsageError, match="no address"):
        api.bench([text])
