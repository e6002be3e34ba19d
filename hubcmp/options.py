"""What commands share: their options, how an answer is printed or written, and which exit code it gives."""

import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hubcmp._github import Publication, announce, harmless
from hubcmp._shell import EXIT_GATE, EXIT_NOTHING, EXIT_PARTIAL, complain, leave, tell
from hubcmp.errors import SourceError, UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from hubcmp.comparison import Comparison
    from hubcmp.renderers import Answer
    from hubcmp.sources import Access

A = TypeVar("A")
F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("terminal", "markdown", "html", "json", "csv")
CONTRACTS = ("compare", "card", "params", "bench", "check", "depth")
ENGINES = ("sglang", "vllm")
REDACT_HELP = "Replace private repository ids and local paths by labels."
SHA_HELP = "Refuse a Hub repository that is not pinned to a commit (org/name@SHA)."
FORMAT_HELP = "Output format; without it terminal on a terminal, else markdown."
FILE = click.Path(dir_okay=False, path_type=Path)
CONFIG = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
TARGET_OPTION = click.option(
    "--target", default="", metavar="REF", help="The drafters' target: prove frozen copies by comparing bytes."
)
ROWS_OPTION = click.option(
    "--rows",
    type=click.IntRange(1, 2000),
    default=None,
    help="Rows of each matrix that --target compares; default what 1 MB holds.",
)
OFFLINE_OPTION = click.option("--offline", is_flag=True, help="Use the cache, recorded evidence and local files only.")
CACHE_OPTION = click.option("--cache", type=FOLDER, metavar="DIR", help="Folder for fetched ranges and replies.")


def _remember(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Keep a flag that concerns every answer or source with the call, so that no command has to hand it on."""
    ctx.meta[f"hubcmp.{param.name}"] = value


def _flag(name: str) -> bool:
    """Return a flag that was kept with the call."""
    return bool(click.get_current_context().meta.get(f"hubcmp.{name}", False))


def publish(answer: A) -> A:
    """Return an answer as it may leave this machine: paths relative to here, and nothing private when that was asked for."""
    from hubcmp import api

    return api.published(answer, _flag("redact_private"))


def output_options(command: F) -> F:
    """Add the options that every command takes."""
    for option in (
        click.option("--format", "format_", type=click.Choice(FORMATS), is_eager=True, help=FORMAT_HELP),
        click.option(
            "-o", "--output", type=FILE, callback=_checked, help="Write to FILE; its ending chooses the format."
        ),
        click.option("--redact-private", is_flag=True, expose_value=False, callback=_remember, help=REDACT_HELP),
    ):
        command = option(command)
    return command


def _checked(ctx: click.Context, _: click.Parameter, output: Path | None) -> Path | None:
    """Refuse an output file that cannot be written before anything is fetched for it."""
    if output is not None:
        if not ctx.params.get("format_") and not ctx.params.get("template"):
            _default_format(output)
        if not os.access(output.parent, os.W_OK):
            why = "is not writable" if output.parent.is_dir() else "is no folder"
            raise UsageError(f"-o {output}: {output.parent} {why}; choose another place")
    return output


def access_options(command: F) -> F:
    """Add the options of commands that fetch."""
    for option in (
        OFFLINE_OPTION,
        CACHE_OPTION,
        click.option("--require-sha", is_flag=True, expose_value=False, callback=_remember, help=SHA_HELP),
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

    content = pictures(publish(answer), "png" if output.suffix.lower() == ".png" else "svg")
    if content:
        _write(output, content)
    else:
        complain(f"{output}: not written, because no figure here can be plotted")


def files(_: click.Context, __: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Complete the paths that a reference or source may be."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def plain_option(metavar: str) -> Callable[[F], F]:
    """Return the option that names runs without speculation."""
    told = "The same server without speculation."
    return click.option("--plain", "plains", multiple=True, metavar=metavar, shell_complete=files, help=told)


def content_of(config: Path) -> bytes:
    """Return a project file's content. Raises UsageError."""
    try:
        return config.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{config}: {error.strerror}; write one as the README shows, or name it with --config"
        ) from None


def access(offline: bool, cache: Path | None) -> "Access":
    """Return how sources may reach the outside world."""
    from hubcmp.sources import Access

    return Access(offline=offline, cache=cache, require_sha=_flag("require_sha"))


def finish(answer: "Answer", format_: str | None, output: Path | None) -> None:
    """Print the answer, or write it to a file, and exit with the code that says how it went."""
    from hubcmp.renderers import render

    answer = publish(answer)
    name = format_ or _default_format(output)
    _put(render(answer, name), name, output)
    tell(answer)
    faulty = EXIT_GATE if getattr(answer, "faulty", False) else 0
    leave(EXIT_NOTHING if answer.nothing else faulty or (EXIT_PARTIAL if answer.failed else 0))


def deliver(answer: "Comparison", format_: str | None, outputs: Sequence[Path], publication: Publication) -> None:
    """Print or write a comparison as `finish` does, also for a pull request; a failed gate outweighs a failed source."""
    from hubcmp.renderers import render

    answer = publish(answer)
    if publication.template is not None and (format_ or len(outputs) > 1):
        raise UsageError(
            "--template takes the place of a format and fills one file; leave out --format, or write -o FILE"
        )
    places = {place: format_ or _format_for(place, publication) for place in outputs or (None,)}
    if publication.comment_id and "markdown" not in places.values():
        raise UsageError("--comment-id marks Markdown; write --format markdown or -o FILE.md")
    files = {name: str(place) for place, name in reversed(places.items()) if place is not None}
    if publication.json is not None:
        files["json"] = str(publication.json)
        _write(publication.json, render(answer, "json"))
    limits = publication.limits(publish(files.get("json", "")))
    for place, name in places.items():
        own = (limits, publication.comment_id) if name == "markdown" else ()
        text = render(answer, name, *own) if publication.template is None else _filled(answer, publication.template)
        _put(text, name, place)
    tell(answer)
    code = EXIT_GATE if answer.gate_failed else EXIT_PARTIAL if answer.failed else 0
    code = EXIT_NOTHING if answer.nothing else code
    if publication.github:
        announce(answer, limits, files, code)
    leave(code)


def _filled(answer: "Comparison", template: Path) -> str:
    """Return the user's own template filled with the answer."""
    from hubcmp.renderers import render
    from hubcmp.renderers._sandbox import fill

    return fill(template, render(answer, "json"))


def _format_for(place: Path | None, publication: Publication) -> str:
    """Return the format of a comparison's output; a comment in a pipe is Markdown wherever it is read."""
    if publication.template is not None:
        return "template"
    return "markdown" if publication.comment_id and place is None else _default_format(place)


def _put(text: str, format_: str, output: Path | None) -> None:
    """Print a report, or write it to a file. A reader who stops early, such as `head`, is no error."""
    if output is not None:
        _write(output, text)
        return
    if isinstance(sys.stdout, io.TextIOWrapper):  # a pipe gets the same bytes under every locale
        sys.stdout.reconfigure(encoding=None if sys.stdout.isatty() else "utf-8", errors="backslashreplace")
    try:
        sys.stdout.write(harmless(text, format_))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
        temporary.write_bytes(content.encode(errors="backslashreplace") if isinstance(content, str) else content)
        temporary.replace(output)
    except OSError as error:
        raise SourceError(f"{output}: could not be written ({error.strerror}); choose another place with -o") from None
