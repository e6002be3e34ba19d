"""Renderers, pure: one file per output format; each turns a View into text and decides nothing.

A view (`_views/NAME.py`, one per kind of answer) lays an answer out twice: as `data` for JSON and as `report`, the
neutral blocks that markdown, terminal and HTML all draw. So every format shows the same sections in the same order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal, Protocol

from hubcmp.errors import Problem
from hubcmp.renderers import _plots
from hubcmp.renderers._blocks import View
from hubcmp.renderers._budget import Budget, fit
from hubcmp.renderers._comment import ROOM, marked
from hubcmp.shelf import plugins


class Answer(Protocol):
    """What a command returns: it names the view that lays it out, and says whether sources failed or gave nothing at all."""

    @property
    def view(self) -> str:
        """Name of the module in `_views` that lays this answer out."""
        ...

    @property
    def problems(self) -> Sequence[Problem]:
        """What went wrong or looks wrong, each with the source it belongs to."""
        ...

    @property
    def failed(self) -> bool:
        """Whether a source failed, so that the report is partial (exit 3)."""
        ...

    @property
    def nothing(self) -> bool:
        """Whether nothing could be reported (exit 4)."""
        ...


@dataclass(frozen=True, slots=True)
class Renderer:
    """One output format: the file endings that choose it, and how it draws a view. `color` is for terminals only."""

    endings: tuple[str, ...]
    draw: Callable[[View], str]


def renderers() -> dict[str, Renderer]:
    """Return every renderer by its name, which is what `--format` takes."""
    return plugins(__name__, Renderer)


def render(answer: Answer, format: str = "markdown", budget: Budget | None = None, comment_id: str = "") -> str:
    """Return the answer as text in one format ("markdown", "json" ...), ending with a newline.

    `budget` leaves out what does not fit, and says so. `comment_id` puts a hidden marker first, by which a comment is found again.
    """
    view = _view(answer)
    renderer: Renderer = import_module(f"hubcmp.renderers.{format}").PLUGIN
    text = renderer.draw(view if budget is None else _within(view, renderer.draw, budget))
    return marked(text, comment_id) if comment_id else text


def pictures(answer: Answer, format: Literal["svg", "png"]) -> bytes:
    """Return all plots of an answer as one file, empty when there is nothing to draw. Raises UsageError without matplotlib."""
    return _plots.save(_plots.plots(_view(answer).layout()), format)


def _view(answer: Answer) -> View:
    view: View = import_module(f"hubcmp.renderers._views.{answer.view}").view(answer)
    return view


def _within(view: View, draw: Callable[[View], str], budget: Budget) -> View:
    """Return the view with a report that fits, marker included."""
    room = replace(budget, characters=budget.characters - ROOM, size=budget.size - ROOM)
    return View(view.data, lambda: fit(view.layout(), lambda report: draw(View(None, lambda: report)), room))
