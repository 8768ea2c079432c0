"""The compiled loops: random numbers, dealing, scoring.

Everything the loops need comes in as arrays and numbers; ``plans`` lays them out. All of it is integer
arithmetic except one acceptance test in the weighted dealer.

Random numbers are Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3",
SC 2011), keyed by the seed and counted by the deal: deal d of seed s is the same whoever computes it.
Bounded draws are unbiased: three successive multiplications turn one 32-bit word into three draws, and the
word is refused if the last remainder falls below 2**32 mod (the product of the bounds) (Lemire 2019;
Brackett-Rozinsky and Lemire 2024). A refused deal is drawn again with the next attempt number in the counter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from musodds.engine.jit import inlined, kernel
from musodds.engine.shuffle import CHUNK as CHUNK
from musodds.engine.shuffle import DECK as DECK
from musodds.engine.shuffle import Scratch, add_pairs, cards_drawn, draw, make_scratch

U64 = NDArray[np.uint64]
U32 = NDArray[np.uint32]
U16 = NDArray[np.uint16]
U8 = NDArray[np.uint8]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

PLAIN = 0  # streams of random words
# Numbers written out are types of their own to the compiler: as such these would compile random_words once each.
WEIGHTED_PAIR, WEIGHTED_THIRD = np.int64(1), np.int64(2)

_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_W0 = np.uint64(0x9E3779B9)
_W1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_3 = np.uint64(3)
_4 = np.uint64(4)
_5 = np.uint64(5)
_6 = np.uint64(6)
_7 = np.uint64(7)
_8 = np.uint64(8)
_9 = np.uint64(9)

# Where the fields of a strength word end: juego or punto (at most 36 strengths and two tie bits), pares
# (75), chica (715), grande (715). Between two guards lie at least 9 bits, so that 511 deals can be added up
# in place.
JUEGO_GUARD = np.uint64(8)
PARES_GUARD = np.uint64(18)
CHICA_GUARD = np.uint64(31)
GRANDE_GUARD = np.uint64(44)
GUARDS = np.uint64(1 << 8 | 1 << 18 | 1 << 31 | 1 << 44)
_COUNT = np.uint64(511)
OUTCOMES = 1 << 16


@inlined
def _round(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    p0 = _M0 * c0
    p1 = _M1 * c2
    return (p1 >> _32) ^ c1 ^ k0, p1 & _LOW, (p0 >> _32) ^ c3 ^ k1, p0 & _LOW


@inlined
def philox(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four random 32-bit words (each in a uint64) for a counter of four words and a key of two.

    The ten rounds are written out and the inputs are cut to 32 bits, so that the compiler knows that no
    product needs more than 64 bits and turns a loop around this into vector instructions.
    """
    c0, c1, c2, c3 = c0 & _LOW, c1 & _LOW, c2 & _LOW, c3 & _LOW
    k0, k1 = k0 & _LOW, k1 & _LOW
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, (k0 + _W0) & _LOW, (k1 + _W1) & _LOW)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, (k0 + _W0 * _2) & _LOW, (k1 + _W1 * _2) & _LOW)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, (k0 + _W0 * _3) & _LOW, (k1 + _W1 * _3) & _LOW)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, (k0 + _W0 * _4) & _LOW, (k1 + _W1 * _4) & _LOW)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, (k0 + _W0 * _5) & _LOW, (k1 + _W1 * _5) & _LOW)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, (k0 + _W0 * _6) & _LOW, (k1 + _W1 * _6) & _LOW)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, (k0 + _W0 * _7) & _LOW, (k1 + _W1 * _7) & _LOW)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, (k0 + _W0 * _8) & _LOW, (k1 + _W1 * _8) & _LOW)
    return _round(c0, c1, c2, c3, (k0 + _W0 * _9) & _LOW, (k1 + _W1 * _9) & _LOW)


@inlined
def words_of(
    deal: int, attempt: np.uint64, stream: int, seed: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """The four words of one deal, attempt and stream."""
    number = np.uint64(deal)
    key = np.uint64(seed)
    return philox(number & _LOW, number >> _32, attempt, np.uint64(stream), key & _LOW, key >> _32)


@kernel
def random_words(words: U32, first: int, stream: int, seed: np.uint64) -> None:
    """Fill uint32 (4, m) with the words of deals ``first``, ``first + 1``, ... at attempt 0."""
    for i in range(words.shape[1]):
        c0, c1, c2, c3 = words_of(first + i, _0, stream, seed)
        words[0, i] = c0
        words[1, i] = c1
        words[2, i] = c2
        words[3, i] = c3


@inlined
def deal_plain(
    rows: U16,
    first: int,
    number: int,
    seed: np.uint64,
    scratch: Scratch,
    cards: U16,
    pair_keys: U16,
    unseen: np.uint64,
    row_of: U16,
    refuse: U64,
) -> None:
    """Deal three hands from the unseen cards, every deal equally likely.

    Twelve draws without replacement (Fisher-Yates), three from each of the four words of a deal. Each step
    is a loop of its own over the chunk, without a branch, so that the compiler turns it into vector
    instructions.

    Args:
        rows: uint16 (3, CHUNK), out: the table rows of the hands on the right, as partner, on the left.
        first, number: which deals, at most CHUNK.
        seed: the key.
        scratch: from ``make_scratch``.
        cards: uint16 (DECK,), the key of each unseen card, then padding; the keys of four cards add up
            to the hand's key.
        pair_keys: uint16 (PAIRS,), the keys of two cards added up; see ``add_pairs``.
        unseen: how many cards are unseen, 12 to 36.
        row_of: uint16, the table row of each hand key.
        refuse: uint64 (4,), for each word the remainders that would make some cards likelier than others.
    """
    words, draws, refused, pairs = scratch
    random_words(words, first, PLAIN, seed)
    draw(draws, refused, words, number, unseen, refuse)
    cards_drawn(pairs, draws, number)
    again = np.uint8(0)
    for d in range(number):
        again |= refused[d]
        for h in range(3):
            one = pair_keys[np.uint64(pairs[np.uint64(d + 2 * h * CHUNK)])]
            other = pair_keys[np.uint64(pairs[np.uint64(d + (2 * h + 1) * CHUNK)])]
            rows[h, d] = row_of[np.uint64(one) + np.uint64(other)]
    if again:
        for d in range(number):
            if refused[d]:
                _deal_again(rows, d, first + d, seed, cards, unseen, row_of, refuse)


@kernel
def _deal_again(
    rows: U16, d: int, deal: int, seed: np.uint64, cards: U16, unseen: np.uint64, row_of: U16, refuse: U64
) -> None:
    """The same as ``deal_plain`` for one deal whose words were refused, with the attempts after the first."""
    deck = np.empty(DECK, np.uint16)
    words = np.empty(4, np.uint64)
    keys = np.empty(3, np.uint32)
    attempt = _0
    refused = True
    while refused:
        attempt += _1
        words[0], words[1], words[2], words[3] = words_of(deal, attempt, PLAIN, seed)
        for i in range(DECK):
            deck[i] = cards[i]
        keys[:] = 0
        base = _0
        refused = False
        for drawn in range(12):
            word = words[drawn // 3] * (unseen - base)
            place = base + (word >> _32)
            words[drawn // 3] = word & _LOW
            keys[drawn // 4] += np.uint32(deck[place])
            deck[place] = deck[base]
            base += _1
        for w in range(4):
            refused |= words[w] < refuse[w]
        for h in range(3):
            rows[h, d] = row_of[keys[h]]


@inlined
def score(
    rows: U16,
    number: int,
    strength: U64,
    me: np.uint64,
    worth: U32,
    outcomes: I64,
    best: I64,
) -> None:
    """Count the outcome of a chunk of deals.

    A hand's strengths in the four lances (punto below juego in one order) stand in one word, each in a field
    of its own with a guard bit above it; ties are already broken by the seat. ``(a | guards) - b`` keeps
    the guard of every field in which a is at least b: one subtraction compares two hands in all lances.

    Args:
        rows: uint16 (3, CHUNK), the hands on the right, as partner, on the left.
        number: how many.
        strength: uint64 (3, n), the strength word of every hand in each of the three seats.
        me: the strength word of the player asked about.
        worth: uint32 (3, n), what each hand adds to the outcome's index: stones of pares and juego, ours
            and theirs, in fields of three bits.
        outcomes: int64 (OUTCOMES,), deals by outcome, added to. Bits of the index, low to high: 4 bits won by
            us in juego or punto, pares, chica, grande; then 3 bits each: our pares, our juego, their pares,
            their juego (without the player's own, which never change).
        best: int64 (4,), deals in which the player has the best strength, by the same lances, added to.
    """
    mine = _0
    for d in range(number):
        right = np.uint64(rows[0, d])
        partner = np.uint64(rows[1, d])
        left = np.uint64(rows[2, d])
        r = strength[0, right]
        p = strength[1, partner]
        l = strength[2, left]  # noqa: E741
        me_guarded = me | GUARDS
        p_guarded = p | GUARDS
        over_r = me_guarded - r
        over_l = me_guarded - l
        won = (over_r | (p_guarded - r)) & (over_l | (p_guarded - l)) & GUARDS
        mine += over_r & over_l & (me_guarded - p) & GUARDS
        bits = (
            ((won >> JUEGO_GUARD) & _1)
            | ((won >> (PARES_GUARD - _1)) & _2)
            | ((won >> (CHICA_GUARD - _2)) & _4)
            | ((won >> (GRANDE_GUARD - _3)) & _8)
        )
        outcomes[bits + np.uint64(worth[0, right] + worth[1, partner] + worth[2, left])] += 1
    # Each guard bit was added up in place; the fields above leave room for 511 deals.
    best[0] += np.int64((mine >> JUEGO_GUARD) & _COUNT)
    best[1] += np.int64((mine >> PARES_GUARD) & _COUNT)
    best[2] += np.int64((mine >> CHICA_GUARD) & _COUNT)
    best[3] += np.int64((mine >> GRANDE_GUARD) & _COUNT)


@kernel
def simulate_plain(
    first: int,
    stop: int,
    seed: np.uint64,
    cards: U16,
    unseen: np.uint64,
    row_of: U16,
    refuse: U64,
    strength: U64,
    me: np.uint64,
    worth: U32,
    outcomes: I64,
    best: I64,
) -> None:
    """Deal and score the deals ``first`` to ``stop - 1``; see ``deal_plain`` and ``score``."""
    rows = np.empty((3, CHUNK), np.uint16)
    scratch = make_scratch()
    pair_keys = add_pairs(cards)
    while first < stop:
        number = min(CHUNK, stop - first)
        deal_plain(rows, first, number, seed, scratch, cards, pair_keys, unseen, row_of, refuse)
        score(rows, number, strength, me, worth, outcomes, best)
        first += number


@kernel
def score_rows(hands: U16, strength: U64, me: np.uint64, worth: U32, outcomes: I64, best: I64) -> None:
    """Score given hands, uint16 (m, 3): right, partner, left; see ``score``."""
    rows = np.empty((3, CHUNK), np.uint16)
    for start in range(0, hands.shape[0], CHUNK):
        number = min(CHUNK, hands.shape[0] - start)
        for d in range(number):
            for h in range(3):
                rows[h, d] = hands[start + d, h]
        score(rows, number, strength, me, worth, outcomes, best)


@kernel
def deal_plain_rows(
    out: U16, first: int, seed: np.uint64, cards: U16, unseen: np.uint64, row_of: U16, refuse: U64
) -> None:
    """The hands of the deals from ``first`` on, uint16 (deals, 3): for looking at what is dealt."""
    rows = np.empty((3, CHUNK), np.uint16)
    scratch = make_scratch()
    pair_keys = add_pairs(cards)
    for start in range(0, out.shape[0], CHUNK):
        number = min(CHUNK, out.shape[0] - start)
        deal_plain(rows, first + start, number, seed, scratch, cards, pair_keys, unseen, row_of, refuse)
        for d in range(number):
            for h in range(3):
                out[start + d, h] = rows[h, d]


@kernel
def fill_alias(alias: U64, weights: F64) -> None:
    """Walker's alias tables, one for each row of weights (Vose 1991).

    Args:
        alias: uint64 (rows, m), out: the high 32 bits are a column's cut, rounded to 2**-32, the low ones the
            column that it stands for when a random word is not below the cut.
        weights: float64 (rows, m), no row all 0; used up.
    """
    m = weights.shape[1]
    small = np.empty(m, np.int64)
    large = np.empty(m, np.int64)
    for row in range(weights.shape[0]):
        weight = weights[row]
        weight *= m / weight.sum()
        smalls = 0
        larges = 0
        for i in range(m):
            # A column that keeps its whole share stands for itself on both sides of the cut.
            alias[row, i] = np.uint64(i)
            if weight[i] < 1.0:
                small[smalls] = i
                smalls += 1
            else:
                large[larges] = i
                larges += 1
        while smalls > 0 and larges > 0:
            smalls -= 1
            s = small[smalls]
            b = large[larges - 1]
            cut = np.uint64(min(weight[s] * 4294967296.0, 4294967295.0))
            alias[row, s] = cut << _32 | np.uint64(b)
            weight[b] -= 1.0 - weight[s]
            if weight[b] < 1.0:
                larges -= 1
                small[smalls] = b
                smalls += 1


class Chances(NamedTuple):
    """What ``deal_weighted`` draws three hands by, for a deck of k classes and n hands.

    Attributes:
        roles: int64 (3,), the role (0 right, 1 partner, 2 left) drawn first, second, third.
        hands: uint16 (3, n), the table rows of the hands that may be drawn first, second, third, padded.
        first_alias: uint64 (f,); second_alias: uint64 (f, s); third_alias: uint64 (rows, t), alias tables.
        third_row: uint32 (f, s), the row of the third's alias table.
        fine: whether that row knows both hands.
        counts: uint8 (n, k); classes, held: uint8 (n, 4), the table's; unseen: int64 (k,).
        kept: float64 (9, 5, 5), the chance that c of n cards miss b given ones.
    """

    roles: I64
    hands: U16
    first_alias: U64
    second_alias: U64
    third_row: U32
    third_alias: U64
    fine: bool
    counts: U8
    classes: U8
    held: U8
    unseen: I64
    kept: F64


@kernel
def deal_weighted(
    rows: U16,
    first: int,
    number: int,
    seed: np.uint64,
    given: Chances,
) -> None:
    """Deal three hands, each deal with a chance in proportion to the product of its hands' weights.

    The first hand is drawn from its chance in all deals that fit, the second from its chance given the
    first, the third from its chance given both: so no deal is ever thrown away. Where a table for every pair
    of first hands would be too large (``given.fine`` is False), the third is proposed from its chance given the
    first alone and kept with the chance that it shares no card with the second; only the third hand is then
    drawn again, which leaves the first two as they should be.

    Each step is a loop of its own over the chunk, so that the processor can look up many tables at a time.

    Args:
        rows: uint16 (3, CHUNK), out: the hands on the right, as partner, on the left.
        first, number, seed: which deals, at most CHUNK.
        given: what the hands are drawn by.
    """
    hands, counts, classes = given.hands, given.counts, given.classes
    words = np.empty((4, CHUNK), np.uint32)
    places = np.empty((2, CHUNK), np.uint16)
    pending = np.empty(CHUNK, np.uint16)
    f = np.uint64(given.first_alias.size)
    s = np.uint64(given.second_alias.shape[1])
    t = np.uint64(given.third_alias.shape[1])
    # A word is refused if its remainder would make some columns likelier than others (Lemire 2019).
    refuse_f = (_LOW + _1) % f
    refuse_s = (_LOW + _1) % s
    refuse_t = (_LOW + _1) % t
    random_words(words, first, int(WEIGHTED_PAIR), seed)
    for d in range(number):
        w0, w1 = np.uint64(words[0, d]), np.uint64(words[1, d])
        w2, w3 = np.uint64(words[2, d]), np.uint64(words[3, d])
        attempt = _0
        while (w0 * f & _LOW) < refuse_f or (w2 * s & _LOW) < refuse_s:
            attempt += _1
            w0, w1, w2, w3 = words_of(first + d, attempt, int(WEIGHTED_PAIR), seed)
        i = w0 * f >> _32
        entry = given.first_alias[i]
        i = i if w1 < entry >> _32 else entry & _LOW
        j = w2 * s >> _32
        entry = given.second_alias[i, j]
        j = j if w3 < entry >> _32 else entry & _LOW
        places[0, d] = i
        places[1, d] = j
        pending[d] = d

    random_words(words, first, int(WEIGHTED_THIRD), seed)
    waiting = number
    attempt = _0
    while waiting > 0:
        still = 0
        for p in range(waiting):
            d = int(pending[p])
            w0, w1 = np.uint64(words[0, d]), np.uint64(words[1, d])
            w2, w3 = np.uint64(words[2, d]), np.uint64(words[3, d])
            if attempt > _0:
                w0, w1, w2, w3 = words_of(first + d, attempt, int(WEIGHTED_THIRD), seed)
            i, j = np.uint64(places[0, d]), np.uint64(places[1, d])
            row = np.uint64(given.third_row[i, j])
            k = w0 * t >> _32
            entry = given.third_alias[row, k]
            k = k if w1 < entry >> _32 else entry & _LOW
            a = np.uint64(hands[0, i])
            b = np.uint64(hands[1, j])
            c = np.uint64(hands[2, k])
            chance = 4294967296.0
            if not given.fine:
                for m in range(4):
                    card = np.uint64(classes[c, m])
                    left = np.uint64(given.unseen[card]) - np.uint64(counts[a, card])
                    chance *= given.kept[left, np.uint64(counts[b, card]), np.uint64(given.held[c, m])]
            again = (w0 * t & _LOW) < refuse_t or np.float64(w2) + np.float64(w3) / 4294967296.0 >= chance
            rows[given.roles[0], d] = a
            rows[given.roles[1], d] = b
            rows[given.roles[2], d] = c
            pending[still] = d
            still += int(again)
        waiting = still
        attempt += _1


@kernel
def simulate_weighted(
    first: int,
    stop: int,
    seed: np.uint64,
    given: Chances,
    strength: U64,
    me: np.uint64,
    worth: U32,
    outcomes: I64,
    best: I64,
) -> None:
    """Deal and score the deals ``first`` to ``stop - 1``; see ``deal_weighted`` and ``score``."""
    rows = np.empty((3, CHUNK), np.uint16)
    while first < stop:
        number = min(CHUNK, stop - first)
        deal_weighted(rows, first, number, seed, given)
        score(rows, number, strength, me, worth, outcomes, best)
        first += number


@kernel
def deal_weighted_rows(
    out: U16,
    first: int,
    seed: np.uint64,
    given: Chances,
) -> None:
    """The hands of the deals from ``first`` on, uint16 (deals, 3): for looking at what is dealt."""
    rows = np.empty((3, CHUNK), np.uint16)
    for start in range(0, out.shape[0], CHUNK):
        number = min(CHUNK, out.shape[0] - start)
        deal_weighted(rows, first + start, number, seed, given)
        for d in range(number):
            for h in range(3):
                out[start + d, h] = rows[h, d]
