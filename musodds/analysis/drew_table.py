"""Every hand in every seat after one mus, by how many cards each of the others took.

One run over simulated tables fills it all: each table in which all four say mus counts once for each seat, in
the row of the hand held then and of the cards that the other three drew. Unlike the odds of one hand after a mus,
the player's own discard is part of the model here: all four play by the policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from musodds.analysis.discard import policy_for
from musodds.analysis.figures import SEED, check_run
from musodds.engine import mus_loops as figure
from musodds.engine.mus import drew_cells
from musodds.engine.tables import Table, table
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of
from musodds.mus.seats import parse_seats

TABLES = 20_000_000
PATTERNS = tuple(product((1, 2, 3, 4), repeat=3))
"""Cards taken on the right, by the partner and on the left, in the order of the cells."""

COLUMNS = (
    *("hand", "seat", "drew_right", "drew_partner", "drew_left", "deals"),
    *("grande_win", "grande_lose", "chica_win", "chica_lose"),
    *("pares_win", "pares_lose", "pares_played", "pares_contested", "pares_win_if_contested"),
    *("juego_win", "juego_lose", "juego_played", "juego_contested", "juego_win_if_contested"),
    *("punto_win", "punto_lose", "punto_played"),
    *("stones_us", "stones_them", "stones_difference"),
)


@dataclass(frozen=True, eq=False)
class DrewTable:
    """The whole table by cards drawn.

    Attributes:
        rules: the table's rules; others: the policy of all four; cuts: another cut rule, if one was given.
        seats: the seats asked for; hands: the hands of the deck.
        cells: int64 (4, n, 64, figures), counts by seat, hand and pattern; see ``engine.mus_loops``.
        tables, through: tables dealt, and those in which all four said mus.
        seed: of the simulation.
    """

    rules: Rules
    others: str
    cuts: str | None
    seats: tuple[int, ...]
    hands: Table
    cells: NDArray[np.int64]
    tables: int
    through: int
    seed: int

    @property
    def median_deals(self) -> float:
        """The deals behind the median row."""
        return float(np.median(self.cells[[seat - 1 for seat in self.seats], :, :, figure.DEALS]))

    def rows(self) -> Iterator[tuple[object, ...]]:
        """A row of ``COLUMNS`` for each hand, seat and pattern; figures are None where no deal came about."""
        for seat in self.seats:
            for hand, cells in zip(self.hands.hands, self.cells[seat - 1].tolist(), strict=True):
                for drew, cell in zip(PATTERNS, cells, strict=True):
                    yield (hand, seat, *drew, cell[figure.DEALS], *_shares(cell))


def drew_table(
    seat: str | int = "all",
    *,
    rules: str | Rules = "classic",
    others: str = "players",
    cuts: str | None = None,
    tables: int = TABLES,
    seed: int = SEED,
    threads: int | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    **overrides: object,
) -> DrewTable:
    """Play one mus at many tables and count every hand by what the others drew.

    Args:
        seat: one seat or ``"all"``.
        rules: a preset's name or ``Rules``; ``overrides`` are single rules.
        others, cuts: the policy of all four, as for ``discard``.
        tables: tables to deal.
        seed, threads, progress: as for ``odds``; the counts do not depend on the threads.

    Raises:
        UsageError: for whatever cannot be read or cannot be.
    """
    chosen = rules_of(rules, **overrides)
    seats = parse_seats(seat)
    check_run(deals=tables, margin=None, seed=seed, threads=threads)
    hands = table(chosen.kings, chosen.real)
    policy = policy_for(chosen, others, cuts, threads)
    cells, dealt, through = drew_cells(
        hands, policy.compiled, tables=tables, seed=seed, threads=threads, progress=progress
    )
    return DrewTable(chosen, others, cuts, seats, hands, cells, dealt, through, seed)


def _shares(cell: list[int]) -> tuple[float | None, ...]:
    deals = cell[figure.DEALS]
    if deals == 0:
        return (None,) * (len(COLUMNS) - 6)

    def share(number: int) -> float:
        return number / deals

    def held(win: int, played: int, contested: int, both: int) -> tuple[float | None, ...]:
        return (
            share(cell[win]),
            share(cell[played] - cell[win]),
            share(cell[played]),
            share(cell[contested]),
            cell[both] / cell[contested] if cell[contested] else None,
        )

    punto = deals - cell[figure.JUEGO_PLAYED]
    return (
        *(share(cell[figure.GRANDE_WIN]), share(deals - cell[figure.GRANDE_WIN])),
        *(share(cell[figure.CHICA_WIN]), share(deals - cell[figure.CHICA_WIN])),
        *held(figure.PARES_WIN, figure.PARES_PLAYED, figure.PARES_CONTESTED, figure.PARES_BOTH),
        *held(figure.JUEGO_WIN, figure.JUEGO_PLAYED, figure.JUEGO_CONTESTED, figure.JUEGO_BOTH),
        *(share(cell[figure.PUNTO_WIN]), share(punto - cell[figure.PUNTO_WIN]), share(punto)),
        *(share(cell[figure.STONES_US]), share(cell[figure.STONES_THEM])),
        share(cell[figure.STONES_US] - cell[figure.STONES_THEM]),
    )
