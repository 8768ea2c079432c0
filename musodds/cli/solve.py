"""``musodds solve``: policies for every seat, hand and round, by self-play."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from musodds.cli.numbers import whole
from musodds.cli.options import (
    ClusterOption,
    CutsOption,
    Format,
    FormatOption,
    KingsOption,
    Lang,
    LangOption,
    MaxMusOption,
    QuietOption,
    RulesOption,
    SeedOption,
    ThreadsOption,
    chosen_rules,
)
from musodds.cli.output import STDOUT, check_output, emit, screen_for
from musodds.errors import UsageError

if TYPE_CHECKING:
    from musodds.analysis.solve import Solution
    from musodds.report.screen import Screen
    from musodds.report.text import Words

FreeCutsOption = Annotated[
    bool,
    typer.Option("--free-cuts", help="Find by self-play when to cut, too; else players cut by a rule."),
]
TablesOption = Annotated[
    int | None,
    typer.Option(
        "--deals",
        metavar="N",
        parser=whole("deals", "3000000"),
        help="Tables for each seat and step: 3 million.",
    ),
]
StepsOption = Annotated[
    int | None,
    typer.Option("--steps", metavar="N", parser=whole("steps", "14"), help="Steps of fictitious play: 14."),
]
TestOption = Annotated[
    int | None,
    typer.Option(
        "--test-deals",
        metavar="N",
        parser=whole("test-deals", "4000000"),
        help="Hands in each of the two samples of the evaluation: 4 million.",
    ),
]
StateOption = Annotated[
    str | None,
    typer.Option(
        "--state",
        metavar="FILE",
        help="Keep where the run stands in this file, and go on from it if it is there.",
    ),
]
PolicyOutput = Annotated[
    str | None,
    typer.Option(
        "-o", "--output", metavar="POLICY", help="Write the policy to this .csv, .csv.gz or .parquet file."
    ),
]


def command(
    rules: RulesOption = "classic",
    kings: KingsOption = None,
    max_mus: MaxMusOption = None,
    cuts: CutsOption = None,
    free_cuts: FreeCutsOption = False,
    deals: TablesOption = None,
    steps: StepsOption = None,
    test_deals: TestOption = None,
    seed: SeedOption = 1,
    threads: ThreadsOption = None,
    cluster: ClusterOption = None,
    state: StateOption = None,
    output: PolicyOutput = None,
    format: FormatOption = Format.TABLE,
    lang: LangOption = Lang.EN,
    quiet: QuietOption = False,
) -> None:
    """A discard-and-cut policy by self-play, and how far it is from unbeatable.

    What is printed is the evaluation on fresh seeds: what any one seat could still gain.
    """
    table_rules = chosen_rules(rules, kings=kings, max_mus=max_mus)
    if free_cuts and cuts is not None:
        raise UsageError("--cuts gives a rule and --free-cuts looks for one; give one of them, or neither")
    for place in (state, output):
        if place is not None:
            if place == STDOUT:
                raise UsageError("a policy and its state are kept in files; stdout is for the evaluation")
            check_output(place)

    from musodds.analysis import solve as solver
    from musodds.analysis.policy import PLAYERS_CUT
    from musodds.analysis.policy_file import check_policy_name, write_policy
    from musodds.analysis.workers import workers_at
    from musodds.cli.working import Working, note_if_cold
    from musodds.report.text import Words

    if output is not None:
        check_policy_name(Path(output))
    note_if_cold("learn", quiet=quiet)
    with workers_at(cluster) as workers, Working("self-play", quiet=quiet) as working:
        solution = solver.solve(
            table_rules,
            cuts=None if free_cuts else PLAYERS_CUT if cuts is None else cuts,
            tables=solver.TABLES if deals is None else deals,
            steps=solver.STEPS if steps is None else steps,
            test_tables=solver.TEST_TABLES if test_deals is None else test_deals,
            seed=seed,
            threads=threads,
            workers=workers,
            state=None if state is None else Path(state),
            progress=working.stage,
        )
    if output is not None:
        write_policy(solution.policy, Path(output))
    emit(_written(solution, format, Words(lang.value), screen_for(STDOUT)), STDOUT)


def _written(solution: Solution, format: Format, words: Words, screen: Screen) -> str:
    """The evaluation in the format asked for."""
    from musodds.report import solve as report

    if format is Format.JSON:
        return report.solve_json(solution)
    if format is Format.CSV:
        return report.solve_csv(solution)
    if format is Format.MARKDOWN:
        return report.solve_markdown(solution, words, screen)
    return report.solve_table(solution, words, screen)
