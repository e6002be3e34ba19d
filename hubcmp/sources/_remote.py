"""One repository as the Hub serves it: its info, whole small files and ranges of large ones, at any revision."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from urllib.parse import quote

from hubcmp.document import TEXT_LIMIT
from hubcmp.errors import SourceError
from hubcmp.sources import Access
from hubcmp.sources._environment import endpoint
from hubcmp.sources._http import Reply, Session, Wanted, transport
from hubcmp.sources._layout import read_json
from hubcmp.sources._ranges import Slice, fetch_range
from hubcmp.weights import INDEX_LIMIT

INFO_LIMIT = 20 << 20
"""Largest reply of the Hub's API that is read."""
HISTORY = 1000
"""Commits among which an abbreviated one is looked for."""
_NOT_THE_HUB = "a login page or a proxy answers; check HF_ENDPOINT"


@dataclass(slots=True)
class Remote:
    """The repository `repo`; the session is made at the first request, since what is cached needs no HTTP library."""

    repo: str
    access: Access
    _session: Session | None = None
    _settled: bool = False
    _lock: Lock = field(default_factory=Lock, repr=False)

    @property
    def session(self) -> Session:
        """The session for all requests. Raises SourceError when offline."""
        if self.access.offline:
            raise SourceError("it is not in the cache, and offline nothing is asked for; run once online", "offline")
        with self._lock:
            self._session = self._session or Session(endpoint(), self.access.patience, transport(self.access.plain))
            return self._session

    def info(self, revision: str) -> Mapping[str, object]:
        """Return the Hub's reply about a revision ("" for the default branch), unchecked. Raises SourceError."""
        suffix = f"/revision/{quote(revision, safe='')}" if revision else ""
        url = f"{endpoint()}/api/models/{self.repo}{suffix}?blobs=true"
        info = read_json(self.session.get(url, Wanted(limit=INFO_LIMIT)).body)
        if info is None:
            raise SourceError(f"what came is not the Hub's JSON: {_NOT_THE_HUB}", "not the Hub")
        return info

    def commits(self) -> list[str]:
        """Return the latest commits of the default branch, the newest first. Raises SourceError."""
        url = f"{endpoint()}/api/models/{self.repo}/commits/main?limit={HISTORY}"
        body = self.session.get(url, Wanted(limit=INFO_LIMIT)).body
        rows = (read_json(b'{"commits":' + body + b"}") or {}).get("commits")
        return [str(row.get("id")) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []

    def text(self, path: str, revision: str) -> Reply:
        """Return a small file. Raises SourceError, also for a web page in its place."""
        limit = INDEX_LIMIT if path.endswith(".index.json") else TEXT_LIMIT
        reply = self.session.get(self._url(path, revision), Wanted(limit=limit))
        if reply.headers.get("content-type", "").startswith("text/html"):
            raise SourceError(f"a web page came instead of the file: {_NOT_THE_HUB}", "not the Hub")
        return reply

    def range(self, path: str, revision: str, start: int, stop: int) -> Slice:
        """Return bytes start to stop of a file, fewer at its end. Raises SourceError."""
        if self._settled:
            self.session.renew()
        header = start == 0 and path.endswith(".safetensors")
        return fetch_range(self.session, self._url(path, revision), start, stop, header)

    def _url(self, path: str, revision: str) -> str:
        return f"{endpoint()}/{self.repo}/resolve/{quote(revision, safe='')}/{quote(path)}"

    def settle(self) -> None:
        """End the first round: what readers ask for later has a short deadline each time, instead of one for all."""
        if self._session is not None:
            self._session.patience = replace(self._session.patience, total=self._session.patience.silence)
            self._session.transport.close()
            self._settled = True
