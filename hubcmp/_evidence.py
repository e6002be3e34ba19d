"""The commands that keep what was fetched: record and cache."""

from collections.abc import Sequence
from pathlib import Path

import click

from hubcmp._shell import EXIT_NOTHING, EXIT_PARTIAL, complain, leave, waiting
from hubcmp.options import CACHE_OPTION, FOLDER, access, access_options, files


@click.command()
@click.argument("refs", nargs=-1, required=True, metavar="REF...", shell_complete=files)
@click.option(
    "-o", "--output", "folder", type=FOLDER, required=True, metavar="DIR", help="Folder for the recorded evidence."
)
@access_options
def record(refs: Sequence[str], folder: Path, offline: bool, cache: Path | None) -> None:
    """Keep what the references say now: config, card and headers, accepted wherever a REF is.

    \b
    hubcmp record org/name -o evidence && hubcmp compare org/name ./ckpt --offline --cache evidence
    """
    from hubcmp import storage

    recorded, failed = 0, False
    for ref in refs:
        with waiting(f"reading {ref}"):
            place, problems = storage.record(ref, folder, access(offline, cache))
        if place is None:
            complain(f"{ref}: nothing could be recorded")
        else:
            click.echo(str(place))
            recorded += 1
        for problem in problems:
            complain(problem)
        failed |= place is None or any(p.failed for p in problems)
    leave((EXIT_PARTIAL if recorded else EXIT_NOTHING) if failed else 0)


@click.group()
def cache() -> None:
    """Show or empty the cache of fetched ranges and replies."""


@cache.command("info")
@CACHE_OPTION
def cache_info(cache: Path | None) -> None:
    """Show where the cache lies and how large it is."""
    from hubcmp import storage

    usage = storage.cache_info(access(True, cache))
    click.echo(f"{usage.folder}: {usage.files:,} files, {usage.size:,} bytes")


@cache.command("clear")
@CACHE_OPTION
def cache_clear(cache: Path | None) -> None:
    """Empty the cache; files that are not its own stay."""
    from hubcmp import storage

    usage = storage.cache_clear(access(True, cache))
    click.echo(f"{usage.folder}: removed {usage.files:,} files, {usage.size:,} bytes")
