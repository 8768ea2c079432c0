"""``musodds bench``: how fast the engines are on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from musodds.cli.numbers import decimal, whole
from musodds.cli.options import (
    Format,
    FormatOption,
    Lang,
    LangOption,
    OutputOption,
    QuietOption,
    ThreadsOption,
)
from musodds.cli.output import check_output, emit, screen_for

NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[WHAT]...",
        show_default=False,
        help="evaluate, simulate, mus, exact, whole, discard; everything unless said.",
    ),
]
SecondsOption = Annotated[
    float,
    typer.Option(
        "--seconds",
        metavar="S",
        parser=decimal("seconds", "0.5"),
        help="Repeat each piece of work for at least so long.",
    ),
]
RunsOption = Annotated[
    int,
    typer.Option(
        "--runs", metavar="N", parser=whole("runs", "7"), help="Repeat each piece at least so often."
    ),
]
ScaleOption = Annotated[
    float,
    typer.Option(
        "--scale",
        metavar="X",
        parser=decimal("scale", "0.1"),
        help="Do so much of the usual work in a repetition: 0.1 for a quick look.",
    ),
]


def command(
    what: NamesArgument = None,
    seconds: SecondsOption = 1.0,
    runs: RunsOption = 7,
    scale: ScaleOption = 1.0,
    threads: ThreadsOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = "-",
    lang: LangOption = Lang.EN,
    quiet: QuietOption = False,
) -> None:
    """How fast the evaluator, the simulator and the enumeration are here.

    Every result is checked against known values; the first call is kept apart from the runs.
    """
    check_output(output)

    from musodds.analysis.bench import bench
    from musodds.cli.working import Working, note_if_cold
    from musodds.report.bench import bench_csv, bench_json, bench_markdown, bench_table
    from musodds.report.text import Words

    note_if_cold(quiet=quiet)
    with Working("measuring", quiet=quiet) as working:
        found = bench(
            what or (), seconds=seconds, repetitions=runs, threads=threads, scale=scale, progress=working
        )
    words, screen = Words(lang.value), screen_for(output)
    if format is Format.JSON:
        text = bench_json(found)
    elif format is Format.CSV:
        text = bench_csv(found)
    elif format is Format.MARKDOWN:
        text = bench_markdown(found, words, screen)
    else:
        text = bench_table(found, words, screen)
    emit(text, output)
