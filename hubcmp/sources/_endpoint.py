"""Live servers of inference engines: their metrics or state over HTTP, with limits on time, size and where it leads.

Nothing of the Hub takes part: no token, no header, no offline switch. Only paths that read are ever asked for.
"""

import ipaddress
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
"""Seconds for one whole reply, headers and redirects included."""
LIMIT = 16 << 20
"""Bytes of one reply; a scrape of a large deployment has about one million."""
HOPS = 3
PLACES = ("/prometheus/metrics", "/metrics", "/server_info", "/get_server_info")
"""Where engines answer, in this order: TensorRT-LLM has its counters at the first and a queue at the second."""
QUEUE = "/metrics"
"""What empties a queue when TensorRT-LLM answers it, so that another reader of that queue would miss what was in it."""
OWNER = "/v1/models"
"""Where servers with OpenAI's routes say whose they are."""
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
    """Return a source as it may be shown: an address without name, password and parameters, which may be keys.

    `model` is kept: llama.cpp's router has one set of metrics per model.
    """
    if not is_endpoint(text):
        return text
    bare, mark, query = re.sub(r"(?i)^(https?://)[^/?#]*@", r"\1", text).partition("#")[0].partition("?")
    kept = "&".join(part for part in query.split("&") if part.startswith("model="))
    return bare + mark + kept if kept else bare


def find(text: str, known: Known, offline: bool = False) -> tuple[Endpoint, BytesDocument]:
    """Return where a server answers and what it says: the address itself when it has a path, else the first of PLACES.

    Raises UsageError for an address that is none, SourceError when nothing there can be read or `offline` forbids to ask.
    """
    parts, ref = _parts(text), shown(text)
    if offline:
        advice = "leave --offline out, or give saved scrapes of it"
        raise SourceError(f"{ref}: a live server is not asked while offline; {advice}", "offline")
    if parts.path.strip("/"):
        endpoint = Endpoint(text, ref)
        return endpoint, endpoint.scrape()
    answers: list[str] = []
    for place in PLACES:
        endpoint = Endpoint(_at(text, place), _at(ref, place))
        reply = _tried(endpoint, place, answers)
        if reply is not None and known(reply):
            return endpoint, reply
    advice = "SGLang needs --enable-metrics, llama.cpp --metrics; or give the full address"
    raise SourceError(f"{ref}: no metrics found ({', '.join(answers)}); {advice}", "absent")


def _at(text: str, place: str) -> str:
    """Return the address of a place on a server, with the parameters given for it."""
    return urlsplit(text)._replace(path=place).geturl()


def _tried(endpoint: Endpoint, place: str, answers: list[str]) -> BytesDocument | None:
    """Return a place's reply, or None with a word in `answers`. Raises SourceError for a server that is not there or hangs."""
    try:
        if place == QUEUE and _is_queue(endpoint.url):
            answers.append(f"{place} would empty TensorRT-LLM's queue, so it is read by its full address only")
            return None
        reply = endpoint.scrape()
    except SourceError as error:
        if error.reason in ("unreachable", "slow"):
            raise
        answers.append(f"{place} {error.reason}")
        return None
    answers.append(f"{place} nothing of a known engine")
    return reply


def _is_queue(url: str) -> bool:
    """Whether the server says that it is TensorRT-LLM's; one that says nothing is another engine's. Raises SourceError."""
    try:
        owners = [entry["owned_by"] for entry in json.loads(_fetch(_at(url, OWNER)))["data"]]
    except SourceError as error:
        if error.reason in ("unreachable", "slow"):
            raise
        return False
    except (ValueError, TypeError, LookupError, RecursionError):
        return False
    return any(isinstance(owner, str) and owner.startswith("tensorrt") for owner in owners)


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
        with httpx.Client(timeout=SILENCE, headers=headers, trust_env=not _is_loopback(url)) as client, _ending(client):
            for _ in range(HOPS + 1):
                with client.stream("GET", url) as reply:
                    if not reply.is_redirect:
                        return _body(reply, url)
                    url = _next(url, str(reply.headers.get("location", "")))
    except httpx.InvalidURL as error:
        _refuse(url, f"no address of a server ({error})", "unreachable")
    except (httpx.TransportError, httpx.StreamError, OSError, RuntimeError) as error:
        _explain(url, error, time.monotonic() >= deadline)
    _refuse(url, f"more than {HOPS} redirects", "redirects")


@contextmanager
def _ending(client: "httpx.Client") -> Iterator[None]:
    """Close the client at the deadline: its own time limits begin anew with every byte, so that a drip would outlast them."""
    watch = threading.Timer(DEADLINE, client.close)
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def _is_loopback(url: str) -> bool:
    """Whether an address is this machine's own, which no proxy of the environment can reach."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _explain(url: str, error: Exception, late: bool) -> NoReturn:
    """Raise the SourceError of a failed connection."""
    import httpx

    if late:
        _refuse(url, f"its reply was not complete within {DEADLINE:.0f} s", "slow")
    if isinstance(error, httpx.TimeoutException):
        advice = "is the server overloaded, or the port another program's?"
        _refuse(url, f"no answer within {SILENCE:.0f} s; {advice}", "slow")
    _refuse(url, f"nothing answers ({_why(error)}); check host and port, and that the server runs", "unreachable")


def _body(reply: "httpx.Response", url: str) -> bytes:
    """Return a reply's body within the limits. Raises SourceError."""
    if reply.status_code in (401, 403):
        _refuse(url, f"asks for a key ({reply.status_code}); save the reply with curl and give the file", "forbidden")
    if reply.status_code != 200:
        _refuse(url, f"answers {reply.status_code}; check the path", str(reply.status_code))
    if reply.headers.get("content-encoding", "identity") != "identity":  # a few bytes could unfold into gigabytes
        _refuse(
            url, "its reply is compressed, though that was not asked for; ask the server without a proxy", "refused"
        )
    body = bytearray()
    for piece in reply.iter_raw():
        body += piece
        if len(body) > LIMIT:
            _refuse(url, f"its reply is larger than {LIMIT >> 20} MB; that is no scrape", "too large")
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
