"""Where the jinja2 templates lie: inside the package when installed, beside it in a checkout. The only I/O of this shelf."""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template


@cache
def folder() -> Path:
    """Return the folder of the bundled templates."""
    inside = Path(__file__).parents[1] / "templates"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "templates"


def fill(name: str, filters: Mapping[str, Callable[..., Any]], autoescape: bool = False, **values: object) -> str:
    """Return a bundled template filled with values; `filters` are the format's own escapes."""
    return _template(name, tuple(filters.items()), autoescape).render(**values)


@lru_cache(maxsize=16)
def _template(name: str, filters: tuple[tuple[str, Callable[..., Any]], ...], autoescape: bool) -> Template:
    environment = Environment(
        loader=FileSystemLoader(folder()),
        autoescape=autoescape,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(filters)
    return environment.get_template(name)
