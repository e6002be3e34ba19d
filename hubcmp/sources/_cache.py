"""hubcmp's own cache, content by commit, and the Hugging Face cache, which is read first and never written."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hubcmp.document import TEXT_LIMIT
from hubcmp.sources import Access
from hubcmp.sources._environment import PUBLIC, endpoint, hf_cache, hf_home
from hubcmp.sources._layout import MARK, Entry, Pin, Store, safe_name
from hubcmp.sources._ranges import HEADER_LIMIT, header_length


@dataclass(frozen=True, slots=True)
class Usage:
    """What `cache info` tells: where the cache lies, how many files it holds and their bytes together."""

    folder: Path
    files: int
    size: int


def folder(access: Access) -> Path:
    """Return the cache's folder."""
    return access.cache or hf_home() / "hubcmp"


def info(access: Access) -> Usage:
    """Return the size of the cache."""
    files = [path for path in _own(folder(access)) if path.is_file()]
    return Usage(folder(access), len(files), sum(path.lstat().st_size for path in files))


def clear(access: Access) -> Usage:
    """Empty the cache and return what was removed; files that are not the cache's own stay."""
    usage = info(access)
    for part in ("hub", "local", "at"):
        shutil.rmtree(usage.folder / part, ignore_errors=True)
    (usage.folder / MARK).unlink(missing_ok=True)
    return usage


def _own(root: Path) -> list[Path]:
    """Return the paths of the cache, nothing else that may lie in its folder."""
    return [root / MARK, *(path for part in ("hub", "local", "at") for path in (root / part).rglob("*"))]


@dataclass(frozen=True, slots=True)
class Cache:
    """What is known about one Hub repository without a request."""

    repo: str
    store: Store
    downloads: Path

    def pin(self, revision: str) -> Pin | None:
        """Return which commit a revision was when last seen, by hubcmp or by a download."""
        if pin := self.store.pin(self.repo, revision):
            return pin
        path = self.downloads / "refs" / revision
        with suppress(OSError, ValueError):
            commit = path.read_text(encoding="ascii").strip()
            return Pin(commit, "") if _is_name(commit) else None
        return None

    def entry(self, commit: str) -> Entry:
        """Return the place of one commit in hubcmp's own cache."""
        return self.store.entry("hub", self.repo, commit)

    def commits(self) -> list[str]:
        """Return the commits of which anything is kept, by hubcmp or by a download."""
        roots = (self.store.repository("hub", self.repo), self.downloads / "snapshots")
        return [path.name for root in roots for path in root.glob("*") if path.is_dir()]

    def text(self, commit: str, path: str) -> bytes | None:
        """Return a small file, or None when no cache holds it."""
        downloaded = self._downloaded(commit, path, 0, TEXT_LIMIT + 1)
        return self.entry(commit).text(path) if downloaded is None else downloaded[0]

    def header(self, commit: str, path: str) -> tuple[bytes, int] | None:
        """Return a downloaded safetensors file's header with its length bytes, and the file's size."""
        start = self._downloaded(commit, path, 0, 8)
        length = header_length(start[0]) if start else None
        return None if length is None or length > HEADER_LIMIT else self._downloaded(commit, path, 0, length)

    def downloaded(self, commit: str) -> list[str]:
        """Return the paths of the files that huggingface_hub has downloaded of a commit."""
        root = self.downloads / "snapshots" / commit
        return (
            sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
            if _is_name(commit)
            else []
        )

    def _downloaded(self, commit: str, path: str, start: int, stop: int) -> tuple[bytes, int] | None:
        """Return bytes of a downloaded file and its size; a snapshot's links must end in the repository's own folder."""
        place = self.downloads / "snapshots" / commit / path
        try:
            if not _is_name(commit) or not place.resolve(strict=True).is_relative_to(self.downloads.resolve()):
                return None
            with open(place, "rb") as file:
                file.seek(start)
                return file.read(stop - start), place.stat().st_size
        except (OSError, ValueError):
            return None

    def save(self, write: Callable[[], None]) -> None:
        """Write to the cache; a full or read-only disk costs time on the next run and nothing else."""
        with suppress(OSError):
            self.store.mark()
            write()


def _is_name(text: str) -> bool:
    return text.isalnum() and len(text) <= 64


def of(repo: str, access: Access) -> Cache:
    """Return the cache of one repository; another endpoint than the Hub's own has a place of its own."""
    root, address = folder(access), endpoint()
    if address != PUBLIC and not (access.cache and (root / "hub").is_dir() and access.offline):
        root = root / "at" / safe_name(address)
    return Cache(repo, Store(root), hf_cache() / f"models--{repo.replace('/', '--')}")
