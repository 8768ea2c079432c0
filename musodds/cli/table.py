"""``musodds table``: every hand in every seat."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from musodds.cli.options import (
    DealsOption,
    ExactOption,
    KingsOption,
    Lang,
    LangOption,
    MarginOption,
    MaxMusOption,
    NoExactOption,
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


_BINARY = (TableFormat.PARQUET, TableFormat.PNG)


def command(
    seat: Annotated[
        str, typer.Option("--seat", metavar="SEAT", help="mano, 2, 3, postre (or 1 to 4), or all.")
    ] = "all",
    what: Annotated[
        What, typer.Option("--what", case_sensitive=False, help="What the table is of.")
    ] = What.ODDS,
    sort: Annotated[
        Sort, typer.Option("--sort", case_sensitive=False, help="The order of the hands, the best first.")
    ] = Sort.STONES,
    rules: RulesOption = "classic",
    kings: KingsOption = None,
    real: RealOption = None,
    target: TargetOption = None,
    max_mus: MaxMusOption = None,
    exact: ExactOption = False,
    no_exact: NoExactOption = False,
    deals: DealsOption = None,
    margin: MarginOption = None,
    seed: SeedOption = 1,
    threads: ThreadsOption = None,
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

    Exact unless --no-exact. A rank is among all hands of the deck; better than % is the share of dealt hands
    that are worse.
    """
    chosen_engines(exact, no_exact)
    table_rules = chosen_rules(rules, kings=kings, real=real, target=target, max_mus=max_mus)
    check_output(output)
    if what is not What.ODDS:
        raise UsageError(
            f"table --what {what.value} is not there yet; the table of this version is --what odds"
        )
    if format in _BINARY and output == STDOUT and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError(f"{format.value} is no text for a terminal; name a file with -o")
    if format is TableFormat.HTML and no_exact:
        raise UsageError("the page shows exact figures; leave out --no-exact, or choose another format")

    from musodds.analysis.table import hand_table
    from musodds.cli.working import Working, note_if_cold
    from musodds.report.text import Words

    if format in (TableFormat.PNG, TableFormat.SVG):
        from musodds.report.pictures import check_plot

        check_plot()
    note_if_cold(quiet=quiet)
    try:
        with Working("table", quiet=quiet) as working:
            tables = hand_table(
                seat,
                rules=table_rules,
                sort=sort.value,
                exact=not no_exact,
                deals=deals,
                margin=margin,
                seed=seed,
                threads=threads,
                progress=working,
            )
    except KeyboardInterrupt:
        raise typer.Exit(EXIT_INTERRUPTED) from None
    written = _written(tables, format, Words(lang.value), screen_for(output))
    if isinstance(written, bytes):
        emit_bytes(written, output)
    else:
        emit(written, output)


def _written(tables: HandTable, format: TableFormat, words: Words, screen: Screen) -> str | bytes:
    """The table in the format asked for."""
    if format is TableFormat.HTML:
        from musodds.analysis.table import both_decks
        from musodds.report.html import table_page

        return table_page(both_decks(tables), words, kings=tables.rules.kings, seat=tables.seats[0])
    if format in (TableFormat.PNG, TableFormat.SVG):
        from musodds.report.pictures import table_picture

        return table_picture(tables, words, format.value)

    from musodds.report import whole

    if format is TableFormat.JSON:
        return whole.table_json(tables)
    if format is TableFormat.CSV:
        return whole.table_csv(tables)
    if format is TableFormat.PARQUET:
        return whole.table_parquet(tables)
    if format is TableFormat.MARKDOWN:
        return whole.table_markdown(tables, words, screen)
    return whole.table_text(tables, words, screen)
