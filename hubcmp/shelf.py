"""How plug-ins are found: a shelf is a folder, a plug-in is a module in it that ends with `PLUGIN = ...`."""

import importlib
import pkgutil
from functools import cache
from typing import TypeVar

T = TypeVar("T")


@cache
def modules(package: str) -> tuple[str, ...]:
    """Return the plug-in module names of `package` in alphabetical order; names with a leading underscore are helpers."""
    path = importlib.import_module(package).__path__
    return tuple(sorted(m.name for m in pkgutil.iter_modules(path) if not m.name.startswith("_")))


def plugins(package: str, kind: type[T]) -> dict[str, T]:
    """Return {module name: its PLUGIN} for every module on the shelf. Raises TypeError for one without a fitting PLUGIN."""
    found = {}
    for name in modules(package):
        plugin = getattr(importlib.import_module(f"{package}.{name}"), "PLUGIN", None)
        if not isinstance(plugin, kind):
            raise TypeError(f"{package}.{name} must end with PLUGIN = {kind.__name__}(...)")
        found[name] = plugin
    return found
