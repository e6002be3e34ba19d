"""What a repository is at a revision: its commit, its present name, its files; from the Hub's reply or from the cache."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from hubcmp.document import Bundle, FileEntry
from hubcmp.errors import Problem, SourceError
from hubcmp.facts import Unknown
from hubcmp.reference import REPOSITORY
from hubcmp.sources import Access
from hubcmp.sources._cache import Cache
from hubcmp.sources._layout import Pin
from hubcmp.sources._listing import entries
from hubcmp.sources.recorded import Recording, manifest

COMMIT = re.compile(r"[0-9a-f]{40}")
"""A full commit sha, which always means the same content."""
ABBREVIATED = re.compile(r"[0-9a-f]{7,39}")
"""What may be the start of one; the Hub knows only whole ones."""


@dataclass(frozen=True, slots=True)
class About:
    """A repository at a commit; `listed` is False when its file list could not be had."""

    commit: str
    repo: str
    files: tuple[FileEntry, ...] = ()
    info: Mapping[str, object] = field(default_factory=dict)
    listed: bool = True
    unknowns: tuple[Unknown, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def paths(self) -> list[str]:
        """The listed paths."""
        return [f.path for f in self.files]

    def size(self, path: str) -> int | None:
        """Return a file's size from the list, or None."""
        return next((f.size for f in self.files if f.path == path), None)

    def lacks(self, path: str) -> bool:
        """Whether the list says that there is no such file."""
        return self.listed and path not in self.paths


def understand(info: Mapping[str, object], repo: str) -> About:
    """Check the Hub's reply and take commit, name and file list from it. Raises SourceError."""
    commit, name, listed = info.get("sha"), info.get("id"), info.get("siblings")
    if not isinstance(commit, str) or not COMMIT.fullmatch(commit):
        raise SourceError("the Hub's reply names no commit; try again later or check HF_ENDPOINT", "not the Hub")
    resolved = name if isinstance(name, str) and REPOSITORY.fullmatch(name) else repo
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    files = entries(rows, "rfilename")
    problems = []
    if resolved != repo:
        problems.append(Problem(repo, f"was renamed; the Hub answers for {resolved}"))
    if len(files) < len(rows):
        problems.append(Problem(repo, f"lists {len(rows) - len(files)} files with unsafe names; they were left out"))
    return About(commit, resolved, files, info, isinstance(listed, list), problems=tuple(problems))


def expand(revision: str, commits: Iterable[str]) -> str:
    """Return the one commit that `revision` is the start of, "" for none. Raises SourceError when there are several."""
    found = {commit for commit in commits if commit.startswith(revision)} if ABBREVIATED.fullmatch(revision) else set()
    if len(found) > 1:
        raise SourceError(
            f"{len(found)} commits start with {revision}; write more of the one you mean", "revision not found"
        )
    return found.pop() if found else ""


def guess(commits: Iterable[str], repo: str) -> About | None:
    """Take the commit from the files that came, when the info did not come; None when they do not agree on one."""
    found = set(commits)
    commit = found.pop() if len(found) == 1 else ""
    return About(commit, repo, listed=False) if COMMIT.fullmatch(commit) else None


def remember(cache: Cache, about: About, revision: str) -> None:
    """Store what the Hub said, and which commit the revision is today. Raises OSError."""
    known = Bundle(cache.repo, "hub", about.commit, about.repo, files=about.files, info=about.info)
    cache.entry(about.commit).write_manifest(manifest(known, cache.repo))
    if not COMMIT.fullmatch(revision):
        cache.store.write_pin(cache.repo, revision, Pin(about.commit, date.today().isoformat()))


def recall(cache: Cache, revision: str, access: Access) -> About | None:
    """Return what the caches know of a revision: always of a commit, of a branch or tag only offline, with a note."""
    pinned = COMMIT.fullmatch(revision) is not None
    if access.offline and (commit := expand(revision, cache.commits())):
        revision, pinned = commit, True
    pin = Pin(revision, "") if pinned else cache.pin(revision) if access.offline else None
    if pin is None:
        return None
    when = f" on {pin.day}" if pin.day else ""
    note = Problem(cache.repo, f"offline: {revision} was {pin.commit} when last seen{when}")
    notes = () if pinned else (note,)
    said = cache.entry(pin.commit).manifest()
    if said is None:
        files = tuple(FileEntry(path) for path in cache.downloaded(pin.commit)) if access.offline else ()
        return About(pin.commit, cache.repo, files, problems=notes) if files else None
    old = Recording(cache.entry(pin.commit), said).bundle(cache.repo, access.only())
    repo = old.resolved if REPOSITORY.fullmatch(old.resolved) else cache.repo
    return About(pin.commit, repo, old.files, old.info, True, old.unknowns, old.problems + notes)
