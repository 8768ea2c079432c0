"""``musodds batch``: a file of hands in, a report out."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from musodds.cli.numbers import whole
from musodds.cli.options import (
    ClusterOption,
    CutsOption,
    DealsOption,
    DeclaredOption,
    DrewOption,
    ExactOption,
    KingsOption,
    LeftOption,
    MarginOption,
    MaxMusOption,
    NoExactOption,
    OthersOption,
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
    chosen_engines,
    chosen_rules,
)
from musodds.cli.output import let_go
from musodds.errors import EXIT_INTERRUPTED, EXIT_REJECTED_ROWS, UsageError


class BatchFormat(StrEnum):
    """How the report is written."""

    CSV = "csv"
    PARQUET = "parquet"


class CsvDialect(StrEnum):
    """How CSV is written."""

    PLAIN = "plain"
    ES = "es"


def command(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", show_default=False, help="CSV, TSV or Parquet, or - for stdin."),
    ],
    output: OutputOption = "-",
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--map", metavar="NAME=COLUMN", help="Which column is hand, seat, ...; may be repeated."
        ),
    ] = None,
    seat: Annotated[
        str, typer.Option("--seat", metavar="SEAT", help="The seat if there is no column for it.")
    ] = "mano",
    right: RightOption = None,
    partner: PartnerOption = None,
    left: LeftOption = None,
    seen: SeenOption = "",
    drew: DrewOption = None,
    declared: DeclaredOption = None,
    rules: RulesOption = "classic",
    kings: KingsOption = None,
    real: RealOption = None,
    target: TargetOption = None,
    max_mus: MaxMusOption = None,
    figures: Annotated[
        str | None,
        typer.Option("--figures", metavar="LIST", help="What to write of each lance, such as win,mine: all."),
    ] = None,
    advice: Annotated[bool, typer.Option("--advice", help="Add cut or mus, and the discard.")] = False,
    advice_deals: Annotated[
        int | None,
        typer.Option(
            "--advice-deals",
            metavar="N",
            parser=whole("advice-deals", "100000"),
            help="Deals to simulate for each advice: 100,000.",
        ),
    ] = None,
    others: OthersOption = "players",
    cuts: CutsOption = None,
    deals: DealsOption = None,
    margin: MarginOption = None,
    seed: SeedOption = 1,
    threads: ThreadsOption = None,
    cluster: ClusterOption = None,
    exact: ExactOption = False,
    no_exact: NoExactOption = False,
    delimiter: Annotated[
        str | None,
        typer.Option("--delimiter", metavar="CHAR", help="What separates the fields of IN: found out."),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option("--encoding", metavar="NAME", help="The encoding of IN, such as cp1252: utf-8."),
    ] = None,
    csv_dialect: Annotated[
        CsvDialect | None,
        typer.Option(
            "--csv-dialect",
            case_sensitive=False,
            help="plain, or es for spreadsheets in Spanish (;, decimal comma, BOM); as IN is written.",
        ),
    ] = None,
    format: Annotated[
        BatchFormat | None,
        typer.Option("--format", case_sensitive=False, help="How to write it: by the name of the output."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first bad row.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an interrupted run to the same output stopped.")
    ] = False,
    quiet: QuietOption = False,
) -> None:
    """The odds of every hand in a file, exact unless --no-exact.

    IN has a column hand (or mano) and any of seat, kings, real, right, partner, left, seen, drew, declared
    (asiento, reyes, derecha, pareja, izquierda, vistas, robadas, declarado). Its rows and columns stay as they
    are; the answers are added, and in the column error why a row has none (exit code 3).
    """
    chosen_engines(exact, no_exact)
    table_rules = chosen_rules(rules, kings=kings, real=real, target=target, max_mus=max_mus)

    from dataclasses import replace

    from musodds.analysis.workers import workers_at
    from musodds.batching.columns import chosen_figures
    from musodds.batching.files import Job, left_over, run
    from musodds.batching.questions import Settings
    from musodds.cli.working import Working, note, note_if_cold

    job = Job(
        source=source,
        output=output,
        columns=_mapped(columns or []),
        encoding=encoding,
        delimiter={"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter),
        dialect=csv_dialect.value if csv_dialect else None,
        format=format.value if format else None,
        strict=strict,
        resume=resume,
    )
    settings = Settings(
        rules=table_rules,
        defaults={
            "seat": seat,
            "right": right or "",
            "partner": partner or "",
            "left": left or "",
            "seen": seen,
            "drew": drew or "",
            "declared": declared or "",
        },
        exact=not no_exact,
        deals=deals,
        margin=margin,
        seed=seed,
        figures=chosen_figures(figures, simulated=no_exact),
        advice=advice,
        advice_deals=advice_deals,
        others=others,
        cuts=cuts,
        threads=threads,
    )
    if format is BatchFormat.PARQUET and output == "-" and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("Parquet is no text for a terminal; name a file with -o")
    note_if_cold("judge_options" if advice else "", quiet=quiet)
    if not resume and left_over(output):
        note("an earlier run to this output was interrupted; --resume would go on with it", quiet=quiet)
    try:
        with workers_at(cluster) as workers, Working("questions", quiet=quiet) as working:
            done = run(job, replace(settings, workers=workers), working)
    except BrokenPipeError:  # who reads stdout has read enough
        let_go(sys.stdout)
        return
    except KeyboardInterrupt:
        kept = "; --resume goes on from there" if left_over(output) else ""
        note(f"interrupted, and nothing is written{kept}", quiet=quiet)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if done.rejected:
        rows = "row" if done.rows == 1 else "rows"
        note(f"{done.rejected:,} of {done.rows:,} {rows} rejected; the column error says why", quiet=quiet)
        raise typer.Exit(EXIT_REJECTED_ROWS)


def _mapped(typed: list[str]) -> dict[str, str]:
    """The columns named by ``--map``."""
    columns: dict[str, str] = {}
    for text in typed:
        name, equals, column = text.partition("=")
        name = name.strip().lower()
        if not equals or not name or not column.strip():
            raise UsageError(f"map {text!r}: write NAME=COLUMN, as in --map hand=Jugada")
        if name in columns:
            raise UsageError(f"map {text!r}: {name} is mapped twice")
        columns[name] = column
    return columns
