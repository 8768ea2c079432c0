"""``musodds showdown``: who wins each lance of a finished hand, why, and the stones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from musodds.cli.options import (
    Format,
    FormatOption,
    KingsOption,
    Lang,
    LangOption,
    OutputOption,
    RealOption,
    RulesOption,
    TargetOption,
    chosen_rules,
)
from musodds.cli.output import check_output, emit, screen_for

if TYPE_CHECKING:
    from musodds.mus.count import Settlement
    from musodds.report.screen import Screen
    from musodds.report.text import Words

BetsOption = Annotated[
    str,
    typer.Option(
        "--bets",
        metavar="RECORD",
        help=(
            "How the betting went, such as chica=2,pares=refused:us:1,juego=ordago: a stake or an órdago "
            "that was accepted, or who collected how much by a refusal. A lance left out was passed. "
            "us is seats 1 and 3, them seats 2 and 4."
        ),
    ),
]
ScoreOption = Annotated[
    str,
    typer.Option("--score", metavar="US-THEM", help="The score before the hand, such as 36-30."),
]


def command(
    h1: Annotated[str, typer.Argument(metavar="H1", show_default=False, help="The mano's hand, as RR4A.")],
    h2: Annotated[str, typer.Argument(metavar="H2", show_default=False, help="The hand of seat 2.")],
    h3: Annotated[str, typer.Argument(metavar="H3", show_default=False, help="The hand of seat 3.")],
    h4: Annotated[str, typer.Argument(metavar="H4", show_default=False, help="The postre's hand.")],
    bets: BetsOption = "",
    score: ScoreOption = "0-0",
    rules: RulesOption = "classic",
    kings: KingsOption = None,
    real: RealOption = None,
    target: TargetOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = "-",
    lang: LangOption = Lang.EN,
) -> None:
    """Who wins each lance of a finished hand, why, and the stones.

    The stones come in counting order with the running score; the count stops when a pair is out.
    """
    table_rules = chosen_rules(rules, kings=kings, real=real, target=target)
    check_output(output)

    from musodds.analysis.showdown import showdown
    from musodds.report.text import Words

    settlement = showdown(h1, h2, h3, h4, bets=bets, score=score, rules=table_rules)
    emit(_written(settlement, format, Words(lang.value), screen_for(output)), output)


def _written(settlement: Settlement, format: Format, words: Words, screen: Screen) -> str:
    """The settlement in the format asked for."""
    from musodds.report import showdown as report

    if format is Format.JSON:
        return report.showdown_json(settlement, words)
    if format is Format.CSV:
        return report.showdown_csv(settlement, words)
    if format is Format.MARKDOWN:
        return report.showdown_markdown(settlement, words, screen)
    return report.showdown_table(settlement, words, screen)
