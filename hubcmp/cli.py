"""The command line: options -> api -> print; no logic. Heavy libraries load only when a command runs."""

from collections.abc import Sequence
from pathlib import Path

import click

from hubcmp import __version__
from hubcmp._evidence import cache, record
from hubcmp._github import Publication, publication_options
from hubcmp._shell import EXIT_CODES, Group, waiting
from hubcmp._watch import Watching, watch_options
from hubcmp.options import (
    CONFIG,
    CONTRACTS,
    ENGINES,
    OFFLINE_OPTION,
    ROWS_OPTION,
    TARGET_OPTION,
    access,
    access_options,
    content_of,
    deliver,
    files,
    finish,
    output_options,
    plain_option,
    plot_option,
    save_plots,
)


@click.group(cls=Group, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hubcmp")
def cli() -> None:
    """Compare speculative-decoding drafters: parameters, training data and accept lengths, each figure with its source.

    A REF is a Hub repository (org/name, org/name@revision), a folder, a .safetensors file or recorded evidence.
    """


@cli.command()
@click.argument("refs", nargs=-1, required=True, metavar="REF REF...", shell_complete=files)
@click.option(
    "--bench",
    "benches",
    multiple=True,
    metavar="[REF=]SOURCE",
    shell_complete=files,
    help="Benchmark output or server log of a drafter.",
)
@plain_option("[REF=]SOURCE")
@click.option(
    "--fact", "facts", multiple=True, metavar="[REF=]METRIC=VALUE", help="A figure you know, e.g. training_samples=37K."
)
@click.option(
    "--given", "givens", multiple=True, metavar="[REF=]KEY=VALUE,...", help="Conditions that the sources do not state."
)
@click.option(
    "--train-data",
    multiple=True,
    metavar="[REF=]FILE",
    shell_complete=files,
    help="Training data (JSON Lines, Parquet, Arrow) whose samples are counted.",
)
@click.option(
    "--baseline", default="", metavar="REF", help="The drafter all others are set against; default the first."
)
@click.option(
    "--fail-on",
    multiple=True,
    metavar="GATE",
    help='Exit 1 when it holds, e.g. "accept_length drops > 5%"; repeatable.',
)
@TARGET_OPTION
@ROWS_OPTION
@access_options
@publication_options
@plot_option
@output_options
def compare(
    refs: Sequence[str],
    benches: Sequence[str],
    plains: Sequence[str],
    facts: Sequence[str],
    givens: Sequence[str],
    train_data: Sequence[str],
    baseline: str,
    fail_on: Sequence[str],
    target: str,
    rows: int | None,
    offline: bool,
    cache: Path | None,
    format_: str | None,
    output: Path | None,
    plot: Path | None,
    publication: Publication,
) -> None:
    """Compare two or more drafters; all are set against the first, or --baseline.

    \b
    hubcmp compare AQ-MedAI/Kimi-K2-Instruct-eagle3 ./ckpt --bench ./ckpt=ours.log --plain ./ckpt=plain.log

    The part before = names a REF of this call, or its number (2=run.log); without it the last REF is meant.
    """
    from hubcmp import api

    reach = access(offline, cache)
    with waiting(f"reading {', '.join(refs)}"):
        answer = api.compare(
            refs,
            bench=benches,
            plain=plains,
            fact=facts,
            given=givens,
            train_data=train_data,
            baseline=baseline,
            fail_on=fail_on,
            target=target,
            rows=rows or 0,
            access=reach,
        )
    if plot:
        save_plots(answer, plot)
    deliver(answer, format_, [output] if output else [], publication)


@cli.command()
@click.option(
    "--config", type=CONFIG, default="hubcmp.toml", show_default=True, help="The file that says what to compare."
)
@access_options
@publication_options
@output_options
def report(
    config: Path,
    offline: bool,
    cache: Path | None,
    format_: str | None,
    output: Path | None,
    publication: Publication,
) -> None:
    """Run the comparison that a hubcmp.toml describes; -o and --format replace its output files."""
    from hubcmp import api

    plan = api.project(content_of(config), str(config))
    with waiting(f"reading {', '.join(plan.refs)}"):
        answer = api.compare_project(plan, access(offline, cache))
    deliver(answer, format_, [output] if output else () if format_ else plan.output, publication)


@cli.command()
@click.argument("texts", nargs=-1, required=True, metavar="REF|FILE...", shell_complete=files)
@access_options
@output_options
def card(texts: Sequence[str], offline: bool, cache: Path | None, format_: str | None, output: Path | None) -> None:
    """Show what model cards claim, each claim with the line it stands on."""
    from hubcmp import api

    with waiting(f"reading {', '.join(texts)}"):
        answer = api.card(texts, access(offline, cache))
    finish(answer, format_, output)


@cli.command()
@click.argument("refs", nargs=-1, required=True, metavar="REF...", shell_complete=files)
@click.option("--tensors", is_flag=True, help="List every tensor with its role and status.")
@TARGET_OPTION
@ROWS_OPTION
@access_options
@output_options
def params(
    refs: Sequence[str],
    tensors: bool,
    target: str,
    rows: int | None,
    offline: bool,
    cache: Path | None,
    format_: str | None,
    output: Path | None,
) -> None:
    """Show the parameter ledger: by role and status, buffers apart, with what the config implies beside it."""
    from hubcmp import api

    with waiting(f"reading {', '.join(refs)}"):
        answer = api.params(refs, access(offline, cache), tensors, target, rows or 0)
    finish(answer, format_, output)


@cli.command()
@click.argument("refs", nargs=-1, required=True, metavar="DRAFT...", shell_complete=files)
@TARGET_OPTION
@click.option("--engine", type=click.Choice(ENGINES), help="The engine that will serve it.")
@access_options
@output_options
def check(
    refs: Sequence[str],
    target: str,
    engine: str | None,
    offline: bool,
    cache: Path | None,
    format_: str | None,
    output: Path | None,
) -> None:
    """Check a drafter's wiring, and how it fits its target and engine; exits 1 on a fault.

    \b
    hubcmp check ./ckpt --target moonshotai/Kimi-K2-Instruct --engine sglang
    """
    from hubcmp import api

    with waiting(f"reading {', '.join(refs)}"):
        answer = api.check(refs, access(offline, cache), target, engine or "")
    finish(answer, format_, output)


@cli.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", shell_complete=files)
@plain_option("SOURCE")
@watch_options
@OFFLINE_OPTION
@output_options
def bench(
    sources: Sequence[str],
    plains: Sequence[str],
    watching: Watching,
    offline: bool,
    format_: str | None,
    output: Path | None,
) -> None:
    """Show benchmark output, server logs or live servers in one normal form; further ones are set against the first.

    \b
    hubcmp bench server.log                         hubcmp bench http://localhost:8000 --for 60s
    Two scrapes of one server are written BEFORE..AFTER; - reads standard input.
    """
    from hubcmp import api

    reach = access(offline, None)
    if watching:
        answer = watching.answer(sources, plains, reach)
    else:
        with waiting(f"reading {', '.join(sources)}"):
            answer = api.bench(sources, plains, reach)
    finish(answer, format_, output)


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

    finish(api.depth([extras.length_at_depth(text) for text in lengths], to), format_, output)


@cli.command()
@click.argument("contract", type=click.Choice(CONTRACTS), default="compare")
def schema(contract: str) -> None:
    """Print the JSON Schema of what a command prints with --format json."""
    import json

    from hubcmp import api

    click.echo(json.dumps(api.schema(contract), indent=2))


@cli.command()
@click.argument("file", metavar="FILE.json", shell_complete=files)
@publication_options
@output_options
def render(file: str, format_: str | None, output: Path | None, publication: Publication) -> None:
    """Render a comparison that was saved with --format json; exits as the comparison did.

    \b
    hubcmp compare A B -o saved.json && hubcmp render saved.json -o report.html
    """
    from hubcmp import api

    deliver(api.saved(file), format_, [output] if output else [], publication)


cli.add_command(record)
cli.add_command(cache)
