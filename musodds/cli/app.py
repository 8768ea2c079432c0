"""The ``musodds`` command: its subcommands, and what happens when something goes wrong.

Nothing heavy is imported here or at the top of a command's file, so ``--help`` answers at once.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from musodds import __version__
from musodds.cli import batch, bench, bet, discard, odds, race, rules, showdown, solve, table, warmup
from musodds.errors import EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, MusoddsError

NAME = "musodds"

app = typer.Typer(
    name=NAME,
    help="What a Mus hand is worth: the odds of every lance, simulated with margins and exact beside them.",
    add_completion=False,
    rich_markup_mode=None,  # plain help: readable in any encoding and width, and twice as fast
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# One line per command; its file imports nothing heavy at the top.
app.command("odds")(odds.command)
app.command("discard")(discard.command)
app.command("batch")(batch.command)
app.command("bench")(bench.command)
app.command("bet")(bet.command)
app.command("race", cls=race.ScoreCommand)(race.command)
app.command("rules")(rules.command)
app.command("showdown")(showdown.command)
app.command("solve")(solve.command)
app.command("table")(table.command)
app.command("warmup")(warmup.command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"{NAME} {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line.

    Args:
        arguments: what stands after ``musodds``; None takes it from the shell.

    Returns:
        The exit code: 0 done, 1 failed while running, 2 the command or a card is wrong, 3 a batch with
        rejected rows, 130 interrupted.
    """
    typed = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = app(args=typed, prog_name=NAME, standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        return EXIT_INTERRUPTED
    except Exception as error:
        return _failed(error)
    return code if isinstance(code, int) else EXIT_DONE


def _failed(error: Exception) -> int:
    """Say in one line on stderr what went wrong; gives the exit code."""
    if os.environ.get("MUSODDS_DEBUG", "") not in ("", "0"):
        traceback.print_exception(error)
    message, code = _explained(error)
    print(f"{NAME}: error: {' '.join(message.split())}", file=sys.stderr)
    return code


def _explained(error: Exception) -> tuple[str, int]:
    if isinstance(error, MusoddsError):
        return str(error), error.exit_code
    if isinstance(error, MemoryError):
        return "not enough memory; ask for less at a time", EXIT_FAILED
    # Typer's own complaints; looked at by what they can do, for the classes moved between its versions.
    wording = getattr(error, "format_message", None)
    if wording is not None:
        place = getattr(getattr(error, "ctx", None), "command_path", NAME)
        text = str(wording()).rstrip(".").replace("Value error, ", "")
        if "unexpected extra argument" in text:
            text += ', and a value with spaces needs quotes, as in "R R 4 A"'
        return f"{text}; see {place} --help", getattr(error, "exit_code", EXIT_USAGE)
    if isinstance(error, OSError):
        return str(error), EXIT_FAILED
    return (
        f"{type(error).__name__}: {error} (this is a mistake in musodds; MUSODDS_DEBUG=1 shows where)",
        EXIT_FAILED,
    )
