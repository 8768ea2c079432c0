"""``musodds table``: every hand in every seat, every score of a game."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from musodds.cli.numbers import whole
from musodds.cli.options import (
    ClusterOption,
    CutsOption,
    DealsOption,
    DrewOption,
    ExactOption,
    KingsOption,
    Lang,
    LangOption,
    MarginOption,
    MaxMusOption,
    NoExactOption,
    OthersOption,
    OutputOption,
    QuietOption,
    RealOption,
    RulesOption,
    SeedOption,
    TargetOption,
    ThreadsOption,
    chosen_engines,
    chosen_rules,
)
from musodds.cli.output import STDOUT, check_output, emit, emit_bytes, screen_for
from musodds.errors import EXIT_INTERRUPTED, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from musodds.analysis.drew_table import DrewTable
    from musodds.analysis.policy_table import PolicyTable
    from musodds.analysis.race import Board
    from musodds.analysis.table import HandTable
    from musodds.report.screen import Screen
    from musodds.report.text import Words


class What(StrEnum):
    """What the table is of."""

    ODDS = "odds"
    POLICY = "policy"
    RACE = "race"


class TableFormat(StrEnum):
    """How a table is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"
    PARQUET = "parquet"
    HTML = "html"
    PNG = "png"
    SVG = "svg"


class Sort(StrEnum):
    """The order of the hands."""

    STONES = "stones"
    HAND = "hand"
    GRANDE = "grande"
    CHICA = "chica"
    PARES = "pares"
    JUEGO = "juego"
    PUNTO = "punto"


class Play(StrEnum):
    """How the lances of a race are played."""

    PASSED = "passed"
    ENVIDO = "envido"


_BINARY = (TableFormat.PARQUET, TableFormat.PNG)
_PICTURES = (TableFormat.PNG, TableFormat.SVG)
_DRAWN = (TableFormat.CSV, TableFormat.JSON, TableFormat.PARQUET)


def command(
    seat: Annotated[
        str, typer.Option("--seat", metavar="SEAT", help="mano, 2, 3, postre (or 1 to 4), or all.")
    ] = "all",
    what: Annotated[
        What,
        typer.Option(
            "--what",
            case_sensitive=False,
            help="The odds of every hand; what a policy does with it; or the chance to win from every score.",
        ),
    ] = What.ODDS,
    sort: Annotated[
        Sort, typer.Option("--sort", case_sensitive=False, help="The order of the odds, the best hand first.")
    ] = Sort.STONES,
    rules: RulesOption = "classic",
    kings: KingsOption = None,
    real: RealOption = None,
    target: TargetOption = None,
    max_mus: MaxMusOption = None,
    exact: ExactOption = False,
    no_exact: NoExactOption = False,
    drew: DrewOption = None,
    deals: DealsOption = None,
    margin: MarginOption = None,
    seed: SeedOption = 1,
    others: OthersOption = "players",
    cuts: CutsOption = None,
    round_: Annotated[
        int, typer.Option("--round", metavar="N", parser=whole("round", "1"), help="The mus of a policy.")
    ] = 1,
    play: Annotated[
        Play, typer.Option("--play", case_sensitive=False, help="How the lances of a race are played.")
    ] = Play.PASSED,
    threads: ThreadsOption = None,
    cluster: ClusterOption = None,
    format: Annotated[
        TableFormat,
        typer.Option(
            "--format",
            case_sensitive=False,
            help="How to write it; html is one page for the phone, with both decks and all seats.",
        ),
    ] = TableFormat.TABLE,
    output: OutputOption = STDOUT,
    lang: LangOption = Lang.EN,
    quiet: QuietOption = False,
) -> None:
    """Every hand in every seat: the odds of each lance, the stones, and the hand's rank.

    Exact, unless --no-exact or --drew (the hands after a mus; --drew all gives every hand by what each of the
    others drew, from --deals tables). A rank is among all hands of the deck; "better
    than" is the share of dealt hands that are worse.
    """
    chosen_engines(exact, no_exact)
    table_rules = chosen_rules(rules, kings=kings, real=real, target=target, max_mus=max_mus)
    check_output(output)
    simulated = no_exact or drew is not None
    _check(what, format, output, simulated=simulated)
    if cluster is not None and what is not What.ODDS:
        raise UsageError(f"--cluster is for a table of odds, not of a {what.value}; leave it out")
    by_drawn = drew is not None and drew.strip().lower() == "all"
    if by_drawn and (
        what is not What.ODDS or format not in _DRAWN or margin is not None or cluster is not None
    ):
        raise UsageError(
            "--drew all is every hand by what the others drew: odds as csv, json or parquet, from --deals tables"
        )
    if exact and drew is not None:
        raise UsageError("what is after a mus can only be simulated; leave out --exact or --drew")

    from musodds.cli.working import Working, note_if_cold
    from musodds.report.text import Words

    if format in _PICTURES:
        from musodds.report.pictures import check_plot

        check_plot()
    note_if_cold(quiet=quiet)
    words, screen = Words(lang.value), screen_for(output)
    try:
        with Working("table", quiet=quiet) as working:
            if by_drawn:
                from musodds.analysis.drew_table import TABLES, drew_table

                drawn = drew_table(
                    seat,
                    rules=table_rules,
                    others=others,
                    cuts=cuts,
                    tables=TABLES if deals is None else deals,
                    seed=seed,
                    threads=threads,
                    progress=working,
                )
                written = _drawn(drawn, format)
            elif what is What.POLICY:
                from musodds.analysis.policy_table import policy_table

                policy = policy_table(
                    seat, rules=table_rules, others=others, cuts=cuts, round_=round_, threads=threads
                )
                written = _policy(policy, format, words, screen)
            elif what is What.RACE:
                from musodds.analysis.race import board

                race = board(
                    table_rules, others=others, cuts=cuts, play=play.value, threads=threads, progress=working
                )
                written = _race(race, format, words, screen)
            else:
                from musodds.analysis.table import hand_table
                from musodds.analysis.workers import workers_at

                with workers_at(cluster) as workers:
                    tables = hand_table(
                        seat,
                        rules=table_rules,
                        sort=sort.value,
                        exact=not simulated,
                        deals=deals,
                        margin=margin,
                        seed=seed,
                        drew=drew,
                        others=others,
                        cuts=cuts,
                        threads=threads,
                        workers=workers,
                        progress=working,
                    )
                written = _odds(tables, format, words, screen)
    except KeyboardInterrupt:
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if isinstance(written, bytes):
        emit_bytes(written, output)
    else:
        emit(written, output)


def _check(what: What, format: TableFormat, output: str, *, simulated: bool) -> None:
    """Refuse what cannot be written before any work is done for it."""
    if format in _BINARY and output == STDOUT and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError(f"{format.value} is no text for a terminal; name a file with -o")
    if format is TableFormat.HTML and what is not What.ODDS:
        raise UsageError(f"the page is of the odds, and not of a {what.value}; choose another format")
    if format is TableFormat.HTML and simulated:
        raise UsageError(
            "the page shows exact figures; leave out --no-exact and --drew, or choose another format"
        )
    if format in _PICTURES and what is What.POLICY:
        raise UsageError(
            "there are pictures of the odds and of a race, not of a policy; choose another format"
        )


def _odds(tables: HandTable, format: TableFormat, words: Words, screen: Screen) -> str | bytes:
    """The odds in the format asked for."""
    if format is TableFormat.HTML:
        return _page(tables, words)
    if format in _PICTURES:
        from musodds.report.pictures import table_picture

        return table_picture(tables, words, format.value)

    from musodds.report import whole as reports

    written: dict[TableFormat, Callable[[], str | bytes]] = {
        TableFormat.JSON: lambda: reports.table_json(tables),
        TableFormat.CSV: lambda: reports.table_csv(tables),
        TableFormat.PARQUET: lambda: reports.table_parquet(tables),
        TableFormat.MARKDOWN: lambda: reports.table_markdown(tables, words, screen),
        TableFormat.TABLE: lambda: reports.table_text(tables, words, screen),
    }
    return written[format]()


def _drawn(drawn: DrewTable, format: TableFormat) -> str | bytes:
    """The whole table by cards drawn in the format asked for."""
    from musodds.report import drew_table as reports

    if format is TableFormat.PARQUET:
        return reports.drew_parquet(drawn)
    return reports.drew_csv(drawn) if format is TableFormat.CSV else reports.drew_json(drawn)


def _page(tables: HandTable, words: Words) -> str:
    from musodds.analysis.policy_table import shipped_advice
    from musodds.analysis.table import both_decks
    from musodds.report.html import policy_advice, table_page

    decks = both_decks(tables)
    advice = policy_advice(shipped_advice(deck.rules) for deck in decks)
    return table_page(decks, words, kings=tables.rules.kings, seat=tables.seats[0], advice=advice)


def _policy(policy: PolicyTable, format: TableFormat, words: Words, screen: Screen) -> str | bytes:
    """The policy in the format asked for."""
    from musodds.report import boards

    written: dict[TableFormat, Callable[[], str | bytes]] = {
        TableFormat.JSON: lambda: boards.policy_json(policy),
        TableFormat.CSV: lambda: boards.policy_csv(policy),
        TableFormat.PARQUET: lambda: boards.policy_parquet(policy),
        TableFormat.MARKDOWN: lambda: boards.policy_markdown(policy, words, screen),
        TableFormat.TABLE: lambda: boards.policy_text(policy, words, screen),
    }
    return written[format]()


def _race(race: Board, format: TableFormat, words: Words, screen: Screen) -> str | bytes:
    """The race in the format asked for."""
    if format in _PICTURES:
        from musodds.report.pictures import race_picture

        return race_picture(race, words, format.value)

    from musodds.report import boards

    written: dict[TableFormat, Callable[[], str | bytes]] = {
        TableFormat.JSON: lambda: boards.race_json(race),
        TableFormat.CSV: lambda: boards.race_csv(race),
        TableFormat.PARQUET: lambda: boards.race_parquet(race),
        TableFormat.MARKDOWN: lambda: boards.race_markdown(race, words, screen),
        TableFormat.TABLE: lambda: boards.race_text(race, words, screen),
    }
    return written[format]()
