"""The compiled loops that count every deal for every hand and seat at once.

A question about one hand fixes it and walks over the partner's hands. A whole table asks that of every hand,
and most of the work comes again and again. What the rivals can hold depends only on which eight cards our
pair holds together, not on how they are shared between the two. Eight cards can be picked in 5,000 (eight
kings) or 23,000 (four) ways, while there are ten times as many pairs of hands. And for one such rest of the
deck one pass over an order, from its weakest hand to its strongest, gives the deals below *every* strength:

    Let N be the hands so far, d those of the next strength, B(x, y) the deals of a hand of x and a hand of y
    that share no card. Then B(N + d, N + d) = B(N, N) + B(N, d) + B(N + d, d), and B(N, h) for one hand h is,
    by inclusion and exclusion, a sum over the 16 subsets of h (see ``enumeration``).

Who wins a tie depends on the seats, but only in three ways: both rivals, one, or none of them lose a tie
against the one of us who holds the better hand. So every strength needs B(N, N), B(N, N + d) and
B(N + d, N + d), and nothing else. The same for stones: with P the hands each times what it pays,
B(P, N) + B(N, P) is what the rivals' hands would have paid in those deals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from musodds.engine.enumeration import CHICA, GRANDE, LAST, PARES, _signs, ways_of_hands
from musodds.engine.jit import kernel

U16 = NDArray[np.uint16]
U8 = NDArray[np.uint8]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

# What is counted for a hand in a seat: the deals, six counts for each of five lances, the stones.
DEALS = 0
WIN, LOSE, PLAYED, CONTESTED, WIN_CONTESTED, MINE = range(6)
LANCE = 6  # figures of a lance; lance number l starts at 1 + l * LANCE
STONES_US = 1 + 5 * LANCE
STONES_THEM = STONES_US + 1
FIGURES = STONES_THEM + 1


@kernel
def _meets(sums: F64, subsets: U16, hand: np.uint64) -> np.int64:
    """How many of the hands summed up share no card with a hand."""
    total = 0.0
    for s in range(16):
        total += sums[np.uint64(subsets[hand, s])]
    # a whole number below 2**17 times 3, with an error far below a half
    return np.int64(np.rint(total))


@kernel
def _climb(
    both: I64,
    mixed: I64,
    paid: I64,
    paid_mixed: I64,
    order: U16,
    below: U16,
    levels: int,
    ways: I64,
    worth: U8,
    pays: bool,
    sign: F64,
    subsets: U16,
    sums: F64,
    paid_sums: F64,
) -> None:
    """Count the rivals' deals below every strength of one order.

    Args:
        both, mixed: int64 (levels + 1,), out: deals in which both rivals are weaker than a strength; in
            which one is weaker and the other at most as strong.
        paid, paid_mixed: int64 (levels + 1,), out: the same deals times what both rivals' hands pay.
        order: uint16 (n,), the hands from weakest to strongest; below: uint16, how many have less than
            a strength; levels: strengths, 0 included.
        ways: int64 (n,); worth: uint8 (n,), what each hand pays; pays: whether that is wanted.
        sign: float64 (kinds,), see ``enumeration``; subsets: uint16 (n, 16).
        sums, paid_sums: float64 (kinds,), room to work.
    """
    sums[:] = 0.0
    paid_sums[:] = 0.0
    deals = np.int64(0)
    stones = np.int64(0)  # B(P, N): what one of the rivals' hands pays; both pay the same in sum
    start = 0
    for strength in range(levels):
        both[strength] = deals
        paid[strength] = 2 * stones
        stop = int(below[strength + 1])
        before = np.int64(0)
        paid_before = np.int64(0)
        pay = np.int64(0)
        for i in range(start, stop):
            hand = np.uint64(order[i])
            pay = np.int64(worth[hand])  # hands as strong as each other pay the same
            if ways[hand] != 0:
                before += ways[hand] * _meets(sums, subsets, hand)
                if pays and _anything_paid(paid_sums):
                    paid_before += ways[hand] * _meets(paid_sums, subsets, hand)
        for i in range(start, stop):
            hand = np.uint64(order[i])
            if ways[hand] != 0:
                amount = np.float64(ways[hand])
                for s in range(16):
                    kind = np.uint64(subsets[hand, s])
                    sums[kind] += amount * sign[kind]
                if pays and pay != 0:
                    amount *= pay
                    for s in range(16):
                        kind = np.uint64(subsets[hand, s])
                        paid_sums[kind] += amount * sign[kind]
        after = np.int64(0)
        for i in range(start, stop):
            hand = np.uint64(order[i])
            if ways[hand] != 0:
                after += ways[hand] * _meets(sums, subsets, hand)
        mixed[strength] = deals + before
        paid_mixed[strength] = 2 * stones + paid_before + pay * before
        deals += before + after
        stones += paid_before + pay * after
        start = stop
    both[levels] = deals
    paid[levels] = 2 * stones
    mixed[levels] = deals
    paid_mixed[levels] = 2 * stones


@kernel
def _anything_paid(paid_sums: F64) -> bool:
    """Whether any hand that pays has been added: kind 0, the empty subset, counts them all."""
    return bool(paid_sums[0] != 0.0)


@kernel
def _settle(
    shared: I64,
    mine: I64,
    low: int,
    high: int,
    pair: int,
    both: I64,
    mixed: I64,
    paid: I64,
    paid_mixed: I64,
    strengths: U16,
    levels: I64,
    without: I64,
    pares_worth: U8,
    juego_worth: U8,
) -> None:
    """The figures of two partners' hands over all deals of the rivals'.

    Args:
        shared: int64 (FIGURES,), out: the figures that both partners have, MINE left 0.
        mine: int64 (2, 5), out: MINE of the lances for the partner nearer the mano and for the other.
        low, high: the rows of their hands, the nearer to the mano first.
        pair: 0 for seats 1 and 3, 1 for seats 2 and 4.
        both, mixed, paid, paid_mixed: int64 (4, .), see ``_climb``.
        levels: int64 (4,); without: int64 (2,), the strength of the first hand with pares, with juego.
    """
    shared[:] = 0
    mine[:] = 0
    deals = both[GRANDE, levels[GRANDE]]
    shared[DEALS] = deals
    for order in range(4):
        ours, theirs = np.int64(strengths[order, low]), np.int64(strengths[order, high])
        low_holds = ours >= theirs  # of equal ones the nearer to the mano speaks for us
        strength = ours if low_holds else theirs
        # Rivals who lose a tie: both against seat 1; seat 4 against 3, seat 3 against 2; none against seat 4.
        losers = (2 if low_holds else 1) - pair
        if losers == 1:
            won, lost = mixed[order, strength], paid_mixed[order, strength]
        else:
            top = strength + (1 if losers == 2 else 0)
            won, lost = both[order, top], paid[order, top]
        holder = 0 if low_holds else 1

        if order < PARES:
            at = 1 + order * LANCE
            _count(shared, at, won, deals, deals, won)
            mine[holder, order] = won
            shared[STONES_US] += won
            shared[STONES_THEM] += deals - won
            continue
        worth = pares_worth if order == PARES else juego_worth
        at = 1 + order * LANCE
        nobody = both[order, without[order - PARES]]  # deals in which no rival takes part
        all_paid = paid[order, levels[order]]
        stones = np.int64(worth[low]) + np.int64(worth[high])
        if stones > 0:
            _count(shared, at, won, deals, deals - nobody, won - nobody)
            mine[holder, order] = won
            shared[STONES_US] += won * stones
            shared[STONES_THEM] += all_paid - lost
        else:
            _count(shared, at, np.int64(0), deals - nobody, np.int64(0), np.int64(0))
            shared[STONES_THEM] += all_paid
            if order == LAST:
                _count(shared, at + LANCE, won, nobody, nobody, won)
                mine[holder, LAST + 1] = won
                shared[STONES_US] += won
                shared[STONES_THEM] += nobody - won


@kernel
def _count(
    shared: I64, at: int, win: np.int64, played: np.int64, contested: np.int64, win_contested: np.int64
) -> None:
    shared[at + WIN] = win
    shared[at + LOSE] = played - win
    shared[at + PLAYED] = played
    shared[at + CONTESTED] = contested
    shared[at + WIN_CONTESTED] = win_contested


@kernel
def _add(out: I64, hand: int, seat: int, times: np.int64, shared: I64, mine: I64) -> None:
    for figure in range(FIGURES):
        out[hand, seat, figure] += times * shared[figure]
    for lance in range(5):
        out[hand, seat, 1 + lance * LANCE + MINE] += times * mine[lance]


@kernel
def _ways(hand: int, gone: int, copies: I64, counts: U8, choose: I64) -> np.int64:
    """In how many ways a hand can be dealt once another is gone."""
    product = np.int64(1)
    for k in range(copies.size):
        product *= choose[copies[k] - counts[gone, k], counts[hand, k]]
    return product


@kernel
def enumerate_rests(
    out: I64,
    starts: I64,
    first: int,
    stop: int,
    firsts: U16,
    seconds: U16,
    copies: I64,
    counts: U8,
    classes: U8,
    held: U8,
    choose: I64,
    subsets: U16,
    subset_classes: U8,
    subset_held: U8,
    subset_size: U8,
    strengths: U16,
    orders: U16,
    below: U16,
    without: I64,
    pares_worth: U8,
    juego_worth: U8,
) -> None:
    """Count all deals in which our pair holds the eight cards of some of the groups.

    Args:
        out: int64 (n, 4, FIGURES), added to: the figures of every hand in seats 1 to 4.
        starts: int64 (groups + 1,): where each group of pairs of hands with the same eight cards starts.
        first, stop: the groups to count.
        firsts, seconds: uint16 (pairs,), the two hands of each pair, each pair once.
        copies: int64 (k,), cards of each class in the deck.
        without: int64 (2,), the strength of the weakest hand with pares in its order, with juego in its.
        The rest is as for ``enumeration.enumerate_partner_hands``.
    """
    n = counts.shape[0]
    kinds = subset_size.size
    most = below.shape[1]
    rest = np.empty_like(copies)
    ways = np.empty(n, np.int64)
    sign = np.empty(kinds, np.float64)
    sums = np.empty(kinds, np.float64)
    paid_sums = np.empty(kinds, np.float64)
    both = np.zeros((4, most), np.int64)
    mixed = np.zeros((4, most), np.int64)
    paid = np.zeros((4, most), np.int64)
    paid_mixed = np.zeros((4, most), np.int64)
    shared = np.empty(FIGURES, np.int64)
    mine = np.empty((2, 5), np.int64)
    levels = np.empty(4, np.int64)
    for order in range(4):
        levels[order] = np.int64(strengths[order].max()) + 1

    for group in range(first, stop):
        a, b = int(firsts[starts[group]]), int(seconds[starts[group]])
        for k in range(copies.size):
            rest[k] = copies[k] - counts[a, k] - counts[b, k]
        ways_of_hands(ways, rest, classes, held, choose)
        _signs(sign, rest, subset_classes, subset_held, subset_size, choose)
        for order in range(4):
            worth = juego_worth if order == LAST else pares_worth
            _climb(
                both[order],
                mixed[order],
                paid[order],
                paid_mixed[order],
                orders[order],
                below[order],
                levels[order],
                ways,
                worth,
                order > CHICA,
                sign,
                subsets,
                sums,
                paid_sums,
            )
        for i in range(starts[group], starts[group + 1]):
            a, b = int(firsts[i]), int(seconds[i])
            a_after_b = _ways(a, b, copies, counts, choose)
            b_after_a = _ways(b, a, copies, counts, choose)
            for pair in range(2):
                for swapped in range(1 if a == b else 2):
                    low, high = (b, a) if swapped else (a, b)
                    low_times, high_times = (a_after_b, b_after_a) if swapped else (b_after_a, a_after_b)
                    _settle(
                        shared,
                        mine,
                        low,
                        high,
                        pair,
                        both,
                        mixed,
                        paid,
                        paid_mixed,
                        strengths,
                        levels,
                        without,
                        pares_worth,
                        juego_worth,
                    )
                    _add(out, low, pair, low_times, shared, mine[0])
                    _add(out, high, pair + 2, high_times, shared, mine[1])
