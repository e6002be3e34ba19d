"""hubcmp compares speculative-decoding drafters: every figure with its source, nothing compared that is not comparable."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hubcmp.api import compare as compare
    from hubcmp.api import load as load
    from hubcmp.api import render as render
    from hubcmp.comparison import Comparison as Comparison
    from hubcmp.drafter import Drafter as Drafter
    from hubcmp.drafter import Extra as Extra
    from hubcmp.errors import HubcmpError as HubcmpError
    from hubcmp.sources import Access as Access

__version__ = "0.1.0"
_DOORS = {
    "Access": "hubcmp.sources",
    "Comparison": "hubcmp.comparison",
    "Drafter": "hubcmp.drafter",
    "Extra": "hubcmp.drafter",
    "HubcmpError": "hubcmp.errors",
    "compare": "hubcmp.api",
    "load": "hubcmp.api",
    "render": "hubcmp.api",
}
__all__ = ["Access", "Comparison", "Drafter", "Extra", "HubcmpError", "__version__", "compare", "load", "render"]


def __getattr__(name: str) -> object:
    """Import public names on first use, so that `hubcmp --help` loads none of the heavy libraries."""
    if name not in _DOORS:
        raise AttributeError(f"module 'hubcmp' has no attribute {name!r}")
    return getattr(import_module(_DOORS[name]), name)


def __dir__() -> list[str]:
    return __all__
