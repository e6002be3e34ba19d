"""What commands share: their options, how errors become one line, how an answer is printed and which exit code it gives."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hubcmp.errors import HubcmpError, SourceError, UsageError

if TYPE_CHECKING:
    from hubcmp.renderers import Answer
    from hubcmp.sources import Access

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("terminal", "markdown", "html", "json")
FORMAT_HELP = "Output format; without it terminal on a terminal, else markdown."
FILE = click.Path(dir_okay=False, path_type=Path)
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
            click.echo(f"hubcmp: {error}", err=True)
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


def access(offline: bool, cache: Path | None) -> "Access":
    """Return how sources may reach the outside world."""
    from hubcmp.sources import Access

    return Access(offline=offline, cache=cache)


def finish(answer: "Answer", format_: str | None, output: Path | None, gate_failed: bool = False) -> None:
    """Print the answer, or write it to a file, and exit with the code that says how it went."""
    from hubcmp.renderers import render

    text = render(answer, format_ or _default_format(output))
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        _write(output, text)
    if code := exit_code(answer, gate_failed):
        raise click.exceptions.Exit(code)


def exit_code(answer: "Answer", gate_failed: bool = False) -> int:
    """Return the code that says how it went; a failed gate outweighs a failed source, since its figures were there."""
    if answer.nothing:
        return EXIT_NOTHING
    if gate_failed:
        return EXIT_GATE
    return EXIT_PARTIAL if answer.failed else 0


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


def _write(output: Path, text: str) -> None:
    """Write a file whole or not at all."""
    temporary = output.with_name(f"{output.name}.{os.getpid()}.part")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(output)
    except OSError as error:
        raise SourceError(f"{output}: could not be written ({error.strerror}); choose another place with -o") from None
