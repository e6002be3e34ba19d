"""HTTP/1.1 of the standard library as a transport, for the common case: nobody is logged in and no proxy is set.

Then huggingface_hub's session would send the very same requests, but importing it takes longer than all of them
together. Any trouble with a connection here is left to that session, whose word is final.
"""

import os
import ssl
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from threading import Lock
from urllib.parse import urlsplit

from hubcmp.sources._environment import may_be_logged_in
from hubcmp.sources._redirects import origin

STEP = 64 * 1024
"""Bytes taken from a connection at once."""
SHORT = 4096
"""Bytes of a body that nobody wants, such as a redirect's, up to which taking it is cheaper than a new connection."""
_PROXIES = {"http_proxy", "https_proxy", "all_proxy"}
_GZIP = 16 + zlib.MAX_WBITS


def suffices(environment: Mapping[str, str] = os.environ, modules: Mapping[str, object] = sys.modules) -> bool:
    """Whether nothing of the user's needs huggingface_hub: a token, a proxy, or a client factory that a program has set."""
    loaded = "huggingface_hub" in modules or "google.colab" in modules
    return not (loaded or _has_proxy(environment) or may_be_logged_in(environment))


def _has_proxy(environment: Mapping[str, str]) -> bool:
    """Whether variables name a proxy, or the settings of a system that has more than variables."""
    if sys.platform in ("darwin", "win32"):
        from urllib.request import getproxies

        return bool(getproxies())
    return any(value and name.lower() in _PROXIES for name, value in environment.items())


class Plain:
    """Anonymous requests over connections that are kept for the next one. Raises what is in `faults`."""

    final = False
    token = ""
    faults: tuple[type[Exception], ...] = (OSError, ValueError, HTTPException, zlib.error)

    def __init__(self) -> None:
        self._idle: dict[tuple[str, str, int], list[HTTPConnection]] = {}
        self._keeps = True
        self._lock = Lock()
        self._context: ssl.SSLContext | None = None

    @contextmanager
    def stream(self, url: str, headers: dict[str, str], silence: float, left: float) -> Iterator["Response"]:
        """Return the response of a GET, redirects not followed; `silence` and `left` are seconds."""
        connection = self._connection(url, min(silence, left))
        try:
            parts = urlsplit(url)
            target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
            connection.request("GET", target, headers={"Accept-Encoding": "gzip", **headers})
            response = Response(connection.getresponse(), url)
            yield response
        except BaseException:
            connection.close()
            raise
        self._return(connection, url, response)

    def close(self) -> None:
        """Close the connections that wait for a next request; from now on each request has its own."""
        with self._lock:
            self._keeps = False
            for connection in (connection for idle in self._idle.values() for connection in idle):
                connection.close()
            self._idle.clear()

    def _connection(self, url: str, silence: float) -> HTTPConnection:
        """Return a connection to the host of `url`, an idle one if there is any."""
        scheme, host, port = place = origin(url)
        with self._lock:
            idle = self._idle.get(place, [])
            connection = idle.pop() if idle else None
        if connection is None and scheme == "http":
            connection = HTTPConnection(host, port, timeout=silence)
        elif connection is None:
            connection = HTTPSConnection(host, port, timeout=silence, context=self._trust())
        if connection.sock is not None:
            connection.sock.settimeout(silence)
        return connection

    def _trust(self) -> ssl.SSLContext:
        """Return the machine's trusted certificates (or those in SSL_CERT_FILE), loaded once."""
        with self._lock:
            self._context = self._context or ssl.create_default_context()
            return self._context

    def _return(self, connection: HTTPConnection, url: str, response: "Response") -> None:
        """Keep a connection whose answer has been taken to its end; close any other."""
        usable = response.finish()
        with self._lock:
            if usable and self._keeps:
                self._idle.setdefault(origin(url), []).append(connection)
                return
        connection.close()


class Response:
    """An answer whose body is taken step by step, under the names that httpx has for it."""

    def __init__(self, answer: HTTPResponse, url: str) -> None:
        self._answer, self.url = answer, url
        self.status_code = answer.status
        self.headers = {name.lower(): value for name, value in answer.getheaders()}

    def finish(self) -> bool:
        """Take what is left if that is little, and return whether the connection may serve the next request."""
        if not self._answer.isclosed() and self._answer.length is not None and self._answer.length <= SHORT:
            self._answer.read()
        return self._answer.isclosed()

    def iter_raw(self) -> Iterator[bytes]:
        """Yield the body as it comes. Raises IncompleteRead when it ends early."""
        while piece := self._answer.read1(STEP):
            yield piece
        if self._answer.length:
            raise IncompleteRead(b"", self._answer.length)
        self._answer.close()

    def iter_bytes(self, step: int) -> Iterator[bytes]:
        """Yield the body, at most `step` bytes at once however well they were compressed. Raises zlib.error."""
        if self._answer.getheader("Content-Encoding", "identity") != "gzip":
            yield from self.iter_raw()
            return
        inflated = zlib.decompressobj(_GZIP)
        for piece in self.iter_raw():
            yield inflated.decompress(piece, step)
            while inflated.unconsumed_tail:
                yield inflated.decompress(inflated.unconsumed_tail, step)
        if not inflated.eof:
            raise IncompleteRead(b"")
