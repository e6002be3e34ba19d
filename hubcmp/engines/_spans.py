"""Large logs in spans: each span of whole lines is worked on by its own process, and the results come back in order."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from hubcmp.document import Document
from hubcmp.engines._text import BLOCK, blocks
from hubcmp.facts import Source

LARGE = 128 << 20
"""Bytes from which starting processes pays; every smaller log is one span, in this process."""
MOST_PROCESSES = 8

Result = TypeVar("Result")
Work = Callable[[Iterable[bytes]], Result]


def spans(document: Document, work: Work[Result]) -> Iterator[Result]:
    """Yield `work(blocks)` for consecutive spans of the document; `work` must be a function of a module, so that it pickles."""
    size, processes = document.size, min(os.cpu_count() or 1, MOST_PROCESSES)
    if size is None or size < LARGE or not _may_fork() or processes < 2:
        yield work(blocks(document))
        return
    cuts = [size * i // processes for i in range(processes + 1)]
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("fork")) as pool:
        jobs = [pool.submit(_span, document, work, start, end) for start, end in pairwise(cuts)]
        for job in jobs:
            yield job.result()


def _may_fork() -> bool:
    """Forking is safe only while no other thread runs, and not inside a worker process."""
    forks = "fork" in multiprocessing.get_all_start_methods()
    return forks and threading.active_count() == 1 and multiprocessing.parent_process() is None


def _span(document: Document, work: Work[Result], start: int, end: int) -> Result:
    first, last = line_start(document, start), line_start(document, end)
    return work(blocks(Slice(document, first, last)))


def line_start(document: Document, offset: int) -> int:
    """Return the offset of the first line that begins at or behind `offset` (the size when there is none)."""
    at = offset - 1
    if at < 0:
        return 0
    while piece := document.read(at, BLOCK):
        end = piece.find(b"\n")
        if end >= 0:
            return at + end + 1
        at += len(piece)
    return at


@dataclass(frozen=True, slots=True)
class Slice:
    """The bytes of a document from `start` to `end`, as a document."""

    whole: Document
    start: int
    end: int

    @property
    def source(self) -> Source:
        """The whole document's."""
        return self.whole.source

    @property
    def size(self) -> int:
        """Length of the slice in bytes."""
        return self.end - self.start

    def read(self, offset: int, n: int) -> bytes:
        """Return up to `n` bytes from `offset` of the slice."""
        return self.whole.read(self.start + offset, max(0, min(n, self.size - offset)))

    def chunks(self) -> Iterator[bytes]:
        """Yield the slice in pieces."""
        for at in range(0, self.size, BLOCK):
            yield self.read(at, BLOCK)
