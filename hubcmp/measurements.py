"""Measurements: one benchmark source brought to the normal form, whatever engine wrote it.

The format is told from the content, never from the file name. Two scrapes of one server give the run between them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hubcmp.acceptance import Run
from hubcmp.compression import expand
from hubcmp.document import BytesDocument, Document
from hubcmp.engines._doubts import doubts
from hubcmp.engines._json import outline
from hubcmp.engines._text import is_json
from hubcmp.engines._wrappers import behind_noise, unwrap
from hubcmp.errors import HubcmpError, Problem
from hubcmp.facts import Source
from hubcmp.readers import PROBE, Reader, Reading, readers

SEARCH = 64 << 20
"""Bytes from the start of a log that are searched for the first line of a known format; start-up noise is shorter."""
SEARCH_BARE = 4 << 20
"""The same behind wrappers, where every look costs more."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark source's result.

    `text` is verbatim what the user gave. `format` is the id of the format, "mixed" for several engines in one file, None
    when nothing was recognised. `engine`, `engine_version` and `window` are those of all runs, None where they differ.
    `exact` says that the counts are known, not inferred.
    """

    text: str
    source: Source
    format: str | None = None
    engine: str | None = None
    engine_version: str | None = None
    window: str | None = None
    exact: bool = False
    runs: tuple[Run, ...] = ()
    problems: tuple[Problem, ...] = ()


def read(documents: Sequence[Document], text: str) -> Benchmark:
    """Return the normal form of one source: one document, or two scrapes of one server (before, after).

    Never raises for what the content is: an unknown, mixed or broken one becomes a Problem that says so.
    """
    try:
        return _read([expand(document) for document in documents], text)
    except HubcmpError as error:
        return failed(text, Problem(text, str(error), failed=True))


def failed(text: str, problem: Problem) -> Benchmark:
    """Return the Benchmark of a source that gave nothing, with the reason."""
    return Benchmark(text, Source(text, path=text), problems=(problem,))


def _read(documents: Sequence[Document], text: str) -> Benchmark:
    documents, found = _recognised(documents)
    if not found:
        return failed(text, Problem(text, _nothing(documents[-1]), failed=True))
    if len(documents) > 1:
        return _pair(documents, text, found)
    readings = [reader.read(documents[0]) for reader in found]
    return _benchmark(text, documents[0].source, readings)


def _recognised(documents: Sequence[Document]) -> tuple[Sequence[Document], list[Reader]]:
    """Return the documents as they can be read, with their readers.

    Logs are read as they are. For anything else what was put around each line is taken off first: behind a prefix a report
    could pass for another one.
    """
    found = detect(documents[-1])
    if any(reader.lines for reader in found):
        return documents, found
    bare = [unwrap(document) for document in documents]
    for tried in (bare, [behind_noise(document) for document in bare]):
        if tried[-1] is not documents[-1] and (known := detect(tried[-1], SEARCH_BARE)):
            return tried, known
        if found:
            break
    return documents, found


def _pair(documents: Sequence[Document], text: str, found: Sequence[Reader]) -> Benchmark:
    """Read the run between two scrapes of one format."""
    before, after = documents
    reader = found[0]
    if len(found) > 1 or detect(before) != found:
        return failed(
            text, Problem(text, "the two scrapes are of different formats; give two of one server", failed=True)
        )
    if reader.between is None:
        message = f"{reader.format} holds no counters, so nothing can be subtracted; give the file of the run itself"
        return failed(text, Problem(text, message, failed=True))
    return _benchmark(text, after.source, [reader.between(before, after)])


def counts(document: Document) -> bool:
    """Return whether a scrape holds counters, so that an earlier one can be subtracted from it."""
    found = detect(document)
    return len(found) == 1 and found[0].between is not None


def is_queue(document: Document) -> bool:
    """Return whether a reply holds only what came since the reply before, so that replies are added up."""
    return any(reader.queue for reader in detect(document))


def detect(document: Document, search: int = SEARCH) -> list[Reader]:
    """Return the readers that recognise the content: none, one, or several when two engines share a file.

    The head is looked at first; a log may open with a long start-up, so the search goes on, and also looks at the end.
    """
    found: dict[str, Reader] = {}
    for window in _windows(document, search):
        for name, reader in readers("benchmark").items():
            if name not in found and reader.recognises(window):
                found[name] = reader
        if found:
            break
    if found and not is_json(document.read(0, PROBE)) and document.size is not None and document.size > PROBE:
        tail = BytesDocument(document.source, document.read(document.size - PROBE, PROBE))
        found |= {n: r for n, r in readers("benchmark").items() if r.lines and r.recognises(tail)}
    return list(found.values())


def _windows(document: Document, search: int) -> Iterator[BytesDocument]:
    """Yield the document's pieces of PROBE bytes, with half of the one before, so that no line is missed at a border."""
    first = document.read(0, PROBE)
    yield BytesDocument(document.source, first)
    if is_json(first):
        # long texts may stand before the keys that matter, and a text may quote a log
        yield BytesDocument(document.source, outline(document, SEARCH))
        return
    offset, rest = 0, b""
    for chunk in document.chunks():
        content = rest + chunk
        for start in range(0, len(content), PROBE // 2):
            yield BytesDocument(document.source, content[start : start + PROBE])
        rest, offset = content[-PROBE // 4 :], offset + len(chunk)
        if offset >= search:
            return


def _nothing(document: Document) -> str:
    """Say why nothing was recognised."""
    if not document.read(0, 4096).strip():
        return "the file is empty; nothing was measured"
    return "no known benchmark format; expected the output, log, answers or scrape of a known engine"


def _benchmark(text: str, source: Source, readings: Sequence[Reading]) -> Benchmark:
    """Join the readings of one source; more than one means that two engines wrote into one file."""
    runs = tuple(run for reading in readings for run in reading.runs)
    problems = [problem for reading in readings for problem in reading.problems]
    if len(readings) > 1:
        names = " and ".join(reading.format for reading in readings)
        problems.append(Problem(text, f"two formats in one file ({names}): each is reported for itself, never blended"))
    return Benchmark(
        text,
        source,
        format=readings[0].format if len(readings) == 1 else "mixed",
        engine=_common(said.engine for said in runs or readings),
        engine_version=_common(run.engine_version for run in runs),
        window=_common(run.window for run in runs),
        exact=bool(runs) and all(run.kind == "exact" for run in runs),
        runs=runs,
        problems=tuple(replace(problem, where=text) for problem in [*problems, *doubts(runs, text)]),
    )


def _common(values: Iterator[str | None]) -> str | None:
    """Return the one value that all have, otherwise None."""
    different = set(values)
    return different.pop() if len(different) == 1 else None
