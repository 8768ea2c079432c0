"""The options that commands share: one declaration each, and how they are read together."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from musodds.cli.numbers import decimal, whole
from musodds.errors import UsageError
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of


class Format(StrEnum):
    """How an answer is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


class Lang(StrEnum):
    """The language of tables."""

    EN = "en"
    ES = "es"


HandArgument = Annotated[
    str,
    typer.Argument(
        metavar="HAND", show_default=False, help='Four cards: RR4A, kk41, "12 12 4 1", Ro,Rc,4e,Ab.'
    ),
]
SeatOption = Annotated[
    str,
    typer.Option("--seat", metavar="SEAT", help="mano, 2, 3, postre (or 1 to 4), or all."),
]
RightOption = Annotated[
    str | None,
    typer.Option("--right", metavar="COND", help="What is known of the player on the right."),
]
PartnerOption = Annotated[
    str | None,
    typer.Option("--partner", metavar="COND", help="What is known of the partner."),
]
LeftOption = Annotated[
    str | None,
    typer.Option("--left", metavar="COND", help="What is known of the player on the left."),
]
DeclaredOption = Annotated[
    str | None,
    typer.Option(
        "--declared",
        metavar="WHO",
        help='Who said yes, by seat, as in "pares: 1,3; juego: none"; everyone else said no.',
    ),
]
ExplainOption = Annotated[
    bool,
    typer.Option("--explain", help="Only say how many hands and what share of deals each condition leaves."),
]
SeenOption = Annotated[
    str,
    typer.Option("--seen", metavar="CARDS", help="Cards out of play, such as 774."),
]
OthersOption = Annotated[
    str,
    typer.Option(
        "--others",
        metavar="POLICY",
        help="What the others do in the mus: players, solved, stand, or a policy file.",
    ),
]
OthersOnlyOption = Annotated[
    str | None,
    typer.Option(
        "--others",
        metavar="POLICY",
        help="With --drew, what the others do in the mus: players (unless said), solved, stand, or a policy file.",
    ),
]
CutsOption = Annotated[
    str | None,
    typer.Option(
        "--cuts",
        metavar="COND",
        help='With which hands players cut, for all or by seat, as in "4: R>=2 | pares".',
    ),
]
DrewOption = Annotated[
    str | None,
    typer.Option(
        "--drew",
        metavar="WHO=N,...",
        help="Cards that the others took in the first mus, as in right=2,partner=1,left=4, or any.",
    ),
]

RulesOption = Annotated[
    str,
    typer.Option("--rules", metavar="PRESET", help="A preset; see musodds rules."),
]
KingsOption = Annotated[
    int | None,
    typer.Option("--kings", metavar="4|8", parser=whole("kings", "8"), help="Kings in the deck."),
]
RealOption = Annotated[
    str | None,
    typer.Option(
        "--real",
        metavar="FORM",
        help="The real, 777 with: off, ten (any ten), jack (any jack), coins (the jack of coins).",
    ),
]
TargetOption = Annotated[
    int | None,
    typer.Option("--target", metavar="N", parser=whole("target", "40"), help="Stones that win."),
]
MaxMusOption = Annotated[
    str | None,
    typer.Option("--max-mus", metavar="N", help="How often cards may be changed, or none for no limit."),
]

DealsOption = Annotated[
    int | None,
    typer.Option(
        "--deals",
        metavar="N",
        parser=whole("deals", "1000000"),
        help="Deals to simulate: a million, or with --margin the most.",
    ),
]
MarginOption = Annotated[
    float | None,
    typer.Option(
        "--margin",
        metavar="PP",
        parser=decimal("margin", "0.05"),
        help="Simulate until the 95 % margin of every lance is at most this many percentage points.",
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="N",
        parser=whole("seed", "1"),
        help="0 to 2^64-1; the same seed gives the same answer.",
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        parser=whole("threads", "2"),
        help="Threads to use: every core. The answer does not depend on it.",
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Let the workers of a Dask cluster do it, as at tcp://192.168.1.5:8786; the answer is the same.",
    ),
]
ExactOption = Annotated[bool, typer.Option("--exact", help="Only count every deal; simulate nothing.")]
NoExactOption = Annotated[bool, typer.Option("--no-exact", help="Only simulate; do not count every deal.")]

FormatOption = Annotated[Format, typer.Option("--format", case_sensitive=False, help="How to write it.")]
OutputOption = Annotated[
    str,
    typer.Option("-o", "--output", metavar="FILE", help="Where to write it; - is stdout."),
]
LangOption = Annotated[Lang, typer.Option("--lang", case_sensitive=False, help="The language of tables.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on stderr.")]


def chosen_rules(
    preset: str,
    *,
    kings: int | None = None,
    real: str | None = None,
    target: int | None = None,
    max_mus: str | None = None,
) -> Rules:
    """The rules that the options name: a preset with single rules overridden.

    Raises:
        RulesError: for a preset or value that does not exist.
    """
    overrides: dict[str, object] = {"kings": kings, "real": real, "target": target}
    overrides = {name: value for name, value in overrides.items() if value is not None}
    if max_mus is not None:
        unlimited = max_mus.strip().lower() == "none"
        overrides["max_mus"] = None if unlimited else whole("max-mus", "4, or none")(max_mus)
    return rules_of(preset, **overrides)


def chosen_engines(exact: bool, no_exact: bool) -> tuple[bool, bool]:
    """Whether to simulate and whether to enumerate: both, unless one is ruled out.

    Raises:
        UsageError: if both are ruled out.
    """
    if exact and no_exact:
        raise UsageError("--exact and --no-exact together leave nothing to do; give one of them, or neither")
    return not exact, not no_exact
