"""Sources: the only rooms that touch the network or the disk; each turns a Reference into a Bundle of Documents.

Adding a source is one new module that ends with `PLUGIN = Origin(...)` and names the reference kinds it serves.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hubcmp.document import Bundle
from hubcmp.reference import Kind, Reference
from hubcmp.shelf import plugins


@dataclass(frozen=True, slots=True)
class Access:
    """How sources may reach the outside world: nothing global is held, so loading is a function of its arguments.

    `cache` is the folder for ranges and replies by sha (None: the default below HF_HOME). `offline` allows cache and recordings only.
    """

    offline: bool = False
    cache: Path | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """One kind of source: which reference kinds it serves and how it fetches.

    `fetch` never raises for what the outside world does wrong: a missing optional file is an Unknown, a failure a Problem
    (with `failed`) in the Bundle. It raises UsageError when the reference itself is of no use.
    """

    kinds: tuple[Kind, ...]
    fetch: Callable[[Reference, Access], Bundle]


def fetch(reference: Reference, access: Access) -> Bundle:
    """Return the Bundle of one reference from the source that serves its kind."""
    origins = plugins(__name__, Origin).values()
    origin = next(o for o in origins if reference.kind in o.kinds)
    return origin.fetch(reference, access)
