"""The compiled loops: random numbers, dealing, scoring.

Everything the loops need comes in as arrays and numbers; ``plans`` lays them out. All of it is integer
arithmetic except one acceptance test in the weighted dealer.

Random numbers are Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3",
SC 2011), keyed by the seed and counted by the deal: deal d of seed s is the same whoever computes it.
Bounded draws are unbiased: three successive multiplications turn one 32-bit word into three draws, and the
word is refused if the last remainder falls below 2**32 mod (the product of the bounds) (Lemire 2019; Brackett-Rozinsky
and Lemire 2024). A refused deal is drawn again with the next attempt number in the counter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from musodds.engine.jit import inlined, kernel

U64 = NDArray[np.uint64]
U32 = NDArray[np.uint32]
U16 = NDArray[np.uint16]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

DECK = 40
PLAIN, WEIGHTED_PAIR, WEIGHTED_THIRD = 0, 1, 2  # streams of random words
CHUNK = 256  # deals per round of the dealing and scoring loops; their work arrays stay in the first cache

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
_8 = np.uint64(8)

# Where the fields of a strength word end: juego or punto (at most 36 strengths and two tie bits), pares
# (75), chica (715), grande (715). Between two guards lie at least 9 bits, so that 511 deals can be added up in place.
JUEGO_GUARD = np.uint64(8)
PARES_GUARD = np.uint64(18)
CHICA_GUARD = np.uint64(31)
GRANDE_GUARD = np.uint64(44)
GUARDS = np.uint64(1 << 8 | 1 << 18 | 1 << 31 | 1 << 44)
_COUNT = np.uint64(511)
OUTCOMES = 1 << 16


@kernel
def philox(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four random 32-bit words (each in a uint64) for a counter of four words and a key of two."""
    for _ in range(10):
        p0 = _M0 * c0
        p1 = _M1 * c2
        c0, c1, c2, c3 = (p1 >> _32) ^ c1 ^ k0, p1 & _LOW, (p0 >> _32) ^ c3 ^ k1, p0 & _LOW
        k0 = (k0 + _W0) & _LOW
        k1 = (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@kernel
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
    words: U32,
    deck: U16,
    cards: U16,
    unseen: np.uint64,
    row_of: U16,
    refuse: U64,
) -> None:
    """Deal three hands from the unseen cards, every deal equally likely.

    Twelve draws without replacement (Fisher-Yates), three from each of the four words of a deal.

    Args:
        rows: uint16 (3, CHUNK), out: the table rows of the hands on the right, as partner, on the left.
        first, number: which deals, at most CHUNK.
        seed: the key.
        words: uint32 (4, CHUNK), scratch.
        deck: uint16 (DECK,), scratch.
        cards: uint16 (DECK,), the key of each unseen card, then padding; the keys of four cards add up
            to the hand's key.
        unseen: how many cards are unseen, 12 to 36.
        row_of: uint16, the table row of each hand key.
        refuse: uint64 (4,), for each word the remainders that would make some cards likelier than others.
    """
    random_words(words, first, PLAIN, seed)
    for d in range(number):
        for i in range(DECK):
            deck[i] = cards[i]
        a = np.uint32(0)
        b = np.uint32(0)
        c = np.uint32(0)
        base = _0
        left = unseen
        refused = False
        for w in range(4):
            word = np.uint64(words[w, d])
            for t in range(3):
                word *= left
                place = base + (word >> _32)
                word &= _LOW
                card = np.uint32(deck[place])
                deck[place] = deck[base]
                base += _1
                left -= _1
                drawn = 3 * w + t
                if drawn < 4:
                    a += card
                elif drawn < 8:
                    b += card
                else:
                    c += card
            refused |= word < refuse[w]
        rows[0, d] = row_of[a]
        rows[1, d] = row_of[b]
        rows[2, d] = row_of[c]
        if refused:
            _deal_again(rows, d, first + d, seed, cards, unseen, row_of, refuse)


@kernel
def _deal_again(
    rows: U16, d: int, deal: int, seed: np.uint64, cards: U16, unseen: np.uint64, row_of: U16, refuse: U64
) -> None:
    """The same as ``deal_plain`` for one deal whose words were refused, with the attempts after the first."""
    deck = np.empty_like(cards)
    words = np.empty(4, np.uint64)
    attempt = _0
    refused = True
    while refused:
        attempt += _1
        words[0], words[1], words[2], words[3] = words_of(deal, attempt, PLAIN, seed)
        deck[:] = cards
        keys = np.zeros(3, np.uint32)
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
    words = np.empty((4, CHUNK), np.uint32)
    deck = np.empty(DECK, np.uint16)
    while first < stop:
        number = min(CHUNK, stop - first)
        deal_plain(rows, first, number, seed, words, deck, cards, unseen, row_of, refuse)
        score(rows, number, strength, me, worth, outcomes, best)
        first += number


@kernel
def deal_plain_rows(
    out: U16, first: int, seed: np.uint64, cards: U16, unseen: np.uint64, row_of: U16, refuse: U64
) -> None:
    """The hands of the deals from ``first`` on, uint16 (deals, 3): for looking at what is dealt."""
    rows = np.empty((3, CHUNK), np.uint16)
    words = np.empty((4, CHUNK), np.uint32)
    deck = np.empty(DECK, np.uint16)
    for start in range(0, out.shape[0], CHUNK):
        number = min(CHUNK, out.shape[0] - start)
        deal_plain(rows, first + start, number, seed, words, deck, cards, unseen, row_of, refuse)
        for d in range(number):
            for h in range(3):
                out[start + d, h] = rows[h, d]
