"""The layout that the cache and recordings share: content by repository and commit, readable by people.

    ROOT/hubcmp.json                             marks the folder: {"layout": 1}
    ROOT/hub/REPO/refs/NAME.json                 which commit a branch or tag was, and when
    ROOT/hub/REPO/COMMIT/@entry.json             the Hub's reply, the file list, what was missing
    ROOT/hub/REPO/COMMIT/config.json, README.md  whole files
    ROOT/hub/REPO/COMMIT/FILE@0-99of2382319091   bytes 0 to 99 of a larger file
    ROOT/local/...                               the same for recorded folders and files

Every file is written under another name and moved into place, so a reader in another process sees all of it or
nothing. Names never come straight from a repository: `safe_name` spells out or hashes whatever is unusual.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

LAYOUT = 1
MARK = "hubcmp.json"
ENTRY = "@entry.json"
LARGEST = 64 << 20
"""No file of the layout is larger; whatever claims to be is not read."""
_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_RANGE = re.compile(r"(.+)@(\d{1,18})-(\d{1,18})of(\d{1,18})")
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}


def safe_name(text: str) -> str:
    """Return a file name for `text`: itself if harmless on every disk, otherwise a readable part, "~" and a digest."""
    plain = _PLAIN.fullmatch(text) and not text.endswith(".") and text.partition(".")[0] not in _RESERVED
    if plain or text == "README.md":
        return text
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:60].strip(".-")
    return f"{readable}~{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:16]}"


def read_json(content: bytes | None) -> Mapping[str, object] | None:
    """Return a JSON object, or None for anything else (broken, too deep, a list)."""
    try:
        value = json.loads(content or b"")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_file(path: Path, limit: int = LARGEST) -> bytes | None:
    """Return a file's content, or None when it is missing, unreadable or larger than `limit` bytes."""
    try:
        with open(path, "rb") as file:
            content = file.read(limit + 1) if os.fstat(file.fileno()).st_size <= limit else None
    except (OSError, ValueError):
        return None
    return content if content is not None and len(content) <= limit else None


def write_file(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever sees half of it. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{os.urandom(8).hex()}.tmp")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@dataclass(frozen=True, slots=True)
class Piece:
    """Stored bytes of a file: `start` inside it, the whole file's `total` size, and where they lie."""

    start: int
    stop: int
    total: int
    path: Path

    def content(self) -> bytes | None:
        """Return the bytes, or None when the file is not as long as its name says."""
        content = read_file(self.path)
        return content if content is not None and len(content) == self.stop - self.start else None


@dataclass(frozen=True, slots=True)
class Entry:
    """One revision of one repository, as stored below `folder`."""

    folder: Path

    def manifest(self) -> Mapping[str, object] | None:
        """Return what `@entry.json` says, or None when there is none (of this layout)."""
        manifest = read_json(read_file(self.folder / ENTRY))
        return manifest if manifest and manifest.get("layout") == LAYOUT else None

    def write_manifest(self, manifest: Mapping[str, object]) -> None:
        """Store `@entry.json`. Raises OSError."""
        text = json.dumps({"layout": LAYOUT, **manifest}, indent=1, ensure_ascii=False, sort_keys=True)
        write_file(self.folder / ENTRY, text.encode(errors="replace") + b"\n")

    def text(self, path: str) -> bytes | None:
        """Return a whole file, or None when it is not stored."""
        return read_file(self.folder / safe_name(path))

    def write_text(self, path: str, content: bytes) -> None:
        """Store a whole file. Raises OSError."""
        write_file(self.folder / safe_name(path), content)

    def write_range(self, path: str, start: int, content: bytes, total: int) -> None:
        """Store bytes of a larger file. Raises OSError."""
        write_file(self.folder / f"{safe_name(path)}@{start}-{start + len(content) - 1}of{total}", content)

    def pieces(self, path: str) -> tuple[Piece, ...]:
        """Return the stored pieces of a larger file, in order."""
        wanted = safe_name(path)
        return tuple(piece for name, piece in self._ranges() if name == wanted)

    def _ranges(self) -> Iterator[tuple[str, Piece]]:
        """Yield every stored piece with the safe name of its file."""
        for file in sorted(self.folder.glob("*@*of*")):
            if match := _RANGE.fullmatch(file.name):
                start, last, total = (int(n) for n in match.groups()[1:])
                yield match[1], Piece(start, last + 1, total, file)


@dataclass(frozen=True, slots=True)
class Pin:
    """Which commit a branch or tag was, on which day (ISO date)."""

    commit: str
    day: str


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of entries: the cache, or a recording."""

    root: Path

    def repository(self, kind: str, repo: str) -> Path:
        """Return the folder of one repository; `kind` is "hub" or "local"."""
        return self.root / kind / safe_name(repo.replace("/", "--"))

    def entry(self, kind: str, repo: str, revision: str) -> Entry:
        """Return the place of one revision, whether or not anything is stored there."""
        return Entry(self.repository(kind, repo) / safe_name(revision))

    def pin(self, repo: str, revision: str) -> Pin | None:
        """Return which commit a Hub revision was when last seen, or None."""
        found = read_json(read_file(self._pin_path(repo, revision))) or {}
        commit, day = found.get("commit"), found.get("day")
        if found.get("repo") != repo or not isinstance(commit, str) or not isinstance(day, str):
            return None
        return Pin(commit, day)

    def write_pin(self, repo: str, revision: str, pin: Pin) -> None:
        """Remember which commit a Hub revision is. Raises OSError."""
        note = {"repo": repo, "revision": revision, "commit": pin.commit, "day": pin.day}
        write_file(self._pin_path(repo, revision), json.dumps(note, indent=1).encode() + b"\n")

    def _pin_path(self, repo: str, revision: str) -> Path:
        return self.repository("hub", repo) / "refs" / f"{safe_name(revision)}.json"

    def mark(self) -> None:
        """Mark the folder as one of this layout. Raises OSError."""
        if not (self.root / MARK).exists():
            write_file(self.root / MARK, json.dumps({"layout": LAYOUT}).encode() + b"\n")
