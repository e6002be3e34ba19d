"""Reading the weight files that count: which they are, their headers, and whether index and shards agree."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hubcmp.document import Bundle, Document, read_whole
from hubcmp.errors import FormatError, HubcmpError, Problem
from hubcmp.parameters._groups import select
from hubcmp.readers import Reader, Reading, readers
from hubcmp.tensors import TensorTable
from hubcmp.weights import INDEX_LIMIT, Index, WeightChoice, index_of, parse_index, weight_documents


@dataclass(frozen=True, slots=True)
class Files:
    """What was read: the choice, one table per file, the metadata of the headers, warnings and problems."""

    choice: WeightChoice
    tables: tuple[TensorTable, ...] = ()
    index: Index | None = None
    warnings: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_files(bundle: Bundle) -> Files:
    """Read the index and the headers of the files that count; what fails becomes a problem and the rest goes on."""
    paths = {f.path for f in bundle.files} | {d.source.path for d in bundle.documents}
    index, problems = _index(bundle, index_of(paths))
    choice = _sized(weight_documents(paths, index), bundle)
    known = readers("weights").values() if choice.counted else ()
    tables, warnings = [], []
    for path in choice.counted:
        document = bundle.named(path)
        if document is None:
            continue
        reading, failures = _read(document, known)
        problems += failures
        if reading is not None and reading.tensors is not None:
            tables.append(reading.tensors)
            warnings += [str(p) for p in reading.problems]
    disagreements = _compare(index, tables) if index and choice.index else []
    missing = [f"{name} is listed but not there: the count is incomplete" for name in choice.missing]
    unique, copies = _once(tables)
    return Files(choice, unique, index, (*warnings, *disagreements, *missing, *copies), tuple(problems))


def _sized(choice: WeightChoice, bundle: Bundle) -> WeightChoice:
    """Return the choice with the sizes of what was left out, as far as the file list has them."""
    sizes = {f.path: f.size for f in bundle.files}
    return replace(choice, left_out=tuple(replace(item, size=sizes.get(item.path)) for item in choice.left_out))


def _index(bundle: Bundle, path: str) -> tuple[Index | None, list[Problem]]:
    document = bundle.named(path) if path else None
    if document is None:
        return None, []
    try:
        index = parse_index(read_whole(document, INDEX_LIMIT), path)
    except HubcmpError as error:
        return None, [Problem(path, str(error), failed=True)]
    names = ", ".join(index.refused[:8])
    refused = (
        [Problem(path, f"names of files outside the repository are refused: {names}", failed=True)]
        if index.refused
        else []
    )
    return index, refused


def _read(document: Document, known: Iterable[Reader]) -> tuple[Reading | None, list[Problem]]:
    """Read one weight file with the reader that recognises it."""
    path = document.source.path
    try:
        reader = next((reader for reader in known if reader.recognises(document)), None)
        if reader is None:
            raise FormatError(
                f"{document.source}: not a weight file that is known; safetensors, torch zip files and GGUF are"
            )
        return reader.read(document), []
    except HubcmpError as error:
        return None, [Problem(path, str(error), failed=True)]


def _compare(index: Index, tables: list[TensorTable]) -> list[str]:
    """Check the index against the shards both ways."""
    placed = all(list(map(index.shards.get, table.names)) == [table.file] * len(table) for table in tables)
    if placed and sum(map(len, tables)) == len(index.shards):
        return []
    held = {name: table.file for table in tables for name in table.names}
    read = {table.file for table in tables}
    lacking = [t for t, file in index.shards.items() if file in read and held.get(t) != file]
    unlisted = [t for t in held if t not in index.shards]
    return [
        *_differences(index.path, lacking, "are listed but not in the shard named"),
        *_differences(index.path, unlisted, "are in a shard but not listed"),
    ]


def _differences(path: str, names: list[str], what: str) -> list[str]:
    return [f"{path}: {len(names):,} tensors {what}, such as {names[0]}"] if names else []


def _once(tables: list[TensorTable]) -> tuple[tuple[TensorTable, ...], list[str]]:
    """Count a name once, even when two shards hold it."""
    total = sum(map(len, tables))
    if len(set().union(*(table.names for table in tables))) == total:
        return tuple(tables), []
    seen: set[str] = set()
    kept = []
    for table in tables:
        kept.append(select(table, [name not in seen for name in table.names]))
        seen.update(table.names)
    return tuple(kept), [f"{total - len(seen):,} tensors stand in two shards; each is counted once"]
