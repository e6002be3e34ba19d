"""Data in and out beside the corridor: benchmarks, training data, saved comparisons, schemas, and what may leave this machine."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from hubcmp.document import read_whole
from hubcmp.errors import HubcmpError, Problem, UsageError
from hubcmp.facts import Evidence, Fact, Span
from hubcmp.redaction import redact
from hubcmp.sources.local import there

if TYPE_CHECKING:
    from hubcmp.comparison import Comparison
    from hubcmp.document import Document
    from hubcmp.drafter import Drafter
    from hubcmp.measurements import Benchmark

A = TypeVar("A")


def benchmark(text: str, offline: bool = False) -> "Benchmark":
    """Return one benchmark source in the normal form; a source that cannot be opened is one with a failed Problem.

    A server's address is asked once: what it says is about its whole past, and a warning says so. `offline` forbids to ask.
    """
    from hubcmp import measurements
    from hubcmp.sources._endpoint import find, is_endpoint, shown
    from hubcmp.sources._files import open_benchmark

    try:
        if is_endpoint(text):
            endpoint, reply = find(text, readable, offline)
            return measurements.read([reply], endpoint.ref)
        return measurements.read(open_benchmark(text), text)
    except UsageError:
        raise
    except HubcmpError as error:
        return measurements.failed(shown(text), Problem(shown(text), str(error), failed=True))


def readable(document: "Document") -> bool:
    """Return whether a document holds a known benchmark format."""
    from hubcmp import measurements

    return bool(measurements.detect(document))


def training_samples(text: str) -> Fact | Problem:
    """Return the number of samples in a file of training data as a fact; a file that cannot be counted is a failed Problem."""
    from hubcmp.sources._rows import count_rows

    try:
        rows = count_rows(text)
    except UsageError:
        raise
    except HubcmpError as error:
        return Problem(text, str(error), failed=True)
    method = f"counted: {rows.how}; that it is the training data is given by the user"
    spot, number = (rows.source,), Span.of(rows.count)
    return Fact("training_samples", number, "samples", Evidence.OBSERVED, method, spot, raw=f"{rows.count:,}")


def saved(path: str) -> "Comparison":
    """Return a comparison that was saved as JSON. Raises SourceError when it cannot be opened, FormatError when it is refused."""
    from hubcmp import contracts
    from hubcmp.sources._files import open_document

    return contracts.read(read_whole(open_document(path), contracts.LIMIT), path)


def saved_drafter(ref: "str | Drafter", others: Sequence[object]) -> "Drafter | None":
    """Return the first drafter of a saved comparison, None for a reference to anything else.

    It keeps its own name, unless another reference of the call has that name already; then it goes by the file's.
    Raises FormatError for a saved comparison that is refused.
    """
    if not isinstance(ref, str) or not ref.endswith(".json") or there(ref) != "file":
        return None
    from hubcmp import contracts
    from hubcmp.sources._files import open_document

    content = read_whole(open_document(ref), contracts.LIMIT)
    if not contracts.is_saved(content):
        return None
    first = contracts.read(content, ref).drafters[0]
    return replace(first, ref=ref) if first.ref in others else first


def schema(contract: str) -> dict[str, object]:
    """Return the JSON Schema of one contract: "compare", "card", "params", "bench" or "depth". Raises UsageError for another."""
    from hubcmp import contracts

    if contract not in contracts.CONTRACTS:
        raise UsageError(f"{contract}: there is a schema of {', '.join(contracts.CONTRACTS)}")
    return contracts.schema(contract)


def published(answer: A, redact_private: bool = False) -> A:
    """Return an answer (or a text of it) as strangers may see it: no absolute paths, on request no private names."""
    return redact(answer, os.getcwd(), redact_private)
