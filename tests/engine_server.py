"""An inference engine's HTTP side on loopback: real metrics of the prometheus-client package, or whatever a test needs."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

Answer = Callable[[BaseHTTPRequestHandler], None]


class Vllm:
    """vLLM's counters, as its server exposes them; `decode` adds verify steps to them."""

    def __init__(self, depth: int = 3) -> None:
        self.depth = depth
        self.restart()

    def restart(self) -> None:
        """Start again from zero."""
        self.registry = CollectorRegistry()
        labels = {"registry": self.registry, "labelnames": ["model_name", "engine"]}
        self.drafts = Counter("vllm:spec_decode_num_drafts", "drafts", **labels)
        self.drafted = Counter("vllm:spec_decode_num_draft_tokens", "drafted", **labels)
        self.accepted = Counter("vllm:spec_decode_num_accepted_tokens", "accepted", **labels)
        self.tokens = Counter("vllm:generation_tokens", "generated", **labels)
        self.running = Gauge("vllm:num_requests_running", "running", **labels)
        self.positions = Counter(
            "vllm:spec_decode_num_accepted_tokens_per_pos", "per position",
            registry=self.registry, labelnames=["model_name", "engine", "position"],
        )  # fmt: skip
        self.decode(0, [0] * self.depth)

    def decode(self, steps: int, accepted: list[int]) -> None:
        """Add `steps` verify steps of which `accepted[i]` accepted draft i."""
        own = ('the "model"', "0")
        self.drafts.labels(*own).inc(steps)
        self.drafted.labels(*own).inc(steps * self.depth)
        self.accepted.labels(*own).inc(sum(accepted))
        self.tokens.labels(*own).inc(steps + sum(accepted))
        for position, count in enumerate(accepted):
            self.positions.labels(*own, str(position)).inc(count)

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer /metrics, and 404 elsewhere."""
        if request.path == "/metrics":
            reply(request, generate_latest(self.registry), "text/plain; version=0.0.4")
        else:
            reply(request, b"not found", status=404)


def reply(
    request: BaseHTTPRequestHandler, body: bytes, kind: str = "text/html", status: int = 200, **headers: str
) -> None:
    """Send one whole reply."""
    request.send_response(status)
    for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(body)


@contextlib.contextmanager
def serving(answer: Answer) -> Iterator[tuple[str, list[tuple[str, dict[str, str]]]]]:
    """Serve on a free port; yields the address and the (path, headers) of every request so far."""
    seen: list[tuple[str, dict[str, str]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            with contextlib.suppress(ConnectionError):
                answer(self)

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
