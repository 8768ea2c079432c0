"""The compiled loops that count every deal without dealing any.

Fix the player's hand and the partner's. Of the deals in which the right hand lies in a set B_r and the left
in a set B_l, those in which the two hands share no card are, by inclusion and exclusion over the cards S
they might share,

    pairs(B_r, B_l) = sum over S of (-1)^|S| M_r(S) M_l(S),   M(S) = weighted hands of the set that contain S.

Suits do not count, so M depends only on the card classes of S: 495 sums (eight kings) or 1,001 (four) stand
for all of them. With N(S) = the sum over the hands of a set of weight x ways x (number of subsets of the hand
that look like S), M(S) is N(S) over the number of ways to choose S. All lances ask for sets of one kind, the
hands below a strength. That is some thousand additions for a partner's hand instead of a hundred thousand
pairs.

All numbers are whole; sums may wrap around on the way, but every result fits in 63 bits, and so is exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from musodds.engine.jit import kernel

U16 = NDArray[np.uint16]
U8 = NDArray[np.uint8]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

GRANDE, CHICA, PARES, LAST = 0, 1, 2, 3  # the four orders; the last is juego with punto below it

# What a row of ``enumerate_partner_hands`` holds: deals of the rivals' hands for one hand of the partner.
(
    ALL,  # all
    WON,  # ... WON + order: we win the lance
    _WON1,
    _WON2,
    _WON3,
    NO_PARES,  # neither rival has pares
    NO_JUEGO,  # neither rival has juego
    PARES_STONES,  # all, times the stones of the rivals' pares
    JUEGO_STONES,
    PARES_STONES_LOST,  # of the deals that we win: what the rivals' pares would have paid
    JUEGO_STONES_LOST,
) = range(11)
FIGURES = 11


@kernel
def ways_of_hands(ways: I64, unseen: I64, classes: U8, held: U8, choose: I64) -> None:
    """int64 (n,), out: in how many ways each hand can be dealt from the unseen cards."""
    for h in range(ways.shape[0]):
        product = np.int64(1)
        for i in range(classes.shape[1]):
            product *= choose[unseen[classes[h, i]], held[h, i]]
        ways[h] = product


@kernel
def _add_hands(sums: I64, order: U16, start: int, stop: int, value: I64, subsets: U16) -> None:
    """Add the hands at places ``start`` to ``stop - 1`` of an order to N(S) for all their 16 subsets S."""
    for i in range(start, stop):
        hand = np.uint64(order[i])
        amount = value[hand]
        if amount != 0:
            for s in range(16):
                sums[np.uint64(subsets[hand, s])] += amount


@kernel
def _signs(sign: F64, rest: I64, subset_classes: U8, subset_held: U8, subset_size: U8, choose: I64) -> None:
    """float64, out: (-1)^|S| over the ways to choose S from the rest; 0 if it cannot be chosen."""
    for s in range(sign.size):
        chosen = np.int64(1)
        for i in range(4):
            chosen *= choose[rest[subset_classes[s, i]], subset_held[s, i]]
        if chosen == 0:
            sign[s] = 0.0
        elif subset_size[s] & 1:
            sign[s] = -1.0 / chosen
        else:
            sign[s] = 1.0 / chosen


@kernel
def _pairs(right: I64, left: I64, sign: F64) -> np.int64:
    """The deals of two hands that share no card; ``sign`` is (-1)^|S| over the ways to choose S."""
    total = np.int64(0)
    for s in range(right.size):
        n = right[s]
        if n != 0:
            # n / ways is a whole number below 2**52, so rounding the product gives it exactly
            total += np.int64(np.rint(n * sign[s])) * left[s]
    return total


@kernel
def enumerate_partner_hands(
    out: I64,
    me: int,
    seats: I64,
    unseen: I64,
    partner_fits: U8,
    weights: I64,
    same: bool,
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
    """Count the rivals' deals for each hand of the partner, for one hand in one seat.

    Args:
        out: int64 (n, FIGURES), out: the figures above; rows of hands that cannot be are 0.
        me: the row of the player's hand.
        seats: int64 (4,), the seats of the player, right, partner and left.
        unseen: int64 (k,), unseen cards of each class.
        partner_fits: uint8 (n,), 0 where the partner's hand is ruled out.
        weights: int64 (2, n), the weights of the right and the left hand.
        same: whether both rows of ``weights`` are the same.
        counts: uint8 (n, k); classes, held: uint8 (n, 4), the distinct classes of each hand and how many.
        choose: int64 (9, 5), binomial coefficients.
        subsets: uint16 (n, 16), the kind of each subset of each hand's four cards.
        subset_classes, subset_held: uint8 (m, 4); subset_size: uint8 (m,), what each kind holds.
        strengths: uint16 (4, n); orders: uint16 (4, n), hands from weakest to strongest.
        below: uint16 (4, strengths + 2), how many hands have less than a strength.
        without: int64 (2,), how many hands have no pares, no juego; they come first in their orders.
        pares_worth, juego_worth: uint8 (n,), stones.
    """
    n = counts.shape[0]
    kinds = subset_size.size
    rest = np.empty_like(unseen)
    ways = np.empty(n, np.int64)
    value = np.empty((2, n), np.int64)
    stones = np.empty((2, n), np.int64)
    sign = np.empty(kinds, np.float64)
    sums = np.empty((2, kinds), np.int64)
    everything = np.empty((2, kinds), np.int64)
    paid = np.empty((2, kinds), np.int64)
    sides = 1 if same else 2

    for partner in range(n):
        fits = partner_fits[partner] > 0
        for k in range(unseen.size):
            rest[k] = unseen[k] - counts[partner, k]
            fits = fits and rest[k] >= 0
        if not fits:
            continue
        ways_of_hands(ways, rest, classes, held, choose)
        _signs(sign, rest, subset_classes, subset_held, subset_size, choose)
        for side in range(sides):
            for h in range(n):
                value[side, h] = weights[side, h] * ways[h]
        right, left = 0, sides - 1

        everything[:] = 0
        for side in range(sides):
            _add_hands(everything[side], orders[0], 0, n, value[side], subsets)
        out[partner, ALL] = _pairs(everything[right], everything[left], sign)
        if out[partner, ALL] == 0:
            continue

        for order in range(4):
            mine, theirs = strengths[order, me], strengths[order, partner]
            if order == PARES and mine == 0 and theirs == 0:
                continue
            # The better of the two holds our strength; of equal ones the nearer to the mano speaks for us.
            i_hold = mine > theirs or (mine == theirs and seats[0] < seats[2])
            strength = mine if i_hold else theirs
            holder = seats[0] if i_hold else seats[2]
            # A rival hand loses if it is weaker, or as strong and further from the mano.
            right_stop = below[order, strength + (1 if holder < seats[1] else 0)]
            left_stop = below[order, strength + (1 if holder < seats[3] else 0)]
            _below(sums, orders[order], right_stop, left_stop, value, same, subsets)
            out[partner, WON + order] = _pairs(sums[0], sums[1], sign)
            worth = pares_worth if order == PARES else juego_worth
            if order >= PARES and (worth[me] > 0 or worth[partner] > 0):
                for side in range(sides):
                    for h in range(n):
                        stones[side, h] = value[side, h] * worth[h]
                _below(paid, orders[order], right_stop, left_stop, stones, same, subsets)
                out[partner, PARES_STONES_LOST + order - PARES] = _pairs(paid[0], sums[1], sign) + _pairs(
                    sums[0], paid[1], sign
                )

        for order in range(PARES, LAST + 1):
            worth = pares_worth if order == PARES else juego_worth
            none = without[order - PARES]
            _below(sums, orders[order], none, none, value, same, subsets)
            out[partner, NO_PARES + order - PARES] = _pairs(sums[0], sums[1], sign)
            for side in range(sides):
                for h in range(n):
                    stones[side, h] = value[side, h] * worth[h]
            # hands without pares (juego) pay nothing, so the sum starts after them
            paid[:] = 0
            for side in range(sides):
                _add_hands(paid[side], orders[order], none, n, stones[side], subsets)
            out[partner, PARES_STONES + order - PARES] = _pairs(paid[right], everything[left], sign) + _pairs(
                paid[left], everything[right], sign
            )


@kernel
def _below(
    sums: I64, order: U16, right_stop: int, left_stop: int, value: I64, same: bool, subsets: U16
) -> None:
    """N(S) of the first ``right_stop`` hands of an order in row 0, of the first ``left_stop`` in row 1."""
    sums[:] = 0
    if same:
        # The two sets differ only by hands as strong as ours, few or none: build the common part once.
        low = min(right_stop, left_stop)
        _add_hands(sums[0], order, 0, low, value[0], subsets)
        for kind in range(sums.shape[1]):  # assigning the row would take a second more to compile
            sums[1, kind] = sums[0, kind]
        _add_hands(sums[0], order, low, right_stop, value[0], subsets)
        _add_hands(sums[1], order, low, left_stop, value[0], subsets)
    else:
        _add_hands(sums[0], order, 0, right_stop, value[0], subsets)
        _add_hands(sums[1], order, 0, left_stop, value[1], subsets)


@kernel
def pair_weights(
    pairs: F64,
    proposals: F64,
    firsts: U16,
    seconds: U16,
    thirds: U16,
    unseen: I64,
    weights: I64,
    counts: U8,
    classes: U8,
    held: U8,
    choose: I64,
    subsets: U16,
    subset_classes: U8,
    subset_held: U8,
    subset_size: U8,
) -> None:
    """How many deals each pair of a first and a second hand belongs to, all weighted.

    Args:
        pairs: float64 (f, s), out: for each of the ``firsts`` and ``seconds``, the weight of the pair times
            the weighted third hands that are left for it (0 if the hands cannot be together).
        proposals: float64 (f, t), out: the weight of each third hand given the first hand alone.
        firsts, seconds, thirds: uint16, table rows.
        weights: int64 (3, n), the weights of first, second and third hand.
        The rest is as for ``enumerate_partner_hands``.
    """
    n = counts.shape[0]
    kinds = subset_size.size
    ways = np.empty(n, np.int64)
    rest = np.empty_like(unseen)
    value = np.empty(n, np.int64)
    sums = np.empty(kinds, np.int64)
    sign = np.empty(kinds, np.float64)
    share = np.empty(kinds, np.int64)
    first_ways = np.empty(n, np.int64)
    ways_of_hands(first_ways, unseen, classes, held, choose)
    for i in range(firsts.size):
        a = firsts[i]
        possible = first_ways[a] > 0
        for k in range(unseen.size):
            rest[k] = unseen[k] - counts[a, k]
        if not possible:
            continue
        ways_of_hands(ways, rest, classes, held, choose)
        _signs(sign, rest, subset_classes, subset_held, subset_size, choose)
        sums[:] = 0
        for h in range(n):
            value[h] = weights[2, h] * ways[h]
        _add_hands(sums, thirds, 0, thirds.size, value, subsets)
        for s in range(kinds):
            share[s] = np.int64(np.rint(sums[s] * sign[s]))
        for t in range(thirds.size):
            proposals[i, t] = value[thirds[t]]
        scale = np.float64(weights[0, a]) * np.float64(first_ways[a])
        for j in range(seconds.size):
            b = seconds[j]
            if ways[b] > 0:
                left = np.int64(0)
                for s in range(16):
                    left += share[subsets[b, s]]
                pairs[i, j] = scale * np.float64(weights[1, b] * ways[b]) * np.float64(left)


@kernel
def third_weights(
    out: F64,
    firsts: U16,
    seconds: U16,
    thirds: U16,
    weight: I64,
    unseen: I64,
    counts: U8,
    classes: U8,
    held: U8,
    choose: I64,
) -> None:
    """float64 (p, t), out: the weight of each third hand given each of p pairs of first and second hand."""
    rest = np.empty_like(unseen)
    for p in range(out.shape[0]):
        for k in range(unseen.size):
            rest[k] = unseen[k] - counts[firsts[p], k] - counts[seconds[p], k]
        for t in range(thirds.size):
            h = thirds[t]
            product = weight[h]
            for i in range(4):
                product *= choose[rest[classes[h, i]], held[h, i]]
            out[p, t] = product
