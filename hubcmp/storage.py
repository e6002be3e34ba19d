"""Evidence kept on the disk: recordings that `hubcmp record` writes, and the cache."""

from pathlib import Path
from typing import TYPE_CHECKING

from hubcmp import sources
from hubcmp.api import ONLINE, drafter_of, reference
from hubcmp.errors import Problem, SourceError
from hubcmp.sources import Access

if TYPE_CHECKING:
    from hubcmp.sources._cache import Usage


def record(text: str, folder: Path, access: Access = ONLINE) -> tuple[Path | None, tuple[Problem, ...]]:
    """Write what a reference says now into `folder`; return where (None when nothing could be read) and what went wrong."""
    bundle = sources.fetch(reference(text), access)
    if not bundle.documents:
        return None, bundle.problems
    from hubcmp.sources import recorded

    bundle = recorded.remembering(bundle)
    drafter_of(bundle)
    try:
        return recorded.record(bundle, folder), bundle.problems
    except SourceError as error:
        return None, (*bundle.problems, Problem(bundle.ref, str(error), failed=True))
    except OSError as error:
        raise SourceError(f"{folder}: could not be written ({error.strerror}); choose another place with -o") from None


def cache_info(access: Access = ONLINE) -> "Usage":
    """Return where the cache lies and how large it is."""
    from hubcmp.sources import _cache

    return _cache.info(access)


def cache_clear(access: Access = ONLINE) -> "Usage":
    """Empty the cache and return what was removed."""
    from hubcmp.sources import _cache

    return _cache.clear(access)
