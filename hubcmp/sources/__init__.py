"""Sources: the only rooms that touch the network or the disk; each turns a Reference into a Bundle of Documents.

Adding a source is one new module that ends with `PLUGIN = Origin(...)` and names the reference kinds it serves.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from hubcmp.document import Bundle
from hubcmp.errors import UsageError
from hubcmp.reference import Kind, Reference
from hubcmp.shelf import plugins

Part = Literal["config", "card", "weights"]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a source waits, in seconds: for all of one reference, for a silent server, before the first retry."""

    total: float = 25.0
    silence: float = 8.0
    pause: float = 0.5


@dataclass(frozen=True, slots=True)
class Access:
    """How sources may reach the outside world: nothing global is held, so loading is a function of its arguments.

    `cache` is the folder for ranges and replies by sha (None: the default below HF_HOME). `offline` allows cache and recordings only.
    `parts` is what is wanted of a drafter, so that nothing else is asked for. `plain` says whether requests to the Hub may begin
    without huggingface_hub's session; None leaves that to the environment (nobody logged in, no proxy, the library not in use).
    `require_sha` refuses a Hub reference that names no commit, since a branch or tag may be another one tomorrow.
    """

    offline: bool = False
    cache: Path | None = None
    parts: frozenset[Part] = frozenset({"config", "card", "weights"})
    patience: Patience = field(default_factory=Patience)
    plain: bool | None = None
    require_sha: bool = False

    def only(self, *parts: Part) -> "Access":
        """Return the same access, asking only for these parts of a drafter."""
        return replace(self, parts=frozenset(parts))


@dataclass(frozen=True, slots=True)
class Origin:
    """One kind of source: which reference kinds it serves and how it fetches.

    `fetch` never raises for what the outside world does wrong: a missing optional file is an Unknown, a failure a Problem
    (with `failed`) in the Bundle. It raises UsageError when the reference itself is of no use.
    """

    kinds: tuple[Kind, ...]
    fetch: Callable[[Reference, Access], Bundle]


def fetch(reference: Reference, access: Access) -> Bundle:
    """Return the Bundle of one reference from the source that serves its kind. Raises UsageError when none does."""
    origins = plugins(__name__, Origin).values()
    origin = next((o for o in origins if reference.kind in o.kinds), None)
    if origin is None:
        what = "standard input" if reference.kind == "stdin" else "a server"
        mirror = "" if reference.kind == "stdin" else ", and the address of a mirror of the Hub into HF_ENDPOINT"
        raise UsageError(
            f"{reference.text}: {what} is no drafter; benchmark output goes behind --bench or hubcmp bench{mirror}"
        )
    return replace(origin.fetch(reference, access), part=reference.part)
