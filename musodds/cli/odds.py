"""``musodds odds``: the odds of a hand in every lance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from musodds.cli.options import (
    CutsOption,
    DealsOption,
    DeclaredOption,
    DrewOption,
    ExactOption,
    ExplainOption,
    Format,
    FormatOption,
    HandArgument,
    KingsOption,
    Lang,
    LangOption,
    LeftOption,
    MarginOption,
    MaxMusOption,
    NoExactOption,
    OthersOnlyOption,
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
    chosen_engines,
    chosen_rules,
)
from musodds.cli.output import check_output, emit, screen_for
from musodds.errors import EXIT_INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from musodds.analysis.explanation import Explanation
    from musodds.analysis.odds import Odds
    from musodds.report.screen import Screen
    from musodds.report.text import Words


def command(
    hand: HandArgument,
    seat: SeatOption = "mano",
    right: RightOption = None,
    partner: PartnerOption = None,
    left: LeftOption = None,
    seen: SeenOption = "",
    declared: DeclaredOption = None,
    explain: ExplainOption = False,
    drew: DrewOption = None,
    others: OthersOnlyOption = None,
    cuts: CutsOption = None,
    rules: RulesOption = "classic",
    kings: KingsOption = None,
    real: RealOption = None,
    target: TargetOption = None,
    max_mus: MaxMusOption = None,
    deals: DealsOption = None,
    margin: MarginOption = None,
    seed: SeedOption = 1,
    threads: ThreadsOption = None,
    exact: ExactOption = False,
    no_exact: NoExactOption = False,
    format: FormatOption = Format.TABLE,
    output: OutputOption = "-",
    lang: LangOption = Lang.EN,
    quiet: QuietOption = False,
) -> None:
    """How often a hand and its partner win each lance.

    Simulated with 95 % margins, and beside them the exact figures of all possible deals. With --drew the odds are
    those after the first mus.
    """
    simulate, enumerate_ = chosen_engines(exact, no_exact)
    table_rules = chosen_rules(rules, kings=kings, real=real, target=target, max_mus=max_mus)
    check_output(output)

    from musodds.analysis.figures import check_run
    from musodds.analysis.odds import answer
    from musodds.analysis.query import query
    from musodds.cli.working import Working, note, note_if_cold
    from musodds.mus.seats import parse_seats
    from musodds.report.text import Words

    questions = [
        query(
            *(hand, number),
            rules=table_rules,
            right=right,
            partner=partner,
            left=left,
            seen=seen,
            declared=declared,
        )
        for number in parse_seats(seat)
    ]
    check_run(deals=deals, margin=margin, seed=seed, threads=threads)
    note_if_cold("" if drew is None else "after_mus", quiet=quiet)
    if explain:
        from musodds.analysis.explanation import explanation

        told = [explanation(question) for question in questions]
        emit(_explained(told, format, Words(lang.value), screen_for(output)), output)
        return
    answers: list[Odds] = []
    interrupted = False
    for question in questions:
        try:
            with Working(f"{question.hand_text}, seat {question.seat}", quiet=quiet) as working:
                found = answer(
                    question,
                    deals=deals,
                    margin=margin,
                    seed=seed,
                    threads=threads,
                    simulate=simulate,
                    exact=enumerate_,
                    drew=drew,
                    others=others,
                    cuts=cuts,
                    progress=working,
                )
        except KeyboardInterrupt:
            interrupted = True
            break
        answers.append(found)
        if found.simulated is not None and found.simulated.partial:
            interrupted = True
            break
    if answers:
        emit(_written(answers, format, Words(lang.value), screen_for(output)), output)
    if interrupted:
        if answers:
            note("interrupted; the answer holds what was finished", quiet=quiet)
        raise typer.Exit(EXIT_INTERRUPTED)


def _written(answers: Sequence[Odds], format: Format, words: Words, screen: Screen) -> str:
    """The answers in the format asked for."""
    if format is Format.JSON:
        from musodds.report.json_ import odds_json

        return odds_json(answers)
    if format is Format.CSV:
        from musodds.report.csv_ import odds_csv

        return odds_csv(answers)
    if format is Format.MARKDOWN:
        from musodds.report.markdown import odds_markdown

        return odds_markdown(answers, words, screen)
    from musodds.report.table import odds_table

    return odds_table(answers, words, screen)


def _explained(told: Sequence[Explanation], format: Format, words: Words, screen: Screen) -> str:
    """What the conditions leave, in the format asked for."""
    from musodds.report import explanation as report

    if format is Format.JSON:
        return report.explanation_json(told)
    if format is Format.CSV:
        return report.explanation_csv(told)
    if format is Format.MARKDOWN:
        return report.explanation_markdown(told, words, screen)
    return report.explanation_table(told, words, screen)
