"""Pull requests: the options of a report that becomes a comment, and what `--github` writes for the steps that follow.

The log of a workflow is also a channel of commands, and reports carry text of strangers; `harmless` keeps the two apart.
"""

import functools
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hubcmp.errors import UsageError

if TYPE_CHECKING:
    from hubcmp.comparison import Comparison
    from hubcmp.renderers._budget import Budget

F = TypeVar("F", bound=Callable[..., Any])

SUMMARY_LIMIT = 1024 * 1024
"""Bytes that GitHub takes as the summary of one step; a longer one is dropped as a whole."""
UNLIMITED = 2**31
_COMMAND = re.compile(r"((?:\A|[\r\n])[^\S\r\n]*)::|##\[")


@dataclass(frozen=True, slots=True)
class Publication:
    """What a report is for. `budget`: most characters of Markdown (0: no limit; None: 60,000 with `github` or `comment_id`).

    `json` is a file for the whole report beside the one that is printed. `template` is the user's own, in place of a format.
    """

    github: bool = False
    comment_id: str = ""
    budget: int | None = None
    json: Path | None = None
    template: Path | None = None

    def limits(self, full: str = "") -> "Budget | None":
        """Return what the Markdown must fit into, None when it may be of any length; `full` names the whole report."""
        from hubcmp.renderers._budget import Budget

        full = full or "the same command with --budget 0"
        if self.budget is None:
            return Budget(full=full) if self.github or self.comment_id else None
        return Budget(self.budget, full=full) if self.budget else None


def publication_options(command: F) -> F:
    """Add the options for pull requests; the command gets them as one Publication."""

    @functools.wraps(command)
    def call(
        *args: Any,
        github: bool,
        comment_id: str,
        budget: int | None,
        json_: Path | None,
        template: Path | None,
        **rest: Any,
    ) -> Any:
        return command(*args, publication=Publication(github, _fit(comment_id), budget, json_, template), **rest)

    added: Any = call
    for option in _OPTIONS:
        added = option(added)
    result: F = added
    return result


_OPTIONS = (
    click.option(
        "--json", "json_", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write JSON as well."
    ),
    click.option(
        "--budget", type=click.IntRange(min=0), metavar="N", help="Most characters of Markdown; 60000 for comments."
    ),
    click.option(
        "--comment-id", default="", metavar="ID", help="Mark the Markdown, so that its comment is found again."
    ),
    click.option(
        "--template",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        is_eager=True,
        metavar="FILE",
        help="Fill a jinja2 template of your own instead of a format.",
    ),
    click.option("--github", is_flag=True, help="Write summary and outputs of a GitHub Actions step."),
)


def _fit(comment_id: str) -> str:
    from hubcmp.renderers._comment import checked

    return checked(comment_id) if comment_id else ""


def announce(answer: "Comparison", limits: "Budget | None", files: Mapping[str, str], code: int) -> None:
    """Add the report to the step's summary, and set its outputs: verdict, exit-code, report and json (paths, "" for none)."""
    from hubcmp.renderers import render
    from hubcmp.renderers._budget import Budget

    limits = limits or Budget(UNLIMITED, UNLIMITED)
    text = render(answer, "markdown", replace(limits, size=min(limits.size, _summary_room())))
    _append("GITHUB_STEP_SUMMARY", text)
    paths = {"report": files.get("markdown", ""), "json": files.get("json", "")}
    _append("GITHUB_OUTPUT", outputs({"verdict": answer.verdict.word, "exit-code": str(code)} | paths))


def outputs(values: Mapping[str, str]) -> str:
    """Return values as lines for GITHUB_OUTPUT; the random delimiter keeps a value from posing as another output."""
    import secrets  # with hashlib and random behind it; `hubcmp --help` needs none of them

    mark = f"hubcmp_{secrets.token_hex(16)}"
    return "".join(f"{name}<<{mark}\n{value}\n{mark}\n" for name, value in values.items())


def _summary_room() -> int:
    """Return the bytes that are left in the step's summary."""
    path = os.environ.get("GITHUB_STEP_SUMMARY", "")
    return SUMMARY_LIMIT - (os.path.getsize(path) if path and os.path.exists(path) else 0)


def _append(variable: str, text: str) -> None:
    """Append text to the file that a variable of the workflow names."""
    path = os.environ.get(variable, "")
    if not path:
        click.echo(f"hubcmp: --github: {variable} is not set, so nothing was written there", err=True)
        return
    try:
        with open(path, "a", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"--github: {variable} names {path}, which cannot be written ({error.strerror})") from None


def harmless(text: str, format_: str = "") -> str:
    """Return text for a workflow's log in which no line is a command (`::name::`, `##[name]`); elsewhere the text as it is."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return text
    hidden = r"##\u005b" if format_ == "json" else "##\u200b["
    return _COMMAND.sub(lambda found: hidden if found[1] is None else f"{found[1]}:\u200b:", text)
