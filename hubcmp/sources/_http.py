"""Requests to the Hub over a transport: redirects, retries, ranges and limits are settled here.

The transport is huggingface_hub's own session, or a plain one where that would send the same. The token goes to the
endpoint only, never to a redirect's target. Every wait is bounded by one deadline, every body by a limit, and every
failure is a SourceError whose `reason` names its kind.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from threading import Lock, Thread
from typing import Any, Protocol
from urllib.parse import urlsplit

from hubcmp import __version__
from hubcmp.errors import SourceError
from hubcmp.sources import Patience, _plain
from hubcmp.sources._library import Library
from hubcmp.sources._redirects import HOPS, next_hop, origin
from hubcmp.sources._refusals import Passing, refusal, without_connection

GRACE = 0.5
"""Seconds after the deadline in which whoever asks may still say what is wrong."""
_SLOW = "the server sends too slowly; try again later or set a mirror in HF_ENDPOINT"
Enough = Callable[[bytes | bytearray], bool]
"""Whether what came so far will do."""


class Transport(Protocol):
    """How bytes travel. What is in `faults` is trouble with a connection, which only a `final` transport has the last word on."""

    final: bool
    token: str
    faults: tuple[type[Exception], ...]

    def stream(self, url: str, headers: dict[str, str], silence: float, left: float) -> AbstractContextManager[Any]:
        """Return the response of a GET, redirects not followed; `silence` and `left` are seconds."""
        ...

    def close(self) -> None:
        """Close what waits for further requests, which may come all the same."""
        ...


def transport(plain: bool | None = None) -> Transport:
    """Return the transport to begin with, chosen by the environment for None. Raises SourceError when it allows none."""
    return _plain.Plain() if (_plain.suffices() if plain is None else plain) else Library()


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


def _run(job: Future[Reply], call: Callable[[], Reply]) -> None:
    """Call and hand what comes of it to the one who waits."""
    try:
        job.set_result(call())
    except BaseException as error:
        job.set_exception(error)


def _headers(wanted: Wanted, token: str) -> dict[str, str]:
    names = {"User-Agent": f"hubcmp/{__version__}", **wanted.headers}
    return names | {"Authorization": f"Bearer {token}"} if token else names


@dataclass(slots=True)
class Session:
    """Requests on behalf of one reference, with one deadline for all of them together."""

    endpoint: str
    patience: Patience
    transport: Transport = field(default_factory=transport, repr=False)
    deadline: float = field(init=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Start the deadline anew."""
        self.deadline = time.monotonic() + self.patience.total

    @property
    def logged_in(self) -> bool:
        """Whether there is a token to send."""
        return bool(self.transport.token)

    def get(self, url: str, wanted: Wanted) -> Reply:
        """Return the answer to a GET, after redirects and retries. Raises SourceError.

        A thread does the asking and is left behind at the deadline: a server that sends one header after the other is
        never silent, and neither transport would stop listening.
        """
        job: Future[Reply] = Future()
        Thread(target=_run, args=(job, partial(self._get, url, wanted)), daemon=True).start()
        try:
            return job.result(max(0.0, self.deadline - time.monotonic()) + GRACE)
        except TimeoutError:
            raise SourceError(_SLOW, "timeout") from None

    def _get(self, url: str, wanted: Wanted) -> Reply:
        attempt = 0
        while True:
            transport = self.transport
            try:
                return self._follow(transport, url, wanted)
            except Passing as trouble:
                attempt += 1
                self._pause(trouble, attempt)
            except transport.faults as error:
                self._replace(transport, error)

    def _replace(self, transport: Transport, error: Exception) -> None:
        """Leave a connection's trouble to huggingface_hub's session, for this request and all that follow."""
        if transport.final:
            raise error
        with self._lock:
            if self.transport is transport:
                self.transport = Library()
                transport.close()

    def _pause(self, trouble: Passing, attempt: int) -> None:
        """Wait before the next attempt, or raise the error when it is no use or too late."""
        import random  # most runs need no second attempt

        backoff = self.patience.pause * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)
        wait = max(backoff, (trouble.wait or 0) * random.uniform(1.0, 1.1))
        if attempt >= trouble.attempts or time.monotonic() + wait >= self.deadline:
            raise trouble.error from None
        time.sleep(wait)

    def _follow(self, transport: Transport, url: str, wanted: Wanted) -> Reply:
        """Follow the redirects of one attempt, sending the token to the endpoint only."""
        headers: dict[str, str] = {}
        for _ in range(HOPS):
            home = origin(url) == origin(self.endpoint)
            try:
                with transport.stream(
                    url, _headers(wanted, transport.token if home else ""), *self._times()
                ) as response:
                    headers |= {name.lower(): value for name, value in response.headers.items()}
                    if response.status_code not in (301, 302, 303, 307, 308):
                        return self._receive(response, wanted, headers, home)
                    url = next_hop(url, response.headers.get("location", ""), self.endpoint)
            except Exception as error:
                if not transport.final or not isinstance(error, transport.faults):
                    raise
                raise without_connection(error, urlsplit(url).hostname or "") from None
        raise SourceError("the server redirects in circles; try again later or set another HF_ENDPOINT", "refused")

    def _times(self) -> tuple[float, float]:
        """Return how many seconds a server may be silent, and how many are left."""
        left = max(0.05, self.deadline - time.monotonic())
        return min(self.patience.silence, left), left

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
        for step in response.iter_bytes(_plain.STEP) if wanted.span is None else response.iter_raw():
            body += step
            late = time.monotonic()
            if wanted.enough and (whole or late > slow) and wanted.enough(body):
                break
            if wanted.span and whole and len(body) >= wanted.span[1]:
                break
            if len(body) > wanted.limit:
                raise SourceError(f"the server sends more than {wanted.limit:,} bytes; refused", "refused")
            if late > self.deadline:
                raise SourceError(_SLOW, "timeout")
        return bytes(body)
