"""Fetching several references at once, and importing what is needed for their reading while their requests travel."""

import importlib
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from hubcmp import sources
from hubcmp.document import Bundle
from hubcmp.reference import Reference
from hubcmp.shelf import modules
from hubcmp.sources import Access

PARALLEL = 8
"""References loaded at a time."""
SHELVES = ("hubcmp.families", "hubcmp.readers")
DRAWING = "hubcmp.renderers.markdown"
"""Where most answers come from and what they are drawn with; whoever waits for the network anyway imports it meanwhile."""


def fetch_all(references: Sequence[Reference], access: Access, needed: Sequence[str]) -> list[Bundle]:
    """Return the bundles of all references; `needed` are the modules that reading them takes. Raises what sources raise.

    The importing has a thread as well: an interrupt that meets an import can get lost in it, one that meets a wait cannot.
    """
    pool = ThreadPoolExecutor(min(PARALLEL, len(references)) + 1)
    try:
        pending = [pool.submit(sources.fetch, reference, access) for reference in references]
        pool.submit(_prepare, needed, pending).result()
        return [bundle.result() for bundle in pending]
    finally:  # who interrupts does not wait for a server
        pool.shutdown(wait=False, cancel_futures=True)


def _prepare(needed: Sequence[str], pending: Sequence[Future[Bundle]] = ()) -> None:
    """Import what is needed first, and what would be imported one by one after the wait."""
    for name in needed:
        importlib.import_module(name)
    if not all(job.done() for job in pending):
        for name in (DRAWING, *(f"{shelf}.{module}" for shelf in SHELVES for module in modules(shelf))):
            importlib.import_module(name)
