"""The command line: options -> api -> print; no logic. Heavy libraries load only when a command runs."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hubcmp import __version__
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
EXIT_PARTIAL, EXIT_NOTHING = 3, 4

EXIT_CODES = """
\b
Exit codes: 0 fine, 1 a gate failed, 2 the call is wrong, 3 the report was printed but a source failed,
4 nothing could be reported.
"""


class _Group(click.Group):
    """Turns every deliberate error into one line on stderr and the right exit code."""

    def invoke(self, ctx: click.Context) -> Any:
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
        click.option(
            "--cache", type=click.Path(file_okay=False, path_type=Path), help="Folder for fetched ranges and replies."
        ),
    ):
        command = option(command)
    return command


@click.group(cls=_Group, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="hubcmp")
def cli() -> None:
    """Compare speculative-decoding drafters: parameters, training data and accept lengths, each figure with its source.

    A REF is a Hub repository (org/name, org/name@revision), a folder, a .safetensors file or recorded evidence.
    """


@cli.command()
@click.argument("refs", nargs=-1, required=True, metavar="REF REF...")
@click.option(
    "--bench", "benches", multiple=True, metavar="[REF=]SOURCE", help="Benchmark output or server log of a drafter."
)
@click.option("--plain", "plains", multiple=True, metavar="[REF=]SOURCE", help="The same server without speculation.")
@click.option(
    "--fact", "facts", multiple=True, metavar="[REF=]METRIC=VALUE", help="A figure you know, e.g. training_samples=37K."
)
@click.option(
    "--given", "givens", multiple=True, metavar="[REF=]KEY=VALUE,...", help="Conditions that the sources do not state."
)
@access_options
@output_options
def compare(
    refs: Sequence[str],
    benches: Sequence[str],
    plains: Sequence[str],
    facts: Sequence[str],
    givens: Sequence[str],
    offline: bool,
    cache: Path | None,
    format_: str | None,
    output: Path | None,
) -> None:
    """Compare two or more drafters; the first is what the others are set against.

    \b
    hubcmp compare AQ-MedAI/Kimi-K2-Instruct-eagle3 ./ckpt --bench ./ckpt=ours.log --plain ./ckpt=plain.log

    The part before = names a REF of this call, or its number (2=run.log); without it the last REF is meant.
    """
    from hubcmp import api

    access = _access(offline, cache)
    answer = api.compare(refs, bench=benches, plain=plains, fact=facts, given=givens, access=access)
    nothing = all(not d.revision and not d.figures for d in answer.drafters)
    _finish(answer, format_, output, any(p.failed for p in answer.problems), nothing)


@cli.command()
@click.argument("texts", nargs=-1, required=True, metavar="REF|FILE...")
@access_options
@output_options
def card(texts: Sequence[str], offline: bool, cache: Path | None, format_: str | None, output: Path | None) -> None:
    """Show what model cards claim, each claim with the line it stands on."""
    from hubcmp import api

    answer = api.card(texts, _access(offline, cache))
    failed = [item for item in answer.items if any(p.failed for p in item.problems) or item.reading is None]
    _finish(
        answer, format_, output, any(p.failed for i in failed for p in i.problems), len(failed) == len(answer.items)
    )


@cli.command()
@click.argument("refs", nargs=-1, required=True, metavar="REF...")
@click.option("--tensors", is_flag=True, help="List every tensor with its role and status.")
@access_options
@output_options
def params(
    refs: Sequence[str], tensors: bool, offline: bool, cache: Path | None, format_: str | None, output: Path | None
) -> None:
    """Show the parameter ledger: by role and status, buffers apart, with what the config implies beside it."""
    from hubcmp import api

    answer = api.params(refs, _access(offline, cache), tensors)
    failed = [any(p.failed for p in ledger.problems) for ledger in answer.items]
    _finish(answer, format_, output, any(failed), all(failed) and not any(i.tensor_count for i in answer.items))


@cli.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@output_options
def bench(sources: Sequence[str], format_: str | None, output: Path | None) -> None:
    """Show benchmark output or server logs in one normal form.

    Two scrapes of one server are written BEFORE..AFTER; - reads standard input.
    """
    from hubcmp import api

    answer = api.bench(sources)
    failed = [item for item in answer.items if not item.runs]
    _finish(answer, format_, output, bool(failed), len(failed) == len(answer.items))


@cli.command()
@click.argument("lengths", nargs=-1, required=True, metavar="L@K...")
@click.option("--to", type=click.IntRange(1, 64), required=True, metavar="N", help="The draft depth to bring them to.")
@output_options
def depth(lengths: Sequence[str], to: int, format_: str | None, output: Path | None) -> None:
    """Bring accept lengths L, measured at draft depth K, to draft depth N.

    \b
    hubcmp depth 2.10@2 --to 3
    """
    from hubcmp import api, extras

    _finish(api.depth([extras.length_at_depth(text) for text in lengths], to), format_, output)


@cli.command()
@click.argument("refs", nargs=-1, required=True, metavar="REF...")
@click.option(
    "-o", "--output", "folder", type=FOLDER, required=True, metavar="DIR", help="Folder for the recorded evidence."
)
@access_options
def record(refs: Sequence[str], folder: Path, offline: bool, cache: Path | None) -> None:
    """Keep what the references say now: config, card and headers, accepted wherever a REF is.

    \b
    hubcmp record org/name -o evidence && hubcmp compare org/name ./ckpt --offline --cache evidence
    """
    from hubcmp import api

    failed = False
    for ref in refs:
        place, problems = api.record(ref, folder, _access(offline, cache))
        click.echo(str(place) if place else f"hubcmp: {ref}: nothing could be recorded", err=place is None)
        for problem in problems:
            click.echo(f"hubcmp: {problem}", err=True)
        failed |= place is None or any(p.failed for p in problems)
    if failed:
        raise click.exceptions.Exit(EXIT_PARTIAL)


@cli.group()
def cache() -> None:
    """Show or empty the cache of fetched ranges and replies."""


@cache.command("info")
@CACHE_OPTION
def cache_info(cache: Path | None) -> None:
    """Show where the cache lies and how large it is."""
    from hubcmp import api

    usage = api.cache_info(_access(True, cache))
    click.echo(f"{usage.folder}: {usage.files:,} files, {usage.size:,} bytes")


@cache.command("clear")
@CACHE_OPTION
def cache_clear(cache: Path | None) -> None:
    """Empty the cache; files that are not its own stay."""
    from hubcmp import api

    usage = api.cache_clear(_access(True, cache))
    click.echo(f"{usage.folder}: removed {usage.files:,} files, {usage.size:,} bytes")


def _access(offline: bool, cache: Path | None) -> "Access":
    from hubcmp.sources import Access

    return Access(offline=offline, cache=cache)


def _finish(
    answer: "Answer", format_: str | None, output: Path | None, failed: bool = False, nothing: bool = False
) -> None:
    """Print the report, or write it to a file, and exit with the code that says how it went."""
    from hubcmp.api import render

    text = render(answer, format_ or _default_format(output))
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        _write(output, text)
    if nothing or failed:
        raise click.exceptions.Exit(EXIT_NOTHING if nothing else EXIT_PARTIAL)


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
