"""How a command behaves in a shell: exit codes, errors in one line on stderr, and a word while it takes time."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from hubcmp._github import harmless
from hubcmp.errors import HubcmpError, UsageError

if TYPE_CHECKING:
    from hubcmp.renderers import Answer

EXIT_GATE, EXIT_USAGE, EXIT_PARTIAL, EXIT_NOTHING, EXIT_INTERRUPTED = 1, 2, 3, 4, 130
PATIENCE = 1.0
"""Seconds of work before a terminal is told what is waited for."""
FEW = 8
"""Failures that are named on stderr; the report names all."""
EXIT_CODES = """
\b
Exit codes: 0 fine, 1 a gate failed or a fault was found, 2 the call is wrong, 3 the report was printed but a source failed,
4 nothing could be reported.
"""


class Group(click.Group):
    """Turns every deliberate error into one line on stderr and the right exit code."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command line and leave with its exit code."""
        try:
            code = super().main(*args, **extra | {"standalone_mode": False})
        except click.UsageError as error:
            code = _usage(error)
        except click.ClickException as error:
            error.show()
            code = error.exit_code
        except click.Abort:
            complain("interrupted")
            sys.stderr.flush()
            os._exit(EXIT_INTERRUPTED)  # without waiting for servers that requests still hang on
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            complain(error)
            ctx.exit(EXIT_USAGE)
        except HubcmpError as error:
            complain(error)
            ctx.exit(EXIT_NOTHING)


def _usage(error: click.UsageError) -> int:
    """Say in one line what click did not understand and where help is; return the exit code."""
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
        error.show()
        return error.exit_code
    command = error.ctx.command_path if error.ctx else "hubcmp"
    complain(f"{error.format_message().rstrip('.')}; see {command} --help")
    return error.exit_code


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say on a terminal's stderr what is waited for, once that has taken a second; the line is gone afterwards."""
    done = threading.Event()
    thread = threading.Thread(target=_spin, args=(what, done), daemon=True)
    if sys.stderr.isatty():
        thread.start()
    try:
        yield
    finally:
        done.set()
        if thread.is_alive():
            thread.join()


def _spin(what: str, done: threading.Event, patience: float = PATIENCE) -> None:
    if done.wait(patience):
        return
    from rich.console import Console
    from rich.text import Text

    from hubcmp.renderers._plain import visible

    text = Text(f"hubcmp: {visible(what)}", no_wrap=True, overflow="ellipsis")
    with Console(stderr=True).status(text):
        done.wait()


def leave(code: int) -> None:
    """Exit with a code other than 0."""
    if code:
        raise click.exceptions.Exit(code)


def complain(message: object) -> None:
    """Say on stderr, in one line, what went wrong."""
    from hubcmp.renderers._plain import visible

    click.echo(harmless(f"hubcmp: {visible(str(message))}"), err=True)


def tell(answer: "Answer") -> None:
    """Name on stderr what failed, so that it is seen where the report goes to a file or scrolls away."""
    failures = [problem for problem in answer.problems if problem.failed]
    for problem in failures[:FEW]:
        complain(problem)
    if len(failures) > FEW:
        complain(f"{len(failures) - FEW} more failures; the report names them")
