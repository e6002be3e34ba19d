"""The Hugging Face Hub: repository info, config, card and weight headers of one repository, pinned to a commit.

What does not depend on each other starts together: files are asked for at the named revision while that revision is
resolved, and are accepted only when the Hub says that they belong to the resolved commit. Weights are never fetched,
only their headers. Each failure becomes a Problem, and the rest of the bundle still comes.
"""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date
from threading import Lock
from urllib.parse import quote

from hubcmp.document import TEXT_LIMIT, Bundle, BytesDocument, Document, FileEntry
from hubcmp.errors import Problem, SourceError
from hubcmp.facts import Source, Unknown
from hubcmp.reference import REPOSITORY, Reference
from hubcmp.sources import Access, Origin, _cache
from hubcmp.sources._cache import Cache
from hubcmp.sources._environment import endpoint, is_offline
from hubcmp.sources._http import Reply, Session, Wanted
from hubcmp.sources._layout import Pin, read_json
from hubcmp.sources._listing import SINGLE, entries, part_of, texts
from hubcmp.sources._ranges import FIRST, HEADER_LIMIT, RangedDocument, Slice, fetch_range, header_length
from hubcmp.sources.recorded import Recording, manifest, stored_slices
from hubcmp.weights import index_of, weight_documents

WORKERS = 32
"""Requests of one reference at a time; they wait for the network, not for the processor."""
INFO_LIMIT = 20 << 20
"""Largest reply of the Hub's API that is read."""
_COMMIT = re.compile(r"[0-9a-f]{40}")
_HOPELESS = {"not found", "revision not found", "bad token"}
"""Reasons for which no file of the repository can be had either."""


@dataclass(frozen=True, slots=True)
class About:
    """What the Hub says of a repository at a revision; `listed` is False when its file list could not be had."""

    commit: str
    repo: str
    files: tuple[FileEntry, ...] = ()
    info: Mapping[str, object] = field(default_factory=dict)
    listed: bool = True
    unknowns: tuple[Unknown, ...] = ()
    problems: tuple[Problem, ...] = ()

    def size(self, path: str) -> int | None:
        """Return a file's size from the list, or None."""
        return next((f.size for f in self.files if f.path == path), None)


def fetch(reference: Reference, access: Access) -> Bundle:
    """Return the Bundle of one Hub repository; what failed is in its problems."""
    access = replace(access, offline=access.offline or is_offline())
    return _Visit(reference, access, _cache.of(reference.location, access)).bundle()


@dataclass(slots=True)
class _Visit:
    """One reference being fetched."""

    reference: Reference
    access: Access
    cache: Cache
    failures: list[tuple[str, SourceError]] = field(default_factory=list)
    _session: Session | None = None
    _lock: Lock = field(default_factory=Lock)

    @property
    def session(self) -> Session:
        """The session, made at the first request: what is cached needs no HTTP library. Raises SourceError when offline."""
        if self.access.offline:
            raise SourceError("it is not in the cache, and offline nothing is asked for; run once online", "offline")
        with self._lock:
            self._session = self._session or Session(endpoint(), self.access.patience)
            return self._session

    @property
    def revision(self) -> str:
        """The revision asked for."""
        return self.reference.revision or "main"

    def bundle(self) -> Bundle:
        """Fetch everything that the caller reads."""
        with ThreadPoolExecutor(WORKERS) as pool:
            early = self._start(pool)
            try:
                about = self._about()
            except SourceError as error:
                self.failures.append(("", error))
                guess = None if error.reason in _HOPELESS else _guess(early, self.reference.location)
                if guess is None:
                    return Bundle(self.reference.text, "hub", problems=self._problems())
                about = guess
            documents = self._documents(pool, about, early)
        self._session = None if self._session is None else self._renewed(self._session)
        return self._bundle(about, documents)

    def _renewed(self, session: Session) -> Session:
        """Leave the documents a little time of their own for what their readers ask for later."""
        session.patience = replace(session.patience, total=session.patience.silence)
        session.renew()
        return session

    def _bundle(self, about: About, documents: Sequence[Document]) -> Bundle:
        missing = [path for path in texts(self.access) if self._lacks(about, path)]
        absent = tuple(Unknown(part_of(path), f"the repository has no {path}", "absent") for path in missing)
        return Bundle(
            ref=self.reference.text,
            kind="hub",
            revision=about.commit,
            resolved=about.repo,
            documents=tuple(documents),
            files=about.files,
            info=about.info,
            unknowns=about.unknowns + absent + self._unknowns(),
            problems=about.problems + self._problems(),
        )

    @staticmethod
    def _lacks(about: About, path: str) -> bool:
        return about.listed and path not in {f.path for f in about.files}

    # what is asked for before the revision is resolved

    def _start(self, pool: ThreadPoolExecutor) -> dict[str, Future[Reply | Slice]]:
        """Ask for the usual files at the named revision, unless the cache holds them as of when it was last seen."""
        if self.access.offline:
            return {}
        commit = (
            self.revision if _COMMIT.fullmatch(self.revision) else getattr(self.cache.pin(self.revision), "commit", "")
        )
        if commit and self.cache.entry(commit).manifest() is not None:
            return {}
        early: dict[str, Future[Reply | Slice]] = {
            path: pool.submit(self._get, path, self.revision) for path in texts(self.access)
        }
        if "weights" in self.access.parts:
            early[SINGLE] = pool.submit(self._range, SINGLE, self.revision, 0, FIRST)
        return early

    def _url(self, path: str, revision: str, repo: str = "") -> str:
        return f"{endpoint()}/{repo or self.reference.location}/resolve/{quote(revision, safe='')}/{quote(path)}"

    def _get(self, path: str, revision: str, repo: str = "") -> Reply:
        """Return a small file at a revision. Raises SourceError, also for a web page in its place."""
        reply = self.session.get(self._url(path, revision, repo), Wanted(limit=TEXT_LIMIT + 1))
        if reply.headers.get("content-type", "").startswith("text/html"):
            raise SourceError(
                "a web page came instead of the file: a login page or a proxy; check HF_ENDPOINT", "not the Hub"
            )
        return reply

    def _range(self, path: str, revision: str, start: int, stop: int, repo: str = "") -> Slice:
        header = start == 0 and path.endswith(".safetensors")
        return fetch_range(self.session, self._url(path, revision, repo), start, stop, header)

    # the repository

    def _about(self) -> About:
        """Resolve the revision, from the cache where that is certain. Raises SourceError."""
        pinned = _COMMIT.fullmatch(self.revision) is not None
        if (pinned or self.access.offline) and (known := self._remembered(pinned)):
            return known
        suffix = f"/revision/{quote(self.reference.revision, safe='')}" if self.reference.revision else ""
        url = f"{endpoint()}/api/models/{self.reference.location}{suffix}?blobs=true"
        info = read_json(self.session.get(url, Wanted(limit=INFO_LIMIT)).body)
        if info is None:
            advice = "a login page or a proxy answers; check HF_ENDPOINT"
            raise SourceError(f"what came is not the Hub's JSON: {advice}", "not the Hub")
        about = _understand(info, self.reference.location)
        self.cache.save(lambda: self._remember(about))
        return about

    def _remember(self, about: About) -> None:
        known = Bundle(self.reference.text, "hub", about.commit, about.repo, files=about.files, info=about.info)
        self.cache.entry(about.commit).write_manifest(manifest(known, self.reference.location))
        if not _COMMIT.fullmatch(self.revision):
            self.cache.store.write_pin(
                self.reference.location, self.revision, Pin(about.commit, date.today().isoformat())
            )

    def _remembered(self, pinned: bool) -> About | None:
        """Return what the caches know of the revision, saying when it was last looked up."""
        pin = Pin(self.revision, "") if pinned else self.cache.pin(self.revision)
        if pin is None:
            return None
        when = f" on {pin.day}" if pin.day else ""
        note = Problem(self.reference.text, f"offline: {self.revision} was {pin.commit} when last seen{when}")
        notes = () if pinned else (note,)
        said = self.cache.entry(pin.commit).manifest()
        if said is None:
            files = tuple(FileEntry(path) for path in self.cache.downloaded(pin.commit)) if self.access.offline else ()
            return About(pin.commit, self.reference.location, files, problems=notes) if files else None
        old = Recording(self.cache.entry(pin.commit), said).bundle(self.reference.text, self.access.only())
        return About(
            pin.commit,
            old.resolved or self.reference.location,
            old.files,
            old.info,
            True,
            old.unknowns,
            old.problems + notes,
        )

    # the files

    def _documents(
        self, pool: ThreadPoolExecutor, about: About, early: Mapping[str, Future[Reply | Slice]]
    ) -> list[Document]:
        """Fetch texts and weight headers side by side."""
        present = [path for path in texts(self.access) if not self._lacks(about, path)]
        asked = [(path, pool.submit(self._text, about, path, early.get(path))) for path in present]
        weights = self._chosen(about) if "weights" in self.access.parts else ()
        first = _first_read(about, weights)
        jobs = asked + [(path, pool.submit(self._weights, about, path, early.get(path), first)) for path in weights]
        return [document for path, job in jobs if (document := self._settled(about, path, job)) is not None]

    @staticmethod
    def _chosen(about: About) -> tuple[str, ...]:
        return weight_documents(f.path for f in about.files).counted if about.listed else (SINGLE,)

    def _settled(self, about: About, path: str, job: Future[Document]) -> Document | None:
        """Return the document of a finished job, or note why there is none."""
        try:
            return job.result()
        except SourceError as error:
            self.failures.append((path, error))
            return None

    def _text(self, about: About, path: str, early: Future[Reply | Slice] | None) -> Document:
        """Return a config or card at the commit: cached, asked for early, or asked for now."""
        source, size = Source(self.reference.text, about.commit, path), about.size(path)
        kept = self.cache.text(about.commit, path)
        if kept is not None and size in (None, len(kept)):
            return BytesDocument(source, kept)
        content = _settle(early, about.commit)
        if not isinstance(content, Reply) or size not in (None, len(content.body)):
            content = self._get(path, about.commit, about.repo)
            _check(content.commit, about.commit)
        if size not in (None, len(content.body)):
            raise SourceError(f"{len(content.body):,} bytes came instead of the {size:,} listed; try again", "refused")
        body = content.body
        self.cache.save(lambda: self.cache.entry(about.commit).write_text(path, body))
        return BytesDocument(source, body)

    def _weights(self, about: About, path: str, early: Future[Reply | Slice] | None, first: int) -> Document:
        """Return a weight file as a ranged document whose header is already there."""
        size = about.size(path)

        def ask(start: int, stop: int) -> Slice:
            got = self._range(path, about.commit, start, stop, about.repo)
            _check(got.commit, about.commit)
            if None not in (size, got.total) and got.total != size:
                raise SourceError(
                    f"the server has {got.total:,} bytes instead of the {size:,} listed; try again", "refused"
                )
            return got

        known = self._known_slices(about, path)
        if not known and isinstance(got := _settle(early, about.commit), Slice) and size in (None, got.total):
            known = [got]
        document = RangedDocument(Source(self.reference.text, about.commit, path), size, ask, first, known)
        self._prefetch(document, about.commit)
        return document

    def _known_slices(self, about: About, path: str) -> list[Slice]:
        if (found := self.cache.header(about.commit, path)) is not None:
            return [Slice(0, *found)]
        return stored_slices(self.cache.entry(about.commit), path)

    def _prefetch(self, document: RangedDocument, commit: str) -> None:
        """Read what the readers will ask for: a safetensors header, the ends of a zip archive, the start of others."""
        path, before = document.source.path, tuple(document.slices)
        if not path.endswith(".safetensors"):
            document.read(0, FIRST)
            if document.size is not None and document.size > FIRST and document.read(0, 2) == b"PK":
                document.read(document.size - FIRST, FIRST)
            new = [s for s in document.slices if s not in before]
        else:
            length = header_length(document.read(0, 8)) or 0
            header = document.read(0, length) if length <= HEADER_LIMIT else b""
            new = [] if before and before[0].commit == "" else [Slice(0, header, document.size)]
        entry = self.cache.entry(commit)
        for part in new:
            if part.content and part.total is not None:
                self.cache.save(lambda s=part: entry.write_range(path, s.start, s.content, s.total))  # type: ignore[misc]

    # what went wrong

    def _problems(self) -> tuple[Problem, ...]:
        """Return the failures, one Problem per cause with the files that it kept away."""
        causes: dict[str, list[str]] = {}
        for path, error in self.failures:
            causes.setdefault(str(error), []).append(path)
        note = [Problem(self.reference.text, self.reference.note)] if self.reference.note else []
        return (
            *note,
            *(Problem(_where(self.reference.text, paths), why, failed=True) for why, paths in causes.items()),
        )

    def _unknowns(self) -> tuple[Unknown, ...]:
        failed = {part_of(path): error for path, error in self.failures if path}
        return tuple(Unknown(part, str(error), "not checked") for part, error in failed.items())


def _where(ref: str, paths: Sequence[str]) -> str:
    """Name a repository and the files of it that a failure concerns."""
    named = [path for path in paths if path]
    return f"{ref}: {', '.join(named[:3])}{f' and {len(named) - 3} more' if len(named) > 3 else ''}" if named else ref


def _understand(info: Mapping[str, object], repo: str) -> About:
    """Check the Hub's reply and take commit, name and file list from it. Raises SourceError."""
    commit, name = info.get("sha"), info.get("id")
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
        raise SourceError("the Hub's reply names no commit; try again later or check HF_ENDPOINT", "not the Hub")
    resolved = name if isinstance(name, str) and REPOSITORY.fullmatch(name) else repo
    listed = info.get("siblings")
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    files = entries(rows, "rfilename")
    problems = []
    if resolved != repo:
        problems.append(Problem(repo, f"was renamed; the Hub answers for {resolved}"))
    if len(files) < len(rows):
        problems.append(Problem(repo, f"lists {len(rows) - len(files)} files with unsafe names; they were left out"))
    return About(commit, resolved, files, info, isinstance(listed, list), problems=tuple(problems))


def _guess(early: Mapping[str, Future[Reply | Slice]], repo: str) -> About | None:
    """Take the commit from the files that came, when the repository's info did not come; None when they disagree."""
    commits = {job.result().commit for job in early.values() if job.exception() is None}
    commit = commits.pop() if len(commits) == 1 else ""
    return About(commit, repo, listed=False) if _COMMIT.fullmatch(commit) else None


def _settle(early: Future[Reply | Slice] | None, commit: str) -> Reply | Slice | None:
    """Return what was asked for early if it came and belongs to the commit; any failure is asked for again."""
    if early is None or early.exception() is not None:
        return None
    return early.result() if early.result().commit == commit else None


def _check(said: str, commit: str) -> None:
    """Refuse content of another commit than the one asked for. Raises SourceError."""
    if said not in ("", commit):
        raise SourceError("the repository moves while it is read: another commit came; run again", "moved")


def _first_read(about: About, weights: Sequence[str]) -> int:
    """Return how many bytes to read first of each weight file: an index of N bytes foretells headers of about 1.4 N."""
    index = about.size(index_of(f.path for f in about.files))
    if len(weights) < 2 or index is None:
        return FIRST
    return min(max(int(1.6 * index / len(weights)), FIRST // 4), 1 << 20)


PLUGIN = Origin(kinds=("hub",), fetch=fetch)
