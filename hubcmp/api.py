"""The corridor, in order: text -> Reference -> Bundle -> Readings -> Drafter -> Comparison -> text."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from hubcmp import acceptance, extras, measurements, parameters, readers, sources
from hubcmp.answers import Benchmarks, Card, Cards, DepthAnswer, Depths, Ledgers
from hubcmp.comparison import Comparison
from hubcmp.comparison import compare as compare_drafters
from hubcmp.document import Bundle
from hubcmp.drafter import Drafter, Extra, assemble
from hubcmp.errors import HubcmpError, Problem, SourceError, UsageError
from hubcmp.reference import Reference, parse
from hubcmp.renderers import render as render
from hubcmp.sources import Access, _cache, recorded
from hubcmp.sources._cache import Usage
from hubcmp.sources._environment import hubs
from hubcmp.sources._files import open_benchmark
from hubcmp.sources.local import there

PARALLEL = 8
"""References loaded at a time."""
ONLINE = Access()
NOTHING = Extra()

In = TypeVar("In")
Out = TypeVar("Out")


def reference(text: str) -> Reference:
    """Return what `text` refers to. Raises UsageError when it refers to nothing."""
    return parse(text, there, hubs())


def load(text: str, access: Access = ONLINE, extra: Extra = NOTHING) -> Drafter:
    """Return one drafter: fetched, read, accounted and assembled.

    What a source cannot give is an Unknown or a Problem of the Drafter; only a reference that makes no sense raises UsageError.
    """
    bundle = sources.fetch(reference(text), access)
    return _drafter(bundle, extra)


def _drafter(bundle: Bundle, extra: Extra) -> Drafter:
    """Read and assemble one bundle."""
    readings = readers.read_all(bundle.documents)
    return assemble(bundle, readings, _ledger(bundle, readings), extra)


def _ledger(bundle: Bundle, readings: Sequence[readers.Reading]) -> parameters.Ledger:
    """Account for a bundle's tensors, with its config beside them."""
    config = next((reading for reading in readings if reading.format == "config"), None)
    return parameters.account(bundle, config)


def compare(
    refs: Sequence[str | Drafter],
    *,
    bench: Sequence[str] = (),
    plain: Sequence[str] = (),
    fact: Sequence[str] = (),
    given: Sequence[str] = (),
    baseline: str = "",
    access: Access = ONLINE,
) -> Comparison:
    """Return the comparison of two or more references or loaded drafters; all are set against the first, or `baseline`.

    `bench`, `plain`, `fact` and `given` are texts as on the command line: "[REF=]SOURCE", "[REF=]METRIC=VALUE",
    "[REF=]KEY=VALUE,...". Raises UsageError for fewer than two references or a text that makes no sense.
    """
    if len(refs) < 2:
        raise UsageError("compare needs at least two references, for example: hubcmp compare org/name ./ckpt")
    names = [ref.ref if isinstance(ref, Drafter) else ref for ref in refs]
    first = _position(baseline, names)
    added = extras.collect(names, bench, plain, fact, given, benchmark)
    loaded = next((i for i in added if isinstance(refs[i], Drafter)), None)
    if loaded is not None:
        raise UsageError(f"{names[loaded]} is loaded already; give its runs, facts and conditions to load() instead")

    def one(item: tuple[int, str | Drafter]) -> Drafter:
        position, ref = item
        return ref if isinstance(ref, Drafter) else load(ref, access, added.get(position, NOTHING))

    drafters = _parallel(one, list(enumerate(refs)))
    return compare_drafters([drafters[first], *drafters[:first], *drafters[first + 1 :]])


def _position(baseline: str, names: Sequence[str]) -> int:
    """Return which reference the others are set against: one of them verbatim, or its number; the first when none is named."""
    if baseline in names or not baseline:
        return names.index(baseline) if baseline else 0
    if baseline.isdecimal() and 1 <= int(baseline) <= len(names):
        return int(baseline) - 1
    raise UsageError(
        f"--baseline {baseline}: name one of the references of this call, or its number (1 to {len(names)})"
    )


def card(texts: Sequence[str], access: Access = ONLINE) -> Cards:
    """Return what the card of each reference or card file claims."""
    return Cards(tuple(_parallel(lambda text: _card(text, access), texts)))


def _card(text: str, access: Access) -> Card:
    bundle = sources.fetch(reference(text), access.only("card"))
    found = [document for document in bundle.documents if document.source.path.lower().endswith((".md", ".markdown"))]
    readings = readers.read_all(found[:1], "card")
    path = found[0].source.path if found else ""
    reading = readings[0] if readings else None
    return Card(bundle.ref, bundle.revision, path, reading, bundle.problems)


def params(texts: Sequence[str], access: Access = ONLINE, tensors: bool = False) -> Ledgers:
    """Return the parameter ledger of each reference; `tensors` keeps one row per tensor in the answer."""
    return Ledgers(tuple(_parallel(lambda text: _params(text, access), texts)), tensors)


def _params(text: str, access: Access) -> parameters.Ledger:
    bundle = sources.fetch(reference(text), access.only("config", "weights"))
    ledger = _ledger(bundle, readers.read_all(bundle.documents, "config"))
    return replace(ledger, problems=(*bundle.problems, *ledger.problems))


def bench(texts: Sequence[str]) -> Benchmarks:
    """Return each benchmark source in the normal form; two scrapes of one server are written BEFORE..AFTER."""
    return Benchmarks(tuple(benchmark(text) for text in texts))


def benchmark(text: str) -> measurements.Benchmark:
    """Return one benchmark source in the normal form; a source that cannot be opened is one with a failed Problem."""
    try:
        return measurements.read(open_benchmark(text), text)
    except UsageError:
        raise
    except HubcmpError as error:
        return measurements.failed(text, Problem(text, str(error), failed=True))


def record(text: str, folder: Path, access: Access = ONLINE) -> tuple[Path | None, tuple[Problem, ...]]:
    """Write what a reference says now into `folder`; return where (None when nothing could be read) and what went wrong."""
    bundle = sources.fetch(reference(text), access)
    if not bundle.documents:
        return None, bundle.problems
    try:
        return recorded.record(bundle, folder), bundle.problems
    except OSError as error:
        raise SourceError(f"{folder}: could not be written ({error.strerror}); choose another place with -o") from None


def cache_info(access: Access = ONLINE) -> Usage:
    """Return where the cache lies and how large it is."""
    return _cache.info(access)


def cache_clear(access: Access = ONLINE) -> Usage:
    """Empty the cache and return what was removed."""
    return _cache.clear(access)


def depth(lengths: Sequence[tuple[float, int]], to: int) -> Depths:
    """Return accept lengths, each with the draft depth it was measured at, brought to depth `to`.

    Two lengths at depths around `to` are interpolated; otherwise each is estimated on its own. Raises UsageError for
    lengths that their depth does not allow, and for depths at which the decay was never seen.
    """
    try:
        return Depths(tuple(_depths(lengths, to)))
    except ValueError as error:
        raise UsageError(str(error)) from None


def _depths(lengths: Sequence[tuple[float, int]], to: int) -> list[DepthAnswer]:
    around = acceptance.between(lengths, to)
    if around is not None:
        return [DepthAnswer(tuple(lengths), to, around)]
    return [DepthAnswer(((length, k),), to, acceptance.at_depth(length, k, to)) for length, k in lengths]


def _parallel(work: Callable[[In], Out], items: Sequence[In]) -> list[Out]:
    """Map over threads in order: what waits is the network, not the processor."""
    if len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(PARALLEL, len(items))) as pool:
        return list(pool.map(work, items))
