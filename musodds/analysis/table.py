"""Every hand in every seat: the whole table of odds, and the place of each hand in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from musodds.analysis.discard import parse_drew
from musodds.analysis.figures import DEALS, MAX_DEALS, SEED, Figures, check_run, figures
from musodds.analysis.odds import simulated_odds
from musodds.analysis.query import Query
from musodds.engine.tables import Table, table
from musodds.engine.whole import whole_table
from musodds.engine.workers import Workers, in_turn
from musodds.errors import UsageError
from musodds.mus.cards import parse_hand
from musodds.mus.lances import LANCES
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of
from musodds.mus.seats import SEATS, parse_seats

STONES = "stones"
PLACES = (*LANCES, STONES)
"""What hands have a place in: the lances, by the game's own order, and the expected stones."""
SORTS = ("hand", *PLACES)
"""The orders of a table: by the cards (kings first), or by a place, the best hand first."""


@dataclass(frozen=True)
class Place:
    """Where a hand stands among all hands of the deck.

    In a lance hands are ordered as the game orders them, whatever the seat; at stones by the expected
    difference in the seat.

    Attributes:
        rank: 1 is the best; equal hands share a rank, and the next one counts them all. None for a hand
            that does not take part in the lance.
        percentile: 0 to 1, the share of dealt hands that are worse; None where there is no rank. A hand
            without pares or juego is worse at that lance than any that has it; at punto only hands
            without juego are counted, for otherwise there is no punto.
    """

    rank: int | None
    percentile: float | None


@dataclass(frozen=True)
class TableRow:
    """One hand in one seat.

    Attributes:
        hand: as printed.
        seat: 1 (mano) to 4 (postre).
        ways: in how many of the 91,390 ways to deal four cards the hand comes.
        points: the sum of its cards, 4 to 40.
        figures: its odds, as ``odds`` gives them for this hand alone.
        places: its place in each of ``PLACES``.
        row: its row in the engine's table.
    """

    hand: str
    seat: int
    ways: int
    points: int
    figures: Figures
    places: Mapping[str, Place]
    row: int


@dataclass(frozen=True)
class HandTable:
    """Every hand of a deck in one or more seats.

    Attributes:
        rules: the rules it holds for.
        seats: the seats asked for.
        exact: whether the figures are exact; otherwise simulated.
        sort: the order of the hands, one of ``SORTS``.
        drew: after a mus, the cards that ``right``, ``partner`` and ``left`` took, as far as it is known;
            None for the hands as dealt.
        rows: seat by seat, the hands of each in order.
    """

    rules: Rules
    seats: tuple[int, ...]
    exact: bool
    sort: str
    drew: Mapping[str, int] | None
    rows: tuple[TableRow, ...]

    def of_seat(self, seat: int) -> tuple[TableRow, ...]:
        """The rows of one seat, in order."""
        return tuple(row for row in self.rows if row.seat == seat)


def hand_table(
    seat: str | int = "all",
    *,
    rules: str | Rules = "classic",
    sort: str = STONES,
    exact: bool = True,
    deals: int | None = None,
    margin: float | None = None,
    seed: int = SEED,
    drew: str | Mapping[str, int] | None = None,
    others: str = "players",
    cuts: str | None = None,
    threads: int | None = None,
    workers: Workers | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    **overrides: object,
) -> HandTable:
    """The odds of every hand in a seat or in all four.

    Args:
        seat: mano, 2, 3, postre, 1 to 4, or all.
        rules: a preset's name, or ``Rules``; ``overrides`` are single rules, such as ``kings=4``.
        sort: ``hand``, a lance or ``stones``: the order of the hands within a seat.
        exact: count every deal; otherwise simulate each hand as ``odds`` does.
        deals, margin, seed: of the simulation of each hand, as for ``odds``.
        drew: simulate the hands as they are after the first mus, in which the others took so many cards, as
            in ``right=2,left=4``; only for a simulated table.
        others, cuts: the policy of that mus, as for ``discard``.
        threads: None uses every core; the figures do not depend on it.
        workers: who does the work instead of threads here.
        progress: called with the work done and planned.

    Raises:
        UsageError: for whatever cannot be read or cannot be.
        KeyboardInterrupt: if a simulation is interrupted; a table is whole or not there.
    """
    chosen = rules_of(rules, **overrides)
    seats = parse_seats(seat)
    if sort not in SORTS:
        raise UsageError(f"sort {sort!r}: choose one of {', '.join(SORTS)}")
    check_run(deals=deals, margin=margin, seed=seed, threads=threads)
    hands = table(chosen.kings, chosen.real)
    taken = None if drew is None else parse_drew(drew)
    if exact:
        if deals is not None or margin is not None:
            raise UsageError("deals and margin are for a simulated table: exact=False, or --no-exact")
        if taken is not None:
            raise UsageError("what is after a mus can only be simulated: exact=False, or --no-exact")
        found = _exact(hands, seats, threads=threads, workers=workers, progress=progress)
    else:
        if taken is not None and margin is not None:
            raise UsageError("after a mus the number of deals is fixed; give deals rather than a margin")
        one = _One(deals, margin, seed, taken, others, cuts, threads)
        found = _simulated(hands, seats, chosen, one, workers=workers, progress=progress)
    rows = [row for number in seats for row in _ordered(_rows(hands, number, found[number]), sort)]
    return HandTable(chosen, seats, exact, sort, taken, tuple(rows))


def both_decks(tables: HandTable) -> tuple[HandTable, HandTable]:
    """Exact tables of all four seats for eight kings and for four, the other rules as in ``tables``."""
    decks = []
    for kings in (8, 4):
        rules = replace(tables.rules, kings=kings)
        whole = tables.exact and tables.seats == SEATS and rules == tables.rules
        decks.append(tables if whole else hand_table(rules=rules, sort=tables.sort))
    return decks[0], decks[1]


def _exact(
    hands: Table,
    seats: Sequence[int],
    *,
    threads: int | None,
    workers: Workers | None,
    progress: Callable[[int, int | None], None] | None,
) -> dict[int, list[Figures]]:
    whole = whole_table(hands, threads=threads, workers=workers, progress=progress)
    return {
        seat: [figures(whole.counts(row, seat), seed=None) for row in range(len(hands))] for seat in seats
    }


@dataclass(frozen=True)
class _One:
    """Simulates one hand: as dealt, or after a mus; the attributes are those of ``hand_table``."""

    deals: int | None
    margin: float | None
    seed: int
    drew: Mapping[str, int] | None
    others: str
    cuts: str | None
    threads: int | None

    def __call__(self, question: Query) -> Figures:
        if self.drew is None:
            most = DEALS if self.margin is None else MAX_DEALS
            return simulated_odds(
                question,
                deals=most if self.deals is None else self.deals,
                margin=self.margin,
                seed=self.seed,
                threads=self.threads,
            )
        from musodds.analysis.drew import odds_after_mus

        return odds_after_mus(
            question,
            drew=self.drew,
            others=self.others,
            cuts=self.cuts,
            deals=DEALS if self.deals is None else self.deals,
            seed=self.seed,
            threads=self.threads,
        )


def _simulated(
    hands: Table,
    seats: Sequence[int],
    rules: Rules,
    one: _One,
    *,
    workers: Workers | None,
    progress: Callable[[int, int | None], None] | None,
) -> dict[int, list[Figures]]:
    found: dict[int, list[Figures]] = {seat: [] for seat in seats}
    questions = [Query(parse_hand(hand, rules.deck), seat, rules) for seat in seats for hand in hands.hands]
    # here a hand after the other, each on all threads; elsewhere each worker has its hands
    runs: Iterator[Figures] = (
        map(one, questions)
        if workers is None
        else in_turn(replace(one, threads=1), ((question,) for question in questions), workers)
    )
    for done, (question, run) in enumerate(zip(questions, runs, strict=True), start=1):
        if run.partial:
            raise KeyboardInterrupt
        found[question.seat].append(run)
        if progress is not None:
            progress(done, len(questions))
    return found


def _rows(hands: Table, seat: int, found: Sequence[Figures]) -> list[TableRow]:
    places = {
        name: _places(
            strength, strength > 0, np.where(strength > 0, hands.ways, 0) if name == "punto" else hands.ways
        )
        for name, strength in zip(LANCES, hands.strengths, strict=True)
    }
    difference = np.array([figure.stones.difference for figure in found])
    places[STONES] = _places(difference, np.ones(len(hands), dtype=np.bool_), hands.ways)
    return [
        TableRow(
            hand=hand,
            seat=seat,
            ways=int(hands.ways[row]),
            points=int(hands.points[row]),
            figures=found[row],
            places={name: places[name][row] for name in PLACES},
            row=row,
        )
        for row, hand in enumerate(hands.hands)
    ]


def _places(
    strength: NDArray[np.uint16] | NDArray[np.float64], takes_part: NDArray[np.bool_], ways: NDArray[np.int64]
) -> list[Place]:
    """The place of every hand.

    Args:
        strength: of each hand, greater is better.
        takes_part: which hands have a place.
        ways: how often each hand is dealt, among those that percentiles are of.
    """
    total = int(ways.sum())
    places = []
    for value, part in zip(strength, takes_part, strict=True):
        if not part:
            places.append(Place(None, None))
            continue
        rank = 1 + int(np.count_nonzero(takes_part & (strength > value)))
        places.append(Place(rank, int(ways[strength < value].sum()) / total))
    return places


def _ordered(rows: Sequence[TableRow], sort: str) -> Iterator[TableRow]:
    """The rows in an order, the best first; hands that do not take part in a lance come last."""
    if sort == "hand":
        return iter(rows)

    def key(row: TableRow) -> tuple[int, int]:
        rank = row.places[sort].rank
        return (len(rows) + 1 if rank is None else rank, row.row)

    return iter(sorted(rows, key=key))
