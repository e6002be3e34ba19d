"""Recorded evidence: what `hubcmp record` wrote, read back as if it came from its source."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Literal

from hubcmp.document import TEXT_LIMIT, Bundle, BytesDocument, Document, FileEntry
from hubcmp.errors import Problem, SourceError, UsageError
from hubcmp.facts import Source, Unknown
from hubcmp.reference import Reference, parse
from hubcmp.sources import Access, Origin
from hubcmp.sources._environment import hubs
from hubcmp.sources._layout import ENTRY, MARK, Entry, Pin, Store
from hubcmp.sources._listing import WEIGHTS, entries, part_of
from hubcmp.sources._ranges import FIRST, HEADER_LIMIT, RangedDocument, Slice, header_length, read_ahead

Kind = Literal["hub", "local"]


def record(bundle: Bundle, folder: Path) -> Path:
    """Write everything that was read of `bundle` into `folder` and return the entry's path. Raises OSError, SourceError.

    Of weights only the header is recorded, or what readers read of them (see `remembering`), with the whole file's size.
    """
    if not bundle.documents:
        raise SourceError(f"{bundle.ref}: nothing of it could be read, so there is nothing to record")
    kind: Kind = "hub" if bundle.kind == "hub" else "local"
    name, asked = _named(bundle) if kind == "hub" else (bundle.ref, "")
    store = Store(folder)
    store.mark()
    entry = store.entry(kind, name, bundle.revision)
    for document in bundle.documents:
        _record_document(entry, document)
    entry.write_manifest(manifest(bundle, name))
    if asked not in ("", bundle.revision):
        store.write_pin(name, asked, Pin(bundle.revision, date.today().isoformat()))
    return entry.folder


def _named(bundle: Bundle) -> tuple[str, str]:
    """Return the repository id and the revision that were asked for, however they were written."""
    try:
        reference = parse(bundle.ref, lambda _: None, hubs())
    except UsageError:
        return bundle.resolved, "main"
    return reference.location, reference.revision or "main"


def remembering(bundle: Bundle) -> Bundle:
    """Return the bundle with weights that keep what is read of them, since where their names lie depends on the format."""
    return replace(bundle, documents=tuple(map(_remembering, bundle.documents)))


def _remembering(document: Document) -> Document:
    if isinstance(document, RangedDocument) or not document.source.path.endswith(WEIGHTS):
        return document
    return RangedDocument(
        document.source,
        document.size,
        lambda start, stop: Slice(start, document.read(start, stop - start), document.size),
    )


def _record_document(entry: Entry, document: Document) -> None:
    """Write one document: a text whole, of weights the header or what was read."""
    path = document.source.path
    if not path.endswith(WEIGHTS):
        return entry.write_text(path, document.read(0, TEXT_LIMIT))
    watched = _remembering(document)
    if not path.endswith(".safetensors") and isinstance(watched, RangedDocument):
        read_ahead(watched)
        for piece in watched.slices:
            entry.write_range(path, piece.start, piece.content, watched.size or piece.stop)
        return None
    # what is recorded may itself come from a recording, which holds the header and not a byte more
    length = header_length(document.read(0, 8)) or 0
    start = document.read(0, length if length <= HEADER_LIMIT else FIRST)
    return entry.write_range(path, 0, start, document.size or len(start))


def manifest(bundle: Bundle, ref: str) -> Mapping[str, object]:
    """Return what `@entry.json` holds of a bundle beside its documents."""
    return {
        "kind": bundle.kind,
        "ref": ref,
        "resolved": bundle.resolved,
        "revision": bundle.revision,
        "files": [{"path": f.path, "size": f.size} for f in bundle.files],
        "info": dict(bundle.info),
        "unknowns": [{"metric": u.metric, "reason": u.reason, "state": u.state} for u in bundle.unknowns],
        "problems": [{"where": p.where, "message": p.message, "failed": p.failed} for p in bundle.problems],
    }


@dataclass(frozen=True, slots=True)
class Recording:
    """An entry with its manifest, checked."""

    entry: Entry
    said: Mapping[str, object]

    def text(self, key: str) -> str:
        """Return a text of the manifest, "" when it is missing."""
        value = self.said.get(key)
        return value if isinstance(value, str) else ""

    def rows(self, key: str) -> list[Mapping[str, object]]:
        """Return a list of objects of the manifest, empty when it is missing."""
        value = self.said.get(key)
        return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []

    def files(self) -> tuple[FileEntry, ...]:
        """Return the file list."""
        return entries(self.rows("files"), "path")

    def bundle(self, ref: str, access: Access) -> Bundle:
        """Return the Bundle as its source gave it, with the documents that were kept. `ref` is what the user wrote."""
        source = Source(ref, self.text("revision"))
        documents = (self._document(source, f) for f in self.files() if part_of(f.path) in access.parts)
        info = self.said.get("info")
        return Bundle(
            ref=ref,
            kind=self.text("kind") or "hub",
            revision=source.revision,
            resolved=self.text("resolved"),
            documents=tuple(d for d in documents if d is not None),
            files=self.files(),
            info=info if isinstance(info, dict) else {},
            unknowns=tuple(
                Unknown(str(u.get("metric")), str(u.get("reason")), str(u.get("state"))) for u in self.rows("unknowns")
            ),
            problems=tuple(
                Problem(str(p.get("where")), str(p.get("message")), p.get("failed") is True)
                for p in self.rows("problems")
            ),
        )

    def _document(self, source: Source, file: FileEntry) -> Document | None:
        """Return the document of one listed file, or None when nothing of it was kept."""
        source = replace(source, path=file.path)
        if not file.path.endswith(WEIGHTS):
            content = self.entry.text(file.path)
            return None if content is None else BytesDocument(source, content[: TEXT_LIMIT + 1])
        slices = stored_slices(self.entry, file.path)
        return RangedDocument(source, slices[0].total, _not_recorded, slices=slices) if slices else None


def stored_slices(entry: Entry, path: str) -> list[Slice]:
    """Return the stored bytes of a larger file."""
    pieces = [(piece, piece.content()) for piece in entry.pieces(path)]
    return [Slice(piece.start, content, piece.total) for piece, content in pieces if content is not None]


def _not_recorded(start: int, stop: int) -> Slice:
    """Refuse to read what a recording does not hold."""
    raise SourceError(f"bytes {start:,} to {stop:,} were not recorded; read them from the source", "not recorded")


def fetch(reference: Reference, access: Access) -> Bundle:
    """Return the Bundle of the one entry in a recorded folder. Raises UsageError when it holds none or several."""
    root = Path(reference.location).expanduser()
    depth = "*/*/*" if (root / MARK).is_file() else "*"
    found = [Entry(path.parent) for path in sorted(root.glob(f"{depth}/{ENTRY}"))]
    recordings = [Recording(entry, said) for entry in found if (said := entry.manifest()) is not None]
    if len(recordings) == 1:
        return recordings[0].bundle(recordings[0].text("ref") or reference.text, access)
    if not recordings:
        raise UsageError(f"{reference.text} holds no recorded evidence of this layout; record it again")
    names = ", ".join(
        dict.fromkeys(f"{r.entry.folder.parent.relative_to(root)} ({r.text('ref')})" for r in recordings[:8])
    )
    raise UsageError(f"{reference.text} holds {len(recordings)} recordings; name the folder of one below it: {names}")


PLUGIN = Origin(kinds=("recorded",), fetch=fetch)
