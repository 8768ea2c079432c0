"""``musodds discard``: cut or mus, and what to throw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from musodds.cli.numbers import whole
from musodds.cli.options import (
    CutsOption,
    DealsOption,
    DrewOption,
    Format,
    FormatOption,
    HandArgument,
    KingsOption,
    Lang,
    LangOption,
    LeftOption,
    MaxMusOption,
    OthersOption,
    OutputOption,
    PartnerOption,
    QuietOption,
    RealOption,
    RightOption,
    RulesOption,
    SeatOption,
    SeedOption,
    SeenOption,
    TargetOption,
    ThreadsOption,
    chosen_rules,
)
from musodds.cli.output import check_output, emit, screen_for
from musodds.errors import EXIT_INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from musodds.analysis.discard import Advice
    from musodds.report.screen import Screen
    from musodds.report.text import Words

RoundOption = Annotated[
    int | None,
    typer.Option(
        "--round",
        metavar="N",
        parser=whole("round", "2"),
        help="Which mus is being talked about: 1, or 2 with --drew.",
    ),
]
ObjectiveOption = Annotated[
    str,
    typer.Option(
        "--objective", metavar="WHAT", help="stones, or a lance: grande, chica, pares, juego, punto."
    ),
]
StakesOption = Annotated[
    str | None,
    typer.Option("--stakes", metavar="BETS", help="Bets taken as accepted, as in grande=2,juego=5."),
]


def command(
    hand: HandArgument,
    seat: SeatOption = "mano",
    others: OthersOption = "players",
    cuts: CutsOption = None,
    round: RoundOption = None,
    drew: DrewOption = None,
    objective: ObjectiveOption = "stones",
    stakes: StakesOption = None,
    right: RightOption = None,
    partner: PartnerOption = None,
    left: LeftOption = None,
    seen: SeenOption = "",
    rules: RulesOption = "classic",
    kings: KingsOption = None,
    real: RealOption = None,
    target: TargetOption = None,
    max_mus: MaxMusOption = None,
    deals: DealsOption = None,
    seed: SeedOption = 1,
    threads: ThreadsOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = "-",
    lang: LangOption = Lang.EN,
    quiet: QuietOption = False,
) -> None:
    """Cut or mus, and every discard ranked.

    Whoever spoke before has said mus; whoever speaks after may still cut. All discards meet the same deals.
    """
    table_rules = chosen_rules(rules, kings=kings, real=real, target=target, max_mus=max_mus)
    check_output(output)

    from musodds.analysis.discard import discard
    from musodds.analysis.figures import DEALS
    from musodds.cli.working import Working, note, note_if_cold
    from musodds.mus.seats import parse_seats
    from musodds.report.text import Words

    seats = parse_seats(seat)
    found: list[Advice] = []
    interrupted = False
    note_if_cold("judge_options", quiet=quiet)
    for number in seats:
        try:
            with Working(f"{hand}, seat {number}", quiet=quiet) as working:
                advice = discard(
                    *(hand, number),
                    rules=table_rules,
                    others=others,
                    cuts=cuts,
                    round=round,
                    drew=drew,
                    objective=objective.strip().lower(),
                    stakes=stakes,
                    right=right,
                    partner=partner,
                    left=left,
                    seen=seen,
                    deals=DEALS if deals is None else deals,
                    seed=seed,
                    threads=threads,
                    progress=working,
                )
        except KeyboardInterrupt:
            interrupted = True
            break
        found.append(advice)
        if advice.partial:
            interrupted = True
            break
    if found:
        emit(_written(found, format, Words(lang.value), screen_for(output)), output)
    if interrupted:
        if found:
            note("interrupted; the answer holds what was finished", quiet=quiet)
        raise typer.Exit(EXIT_INTERRUPTED)


def _written(found: Sequence[Advice], format: Format, words: Words, screen: Screen) -> str:
    """The advice in the format asked for."""
    from musodds.report import discard as report

    if format is Format.JSON:
        return report.discard_json(found)
    if format is Format.CSV:
        return report.discard_csv(found)
    if format is Format.MARKDOWN:
        return report.discard_markdown(found, words, screen)
    return report.discard_table(found, words, screen)
