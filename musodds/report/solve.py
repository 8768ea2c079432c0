"""How good a solved policy is, as a table, Markdown, JSON and CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from musodds.mus.seats import SEATS
from musodds.report.csv_ import write
from musodds.report.grid import Grid, draw, markdown
from musodds.report.json_ import document
from musodds.report.screen import PAPER, Screen
from musodds.report.table import sheet
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.solve import Solution

SCHEMA = "musodds.solve/1"
DECIMALS = 4
COLUMNS = ("seat", "gain", "margin", "cuts")
"""The columns of the CSV: one row per seat; see ``Gain`` and ``Solution``."""


def solve_table(solution: Solution, words: Words, screen: Screen = PAPER) -> str:
    """What each seat could still gain and how often it cuts, then how often a mus goes through."""
    body = draw(_grid(solution, words, screen), screen)
    return screen.spell(sheet(_head(solution, words, screen), body, _foot(solution, words, screen), screen))


def solve_markdown(solution: Solution, words: Words, screen: Screen = PAPER) -> str:
    """The same as Markdown."""
    first, *lines = (line.replace("*", r"\*").replace("|", r"\|") for line in _head(solution, words, screen))
    parts = [f"## {first}\n", *(f"{line}\n" for line in lines), markdown(_grid(solution, words, screen))]
    return screen.spell("\n".join([*parts, *(f"{line}\n" for line in _foot(solution, words, screen))]))


def solve_json(solution: Solution) -> str:
    """The making of the policy and its evaluation."""
    making = solution.policy.making
    return document(
        SCHEMA,
        policy=solution.policy.name,
        rules=making.get("rules"),
        kings=solution.policy.kings,
        cuts=making.get("cuts"),
        rounds=solution.policy.rounds,
        seed=_whole(making.get("seed")),
        steps=_whole(making.get("steps")),
        deals=_whole(making.get("tables")),
        results=[dict(zip(COLUMNS, row, strict=True)) for row in _rows(solution)],
        through=list(solution.through),
        value=solution.value,
    )


def solve_csv(solution: Solution) -> str:
    """One row per seat."""
    return write(COLUMNS, iter(_rows(solution)))


def _rows(solution: Solution) -> list[list[Any]]:
    return [[gain.seat, gain.gain, gain.margin, solution.cuts[gain.seat - 1]] for gain in solution.gains]


def _whole(text: str | None) -> int | None:
    return None if text is None else int(text)


def _head(solution: Solution, words: Words, screen: Screen) -> list[str]:
    dot = f" {screen.draw('·')} "
    making = solution.policy.making
    cuts = making.get("cuts", "")
    cutting = (
        words.pick("cut and discards by self-play", "corte y descartes por juego propio")
        if cuts == "free"
        else words.pick("cut: {}", "corte: {}").format(cuts)
    )
    kings = words("kings").format(solution.policy.kings)
    run = words.pick(
        "{steps} steps of {tables} deals for each seat, seed {seed}",
        "{steps} pasos de {tables} repartos por puesto, semilla {seed}",
    ).format(
        steps=making.get("steps", ""),
        tables=words.count(int(making.get("tables", 0))),
        seed=making.get("seed", ""),
    )
    rounds = words.pick("{} rounds of mus", "{} vueltas de mus").format(solution.policy.rounds)
    return [dot.join((solution.policy.name, f"{making.get('rules', '')}, {kings}", rounds)), cutting, run]


def _grid(solution: Solution, words: Words, screen: Screen) -> Grid:
    headers = (
        words("seat"),
        words.pick("best deviation gains\n(stones a hand)", "la mejor desviación gana\n(piedras por mano)"),
        words.pick("cuts the first\nmus %", "corta el primer\nmus %"),
    )
    rows = []
    for seat, gain in zip(SEATS, solution.gains, strict=True):
        text = words.number(gain.gain, DECIMALS, sign=True)
        margin = words.up(gain.margin, DECIMALS)
        rows.append(
            (
                words(f"seat {seat}"),
                f"{text} {screen.draw('±')} {margin}",
                words.percent(solution.cuts[seat - 1]),
            )
        )
    return Grid(headers, tuple(rows), words=1)


def _foot(solution: Solution, words: Words, screen: Screen) -> list[str]:
    shares = ", ".join(words.percent(share) for share in solution.through)
    return [
        words.pick("a mus goes through in {} % of hands", "el mus sale en el {} % de las manos").format(
            words.percent(solution.through[0])
        )
        + (
            words.pick(" (by round: {})", " (por vueltas: {})").format(shares)
            if len(solution.through) > 1
            else ""
        ),
        words.pick(
            "stones for the mano's pair with every lance passed: {}",
            "piedras para la pareja del mano si todo queda en paso: {}",
        ).format(words.number(solution.value, 3, sign=True)),
    ]
