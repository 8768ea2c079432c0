"""Simulated deals on threads: the counts depend on the query, the seed and the number of deals only.

Deal d of seed s is the same whoever computes it (see ``kernels``), and counts add up in any order. So
threads, blocks and interruptions change nothing but the time.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from musodds.engine import kernels, plans, weighted
from musodds.engine.counts import Counts, LanceCounts
from musodds.engine.tables import Table
from musodds.engine.workers import Workers, available_cores, blocks, in_turn

BLOCK = 1 << 18  # deals per task: some milliseconds, so that an interruption is answered at once
FIRST_LOOK = 1 << 14  # deals before a run that stops by itself judges how many it needs
SENT_BLOCK = 1 << 20  # deals of a block sent elsewhere, whose counts come back in half a megabyte


@dataclass(frozen=True, eq=False)
class Run:
    """What a simulation counted.

    Attributes:
        counts: by lance.
        partial: whether it was interrupted before the end.
        outcomes: int64 (2**16,), deals by outcome, for ``outcomes.read``.
    """

    counts: Counts
    partial: bool
    outcomes: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tally:
    """The raw counts of a simulation.

    Attributes:
        outcomes: int64 (2**16,), deals by outcome; see ``kernels.score``.
        best: int64 (4,), deals in which the player has the best strength, in juego or punto, pares,
            chica, grande.
    """

    outcomes: NDArray[np.int64]
    best: NDArray[np.int64]

    @classmethod
    def empty(cls) -> Tally:
        """No deals yet."""
        return cls(np.zeros(kernels.OUTCOMES, dtype=np.int64), np.zeros(4, dtype=np.int64))

    def add(self, other: Tally) -> None:
        """Add another tally's deals."""
        self.outcomes[:] += other.outcomes
        self.best[:] += other.best

    def plus(self, other: Tally) -> Tally:
        """The deals of both."""
        return Tally(self.outcomes + other.outcomes, self.best + other.best)


def simulate(
    table: Table,
    row: int,
    seat: int,
    unseen: NDArray[np.int64],
    weights: NDArray[np.int64] | None,
    *,
    deals: int,
    seed: int,
    threads: int | None = None,
    workers: Workers | None = None,
    enough: Callable[[Counts], int] | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Run:
    """Deal the other three hands at random and count.

    Args:
        table: the hands of the deck.
        row: the row of the player's hand.
        seat: the player's seat, 1 to 4.
        unseen: int64 (k,), cards of each class that may be dealt.
        weights: int64 (3, n), the weight of each hand on the right, as partner, on the left; None if all fit.
        deals: how many deals; with ``enough`` the most.
        seed: 0 to 2**64 - 1.
        threads: None uses every core.
        workers: who deals instead of threads here; an interruption then keeps nothing.
        enough: says from the counts so far how many deals are needed in all; the run goes on until it
            has as many.
        progress: called with the deals done and the deals planned.

    Raises:
        ConditionError: if no deal fits the weights.
    """
    dealing = _Dealing(table, row, seat, unseen, weights, seed).prepared()
    goal = deals if enough is None else min(deals, FIRST_LOOK)
    if workers is not None:
        return _simulate_elsewhere(dealing, goal, deals, workers, enough, progress)
    handed_out = _Blocks(dealing)
    running = threads or available_cores()
    partial = False
    # An interruption may land on any line: all that it may cost is blocks that are not finished.
    try:
        with ThreadPoolExecutor(running) as pool:
            try:
                while True:
                    handed_out.run(pool, running, goal, progress)
                    if enough is None or goal >= deals:
                        break
                    needed = enough(read_outcomes(table, row, handed_out.sofar.tally))
                    if needed <= goal:
                        break
                    goal = min(deals, needed)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
    except KeyboardInterrupt:
        partial = True
    while True:
        try:
            handed_out.stop()
            if handed_out.sofar.deals == 0:
                break
            tally = handed_out.sofar.tally
            return Run(read_outcomes(table, row, tally), partial, tally.outcomes)
        except KeyboardInterrupt:
            partial = True
    raise KeyboardInterrupt


def _simulate_elsewhere(
    dealing: _Dealing,
    goal: int,
    most: int,
    workers: Workers,
    enough: Callable[[Counts], int] | None,
    progress: Callable[[int, int | None], None] | None,
) -> Run:
    """The same deals, by workers who may be on other machines."""
    tally, done = Tally.empty(), 0
    while done < goal:
        parts = list(blocks(done, goal, SENT_BLOCK, workers))
        for (_, stop), part in zip(parts, in_turn(dealing, parts, workers), strict=True):
            tally.add(part)
            if progress is not None:
                progress(stop, goal)
        done = goal
        if enough is not None:
            goal = min(most, enough(read_outcomes(dealing.table, dealing.row, tally)))
    return Run(read_outcomes(dealing.table, dealing.row, tally), False, tally.outcomes)


Block = Callable[[int, int], Tally]


@dataclass(frozen=True, eq=False)
class _Sofar:
    """What is counted: its deals, and the block that was counted last."""

    tally: Tally
    deals: int = 0
    last: Future[Tally] | None = None


@dataclass(eq=False)
class _Blocks:
    """The blocks of a run on their way from the threads into one tally.

    Python may raise KeyboardInterrupt between any two steps. So a block is counted by one assignment of
    ``sofar``, which also names the block: whether it was counted is known wherever that happens.
    """

    block: Block
    sofar: _Sofar = field(default_factory=lambda: _Sofar(Tally.empty()))
    running: dict[Future[Tally], int] = field(default_factory=dict)
    next: int = 0

    def run(
        self,
        pool: ThreadPoolExecutor,
        workers: int,
        goal: int,
        progress: Callable[[int, int | None], None] | None,
    ) -> None:
        """Deal up to a goal; a block is handed out only when another is done, so that few are lost."""
        while self.running or self.next < goal:
            while self.next < goal and len(self.running) < 2 * workers:
                first, self.next = self.next, min(self.next + BLOCK, goal)
                self.running[pool.submit(self.block, first, self.next)] = self.next - first
            for future in wait(self.running, return_when=FIRST_COMPLETED).done:
                self._count(future)
                if progress is not None:
                    progress(self.sofar.deals, goal)

    def stop(self) -> None:
        """Count what is finished or being worked on; nothing is handed out any more."""
        for future in list(self.running):
            if future.cancel():
                del self.running[future]
            else:
                self._count(future)

    def _count(self, future: Future[Tally]) -> None:
        if future is not self.sofar.last:
            tally = self.sofar.tally.plus(future.result())
            self.sofar = _Sofar(tally, self.sofar.deals + self.running[future], future)
        del self.running[future]


@dataclass(frozen=True, eq=False)
class _Dealing:
    """Deals and counts the deals from one number up to another; the arguments are those of ``simulate``."""

    table: Table
    row: int
    seat: int
    unseen: NDArray[np.int64]
    weights: NDArray[np.int64] | None
    seed: int

    def __call__(self, first: int, stop: int) -> Tally:
        tally = Tally.empty()
        self._loop(first, stop, tally)
        return tally

    @cached_property
    def _loop(self) -> Callable[[int, int, Tally], None]:
        table, seat = self.table, self.seat
        words = plans.strength_words(table)
        strength = words[[other - 1 for other in plans.seats_of_roles(seat)]]
        me = words[seat - 1, self.row]
        worth = plans.worth_codes(table)
        key = np.uint64(self.seed)
        if self.weights is None:
            dealer = plain_dealer(table, self.unseen)
        else:
            dealer = weighted.dealer(table, self.unseen, self.weights)

        def loop(first: int, stop: int, tally: Tally) -> None:
            dealer.simulate(
                first, stop, key, *dealer.arguments, strength, me, worth, tally.outcomes, tally.best
            )

        return loop

    def prepared(self) -> _Dealing:
        """With all that the loop needs ready, which may show that nothing fits."""
        _ = self._loop
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """What is made ready stays here; another process makes its own."""
        return _Dealing, (self.table, self.row, self.seat, self.unseen, self.weights, self.seed)


def plain_dealer(table: Table, unseen: NDArray[np.int64]) -> weighted.Dealer:
    """The dealer for hands of which nothing is known."""
    number = int(unseen.sum())
    return weighted.Dealer(
        kernels.simulate_plain,
        kernels.deal_plain_rows,
        (
            plans.unseen_cards(table, unseen),
            np.uint64(number),
            plans.hand_of_key(table),
            plans.refusals(number),
        ),
    )


def read_outcomes(table: Table, row: int, tally: Tally) -> Counts:
    """Read the outcomes: which lances each outcome plays, wins and contests, and the stones it pays."""
    index = np.flatnonzero(tally.outcomes)
    number = tally.outcomes[index]
    my_pares, my_juego = int(table.pares_worth[row]), int(table.juego_worth[row])
    won = [(index >> bit & 1).astype(bool) for bit in range(4)]  # juego or punto, pares, chica, grande
    our_pares, our_juego = (index >> 4 & 7) + my_pares, (index >> 7 & 7) + my_juego
    their_pares, their_juego = index >> 10 & 7, index >> 13 & 7
    some_pares = (our_pares > 0) | (their_pares > 0)
    some_juego = (our_juego > 0) | (their_juego > 0)
    always = np.ones(len(index), dtype=bool)

    def lance(
        win: NDArray[np.bool_], played: NDArray[np.bool_], contested: NDArray[np.bool_], mine: int
    ) -> LanceCounts:
        def deals(which: NDArray[np.bool_]) -> int:
            return int(number[which].sum())

        return LanceCounts(
            win=deals(win & played),
            lose=deals(~win & played),
            played=deals(played),
            contested=deals(contested),
            win_contested=deals(win & contested),
            mine=mine,
        )

    last, pares, chica, grande = (int(count) for count in tally.best)
    us = np.where(won[1], our_pares, 0) + np.where(won[0], np.where(some_juego, our_juego, 1), 0)
    them = np.where(won[1], 0, their_pares) + np.where(won[0], 0, np.where(some_juego, their_juego, 1))
    us, them = us + won[3] + won[2], them + ~won[3] + ~won[2]
    apart = us - them
    return Counts(
        deals=int(number.sum()),
        lances={
            "grande": lance(won[3], always, always, grande),
            "chica": lance(won[2], always, always, chica),
            "pares": lance(won[1], some_pares, (our_pares > 0) & (their_pares > 0), pares if my_pares else 0),
            "juego": lance(won[0], some_juego, (our_juego > 0) & (their_juego > 0), last if my_juego else 0),
            "punto": lance(won[0], ~some_juego, ~some_juego, 0 if my_juego else last),
        },
        stones_us=int((number * us).sum()),
        stones_them=int((number * them).sum()),
        difference={int(d): int(number[apart == d].sum()) for d in np.unique(apart)},
    )


def deal_hands(
    table: Table,
    unseen: NDArray[np.int64],
    deals: int,
    seed: int,
    weights: NDArray[np.int64] | None = None,
    first: int = 0,
) -> NDArray[np.uint16]:
    """The hands that the simulator deals: uint16 (deals, 3), table rows of right, partner, left."""
    dealer = plain_dealer(table, unseen) if weights is None else weighted.dealer(table, unseen, weights)
    out = np.empty((deals, 3), dtype=np.uint16)
    dealer.deal_rows(out, first, np.uint64(seed), *dealer.arguments)
    return out
