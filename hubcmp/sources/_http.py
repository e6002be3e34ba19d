"""Requests to the Hub over huggingface_hub's own session: redirects, retries, ranges and limits are settled here.

The user's token, proxy, certificates and client factory apply. The token goes to the endpoint only, never to a
redirect's target. Every wait is bounded by one deadline, every body by a limit, and every failure is a SourceError
whose `reason` names its kind.
"""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from hubcmp import __version__
from hubcmp.errors import SourceError
from hubcmp.sources import Patience
from hubcmp.sources._redirects import HOPS, next_hop, origin
from hubcmp.sources._refusals import Passing, refusal, without_connection

STEP = 64 * 1024
"""Bytes taken from a connection at once."""
Enough = Callable[[bytes | bytearray], bool]
"""Whether what came so far will do."""


def _library() -> Any:
    """Return huggingface_hub's utilities, untyped: they speak httpx or httpx2, whose types differ and which both must do."""
    return import_module("huggingface_hub.utils")


def _token() -> str:
    """Return the user's token, "" without a login. Raises SourceError.

    Not by build_hf_headers: it asks the Hub for a list of programs to name itself in the User-Agent, one request more.
    """
    try:
        token = _library().get_token_to_send(None) or ""
    except Exception as error:  # a token may come from a login server or a vault, which fail in their own ways
        raise SourceError(
            f"no token could be had ({type(error).__name__}); set HF_TOKEN or log in again", "bad token"
        ) from None
    if not (token.isascii() and token.isprintable()):
        raise SourceError(
            "the token holds characters that no token has; set HF_TOKEN anew or log in again", "bad token"
        )
    return str(token)


def _client() -> Any:
    """Return the library's HTTP client. Raises SourceError when the environment allows none."""
    try:
        return _library().get_session()
    except Exception as error:  # missing certificates, a proxy of an unknown kind, or the user's own client factory
        advice = "check SSL_CERT_FILE and the proxy variables"
        raise SourceError(f"no connection can be set up ({type(error).__name__}); {advice}", "unreachable") from None


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer after all redirects: `headers` (lower case) of every hop, the last one winning; `url` of the last hop."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    @property
    def commit(self) -> str:
        """The commit that the Hub says this content belongs to, or "" when it does not say."""
        return self.headers.get("x-repo-commit", "")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to take of a body: at most `limit` bytes; with `span` the bytes start to stop of the file.

    `enough` is asked while a body is longer than wanted or slow, and ends the transfer early.
    """

    limit: int
    span: tuple[int, int] | None = None
    enough: Enough | None = None

    @property
    def headers(self) -> dict[str, str]:
        """The request headers that ask for it."""
        if self.span is None:
            return {}
        return {"Range": f"bytes={self.span[0]}-{self.span[1] - 1}", "Accept-Encoding": "identity"}


@dataclass(slots=True)
class Session:
    """Requests on behalf of one reference, with one deadline for all of them together."""

    endpoint: str
    patience: Patience
    deadline: float = field(init=False)
    _client: Any = field(init=False, repr=False)
    _token: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._client = _client()
        self._token = _token()
        self.renew()

    def renew(self) -> None:
        """Start the deadline anew."""
        self.deadline = time.monotonic() + self.patience.total

    @property
    def logged_in(self) -> bool:
        """Whether there is a token to send."""
        return bool(self._token)

    def get(self, url: str, wanted: Wanted) -> Reply:
        """Return the answer to a GET, after redirects and retries. Raises SourceError."""
        attempt = 0
        while True:
            try:
                return self._follow(url, wanted)
            except Passing as trouble:
                attempt += 1
                self._pause(trouble, attempt)

    def _pause(self, trouble: Passing, attempt: int) -> None:
        """Wait before the next attempt, or raise the error when it is no use or too late."""
        backoff = self.patience.pause * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)
        wait = max(backoff, (trouble.wait or 0) * random.uniform(1.0, 1.1))
        if attempt >= trouble.attempts or time.monotonic() + wait >= self.deadline:
            raise trouble.error from None
        time.sleep(wait)

    def _follow(self, url: str, wanted: Wanted) -> Reply:
        """Follow the redirects of one attempt, sending the token to the endpoint only."""
        headers: dict[str, str] = {}
        for _ in range(HOPS):
            home = origin(url) == origin(self.endpoint)
            try:
                with self._client.stream(
                    "GET", url, headers=self._headers(wanted, home), timeout=self._timeout(), follow_redirects=False
                ) as response:
                    headers |= {name.lower(): value for name, value in response.headers.items()}
                    if response.status_code not in (301, 302, 303, 307, 308):
                        return self._receive(response, wanted, headers, home)
                    url = next_hop(url, response.headers.get("location", ""), self.endpoint)
            except Exception as error:
                if not isinstance(error, self._faults()):
                    raise
                raise without_connection(error, urlsplit(url).hostname or "") from None
        raise SourceError("the server redirects in circles; try again later or set another HF_ENDPOINT", "refused")

    def _faults(self) -> tuple[type[Exception], ...]:
        """Return what a request may raise with either HTTP library."""
        library = _library()
        httpx = library.httpx
        return (OSError, ValueError, httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, library.OfflineModeIsEnabled)

    def _headers(self, wanted: Wanted, home: bool) -> dict[str, str]:
        names = {"User-Agent": f"hubcmp/{__version__}", **wanted.headers}
        return names | {"Authorization": f"Bearer {self._token}"} if home and self._token else names

    def _timeout(self) -> Any:
        left = max(0.05, self.deadline - time.monotonic())
        return _library().httpx.Timeout(min(self.patience.silence, left), pool=left)

    def _receive(self, response: Any, wanted: Wanted, headers: dict[str, str], home: bool) -> Reply:
        """Check the status of the last hop and take its body."""
        url = str(response.url)
        if response.status_code not in (200, 206):
            raise refusal(response.status_code, headers, home, self.logged_in, urlsplit(url).hostname or "")
        if wanted.span is not None and headers.get("content-encoding", "identity") != "identity":
            raise Passing(SourceError("the server compresses a byte range, so its bytes cannot be placed", "refused"))
        body = self._body(response, wanted)
        return Reply(response.status_code, headers, body, url)

    def _body(self, response: Any, wanted: Wanted) -> bytes:
        """Take the body in steps, until it ends, is enough, exceeds its limit or the deadline passes."""
        body = bytearray()
        slow = time.monotonic() + self.patience.silence / 4
        # a range that was ignored comes as the whole file: no more of it than was asked for
        whole = wanted.span is not None and response.status_code == 200
        for step in response.iter_bytes(STEP) if wanted.span is None else response.iter_raw():
            body += step
            late = time.monotonic()
            if wanted.enough and (whole or late > slow) and wanted.enough(body):
                break
            if wanted.span and whole and len(body) >= wanted.span[1]:
                break
            if len(body) > wanted.limit:
                raise SourceError(f"the server sends more than {wanted.limit:,} bytes; refused", "refused")
            if late > self.deadline:
                raise SourceError(
                    "the server sends too slowly; try again later or set a mirror in HF_ENDPOINT", "timeout"
                )
        return bytes(body)
