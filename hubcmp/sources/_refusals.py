"""What a status code or a broken connection means for a person: the kind of failure and what to do about it."""

import re
import socket
import ssl
from collections.abc import Iterator, Mapping

from hubcmp.errors import SourceError

_LEFT = re.compile(
    r'"(\w{1,40})"\s{0,9};\s{0,9}r\s{0,9}=\s{0,9}(\d{1,9})\s{0,9};\s{0,9}t\s{0,9}=\s{0,9}(\d{1,6})(?!\d)'
)
_LOGIN = "set HF_TOKEN or run `hf auth login`"


class Passing(Exception):
    """A failure that may pass: how often to try in all and how long to wait (None: back off), then `error` stands."""

    def __init__(self, error: SourceError, attempts: int = 4, wait: float | None = None) -> None:
        super().__init__(str(error))
        self.error, self.attempts, self.wait = error, attempts, wait


def refusal(status: int, headers: Mapping[str, str], home: bool, logged_in: bool, host: str) -> Exception:
    """Return the error of a status code: a SourceError that stands, or a Passing that is worth another attempt.

    `home` is False when a redirect's target answered, whose refusal usually means a link that has expired.
    """
    if status == 429:
        return _rate_limited(headers, logged_in)
    if status >= 500 or status == 408:
        error = SourceError(f"the server at {host} answers {status}; try again later", "server error")
        return Passing(error, wait=_seconds(headers.get("retry-after")))
    if not home and status in (400, 401, 403, 404, 410):
        return Passing(
            SourceError(f"the storage host {host} refuses the link ({status}); try again later", "refused"), 3
        )
    return _denied(status, headers.get("x-error-code", ""), logged_in) or SourceError(
        f"the server at {host} answers {status}", "refused"
    )


def _denied(status: int, code: str, logged_in: bool) -> SourceError | None:
    """Tell the kinds of 401, 403 and 404 apart by X-Error-Code, or by the token where a mirror sends no code."""
    if code == "EntryNotFound":
        return SourceError("no such file in the repository", "absent")
    if code == "RevisionNotFound":
        return SourceError(
            "no such revision; name a branch, a tag or a commit of this repository", "revision not found"
        )
    if code == "GatedRepo":
        advice = (
            "your account has no access: ask for it on its page" if logged_in else f"accept its terms, then {_LOGIN}"
        )
        return SourceError(f"the repository is gated; {advice}", "gated")
    if status == 403:
        return SourceError("access is forbidden or disabled; look at the repository's page", "forbidden")
    if status == 401 and logged_in and code != "RepoNotFound":
        return SourceError("the token was refused; renew HF_TOKEN or run `hf auth login`", "bad token")
    if status in (401, 404):
        advice = "with this token" if logged_in else f"without a login; if it is private, {_LOGIN}"
        return SourceError(f"no such repository {advice}", "not found")
    return None


def _rate_limited(headers: Mapping[str, str], logged_in: bool) -> Passing:
    """Say which limit is used up and when to come back; waiting is worth it only within the deadline."""
    match = _LEFT.search(headers.get("ratelimit", "")[:500])
    bucket, wait = (f" ({match[1]})", float(match[3])) if match else ("", _seconds(headers.get("retry-after")))
    when = f"come back in {wait:.0f} s" if wait is not None else "come back in a few minutes"
    advice = when if logged_in else f"{when}, or {_LOGIN} for a higher limit"
    return Passing(SourceError(f"the Hub's rate limit{bucket} is used up; {advice}", "rate-limited"), wait=wait)


def _seconds(text: str | None) -> float | None:
    """Read Retry-After in seconds; a date is not worth parsing, because waits are short."""
    return float(text) if text and text.isdigit() and len(text) < 7 else None


def without_connection(error: Exception, host: str) -> Exception:
    """Return the error of a request that got no (whole) answer from `host`."""
    kind = type(error).__name__
    if kind == "OfflineModeIsEnabled":
        return SourceError("huggingface_hub is offline (HF_HUB_OFFLINE); unset it or use what is cached", "offline")
    causes = tuple(_causes(error))
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return Passing(
            SourceError(f"no host named {host} was found; check the network, the proxy or HF_ENDPOINT", "unreachable"),
            2,
        )
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        advice = "check the proxy and certificates (SSL_CERT_FILE) of this machine"
        return SourceError(f"no trusted connection to {host}: {advice}", "unreachable")
    if "Timeout" in kind:
        return Passing(SourceError(f"{host} does not answer in time; try again later or set a mirror", "timeout"), 2)
    if kind == "ProxyError":
        return SourceError(f"the proxy refuses {host}; check HTTPS_PROXY, or allow this host there", "unreachable")
    if kind == "ConnectError":
        advice = "check the network, the proxy or HF_ENDPOINT"
        return Passing(SourceError(f"no connection to {host}; {advice}", "unreachable"), 3)
    # httpx reads the Location of every redirect, followed or not, and calls a bad one an error of the protocol
    if kind in ("InvalidURL", "UnsupportedProtocol", "ValueError") or "location header" in str(error):
        return SourceError("the server redirects to an address that makes no sense; not followed", "refused")
    return Passing(SourceError(f"the connection to {host} broke off; try again later", "unreachable"))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what it was raised from."""
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__
