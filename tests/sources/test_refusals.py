"""What a broken connection or a status means for a person."""

import socket
import ssl

import pytest

from hubcmp.errors import SourceError
from hubcmp.sources._refusals import Passing, refusal, without_connection


def chain(cause: Exception) -> Exception:
    """An error of the HTTP library that was raised from another of the transport, raised from `cause`."""
    error, middle = type("ConnectError", (Exception,), {})("hf_SECRET"), Exception("transport")
    error.__cause__, middle.__context__ = middle, cause
    return error


def told(error: Exception) -> SourceError:
    found = error.error if isinstance(error, Passing) else error
    assert isinstance(found, SourceError)
    assert "SECRET" not in str(found)
    return found


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (chain(socket.gaierror(-2, "Name or service not known")), "no host named hub.example was found"),
        (chain(ssl.SSLCertVerificationError(1, "self-signed")), "certificates"),
        (chain(OSError("refused")), "no connection to hub.example"),
        (type("ProxyError", (Exception,), {})("403"), "the proxy refuses hub.example"),
        (type("ReadTimeout", (Exception,), {})(""), "does not answer in time"),
        (type("RemoteProtocolError", (Exception,), {})("hf_SECRET"), "broke off"),
        (type("RemoteProtocolError", (Exception,), {})("Invalid URL in location header: x"), "not followed"),
        (type("OfflineModeIsEnabled", (Exception,), {})(""), "HF_HUB_OFFLINE"),
    ],
)
def test_connection(error: Exception, said: str) -> None:
    assert said in str(told(without_connection(error, "hub.example")))


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"ratelimit": '"api";r=0;t=55', "retry-after": "9"}, 55),
        ({"retry-after": "9"}, 9),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        ({"ratelimit": '"api";r=0;t=' + "9" * 5000}, None),
        ({}, None),
    ],
)
def test_rate_limit_says_when_to_come_back(headers: dict[str, str], wait: float | None) -> None:
    error = refusal(429, headers, True, False, "hub.example")
    assert isinstance(error, Passing)
    assert error.wait == wait
    assert "HF_TOKEN" in str(error.error)
    assert ("come back in a few minutes" if wait is None else f"come back in {wait} s") in str(error.error)


@pytest.mark.parametrize(
    ("status", "code", "logged_in", "reason"),
    [
        (401, "RepoNotFound", False, "not found"), (401, "RepoNotFound", True, "not found"), (404, "RepoNotFound", True, "not found"),
        (401, "", False, "not found"), (401, "", True, "bad token"), (404, "", True, "not found"), (401, "GatedRepo", False, "gated"),
        (403, "GatedRepo", True, "gated"), (403, "", True, "forbidden"), (404, "RevisionNotFound", False, "revision not found"),
        (404, "EntryNotFound", False, "absent"), (418, "", False, "refused"),
    ],
)  # fmt: skip
def test_kinds_of_refusal(status: int, code: str, logged_in: bool, reason: str) -> None:
    assert told(refusal(status, {"x-error-code": code}, True, logged_in, "hub.example")).reason == reason
