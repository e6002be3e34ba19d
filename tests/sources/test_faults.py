"""Every fault that a Hub, a mirror or a proxy shows, through the real huggingface_hub client.

Each must pass by itself or end in time with a partial bundle that says why and what to do; the token stays at its own
host and in no text, and no weights are transferred.
"""

import os
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hubcmp.api import compare, drafter_of, load, render
from hubcmp.document import Bundle
from hubcmp.reference import Reference
from hubcmp.sources import Access, Patience
from hubcmp.sources.hub import fetch
from tests.hub import SIGNATURE, TOKEN, Blob, Fault, Hub

OTHER = load(str(Path(__file__).parents[2] / "fixtures" / "story" / "recorded-ckpt"))
QUICK = Access(patience=Patience(total=2.5, silence=0.6, pause=0.01))
BOUND = 12.0
"""Seconds that no case may exceed; far above the patience of these tests, so that a busy machine does not matter."""
ALL = {"config.json", "README.md", "model.safetensors"}
WAIT = {"RateLimit": '"resolvers";r=0;t=290', "Retry-After": "290"}
SOON = {"RateLimit": '"api";r=0;t=0'}


@dataclass(frozen=True)
class Case:
    """A fault, the documents that must be there nevertheless, and a piece of each message that must be said."""

    fault: Fault
    documents: frozenset[str] | set[str]
    said: tuple[str, ...] = ()


def once(kind: str, path: str, host: str = "*", value: object = None, times: int = 1) -> Case:
    """A fault that passes: everything is there in the end, and nothing is said."""
    return Case(Fault(kind, path, host, times, value), ALL)


def always(kind: str, path: str, documents: set[str], *said: str, host: str = "*", value: object = None) -> Case:
    """A fault that stays."""
    return Case(Fault(kind, path, host, None, value), documents, said)


HEADER = "*model.safetensors"
TEXTS = {"config.json", "README.md"}
CASES = {
    # what passes
    "rate limit for a moment": once("429", "/api/models/*", value=SOON, times=2),
    "server error twice": once("503", "*", times=6),
    "reset once": once("reset", HEADER, "cdn", 10),
    "dropped connection once": once("drop", "*", times=4),
    "truncated once": once("truncate", HEADER, "cdn", 10),
    "stale storage link once": once("stale", "*", "cdn"),
    "hang once": once("hang", HEADER, "hub"),
    "wrong Content-Range once": once("bad_content_range", HEADER, "cdn", 1, 2),
    "no Content-Range once": once("no_content_range", HEADER, "cdn"),
    "compressed range once": once("gzip_range", HEADER, "cdn"),
    "honest short ranges": always("short_range", HEADER, ALL, host="cdn", value=30_000),
    "range ignored": always("ignore_range", HEADER, ALL, host="cdn"),
    "commit not named": always("no_commit", "*", ALL),
    "moves since it was named": always("moves", "*/resolve/main/*", ALL),
    "HTML once for a file": once("html", "*resolve*config.json"),
    "config cut short once": once("non_json", "/api/resolve-cache/*config.json", value=b'{"arch'),
    # what stays
    "rate limit of the API": always("429", "/api/models/*", ALL, "rate limit (resolvers)", "290 s", "HF_TOKEN", value=WAIT),
    "rate limit of files": always("429", "*/resolve/*", set(), "rate limit (resolvers)", "come back", value=WAIT),
    "server error of the API": always("500", "/api/models/*", ALL, "answers 500", "try again"),
    "server error everywhere": always("503", "*", set(), "answers 503", "try again"),
    "reset": always("reset", HEADER, TEXTS, "broke off", host="cdn", value=10),
    "dropped": always("drop", "*", set(), "broke off"),
    "truncated": always("truncate", HEADER, TEXTS, "broke off", host="cdn", value=10),
    "truncated config": always("truncate", "*resolve-cache*config.json", ALL - {"config.json"}, "broke off", value=9),
    "stale link": always("stale", "*", TEXTS, "refuses the link (403)", host="cdn"),
    "hang everywhere": always("hang", "*", set(), "does not answer in time"),
    "hang of the storage host": always("hang", "*", TEXTS, "does not answer in time", host="cdn"),
    "drip before the body": always("drip_head", "*", set(), "too slowly", value=0.2),
    "drip of a header": always("drip", HEADER, ALL, host="cdn", value=(16, 0.002)),
    "drip that never ends": always("drip", HEADER, TEXTS, "too slowly", host="cdn", value=(1, 0.1)),
    "wrong Content-Range": always("bad_content_range", HEADER, TEXTS, "other bytes", host="cdn", value=1),
    "no Content-Range": always("no_content_range", HEADER, TEXTS, "other bytes", host="cdn"),
    "compressed range": always("gzip_range", HEADER, TEXTS, "compresses", host="cdn"),
    "login page for the API": always("html", "/api/models/*", ALL, "not the Hub's JSON", "HF_ENDPOINT"),
    "login page for files": always("html", "*/resolve/*", set(), "web page", "HF_ENDPOINT"),
    "no JSON": always("non_json", "/api/models/*", ALL, "not the Hub's JSON", value=b"upstream connect error"),
    "empty reply": always("empty", "/api/models/*", ALL, "not the Hub's JSON"),
    "another commit each time": always("moves", "*resolve*", set(), "moves while it is read"),
    "redirect in circles": always("loop", "*/resolve/*", set(), "in circles"),
    "redirect inwards": always("offsite", "*/resolve/*", set(), "not followed", value="http://169.254.169.254/latest"),
    "redirect inwards, hidden": always("offsite", "*", set(), "not followed", value="http://[::ffff:169.254.169.254]/"),
    "redirect without encryption": always("offsite", HEADER, TEXTS, "without encryption", value="http://example.com/a"),
    "redirect to a file": always("offsite", HEADER, TEXTS, "no web address", value="file:///etc/passwd"),
    "redirect to nonsense": always("offsite", HEADER, TEXTS, "not followed", value="https://[::1/x"),
    "redirect to a dead port": always("offsite", HEADER, TEXTS, "no connection to 127.0.0.1", value="http://127.0.0.1:9/x"),
    "gated": always("gated401", "*/resolve/*", set(), "gated", "HF_TOKEN"),
    "gated for this account": always("gated403", "*/resolve/*", set(), "gated"),
    "token refused": always("bad_token", "*", set(), "HF_TOKEN"),
    "missing repository": always("repo404", "*", set(), "no such repository"),
    "missing revision": always("revision404", "*", set(), "no such revision"),
    "disabled": always("disabled", "*/resolve/*", set(), "forbidden or disabled"),
    "odd status": always("teapot", "*/resolve/*", set(), "answers 418"),
}  # fmt: skip


SLOW = {"hang", "drip", "drip_head"}
"""Faults that take their time; once with the token is enough of them, and once without huggingface_hub's session."""
WAYS = {"token": False, "anonymous": False, "plain": True}
"""Who asks, and whether it begins without huggingface_hub's session."""
RUNS = [
    (name, way) for name, case in CASES.items() for way in WAYS if way != "anonymous" or case.fault.kind not in SLOW
]


@pytest.mark.parametrize(("name", "way"), RUNS)
def test_fault(name: str, way: str, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    case, logged_in = CASES[name], way == "token"
    if logged_in:
        monkeypatch.setenv("HF_TOKEN", TOKEN)
    fault = Fault(case.fault.kind, case.fault.path, case.fault.host, case.fault.times, case.fault.value)
    hub.reset(fault)
    began = time.monotonic()
    bundle = fetch(Reference("org/drafter", "hub", "org/drafter"), replace(QUICK, plain=WAYS[way]))
    assert time.monotonic() - began < BOUND
    assert {d.source.path for d in bundle.documents} == case.documents, [str(p) for p in bundle.problems]
    check_messages(bundle, case, logged_in)
    check_traffic(hub)
    if logged_in:
        check_report(bundle, case)


def check_messages(bundle: Bundle, case: Case, logged_in: bool) -> None:
    text = " | ".join(str(problem) for problem in bundle.problems)
    assert bool(bundle.problems) == bool(case.said), text
    for piece in case.said:
        assert piece in text or (logged_in and piece == "HF_TOKEN"), text
    assert TOKEN not in repr(bundle)
    assert SIGNATURE not in repr(bundle)


def check_traffic(hub: Hub) -> None:
    assert all(not request.authorization for request in hub.requests if request.host == "cdn")
    assert hub.sent < 4 << 20
    assert len(hub.requests) < 60


def check_report(bundle: Bundle, case: Case) -> None:
    """The report comes out in every format, says that a source failed, and tells no secret."""
    answer = compare([drafter_of(bundle), OTHER])
    assert (answer.failed, answer.nothing) == (bool(case.said), False)
    for format in ("markdown", "terminal", "html", "json", "csv"):
        text = render(answer, format)
        assert "org/drafter" in text
        assert TOKEN not in text
        assert SIGNATURE not in text


def test_header_length_beyond_all_bounds_leads_to_no_second_read(hub: Hub) -> None:
    hub.reset(Fault("header_length", "*", "cdn", None, 2**63))
    bundle = fetch(Reference("org/drafter", "hub", "org/drafter"), QUICK)
    document = bundle.named("model.safetensors")
    assert document is not None
    assert document.read(0, 8) == (2**63).to_bytes(8, "little")
    assert hub.sent < 80_000


def test_endpoint_without_tls_is_named(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint.replace("http:", "https:"))
    problems = fetch(Reference("org/drafter", "hub", "org/drafter"), QUICK).problems
    assert len(problems) == 1
    assert "127.0.0.1" in problems[0].message
    assert "certificates" in problems[0].message


@pytest.mark.parametrize("fault", [Fault(""), Fault("gated403", "*/resolve/*"), Fault("stale", "*", "cdn", 2)])
def test_debug_log_of_the_library_hides_the_token(fault: Fault, hub: Hub) -> None:
    hub.reset(fault)
    environment = {**os.environ, "HF_TOKEN": TOKEN, "HF_DEBUG": "1"}
    call = [sys.executable, "-m", "hubcmp", "params", "org/drafter"]
    run = subprocess.run(call, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == (3 if fault.kind == "gated403" else 0)
    assert "authenticated: True" in run.stderr
    assert TOKEN not in run.stdout + run.stderr


CHILD = """
import pathlib, re, resource, sys
from hubcmp.reference import Reference
from hubcmp.sources import Access, Patience
from hubcmp.sources.hub import fetch
bundle = fetch(Reference("org/drafter", "hub", "org/drafter"), Access(patience=Patience(3.0, 0.5, 0.01), plain=sys.argv[1] == "plain"))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
status = pathlib.Path("/proc/self/status")
if status.exists():  # there, getrusage also counts what the parent was when it forked
    peak = 1024 * int(re.search("VmHWM:[ \\t]*([0-9]+)", status.read_text())[1])
print(len(bundle.documents), peak)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read from getrusage")
@pytest.mark.parametrize("way", ["plain", "library"])
@pytest.mark.parametrize("kind", ["ignore_range", "header_length", "gzip_range", "endless"])
def test_peak_memory_stays_below_300_mb(kind: str, way: str, hub: Hub) -> None:
    hub.reset(Fault(kind, "*", "cdn", None, 2**63))
    if kind == "endless":
        hub.repositories["org/drafter"].files["config.json"] = Blob(b"{", 10 << 30)
    run = subprocess.run(
        [sys.executable, "-c", CHILD, way], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    documents, peak = (int(word) for word in run.stdout.split())
    assert documents >= 2
    assert peak < 300 << 20
    assert hub.sent < 20 << 20
