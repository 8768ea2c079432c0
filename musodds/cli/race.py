"""``musodds race``: the chance to win the game from a score, or from every score."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from musodds.cli.options import (
    Format,
    FormatOption,
    KingsOption,
    Lang,
    LangOption,
    MaxMusOption,
    OutputOption,
    QuietOption,
    RealOption,
    RulesOption,
    TargetOption,
    ThreadsOption,
    chosen_rules,
)
from musodds.cli.output import check_output, emit, screen_for
from musodds.errors import RecordError, UsageError

if TYPE_CHECKING:
    from musodds.analysis.race import Board, Race
    from musodds.report.screen import Screen
    from musodds.report.text import Words

OthersOption = Annotated[
    str,
    typer.Option(
        "--others",
        metavar="POLICY",
        help="How all four play the mus of the hands to come: players, solved, stand, or a policy FILE.",
    ),
]
CutsOption = Annotated[
    str | None,
    typer.Option("--cuts", metavar="RULE", help="Another cut rule for the players, as a condition."),
]
PlayOption = Annotated[
    str,
    typer.Option(
        "--play",
        metavar="HOW",
        help="How the lances to come are played: passed, or envido (2 accepted wherever both pairs hold it).",
    ),
]

_NEGATIVE = re.compile(r"-[0-9]+\s*[-–:].*")


class ScoreCommand(TyperCommand):
    """A command whose argument is a score: one that begins with a minus is a bad score, not an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse negative stones by name."""
        for arg in args:
            if _NEGATIVE.fullmatch(arg):
                raise RecordError(f"score {arg!r}: stones are 0 or more; write US-THEM, such as 36-30")
        return super().parse_args(ctx, args)


def command(
    score: Annotated[
        str | None,
        typer.Argument(
            metavar="[US-THEM]",
            show_default=False,
            help="The score, such as 36-30; none for the whole board.",
        ),
    ] = None,
    mano: Annotated[
        str | None,
        typer.Option(
            "--mano", metavar="us|them", help="Who has the mano in the next hand; both if left out."
        ),
    ] = None,
    whole_board: Annotated[
        bool, typer.Option("--board", help="Every score: a heat map, or rows of JSON or CSV.")
    ] = False,
    others: OthersOption = "players",
    cuts: CutsOption = None,
    play: PlayOption = "passed",
    rules: RulesOption = "classic",
    kings: KingsOption = None,
    real: RealOption = None,
    target: TargetOption = None,
    max_mus: MaxMusOption = None,
    threads: ThreadsOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = "-",
    lang: LangOption = Lang.EN,
    quiet: QuietOption = False,
) -> None:
    """The chance to win the game from a score, or from every score.

    Hands are what the mus leaves; the first pair to reach the target in the order of the count wins.
    """
    if whole_board and score is not None:
        raise UsageError(f"--board shows every score; leave out {score}, or --board")
    table_rules = chosen_rules(rules, kings=kings, real=real, target=target, max_mus=max_mus)
    check_output(output)
    mano = None if mano is None else mano.strip().lower()

    from musodds.analysis.figures import check_run
    from musodds.analysis.race import race
    from musodds.cli.working import Working, note_if_cold
    from musodds.report.text import Words

    check_run(deals=None, margin=None, seed=0, threads=threads)
    note_if_cold(quiet=quiet)
    with Working("hands after the mus", quiet=quiet) as working:
        found = race(
            "0-0" if score is None else score,
            rules=table_rules,
            mano=mano,
            others=others,
            cuts=cuts,
            play=play,
            threads=threads,
            progress=working,
        )
    words, screen = Words(lang.value), screen_for(output)
    if score is None:
        emit(_board(found.board, mano, format, words, screen), output)
    else:
        emit(_race(found, format, words, screen), output)


def _race(found: Race, format: Format, words: Words, screen: Screen) -> str:
    """The chance from one score in the format asked for."""
    from musodds.report import race as report

    if format is Format.JSON:
        return report.race_json(found)
    if format is Format.CSV:
        return report.race_csv(found)
    if format is Format.MARKDOWN:
        return report.race_markdown(found, words, screen)
    return report.race_table(found, words, screen)


def _board(board: Board, mano: str | None, format: Format, words: Words, screen: Screen) -> str:
    """Every score in the format asked for."""
    from musodds.report import race as report

    if format is Format.JSON:
        return report.board_json(board)
    if format is Format.CSV:
        return report.board_csv(board)
    if format is Format.MARKDOWN:
        return report.board_markdown(board, mano, words, screen)
    return report.board_table(board, mano, words, screen)
