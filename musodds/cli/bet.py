"""``musodds bet``: refuse, accept or raise a bet of the rivals, in chance to win the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from musodds.cli.numbers import whole
from musodds.cli.options import (
    DealsOption,
    DeclaredOption,
    Format,
    FormatOption,
    HandArgument,
    KingsOption,
    Lang,
    LangOption,
    LeftOption,
    MaxMusOption,
    OutputOption,
    PartnerOption,
    QuietOption,
    RealOption,
    RightOption,
    RulesOption,
    SeedOption,
    SeenOption,
    TargetOption,
    ThreadsOption,
    chosen_rules,
)
from musodds.cli.output import check_output, emit, screen_for
from musodds.cli.race import CutsOption, OthersOption, PlayOption
from musodds.errors import UsageError

if TYPE_CHECKING:
    from musodds.analysis.bet import Bet
    from musodds.report.screen import Screen
    from musodds.report.text import Words

ORDAGO = "ordago"


def command(
    hand: HandArgument,
    lance: Annotated[
        str,
        typer.Option(
            "--lance", metavar="LANCE", help="grande, chica, pares, juego or punto.", show_default=False
        ),
    ],
    seat: Annotated[
        str, typer.Option("--seat", metavar="SEAT", help="mano, 2, 3, postre (or 1 to 4).")
    ] = "mano",
    offer: Annotated[
        str | None,
        typer.Option("--offer", metavar="N", help="What they bet in all: stones (2 if left out), or ordago."),
    ] = None,
    ordago: Annotated[
        bool, typer.Option("--ordago", help="They bet an órdago: the same as --offer ordago.")
    ] = False,
    standing: Annotated[
        int,
        typer.Option(
            "--standing",
            metavar="M",
            parser=whole("standing", "2"),
            help="Stones that had been accepted before their raise; a refusal pays them.",
        ),
    ] = 0,
    score: Annotated[
        str, typer.Option("--score", metavar="US-THEM", help="Our stones and theirs, such as 32-36.")
    ] = "0-0",
    raises: Annotated[
        str,
        typer.Option(
            "--raise", metavar="N,…", help="Raises to try as well, such as 5,10,ordago: stones in all."
        ),
    ] = "",
    fold: Annotated[
        str | None,
        typer.Option(
            "--fold", metavar="SHARE", help="How often they fold to a raise, such as 30%; never if left out."
        ),
    ] = None,
    when: Annotated[
        str | None,
        typer.Option(
            "--when", metavar="better", help="Also how strong the bettor must be for another verdict."
        ),
    ] = None,
    bettor: Annotated[
        str | None,
        typer.Option(
            "--bettor",
            metavar="right|left",
            help="Who bets, for --when: the one of them who speaks first, if left out.",
        ),
    ] = None,
    right: RightOption = None,
    partner: PartnerOption = None,
    left: LeftOption = None,
    seen: SeenOption = "",
    declared: DeclaredOption = None,
    others: OthersOption = "players",
    cuts: CutsOption = None,
    play: PlayOption = "passed",
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
    """Whether to refuse, accept or raise a bet, in chance to win the game.

    The rivals bet; the other hands are dealt by what is known, the other lances are passed, and what comes after
    the hand is the race's.
    """
    offered = _offer(offer, ordago)
    tried = [_stake("raise", part) for part in raises.split(",") if part.strip()]
    folds = _share(fold)
    if fold is not None and not tried:
        raise UsageError("--fold is how often they fold to a raise; say which with --raise")
    if bettor is not None and when is None:
        raise UsageError("--bettor says who bets for --when better; give both, or neither")
    table_rules = chosen_rules(rules, kings=kings, real=real, target=target, max_mus=max_mus)
    check_output(output)

    from musodds.analysis.bet import bet
    from musodds.analysis.figures import DEALS
    from musodds.cli.working import Working, note_if_cold
    from musodds.report.text import Words

    note_if_cold(quiet=quiet)
    with Working(f"{hand}, {lance}", quiet=quiet) as working:
        found = bet(
            *(hand, seat),
            lance=lance.strip().lower(),
            offer=offered,
            standing=standing,
            score=score,
            raises=tried,
            fold=folds,
            when=None if when is None else when.strip().lower(),
            bettor=None if bettor is None else bettor.strip().lower(),
            rules=table_rules,
            right=right,
            partner=partner,
            left=left,
            declared=declared,
            seen=seen,
            others=others,
            cuts=cuts,
            play=play,
            deals=DEALS if deals is None else deals,
            seed=seed,
            threads=threads,
            progress=working,
        )
    emit(_written(found, format, Words(lang.value), screen_for(output)), output)


def _offer(offer: str | None, ordago: bool) -> int | str:
    """What they bet, from two ways to say it."""
    if ordago and offer is not None and _stake("offer", offer) != ORDAGO:
        raise UsageError(
            f"--offer {offer} and --ordago: they bet the one or the other; for a raise over {offer} "
            f"write --standing {offer} --ordago"
        )
    if ordago:
        return ORDAGO
    return 2 if offer is None else _stake("offer", offer)


def _stake(name: str, typed: str) -> int | str:
    """Stones or an órdago."""
    text = typed.strip()
    if text.lower().replace("ó", "o") == ORDAGO:
        return ORDAGO
    return whole(name, "5, or ordago")(text)


def _share(typed: str | None) -> float:
    """A share of 1, from ``30%`` or ``0.3``."""
    if typed is None:
        return 0.0
    text = typed.strip()
    per_cent = text.endswith("%")
    try:
        share = float(text.removesuffix("%")) / (100 if per_cent else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(f"fold {typed!r}: how often they fold, from 0% to 100%, such as 30% or 0.3")
    return share


def _written(found: Bet, format: Format, words: Words, screen: Screen) -> str:
    """The answer in the format asked for."""
    from musodds.report import bet as report

    if format is Format.JSON:
        return report.bet_json(found)
    if format is Format.CSV:
        return report.bet_csv(found)
    if format is Format.MARKDOWN:
        return report.bet_markdown(found, words, screen)
    return report.bet_table(found, words, screen)
