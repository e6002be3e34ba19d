"""Local folders and single files: config, card and weight headers, read without leaving the folder."""

import difflib
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from hubcmp.document import CHUNK, TEXT_LIMIT, Bundle, FileEntry
from hubcmp.errors import FormatError, Problem, SourceError, UsageError
from hubcmp.facts import Source, Unknown
from hubcmp.reference import Reference, There
from hubcmp.sources import Access, Origin
from hubcmp.sources._layout import MARK, read_file
from hubcmp.sources._listing import CONFIG, TEXTS, WEIGHTS, texts
from hubcmp.sources._ranges import HEADER_LIMIT, header_length
from hubcmp.weights import INDEX_LIMIT, index_of, parse_index, told_by_names, weight_documents

KNOWN = (".json", ".md", ".markdown", *WEIGHTS)
"""Endings of single files that a reference may name."""
MOST_FILES = 10_000
"""Files listed of one folder; a checkpoint has a few dozen."""


def there(path: str) -> There:
    """Say what lies at a path: "recorded" for recorded evidence (or one repository in it), "folder", "file", or None."""
    place = Path(path).expanduser()
    try:
        if place.is_dir():
            within = place.absolute().parent
            recorded = (place / MARK).is_file() or (
                within.name in ("hub", "local") and (within.parent / MARK).is_file()
            )
            return "recorded" if recorded else "folder"
        return "file" if place.exists() else None
    except (OSError, ValueError):
        return None


def alike(path: str) -> str:
    """Return the path beside a missing one whose name is most like it, "" when none is."""
    place = Path(path)
    try:
        names = os.listdir(place.expanduser().parent)[:MOST_FILES]
    except (OSError, ValueError):
        return ""
    near = difflib.get_close_matches(place.name, names, 1)
    return f"{path.removesuffix('/').removesuffix(place.name)}{near[0]}" if near else ""


@dataclass(frozen=True, slots=True)
class FileDocument:
    """A regular file on the disk, opened for each read, so that nothing stays open and the document pickles."""

    source: Source
    path: Path
    size: int

    def read(self, offset: int, n: int) -> bytes:
        """Return up to `n` bytes from `offset`. Raises SourceError."""
        try:
            with _open(self.path) as file:
                file.seek(offset)
                return file.read(n)
        except OSError as error:
            raise SourceError(f"{self.path}: {error.strerror or error}", "unreadable") from None

    def chunks(self) -> Iterator[bytes]:
        """Yield the content in pieces. Raises SourceError."""
        try:
            with _open(self.path) as file:
                while piece := file.read(CHUNK):
                    yield piece
        except OSError as error:
            raise SourceError(f"{self.path}: {error.strerror or error}", "unreadable") from None


def _open(path: Path) -> BinaryIO:
    """Open a regular file; a pipe that lies in its place neither blocks nor is read."""
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(0, "not a regular file; only regular files are read")
    return os.fdopen(number, "rb")


def fetch(reference: Reference, access: Access) -> Bundle:
    """Return the Bundle of a folder or a single file. Raises UsageError for a folder that holds several checkpoints."""
    place = Path(reference.location).expanduser()
    if reference.kind == "file":
        return _file(reference, place)
    files, problems = _list(place)
    paths = [f.path for f in files]
    _refuse_collection(reference, place, paths)
    if not _holds_drafter(paths):
        message = "holds no config.json, README.md or weight file; name the folder of a checkpoint"
        problems.append(Problem(reference.text, message, failed=True))
    weights = _weights(place, paths) if "weights" in access.parts else []
    wanted = [path for path in (*texts(access), *weights) if path in paths]
    documents = [d for path in wanted if (d := _document(reference, place / path, path, problems)) is not None]
    unknowns = tuple(
        Unknown(part, f"{reference.text} has no {path}", "absent")
        for part, path in TEXTS.items()
        if part in access.parts and path not in paths
    )
    if reference.note:
        problems.append(Problem(reference.text, reference.note))
    return _bundle(reference, "folder", files, documents, unknowns, problems)


def _holds_drafter(paths: Sequence[str]) -> bool:
    """Whether a folder holds anything of a drafter."""
    return any(name in paths for name in TEXTS.values()) or bool(index_of(paths) or weight_documents(paths).counted)


def _weights(place: Path, paths: Sequence[str]) -> list[str]:
    """Return the index and the weight files that count; only names in the folder's own list are ever opened."""
    name, choice = index_of(paths), weight_documents(paths)
    if name and not told_by_names(choice) and (content := read_file(place / name, INDEX_LIMIT)) is not None:
        with suppress(FormatError):  # whoever reads the index document says what is wrong with it
            choice = weight_documents(paths, parse_index(content, name))
    return [*([name] if name else []), *choice.counted]


def _file(reference: Reference, place: Path) -> Bundle:
    """Return the Bundle of one file: weights, a config or a card."""
    problems: list[Problem] = []
    document = _document(reference, place, place.name, problems)
    if not place.name.lower().endswith(KNOWN):
        message = "is no weight file, config or card; benchmark output goes behind --bench or hubcmp bench"
        problems.append(Problem(reference.text, message, failed=True))
    files = [FileEntry(place.name, document.size)] if document else []
    return _bundle(reference, "file", files, [document] if document else [], (), problems)


def _document(reference: Reference, path: Path, name: str, problems: list[Problem]) -> FileDocument | None:
    """Return the document at `path`, or None with a Problem."""
    try:
        with _open(path) as file:
            size = os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        problems.append(Problem(name, f"cannot be read: {why}", failed=True))
        return None
    return FileDocument(Source(reference.text, path=name), path, size)


def _bundle(
    reference: Reference,
    kind: str,
    files: Sequence[FileEntry],
    documents: Sequence[FileDocument],
    unknowns: tuple[Unknown, ...],
    problems: Sequence[Problem],
) -> Bundle:
    """Put the bundle together and pin every document to its revision."""
    revision = digest(documents)
    pinned = tuple(replace(d, source=replace(d.source, revision=revision)) for d in documents)
    return Bundle(reference.text, kind, revision, reference.text, pinned, tuple(files), {}, unknowns, tuple(problems))


def digest(documents: Sequence[FileDocument]) -> str:
    """Return "sha256:..." over each file's name and size and the bytes that are read of it; not over the weights."""
    total = hashlib.sha256()
    for document in sorted(documents, key=lambda d: d.source.path):
        total.update(f"{document.source.path}\0{document.size}\0".encode(errors="surrogatepass"))
        try:
            total.update(_head(document))
        except SourceError:
            continue  # the reader will say what is wrong with it
    return f"sha256:{total.hexdigest()}"


def _head(document: FileDocument) -> bytes:
    """Return the bytes of a file that the revision vouches for: a whole text, a safetensors header, a start of others."""
    if not document.source.path.endswith(WEIGHTS):
        return document.read(0, TEXT_LIMIT)
    start = document.read(0, CHUNK // 16)
    length = header_length(start) if document.source.path.endswith(".safetensors") else None
    return start if length is None or length > HEADER_LIMIT else document.read(0, length)


def _list(place: Path) -> tuple[list[FileEntry], list[Problem]]:
    """List the regular files of a folder and of its direct subfolders, leaving out links that lead elsewhere."""
    files: list[FileEntry] = []
    problems: list[Problem] = []
    root = place.resolve()
    for folder in (place, *_subfolders(place)):
        for item in _scan(folder):
            path = Path(item.path).relative_to(place).as_posix()
            try:
                status = os.stat(item.path)
                inside = not item.is_symlink() or _stays(Path(item.path).resolve(), root)
            except OSError:  # a link to nothing, or a loop
                inside, status = False, None
            if status is not None and stat.S_ISDIR(status.st_mode):
                continue
            if not inside or status is None:
                problems.append(Problem(path, "is a link that leads out of the folder or nowhere; not read"))
            elif stat.S_ISREG(status.st_mode):
                files.append(FileEntry(path, status.st_size))
            else:
                problems.append(Problem(path, "is no regular file; not read"))
    return sorted(files[:MOST_FILES], key=lambda f: f.path), problems


def _stays(target: Path, root: Path) -> bool:
    """Whether a link's target lies in the folder, or in the blobs of the Hugging Face cache that the folder belongs to."""
    if target.is_relative_to(root):
        return True
    return root.parent.name == "snapshots" and target.parent == root.parent.parent / "blobs"


def _scan(folder: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as items:
            return sorted(
                (item for item in items if not item.name.startswith(".") or item.name == ".metadata"),
                key=lambda item: item.name,
            )
    except OSError:
        return []


def _subfolders(place: Path) -> list[Path]:
    return [Path(item.path) for item in _scan(place) if item.is_dir(follow_symlinks=False)]


def _refuse_collection(reference: Reference, place: Path, paths: Sequence[str]) -> None:
    """Raise UsageError for a folder of checkpoints, naming them: which one is meant is the user's choice."""
    if CONFIG in paths or weight_documents(path for path in paths if "/" not in path).counted:
        return
    names = [folder.name for folder in _subfolders(place) if f"{folder.name}/{CONFIG}" in paths]
    if names:
        shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        example = f"{reference.text.rstrip('/')}/{names[-1]}"
        raise UsageError(f"{reference.text} holds {len(names)} checkpoints: {shown}; name one, for example {example}")


PLUGIN = Origin(kinds=("folder", "file"), fetch=fetch)
