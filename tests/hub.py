"""A Hub on the loopback interface for tests: the model side of its API, a storage host on a second port, and faults.

What it does follows public observations: resolve answers 307 to a resolve cache for small files and 302 to a storage host
for large ones, each with X-Repo-Commit; errors carry X-Error-Code; every answer says what is left of the rate limit.
"""

import fnmatch
import gzip
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, unquote, urlsplit

COMMIT = "1" * 40
OTHER_COMMIT = "2" * 40
TOKEN = "hf_grantedSECRETSECRET"
SIGNATURE = "SIGNEDSIGNEDSIGNED"
LARGE = (".safetensors", ".bin", ".gguf", ".pt")


@dataclass(frozen=True)
class Blob:
    """A file's content: `head`, then zeros up to `size`, or what `made` makes of (start, stop), so that terabytes cost nothing."""

    head: bytes
    size: int
    made: Callable[[int, int], bytes] | None = None

    def read(self, start: int, stop: int) -> bytes:
        piece, stop = self.head[start:stop], min(stop, self.size)
        at = start + len(piece)
        return piece + (self.made(at, stop) if self.made and at < stop else bytes(stop - at))


def header(tensors: Mapping[str, Any]) -> Blob:
    """Return a safetensors file with this header and zeros as data."""
    text = json.dumps(tensors).encode()
    text += b" " * (-len(text) % 8)
    end = max((t["data_offsets"][1] for name, t in tensors.items() if name != "__metadata__"), default=0)
    return Blob(struct.pack("<Q", len(text)) + text, 8 + len(text) + end)


def tag(path: str) -> str:
    """Return an ETag; the content behind a path never changes here."""
    return f'"{path.encode().hex()}"'


@dataclass
class Repository:
    """One model repository; `gated` and `private` ones are for TOKEN only. `commits` names further revisions."""

    files: dict[str, Blob | bytes]
    commit: str = COMMIT
    gated: bool = False
    private: bool = False
    renamed: str = ""
    commits: dict[str, str] = field(default_factory=dict)

    def resolves(self, revision: str) -> str | None:
        return self.commit if revision in ("main", self.commit) else self.commits.get(revision)

    def blob(self, path: str) -> Blob | None:
        content = self.files.get(path)
        return Blob(content, len(content)) if isinstance(content, bytes) else content


@dataclass
class Fault:
    """One thing that goes wrong: for paths that match, `times` times (None: always), at "hub" or "cdn"."""

    kind: str
    path: str = "*"
    host: str = "*"
    times: int | None = None
    value: Any = None

    def takes(self, host: str, path: str) -> bool:
        if self.times == 0 or self.host not in ("*", host) or not fnmatch.fnmatch(path, self.path):
            return False
        self.times = None if self.times is None else self.times - 1
        return True


@dataclass(frozen=True)
class Request:
    """What reached a server."""

    host: str
    path: str
    authorization: str
    range: str


STATUS: dict[str, tuple[int, str]] = {
    "gated401": (401, "GatedRepo"), "gated403": (403, "GatedRepo"), "bad_token": (401, ""), "repo401": (401, "RepoNotFound"),
    "repo404": (404, "RepoNotFound"), "revision404": (404, "RevisionNotFound"), "entry404": (404, "EntryNotFound"),
    "disabled": (403, ""), "429": (429, ""), "500": (500, ""), "503": (503, ""), "stale": (403, ""), "teapot": (418, ""),
}  # fmt: skip


class Hub:
    """Both servers; use as a context manager. `requests` and `sent` count what reached them and the bytes of their bodies."""

    def __init__(self, repositories: Mapping[str, Repository], latency: float = 0) -> None:
        self.repositories, self.latency = dict(repositories), latency
        self.faults: list[Fault] = []
        self.requests: list[Request] = []
        self.sent = 0
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._servers = {host: self._server(host) for host in ("hub", "cdn")}

    def _server(self, host: str) -> ThreadingHTTPServer:
        handler = type("Handler", (_Handler,), {"hub": self, "host": host})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        server.handle_error = lambda request, address: None  # type: ignore[method-assign, assignment]
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return server

    def address(self, host: str) -> str:
        return f"http://127.0.0.1:{self._servers[host].server_address[1]}"

    @property
    def endpoint(self) -> str:
        return self.address("hub")

    def __enter__(self) -> "Hub":
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        for server in self._servers.values():
            server.shutdown()
            server.server_close()

    def reset(self, *faults: Fault) -> None:
        """Forget all requests and set the faults anew."""
        with self._lock:
            self.faults, self.requests, self.sent = list(faults), [], 0

    def note(self, request: Request) -> None:
        with self._lock:
            self.requests.append(request)

    def count(self, n: int) -> None:
        with self._lock:
            self.sent += n

    def fault(self, host: str, path: str) -> Fault:
        with self._lock:
            return next((f for f in self.faults if f.takes(host, path)), Fault(""))


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    host: str
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, format: str, *args: object) -> None:
        pass

    @cached_property
    def empty(self) -> bytes:
        return bytes(64 * 1024)

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        path = unquote(parts.path)
        asked = self.headers.get("Authorization", "")
        self.hub.note(Request(self.host, path, asked, self.headers.get("Range", "")))
        if self.hub.latency:
            time.sleep(self.hub.latency)
        self.wrong = self.hub.fault(self.host, path)
        if not self.fail(path):
            self.serve(parts.path, parts.query)
        self.wfile.flush()

    do_HEAD = do_GET

    # faults that replace the whole answer

    def fail(self, path: str) -> bool:
        kind, value = self.wrong.kind, self.wrong.value
        if kind in STATUS:
            status, code = STATUS[kind]
            self.answer(status, b"{}", {"X-Error-Code": code, **(value or {})})
        elif kind == "html":
            self.answer(200, b"<!doctype html><form action=/login></form>", {"Content-Type": "text/html"})
        elif kind in ("loop", "offsite"):
            self.answer(302, b"", {"Location": self.path if kind == "loop" else value})
        elif kind == "hang":
            self.hub.closing.wait(60)
        elif kind == "drop":
            self.reset_connection()
        elif kind == "drip_head":
            self.drip_head(value)
        elif kind in ("non_json", "empty"):
            self.answer(200, value or b"", {"X-Repo-Commit": COMMIT})
        else:
            return False
        return True

    def drip_head(self, pause: float) -> None:
        """Send one header after the other and never the last one."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for n in range(10_000):
            self.wfile.write(f"X-Header-{n}: {n}\r\n".encode())
            self.wfile.flush()
            if self.hub.closing.wait(pause):
                return

    def reset_connection(self) -> None:
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    # answers

    def serve(self, raw: str, query: str) -> None:
        parts = [unquote(part) for part in raw.split("/") if part]
        if self.host == "cdn":
            return self.storage(parts, query)
        if parts[:1] == ["mirror"]:  # an endpoint with a path
            parts = parts[1:]
        if parts[:2] == ["api", "resolve-cache"]:
            name, commit, path = "/".join(parts[2:4]), parts[4], "/".join(parts[5:])
            return self.send(
                self.hub.repositories[name].blob(path), {"X-Repo-Commit": self.commit(commit), "ETag": tag(path)}
            )
        api = parts[:2] == ["api", "models"]
        parts = parts[2:] if api else parts
        name, rest = "/".join(parts[:2]), parts[3:]
        repository = self.hub.repositories.get(name)
        if repository is None or (repository.private and not self.granted):
            return self.refuse("repo404" if self.headers.get("Authorization") else "repo401")
        if repository.renamed:
            return self.answer(307, b"", {"Location": self.path.replace(name, repository.renamed)})
        if api and parts[2:3] == ["commits"]:
            commits = [repository.commit, *repository.commits.values()]
            return self.answer(200, json.dumps([{"id": commit, "title": "x"} for commit in commits]).encode(), {})
        revision = rest[0] if rest else "main"
        commit = repository.resolves(revision)
        if commit is None:
            return self.refuse("revision404")
        if api:
            return self.info(name, repository, commit)
        self.resolve(name, repository, commit, "/".join(rest[1:]))

    @property
    def granted(self) -> bool:
        return self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def commit(self, commit: str) -> str:
        """The commit that this answer claims."""
        if self.wrong.kind == "moves":
            return OTHER_COMMIT
        return "" if self.wrong.kind == "no_commit" else commit

    def refuse(self, kind: str) -> None:
        status, code = STATUS[kind]
        self.answer(status, b"{}", {"X-Error-Code": code})

    def info(self, name: str, repository: Repository, commit: str) -> None:
        siblings = [{"rfilename": p, "size": b.size} for p in repository.files if (b := repository.blob(p))]
        info = {"id": name, "sha": commit, "gated": repository.gated, "siblings": siblings}
        self.answer(200, json.dumps(info).encode(), {"Content-Type": "application/json"})

    def resolve(self, name: str, repository: Repository, commit: str, path: str) -> None:
        if repository.gated and not self.granted:
            return self.refuse("gated403" if self.headers.get("Authorization") else "gated401")
        if path not in repository.files:
            return self.refuse("entry404")
        said = {"X-Repo-Commit": self.commit(commit), "ETag": tag(path)}
        if path.endswith(LARGE):
            blob = repository.blob(path)
            where = f"{self.hub.address('cdn')}/repos/{name}/{quote(path)}?Signature={SIGNATURE}"
            return self.answer(302, b"", {**said, "Location": where, "X-Linked-Size": str(blob.size if blob else 0)})
        self.answer(307, b"", {**said, "Location": f"/api/resolve-cache/{name}/{commit}/{quote(path)}"})

    def storage(self, parts: list[str], query: str) -> None:
        if self.headers.get("Authorization") or SIGNATURE not in query:
            return self.answer(400, b"only one way of authorization", {})
        self.send(self.hub.repositories["/".join(parts[1:3])].blob("/".join(parts[3:])), {})

    def send(self, blob: Blob | None, headers: Mapping[str, str]) -> None:
        """Send a file or a range of it, with this request's body fault."""
        assert blob is not None
        kind, value = self.wrong.kind, self.wrong.value
        start, stop = self.span(blob.size)
        ranged = "Range" in self.headers and kind != "ignore_range"
        if not ranged:
            start, stop = 0, blob.size
        if kind == "short_range":
            stop = min(stop, start + value)
        shift = value if kind == "bad_content_range" else 0
        extra = {"Content-Range": f"bytes {start + shift}-{stop - 1 + shift}/{blob.size + shift}"} if ranged else {}
        if kind == "no_content_range":
            extra = {}
        if kind == "header_length":
            blob = Blob(struct.pack("<Q", value) + blob.head[8:], blob.size)
        if not ranged and stop - start > 1024 and "gzip" in self.headers.get("Accept-Encoding", "") and stop < 1 << 20:
            return self.answer(200, gzip.compress(blob.read(start, stop)), {**headers, "Content-Encoding": "gzip"})
        if kind == "gzip_range":
            return self.answer(
                206, gzip.compress(blob.read(start, stop)), {**headers, **extra, "Content-Encoding": "gzip"}
            )
        self.start(206 if ranged else 200, stop - start, {**headers, **extra})
        if self.command != "HEAD":
            self.stream(blob, start, stop)

    def span(self, size: int) -> tuple[int, int]:
        text = self.headers.get("Range", "bytes=0-").removeprefix("bytes=")
        first, _, last = text.partition("-")
        return (int(first), min(int(last) + 1 if last else size, size)) if first else (max(0, size - int(last)), size)

    def stream(self, blob: Blob, start: int, stop: int) -> None:
        kind, value = self.wrong.kind, self.wrong.value
        end = min(stop, start + value) if kind in ("truncate", "reset") else stop
        for piece in self.pieces(blob, start, end):
            self.wfile.write(piece)
            self.hub.count(len(piece))
            if kind == "drip":
                self.wfile.flush()
                if self.hub.closing.wait(value[1]):
                    return
        if end < stop:
            self.close_connection = True
            if kind == "reset":
                self.reset_connection()

    def pieces(self, blob: Blob, start: int, stop: int) -> Iterator[bytes]:
        step = self.wrong.value[0] if self.wrong.kind == "drip" else len(self.empty)
        for at in range(start, stop, step):
            n = min(step, stop - at)
            yield self.empty[:n] if at >= len(blob.head) and not blob.made else blob.read(at, at + n)

    def start(self, status: int, length: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "text/plain", **headers}.items():
            if value:
                self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.start(status, len(body), headers)
        if self.command != "HEAD":
            self.wfile.write(body)
            self.hub.count(len(body))
