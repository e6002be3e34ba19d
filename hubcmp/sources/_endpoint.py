"""Live servers of inference engines: their metrics or state over HTTP, with limits on time, size and where it leads.

Nothing of the Hub takes part: no token, no header, no offline switch. Only paths that read are ever asked for.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import SplitResult, urljoin, urlsplit

from hubcmp import __version__
from hubcmp.document import BytesDocument
from hubcmp.errors import SourceError, UsageError
from hubcmp.facts import Source

if TYPE_CHECKING:
    import httpx

SILENCE = 10.0
"""Seconds without a byte after which a server counts as hanging."""
DEADLINE = 20.0
"""Seconds for one whole reply."""
LIMIT = 16 << 20
"""Bytes of one reply; a scrape of a large deployment has about one million."""
HOPS = 3
PLACES = ("/prometheus/metrics", "/metrics", "/server_info", "/get_server_info")
"""Where engines answer, in this order: TensorRT-LLM empties a queue with each reply of /metrics, so its other path comes first."""
SCHEMES = ("http://", "https://")
Known = Callable[[BytesDocument], bool]
"""Whether a reply is one that can be read."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address that answers with something known. `ref` is how it is shown: without a user's name and password."""

    url: str
    ref: str

    def scrape(self) -> BytesDocument:
        """Return what the server says now. Raises SourceError."""
        return BytesDocument(Source(self.ref, path=self.ref), _fetch(self.url))


def is_endpoint(text: str) -> bool:
    """Whether a benchmark source is a server's address."""
    return text.lower().startswith(SCHEMES)


def shown(text: str) -> str:
    """Return a source as it may be shown: an address without a user's name and password."""
    return re.sub(r"(?i)^(https?://)[^/?#]*@", r"\1", text)


def find(text: str, known: Known) -> tuple[Endpoint, BytesDocument]:
    """Return where a server answers and what it says: the address itself when it has a path, else the first of PLACES.

    Raises UsageError for an address that is none, SourceError when nothing there can be read.
    """
    parts, ref = _parts(text), shown(text)
    if parts.path.strip("/"):
        endpoint = Endpoint(text, ref)
        return endpoint, endpoint.scrape()
    answers: list[str] = []
    for place in PLACES:
        endpoint = Endpoint(urljoin(text, place), urljoin(ref, place))
        try:
            reply = endpoint.scrape()
        except SourceError as error:
            if error.reason == "unreachable":
                raise
            answers.append(f"{place} {error.reason}")
            continue
        if known(reply):
            return endpoint, reply
        answers.append(f"{place} nothing of a known engine")
    advice = "SGLang needs --enable-metrics, llama.cpp --metrics; or give the full address"
    raise SourceError(f"{ref}: no metrics found ({', '.join(answers)}); {advice}", "absent")


def _parts(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        usable = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"{shown(text)}: no address of a server; write http://host:port")
    return parts


def _fetch(url: str) -> bytes:
    """Return the body of one reply, redirects within the same host followed. Raises SourceError."""
    import httpx

    deadline = time.monotonic() + DEADLINE
    headers = {"User-Agent": f"hubcmp/{__version__}", "Accept-Encoding": "identity"}
    try:
        with httpx.Client(timeout=SILENCE, headers=headers) as client:
            for _ in range(HOPS + 1):
                with client.stream("GET", url) as reply:
                    if not reply.is_redirect:
                        return _body(reply, url, deadline)
                    url = _next(url, str(reply.headers.get("location", "")))
    except httpx.TimeoutException:
        _refuse(
            url, f"no answer within {SILENCE:.0f} s; is the server overloaded, or the port another program's?", "slow"
        )
    except httpx.TransportError as error:
        _refuse(url, f"nothing answers ({_why(error)}); check host and port, and that the server runs", "unreachable")
    except httpx.InvalidURL as error:
        _refuse(url, f"no address of a server ({error})", "unreachable")
    _refuse(url, f"more than {HOPS} redirects", "redirects")


def _body(reply: "httpx.Response", url: str, deadline: float) -> bytes:
    """Return a reply's body within the limits. Raises SourceError."""
    if reply.status_code in (401, 403):
        _refuse(url, f"asks for a key ({reply.status_code}); save the reply with curl and give the file", "forbidden")
    if reply.status_code != 200:
        _refuse(url, f"answers {reply.status_code}; check the path", str(reply.status_code))
    body = bytearray()
    for piece in reply.iter_bytes():
        body += piece
        if len(body) > LIMIT:
            _refuse(url, f"its reply is larger than {LIMIT >> 20} MB; that is no scrape", "too large")
        if time.monotonic() > deadline:
            _refuse(url, f"its reply was not complete within {DEADLINE:.0f} s", "slow")
    return bytes(body)


def _next(url: str, location: str) -> str:
    """Return where a redirect leads. Raises SourceError for another host, port or scheme."""
    target = urljoin(url, location)
    here, there = urlsplit(url), urlsplit(target)
    if (here.scheme, here.netloc) != (there.scheme, there.netloc):
        _refuse(
            url,
            f"leads to another server ({there.scheme}://{there.hostname}); give that address if you trust it",
            "redirects",
        )
    return target


def _why(error: Exception) -> str:
    """Return the system's words for a failed connection, without the library's."""
    return str(error).partition("] ")[2] or str(error) or type(error).__name__


def _refuse(url: str, message: str, reason: str) -> NoReturn:
    raise SourceError(f"{shown(url)}: {message}", reason) from None
