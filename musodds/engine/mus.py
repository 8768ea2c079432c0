"""The mus on threads: tables of four players who say mus or cut, discard and draw by a policy.

As in ``simulate``, the counts depend on the query, the seed and the number of tables only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, tee
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from musodds.engine import kernels, mus_loops, plans, weighted
from musodds.engine.mus_play import KEEP_ALL, TABLES, Deck, Lances, Policy, Scratch, fill_words, make_scratch
from musodds.engine.simulate import Run, Tally, plain_dealer, read_outcomes
from musodds.engine.tables import Table
from musodds.engine.workers import Workers, available_cores, blocks, in_turn, workers_of

BLOCK = 1 << 14  # tables per task
AS_THEY_ARE = KEEP_ALL  # the place of the hands as they are among the 16 subsets
FULL = 2**32 - 1  # the cumulated chance that stands for 1

T = TypeVar("T")


@cache
def deck_of(table: Table) -> Deck:
    """The deck as the loops read it (built once)."""
    number, width = table.counts.shape
    card_keys = np.array(plans.CARD_KEYS[:width], dtype=np.uint16)
    classes = np.repeat(np.tile(np.arange(width), number), table.counts.ravel()).reshape(number, 4)[:, ::-1]
    hand_cards = card_keys[classes]
    chosen = (np.arange(16)[:, None] >> np.arange(4)) & 1
    keep_keys = (hand_cards.astype(np.int64) @ chosen.T).astype(np.uint16)
    kept = chosen.sum(axis=1).astype(np.uint8)
    # Subsets of the same kind have the same key and size; the first of each kind stands for all.
    options = np.zeros((number, 16), dtype=np.uint8)
    for row in range(number):
        kinds = keep_keys[row].astype(np.int64) * 8 + kept
        options[row, np.unique(kinds[:KEEP_ALL], return_index=True)[1]] = 1
    return Deck(
        cards=np.repeat(card_keys, table.deck.copies),
        card_keys=card_keys,
        counts=table.counts,
        hand_cards=np.ascontiguousarray(hand_cards),
        keep_keys=keep_keys,
        kept=kept,
        options=options,
        row_of=plans.hand_of_key(table),
    )


@cache
def lances_of(table: Table) -> Lances:
    """How the table's hands compare, as the loops read it."""
    worth = plans.worth_codes(table)
    return Lances(plans.strength_words(table), np.ascontiguousarray(worth[:2]))


def kept_cards(table: Table, row: int, subset: int) -> str:
    """The cards of a hand that a subset keeps, as printed, high to low; empty if none."""
    cards = cards_of(table, row)
    return "".join(cards[place] for place in range(4) if subset >> place & 1)


def cards_of(table: Table, row: int) -> tuple[str, ...]:
    """The four cards of a hand, high to low."""
    counts = table.counts[row]
    return tuple(
        card
        for card, number in reversed(list(zip(table.deck.classes, counts, strict=True)))
        for _ in range(number)
    )


def subset_of(table: Table, row: int, kept: tuple[str, ...]) -> int | None:
    """The subset that stands for keeping these cards of a hand; None if the hand does not hold them."""
    cards = cards_of(table, row)
    wanted = sorted(kept)
    for places in combinations(range(4), len(kept)):
        subset = sum(1 << place for place in places)
        same = sorted(cards[place] for place in places) == wanted
        if same and (subset == KEEP_ALL or deck_of(table).options[row, subset]):
            return subset
    return None


def payoffs(stones: tuple[int | None, ...] = (None,) * 4, lance: str | None = None) -> NDArray[np.int64]:
    """int64 (OUTCOMES,): what each outcome pays our pair less what it pays theirs.

    Args:
        stones: the accepted stake of grande, chica, pares, and juego or punto; None where it is passed.
        lance: pay 1 for winning this lance and nothing else, instead of stones.
    """
    index = np.arange(kernels.OUTCOMES)
    won = [(index >> bit & 1) > 0 for bit in (3, 2, 1, 0)]
    pares = np.where(won[2], index >> 4 & 7, -(index >> 10 & 7))
    juego = np.where(won[3], index >> 7 & 7, -(index >> 13 & 7))
    both_pares = ((index >> 4 & 7) > 0) & ((index >> 10 & 7) > 0)
    both_juego = ((index >> 7 & 7) > 0) & ((index >> 13 & 7) > 0)
    punto = ((index >> 7 & 7) == 0) & ((index >> 13 & 7) == 0)
    if lance is not None:
        wins = {
            "grande": won[0],
            "chica": won[1],
            "pares": pares > 0,
            "juego": juego > 0,
            "punto": punto & won[3],
        }
        won_lance: NDArray[np.int64] = wins[lance].astype(np.int64)
        return won_lance
    sign = [np.where(each, 1, -1) for each in won]
    total = sign[0] * (1 if stones[0] is None else stones[0])
    total = total + sign[1] * (1 if stones[1] is None else stones[1])
    total = total + pares + np.where(both_pares, sign[2] * (stones[2] or 0), 0)
    total = total + juego + np.where(punto, sign[3] * (1 + (stones[3] or 0)), 0)
    total = total + np.where(both_juego, sign[3] * (stones[3] or 0), 0)
    return np.asarray(total, dtype=np.int64)


def in_blocks(
    work: Callable[[int, int], T],
    first: int,
    stop: int,
    threads: int | None = None,
    block: int = BLOCK,
    progress: Callable[[int, int], None] | None = None,
    workers: Workers | None = None,
) -> Iterator[T]:
    """The results of work on blocks of tables, in order; on threads, or by workers to whom it can be sent."""
    chosen = workers_of(threads, workers)
    parts, done = tee(blocks(first, stop, block, chosen))
    for (_, end), result in zip(done, in_turn(work, parts, chosen), strict=True):
        yield result
        if progress is not None:
            progress(end - first, stop - first)


def runs(start: int, stop: int, seed: int) -> Iterator[tuple[Scratch, int, int]]:
    """Work space with the random words of some tables, and which tables they are, until all are done."""
    scratch = make_scratch()
    for first in range(start, stop, TABLES):
        fill_words(scratch, first, np.uint64(seed))
        yield scratch, first, min(first + TABLES, stop)


@dataclass(frozen=True, eq=False)
class Lessons:
    """What the actions of one seat were worth; see ``mus_loops.learn``.

    Attributes:
        sums: int64 (rounds, n, 16), payoffs added up by the subset kept; in the last place of the hands as they
            are.
        visits: int64 (rounds, n), tables behind each sum.
    """

    sums: NDArray[np.int64]
    visits: NDArray[np.int64]

    @classmethod
    def empty(cls, rounds: int, hands: int) -> Lessons:
        """No tables yet."""
        return cls(np.zeros((rounds, hands, 16), dtype=np.int64), np.zeros((rounds, hands), dtype=np.int64))


@dataclass(frozen=True, eq=False)
class _Learning:
    """Judges every action of a seat on some tables."""

    table: Table
    seat: int
    policy: Policy
    payoff: NDArray[np.int64]
    seed: int
    every_hand: bool

    def __call__(self, start: int, stop: int) -> Lessons:
        deck, lances = deck_of(self.table), lances_of(self.table)
        rounds = len(self.policy.mus)
        lessons = Lessons.empty(rounds, len(self.table))
        for scratch, begin, end in runs(start, stop, self.seed):
            mus_loops.learn(
                begin,
                end,
                np.uint64(self.seed),
                self.seat - 1,
                rounds,
                self.every_hand,
                self.policy,
                deck,
                lances,
                scratch,
                self.payoff,
                lessons.sums,
                lessons.visits,
            )
        return lessons


def learn(
    table: Table,
    seat: int,
    policy: Policy,
    payoff: NDArray[np.int64],
    *,
    tables: int,
    seed: int,
    first: int = 0,
    every_hand: bool = True,
    threads: int | None = None,
    workers: Workers | None = None,
) -> Lessons:
    """Judge every action of a seat against a policy, over dealt tables in which the others say mus."""
    work = _Learning(table, seat, policy, payoff, seed, every_hand)
    total = Lessons.empty(len(policy.mus), len(table))
    for part in in_blocks(work, first, first + tables, threads, block=1 << 16, workers=workers):
        total.sums[:] += part.sums
        total.visits[:] += part.visits
    return total


@dataclass(frozen=True)
class Comparison:
    """A policy against another that differs in one seat, on the same cards.

    Attributes:
        tables: hands played.
        gain: the sum of what the seat's pair gains by the other policy; square: of its square.
        value: the sum of what the pair gets under the first policy.
        cuts: int64 (rounds + 1, 4), under the first policy, hands cut by each seat after so many mus; in the
            last row, first column, hands that went through all rounds.
    """

    tables: int
    gain: int
    square: int
    value: int
    cuts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Comparing:
    """Plays some tables under two policies."""

    table: Table
    seat: int
    policy: Policy
    other: Policy
    payoff: NDArray[np.int64]
    seed: int

    def __call__(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        deck, lances = deck_of(self.table), lances_of(self.table)
        rounds = len(self.policy.mus)
        totals = np.zeros(3, dtype=np.int64)
        cuts = np.zeros((rounds + 1, 4), dtype=np.int64)
        for scratch, begin, end in runs(start, stop, self.seed):
            mus_loops.compare(
                begin,
                end,
                np.uint64(self.seed),
                self.seat - 1,
                rounds,
                self.policy,
                self.other,
                deck,
                lances,
                scratch,
                self.payoff,
                totals,
                cuts,
            )
        return totals, cuts


def compare(
    table: Table,
    seat: int,
    policy: Policy,
    other: Policy,
    payoff: NDArray[np.int64],
    *,
    tables: int,
    seed: int,
    first: int = 0,
    threads: int | None = None,
    workers: Workers | None = None,
) -> Comparison:
    """Play whole hands under two policies and add up what the second gains for a seat's pair."""
    work = _Comparing(table, seat, policy, other, payoff, seed)
    totals = np.zeros(3, dtype=np.int64)
    cuts = np.zeros((len(policy.mus) + 1, 4), dtype=np.int64)
    for some, cut in in_blocks(work, first, first + tables, threads, block=1 << 16, workers=workers):
        totals += some
        cuts += cut
    return Comparison(tables, int(totals[0]), int(totals[1]), int(totals[2]), cuts)


def pure_keep(subsets: NDArray[np.int64]) -> NDArray[np.uint32]:
    """uint32 (..., 16): the cumulated chances of a policy that always keeps one subset."""
    return np.where(np.arange(16) >= subsets[..., None], FULL, 0).astype(np.uint32)


def mixed_keep(chances: NDArray[np.float64]) -> NDArray[np.uint32]:
    """uint32 (..., 16): the cumulated chances of the 16 subsets (each row adds to 1)."""
    cumulated = np.cumsum(chances, axis=-1)
    cumulated /= cumulated[..., -1:]
    return np.rint(cumulated * FULL).astype(np.uint32)


@dataclass(frozen=True, eq=False)
class Judgement:
    """What every discard of a hand led to; see ``mus_loops.judge_options``.

    Attributes:
        products: int64 (17, 17); cells: int64 (16, 64); totals: int64 (5,).
        partial: whether the run was interrupted.
    """

    products: NDArray[np.int64]
    cells: NDArray[np.int64]
    totals: NDArray[np.int64]
    partial: bool = False

    @classmethod
    def empty(cls) -> Judgement:
        """No deals yet."""
        return cls(
            np.zeros((17, 17), dtype=np.int64),
            np.zeros((16, 64), dtype=np.int64),
            np.zeros(5, dtype=np.int64),
        )

    def plus(self, other: Judgement) -> Judgement:
        """With another part's deals; a new one, so that an interruption never leaves half a part."""
        return Judgement(self.products + other.products, self.cells + other.cells, self.totals + other.totals)

    @property
    def deals(self) -> int:
        """Deals in which all four said mus and every discard was tried."""
        return int(self.products[16, 16])


@dataclass(frozen=True, eq=False)
class Asked:
    """A hand before a mus, or after one: what the loops need to know of the question.

    Attributes:
        table: the hands; row: the hand's row; seat: 1 to 4.
        unseen: int64 (k,), cards of each class that may be dealt.
        seen: int64 (k,), cards of each class that are known to be discarded.
        weights: float64 or int64 (3, n), the weight of each hand as dealt on the right, as partner, on the left.
    """

    table: Table
    row: int
    seat: int
    unseen: NDArray[np.int64]
    seen: NDArray[np.int64]
    weights: NDArray[np.int64]

    def dealer(self) -> weighted.Dealer:
        """How the other three hands are dealt."""
        if (self.weights == 1).all():
            return plain_dealer(self.table, self.unseen)
        return weighted.dealer(self.table, self.unseen, self.weights)


def judge(
    asked: Asked,
    policy: Policy,
    payoff: NDArray[np.int64],
    *,
    round_: int,
    deals: int,
    seed: int,
    first: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Judgement:
    """Try every discard of a hand on the same deals; ``round_`` counts from 1.

    An interruption (KeyboardInterrupt) gives what is finished, if anything is.
    """
    table = asked.table
    deck, lances = deck_of(table), lances_of(table)
    dealer = asked.dealer()

    def work(start: int, stop: int) -> Judgement:
        part = Judgement.empty()
        for scratch, begin, end in runs(start, stop, seed):
            hands = np.empty((end - begin, 3), dtype=np.uint16)
            dealer.deal_rows(hands, begin, np.uint64(seed), *dealer.arguments)
            mus_loops.judge_options(
                begin,
                hands,
                np.uint64(seed),
                asked.seat - 1,
                asked.row,
                round_ - 1,
                len(policy.mus),
                policy,
                asked.unseen,
                asked.seen,
                deck.options[asked.row],
                deck,
                lances,
                scratch,
                payoff,
                part.products,
                part.cells,
                part.totals,
            )
        return part

    total = Judgement.empty()
    try:
        for part in in_blocks(work, first, first + deals, threads, progress=progress):
            total = total.plus(part)
    except KeyboardInterrupt:
        if total.deals == 0:
            raise
        total = replace(total, partial=True)
    return total


def count_after_mus(
    asked: Asked,
    policy: Policy,
    *,
    rounds: int,
    deals: int,
    seed: int,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Count the lances of a hand as it is now, after the others have discarded and drawn.

    An interruption (KeyboardInterrupt) gives what is finished, if anything is.
    """
    table = asked.table
    deck = deck_of(table)
    dealer = asked.dealer()
    words = plans.strength_words(table)
    strength = words[[other - 1 for other in plans.seats_of_roles(asked.seat)]]
    me, worth = words[asked.seat - 1, asked.row], plans.worth_codes(table)

    def work(start: int, stop: int) -> Tally:
        tally = Tally.empty()
        for scratch, begin, end in runs(start, stop, seed):
            hands = np.empty((end - begin, 3), dtype=np.uint16)
            dealer.deal_rows(hands, begin, np.uint64(seed), *dealer.arguments)
            mus_loops.after_mus(
                begin,
                hands,
                np.uint64(seed),
                asked.seat - 1,
                asked.row,
                rounds,
                policy,
                asked.unseen,
                asked.seen,
                deck,
                scratch,
                hands,
            )
            kernels.score_rows(hands, strength, me, worth, tally.outcomes, tally.best)
        return tally

    total, partial = Tally.empty(), False
    try:
        for part in in_blocks(work, 0, deals, threads, progress=progress):
            total = total.plus(part)
    except KeyboardInterrupt:
        if not total.outcomes.any():
            raise
        partial = True
    return Run(read_outcomes(table, asked.row, total), partial, total.outcomes)


def drew_cells(
    table: Table,
    policy: Policy,
    *,
    tables: int,
    seed: int,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[NDArray[np.int64], int, int]:
    """The hands of all seats after one mus, by what the others drew; see ``mus_loops.fill_drew_table``.

    Returns:
        int64 (4, n, 64, DREW_FIGURES), the tables dealt, and those in which all four said mus.
    """
    deck, lances = deck_of(table), lances_of(table)
    shape = (4, len(table), 64, mus_loops.DREW_FIGURES)
    workers = threads or available_cores()
    share = -(-tables // workers)
    share += -share % TABLES

    def work(start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        cells = np.zeros(shape, dtype=np.int64)
        totals = np.zeros(2, dtype=np.int64)
        for scratch, begin, end in runs(start, stop, seed):
            mus_loops.fill_drew_table(
                begin, end, np.uint64(seed), policy, deck, lances, scratch, cells, totals
            )
            if progress is not None:
                progress(end - start, stop - start)
        return cells, totals

    cells = np.zeros(shape, dtype=np.int64)
    totals = np.zeros(2, dtype=np.int64)
    for part, some in in_blocks(work, 0, tables, workers, block=share):
        cells += part
        totals += some
    return cells, int(totals[0]), int(totals[1])


def play_tables(
    table: Table, policy: Policy, *, tables: int, seed: int, first: int = 0
) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Play whole hands: uint16 (tables, 4), the hands when the lances begin; uint8 (tables,), how it ended.

    The ending is 4 x the mus that went through + the seat, from 0, that cut (0 if the rounds were used up).
    """
    deck = deck_of(table)
    out = np.empty((tables, 4), dtype=np.uint16)
    ends = np.empty(tables, dtype=np.uint8)
    for scratch, begin, end in runs(first, first + tables, seed):
        part = slice(begin - first, end - first)
        mus_loops.play_tables(
            begin, end, np.uint64(seed), len(policy.mus), policy, deck, scratch, out[part], ends[part]
        )
    return out, ends


def tally_tables(
    table: Table,
    policy: Policy,
    *,
    tables: int,
    seed: int,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.int64]:
    """Play whole hands: int64 (OUTCOMES,), how often each outcome came about, seen from the mano."""
    deck, lances = deck_of(table), lances_of(table)

    def work(start: int, stop: int) -> NDArray[np.int64]:
        outcomes = np.zeros(kernels.OUTCOMES, dtype=np.int64)
        for scratch, begin, end in runs(start, stop, seed):
            mus_loops.tally_tables(begin, end, np.uint64(seed), policy, deck, lances, scratch, outcomes)
        return outcomes

    total = np.zeros(kernels.OUTCOMES, dtype=np.int64)
    for part in in_blocks(work, 0, tables, threads, block=1 << 18, progress=progress):
        total += part
    return total
