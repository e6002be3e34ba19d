"""What commands share: their options, how errors become one line, how an answer is printed and which exit code it gives."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hubcmp._github import Publication, announce, harmless
from hubcmp.errors import HubcmpError, SourceError, UsageError

if TYPE_CHECKING:
    from hubcmp.comparison import Comparison
    from hubcmp.renderers import Answer
    from hubcmp.sources import Access

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("terminal", "markdown", "html", "json")
FORMAT_HELP = "Output format; without it terminal on a terminal, else markdown."
FILE = click.Path(dir_okay=False, path_type=Path)
CONFIG = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
CACHE_OPTION = click.option("--cache", type=FOLDER, metavar="DIR", help="Folder for fetched ranges and replies.")
EXIT_GATE, EXIT_PARTIAL, EXIT_NOTHING = 1, 3, 4

EXIT_CODES = """
\b
Exit codes: 0 fine, 1 a gate failed, 2 the call is wrong, 3 the report was printed but a source failed,
4 nothing could be reported.
"""


class Group(click.Group):
    """Turns every deliberate error into one line on stderr and the right exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            raise click.UsageError(str(error), ctx) from None
        except HubcmpError as error:
            complain(error)
            ctx.exit(EXIT_NOTHING)


def output_options(command: F) -> F:
    """Add the options that every command takes."""
    for option in (
        click.option("--format", "format_", type=click.Choice(FORMATS), help=FORMAT_HELP),
        click.option("-o", "--output", type=FILE, help="Write to FILE; its ending chooses the format."),
    ):
        command = option(command)
    return command


def access_options(command: F) -> F:
    """Add the options of commands that fetch."""
    for option in (
        click.option("--offline", is_flag=True, help="Use the cache and recorded evidence only."),
        CACHE_OPTION,
    ):
        command = option(command)
    return command


def plot_option(command: F) -> F:
    """Add `--plot`; what cannot work is refused before anything is fetched."""

    def check(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
        if value is not None:
            from hubcmp.renderers import _plots

            if value.suffix.lower() not in (".svg", ".png"):
                raise click.BadParameter(f"{value}: end the name in .svg or .png", ctx, param)
            _plots.require()
        return value

    return click.option(
        "--plot", type=FILE, callback=check, metavar="FILE", help="Draw the plots into FILE.svg or FILE.png."
    )(command)


def save_plots(answer: "Answer", output: Path) -> None:
    """Write the plots of an answer into a file, or say that there are none."""
    from hubcmp.renderers import pictures

    content = pictures(answer, "png" if output.suffix.lower() == ".png" else "svg")
    if content:
        _write(output, content)
    else:
        complain(f"{output}: not written, because no figure here can be plotted")


def access(offline: bool, cache: Path | None) -> "Access":
    """Return how sources may reach the outside world."""
    from hubcmp.sources import Access

    return Access(offline=offline, cache=cache)


def finish(answer: "Answer", format_: str | None, output: Path | None) -> None:
    """Print the answer, or write it to a file, and exit with the code that says how it went."""
    from hubcmp.renderers import render

    name = format_ or _default_format(output)
    _put(render(answer, name), name, output)
    leave(EXIT_NOTHING if answer.nothing else EXIT_PARTIAL if answer.failed else 0)


def deliver(answer: "Comparison", format_: str | None, outputs: Sequence[Path], publication: Publication) -> None:
    """Print or write a comparison as `finish` does, also for a pull request; a failed gate outweighs a failed source."""
    from hubcmp.renderers import render

    places = {place: format_ or _format_for(place, publication) for place in outputs or (None,)}
    if publication.comment_id and "markdown" not in places.values():
        raise UsageError("--comment-id marks Markdown; write --format markdown or -o FILE.md")
    files = {name: str(place) for place, name in reversed(places.items()) if place is not None}
    if publication.json is not None:
        files["json"] = str(publication.json)
        _write(publication.json, render(answer, "json"))
    limits = publication.limits(files.get("json", ""))
    for place, name in places.items():
        own = (limits, publication.comment_id) if name == "markdown" else ()
        _put(render(answer, name, *own), name, place)
    code = EXIT_GATE if answer.gate_failed else EXIT_PARTIAL if answer.failed else 0
    code = EXIT_NOTHING if answer.nothing else code
    if publication.github:
        announce(answer, limits, files, code)
    leave(code)


def _format_for(place: Path | None, publication: Publication) -> str:
    """Return the format of a comparison's output; a comment in a pipe is Markdown wherever it is read."""
    return "markdown" if publication.comment_id and place is None else _default_format(place)


def leave(code: int) -> None:
    """Exit with a code other than 0."""
    if code:
        raise click.exceptions.Exit(code)


def complain(message: object) -> None:
    """Say on stderr, in one line, what went wrong."""
    from hubcmp.renderers._plain import visible

    click.echo(harmless(f"hubcmp: {visible(str(message))}"), err=True)


def _put(text: str, format_: str, output: Path | None) -> None:
    """Print a report, or write it to a file."""
    if output is not None:
        _write(output, text)
        return
    sys.stdout.write(harmless(text, format_))
    sys.stdout.flush()


def _default_format(output: Path | None) -> str:
    """Return the format of a file's ending, else terminal on a terminal and markdown in a pipe."""
    from hubcmp.renderers import renderers

    if output is None:
        return "terminal" if sys.stdout.isatty() else "markdown"
    for name, renderer in renderers().items():
        if output.suffix.lower() in renderer.endings:
            return name
    raise UsageError(
        f"{output}: its ending names no format; write --format, or end the name in .md, .html, .json or .txt"
    )


def _write(output: Path, content: str | bytes) -> None:
    """Write a file whole or not at all."""
    temporary = output.with_name(f"{output.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
        temporary.replace(output)
    except OSError as error:
        raise SourceError(f"{output}: could not be written ({error.strerror}); choose another place with -o") from None
