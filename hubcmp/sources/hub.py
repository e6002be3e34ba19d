"""The Hugging Face Hub: repository info, config, card and weight headers of one repository, pinned to a commit.

What does not depend on each other starts together: files are asked for at the named revision while that revision is
resolved, and are accepted only when the Hub says that they belong to the resolved commit. Weights are never fetched,
only their headers. Each failure becomes a Problem, and the rest of the bundle still comes.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace

from hubcmp.document import Bundle, BytesDocument, Document, read_whole
from hubcmp.errors import FormatError, Problem, SourceError, UsageError
from hubcmp.facts import Source, Unknown
from hubcmp.reference import Reference
from hubcmp.sources import Access, Origin, _cache
from hubcmp.sources._about import ABBREVIATED, COMMIT, About, expand, guess, recall, remember, understand
from hubcmp.sources._cache import Cache
from hubcmp.sources._environment import is_offline
from hubcmp.sources._http import Reply
from hubcmp.sources._listing import SINGLE, part_of, texts
from hubcmp.sources._ranges import FIRST, RangedDocument, Slice, read_ahead
from hubcmp.sources._remote import Remote
from hubcmp.sources.local import alike
from hubcmp.sources.recorded import stored_slices
from hubcmp.weights import INDEX_LIMIT, Index, index_of, parse_index, told_by_names, weight_documents

WORKERS = 32
"""Requests of one reference at a time; they wait for the network, not for the processor."""
Early = Mapping[str, Future[Reply | Slice]]
"""What was asked for at the named revision, by path, before its commit was known."""
_HOPELESS = {"not found", "revision not found", "bad token", "offline"}
"""Reasons for which no file of the repository can be had either."""
_DEPENDS_ON_REVISION = {"absent", "revision not found", "not the Hub"}
"""Reasons for which a file may be there at the commit, although it was not at the named revision."""


def fetch(reference: Reference, access: Access) -> Bundle:
    """Return the Bundle of one Hub repository; what failed is in its problems. Raises UsageError for a missing commit."""
    if access.require_sha and not COMMIT.fullmatch(reference.revision):
        named = f"{reference.revision} may move" if reference.revision else "its default branch moves"
        raise UsageError(
            f"{reference.text}: {named}; write {reference.location}@ and the whole commit sha, or leave out --require-sha"
        )
    access = replace(access, offline=access.offline or is_offline())
    remote = Remote(reference.location, access)
    visit = _Visit(reference, access, _cache.of(reference.location, access), remote)
    try:
        return visit.bundle()
    finally:
        remote.settle()


@dataclass(slots=True)
class _Visit:
    """One reference being fetched; `failures` are the paths ("" for the repository itself) that did not come, and why."""

    reference: Reference
    access: Access
    cache: Cache
    remote: Remote
    failures: list[tuple[str, SourceError]] = field(default_factory=list)

    @property
    def revision(self) -> str:
        """The revision asked for."""
        return self.reference.revision or "main"

    def bundle(self) -> Bundle:
        """Fetch everything that the caller reads."""
        with ThreadPoolExecutor(WORKERS) as pool:
            early = self._start(pool)
            about = self._about(early)
            if about is None:
                return Bundle(self.reference.text, "hub", problems=self._problems())
            self.remote.repo = about.repo
            documents = self._documents(pool, about, early)
        absent = tuple(
            Unknown(part_of(path), f"the repository has no {path}", "absent")
            for path in texts(self.access)
            if about.lacks(path)
        )
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

    def _start(self, pool: ThreadPoolExecutor) -> dict[str, Future[Reply | Slice]]:
        """Ask for the usual files at the named revision, unless the cache knows the commit that it was when last seen."""
        pin = None if COMMIT.fullmatch(self.revision) else self.cache.pin(self.revision)
        known = self.cache.entry(pin.commit if pin else self.revision).manifest() is not None
        if self.access.offline or known:
            return {}
        early: dict[str, Future[Reply | Slice]] = {
            path: pool.submit(self.remote.text, path, self.revision) for path in texts(self.access)
        }
        if "weights" in self.access.parts:
            early[SINGLE] = pool.submit(self.remote.range, SINGLE, self.revision, 0, FIRST)
        return early

    def _about(self, early: Early) -> About | None:
        """Resolve the revision; if that fails, take the commit from the files that came, if any did."""
        if known := recall(self.cache, self.revision, self.access):
            return known
        try:
            about = understand(self._info(), self.reference.location)
        except SourceError as error:
            self.failures.append(("", error))
            if error.reason in _HOPELESS:
                return None
            return guess(
                (job.result().commit for job in early.values() if not job.exception()), self.reference.location
            )
        self.cache.save(lambda: remember(self.cache, about, self.revision))
        return about

    def _info(self) -> Mapping[str, object]:
        """Ask what the revision is; an abbreviated commit is looked for among the latest. Raises SourceError."""
        try:
            return self.remote.info(self.reference.revision)
        except SourceError as error:
            unknown = error.reason == "revision not found" and ABBREVIATED.fullmatch(self.revision)
            commit = expand(self.revision, self.remote.commits()) if unknown else ""
            if not commit:
                raise
        self.reference = replace(self.reference, revision=commit)
        return self.remote.info(commit)

    def _documents(self, pool: ThreadPoolExecutor, about: About, early: Early) -> list[Document]:
        """Fetch texts and weight headers side by side."""
        present = [path for path in texts(self.access) if not about.lacks(path)]
        jobs = [(path, pool.submit(self._text, about, path, early.get(path))) for path in present]
        if "weights" in self.access.parts:
            listing = self._index(about)
            jobs += [] if listing is None else [(listing.source.path, _done(listing))]
            weights = _weights_of(about, listing)
            first = _first_read(about, weights)
            jobs += [(path, pool.submit(self._weights, about, path, early.get(path), first)) for path in weights]
        return [document for path, job in jobs if (document := self._settled(path, job)) is not None]

    def _settled(self, path: str, job: Future[Document]) -> Document | None:
        """Return the document of a finished job, or note why there is none."""
        try:
            return job.result()
        except SourceError as error:
            self.failures.append((path, error))
            return None

    def _index(self, about: About) -> Document | None:
        """Return the shard index if the files' names do not tell the shards; it may be large, so only then."""
        name = index_of(about.paths)
        if not name or told_by_names(weight_documents(about.paths)):
            return None
        try:
            return self._text(about, name, None)
        except SourceError as error:
            self.failures.append((name, error))
            return None

    def _text(self, about: About, path: str, early: Future[Reply | Slice] | None) -> Document:
        """Return a small file at the commit: cached, asked for early, or asked for now. Raises SourceError."""
        source, size = Source(self.reference.text, about.commit, path), about.size(path)
        kept = self.cache.text(about.commit, path)
        if kept is not None and size in (None, len(kept)):
            return BytesDocument(source, kept)
        reply = _settle(early, about.commit)
        if not isinstance(reply, Reply) or size not in (None, len(reply.body)):
            reply = self.remote.text(path, about.commit)
            _check(reply.commit, about.commit, len(reply.body), size)
        body = reply.body
        self.cache.save(lambda: self.cache.entry(about.commit).write_text(path, body))
        return BytesDocument(source, body)

    def _weights(self, about: About, path: str, early: Future[Reply | Slice] | None, first: int) -> Document:
        """Return a weight file as a ranged document that already holds what readers ask for first. Raises SourceError."""
        size, entry = about.size(path), self.cache.entry(about.commit)

        def ask(start: int, stop: int) -> Slice:
            """Fetch a range at the commit."""
            got = self.remote.range(path, about.commit, start, stop)
            _check(got.commit, about.commit, got.total, size)
            return got

        found = self.cache.header(about.commit, path)
        known = [Slice(0, *found)] if found else stored_slices(entry, path)
        if not known and isinstance(got := _settle(early, about.commit), Slice) and size in (None, got.total):
            known = [got]
        document = RangedDocument(Source(self.reference.text, about.commit, path), size, ask, first, known)
        for part in read_ahead(document):
            self.cache.save(lambda: entry.write_range(path, part.start, part.content, part.total or 0))  # noqa: B023
        return document

    def _problems(self) -> tuple[Problem, ...]:
        """Return the failures, one Problem per cause with the files that it kept away."""
        causes: dict[str, list[str]] = {}
        for path, error in self.failures:
            if error.reason != "absent":
                causes.setdefault(f"{error}{self._advice(error)}", []).append(path)
        ref = self.reference.text
        note = [Problem(ref, self.reference.note)] if self.reference.note else []
        return (*note, *(Problem(_where(ref, paths), why, failed=True) for why, paths in causes.items()))

    def _advice(self, error: SourceError) -> str:
        """Name the path that may have been meant, where the Hub knows no such repository."""
        near = alike(self.reference.text) if error.reason == "not found" else ""
        return f"; or did you mean {near} here?" if near else ""

    def _unknowns(self) -> tuple[Unknown, ...]:
        failed = {part_of(path): error for path, error in self.failures if path}
        states = {part: "absent" if error.reason == "absent" else "not checked" for part, error in failed.items()}
        return tuple(Unknown(part, str(error), states[part]) for part, error in failed.items())


def _where(ref: str, paths: Sequence[str]) -> str:
    """Name a repository and the files of it that a failure concerns."""
    named = [path for path in paths if path]
    return f"{ref}: {', '.join(named[:3])}{f' and {len(named) - 3} more' if len(named) > 3 else ''}" if named else ref


def _done(document: Document) -> Future[Document]:
    job: Future[Document] = Future()
    job.set_result(document)
    return job


def _settle(early: Future[Reply | Slice] | None, commit: str) -> Reply | Slice | None:
    """Return what was asked for early if it came and belongs to the commit, None when it must be asked for at the commit.

    Raises the SourceError of an early failure that another request would only repeat.
    """
    if early is None:
        return None
    try:
        got = early.result()
    except SourceError as error:
        if error.reason in _DEPENDS_ON_REVISION:
            return None
        raise
    return got if got.commit == commit else None


def _check(said: str, commit: str, got: int | None, size: int | None) -> None:
    """Refuse content of another commit or another size than the Hub listed. Raises SourceError."""
    if said not in ("", commit):
        raise SourceError("the repository moves while it is read: another commit came; run again", "moved")
    if got is not None and size is not None and got != size:
        raise SourceError(f"the server has {got:,} bytes instead of the {size:,} listed; try again", "refused")


def _weights_of(about: About, listing: Document | None) -> tuple[str, ...]:
    """Return the listed weight files that count; without a list only the usual single file can be tried."""
    if not about.listed:
        return (SINGLE,)
    index: Index | None = None
    if listing is not None:
        with suppress(FormatError):  # whoever reads the index document says what is wrong with it
            index = parse_index(read_whole(listing, INDEX_LIMIT), listing.source.path)
    return tuple(path for path in weight_documents(about.paths, index).counted if path in about.paths)


def _first_read(about: About, weights: Sequence[str]) -> int:
    """Return how many bytes to read first of each weight file: an index of N bytes foretells headers of about 1.4 N."""
    index = about.size(index_of(about.paths))
    if len(weights) < 2 or index is None:
        return FIRST
    return min(max(int(1.6 * index / len(weights)), FIRST // 4), 1 << 20)


PLUGIN = Origin(kinds=("hub",), fetch=fetch)
