"""The compiled loops of the mus: four players say mus or cut, discard, draw, and again, then the lances.

A table of cards in play is four rows of hands, the stock and the pile of discards. Cards lie as the keys of
``plans.CARD_KEYS``, so that a hand's row is one sum and one look-up. The stock is a set: every draw takes any
of its cards with equal chance, which is what a shuffled stock does.

Randomness is Philox as in ``kernels``; every table has a counter of its own, so that the counts depend on the
query, the seed and the number of tables only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from musodds.engine.jit import inlined, kernel
from musodds.engine.kernels import (
    CHICA_GUARD,
    GRANDE_GUARD,
    GUARDS,
    JUEGO_GUARD,
    PARES_GUARD,
    random_words,
    words_of,
)

U64 = NDArray[np.uint64]
U32 = NDArray[np.uint32]
U16 = NDArray[np.uint16]
U8 = NDArray[np.uint8]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

MUS_STREAM = 3
KEEP_ALL = 15
SEATS = 4

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_3 = np.uint64(3)
_4 = np.uint64(4)
_8 = np.uint64(8)

# The random words of a table come in batches; a round of the mus takes at most 4 words for what the players
# say, 4 for what they keep and 16 for what they draw, a deal 16.
COLUMNS = 32
BATCH = 4 * COLUMNS
# Where a table's words begin. A 0 written out is a type of its own to the compiler, which would then compile twice
# whatever it is handed to.
FIRST_WORD = np.int64(0)
ROUND = 24
TABLES = 1 << 12  # tables whose words are made at a time
_TABLE, _BATCH, _SEED = 0, 1, 2


class Deck(NamedTuple):
    """The cards and hands of a deck of k classes and n hands.

    Attributes:
        cards: uint16 (40,), the key of each card; card_keys: uint16 (k,), of each class.
        counts: uint8 (n, k), cards of each class in each hand.
        hand_cards: uint16 (n, 4), the keys of a hand's cards, high to low.
        keep_keys: uint16 (n, 16), the sum of the keys of each subset of a hand's cards (bit 0 is the
            highest card).
        kept: uint8 (16,), how many cards a subset holds.
        options: uint8 (n, 16), 1 for one subset of each kind that may be kept (never all four cards).
        row_of: uint16, the row of each hand key.
    """

    cards: U16
    card_keys: U16
    counts: U8
    hand_cards: U16
    keep_keys: U16
    kept: U8
    options: U8
    row_of: U16


class Policy(NamedTuple):
    """What players do in rounds 1 to H, seats 1 to 4, with each of n hands.

    Attributes:
        mus: float64 (H, 4, n), the chance to say mus rather than cut.
        keep: uint32 (H, 4, n, 16), the cumulated chances, in parts of 2**32 - 1, of the subsets to keep; all
            0 keeps the four cards.
    """

    mus: F64
    keep: U32


class Lances(NamedTuple):
    """How hands compare; see ``kernels.score``.

    Attributes:
        strength: uint64 (4, n), the strength words of seats 1 to 4.
        worth: uint32 (2, n), what a hand of the other pair, of our pair adds to an outcome's index.
    """

    strength: U64
    worth: U32


class Scratch(NamedTuple):
    """Work space of one thread; made outside the compiled code by ``make_scratch``."""

    rows: I64
    keeps: I64
    stock: U16
    pile: U16
    sizes: I64
    all_words: U32
    clock: U64
    chosen: I64
    now: I64
    then: I64
    mine: U32
    stock2: U16
    pile2: U16
    keeps2: I64
    keeps3: I64
    stock3: U16
    pile3: U16
    sizes3: I64
    words3: U32
    clock3: U64


def make_scratch() -> Scratch:
    """Work space for one thread."""

    def seats() -> I64:
        return np.zeros(SEATS, dtype=np.int64)

    def cards() -> U16:
        return np.zeros(40, dtype=np.uint16)

    def sizes() -> I64:
        return np.zeros(2, dtype=np.int64)

    def clock() -> U64:
        return np.zeros(3, dtype=np.uint64)

    return Scratch(
        rows=seats(),
        keeps=seats(),
        stock=cards(),
        pile=cards(),
        sizes=sizes(),
        all_words=np.zeros((4, TABLES * COLUMNS), dtype=np.uint32),
        clock=clock(),
        chosen=seats(),
        now=seats(),
        then=seats(),
        mine=np.zeros(4, dtype=np.uint32),
        stock2=cards(),
        pile2=cards(),
        keeps2=seats(),
        keeps3=seats(),
        stock3=cards(),
        pile3=cards(),
        sizes3=sizes(),
        words3=np.zeros((4, 2 * COLUMNS), dtype=np.uint32)[:, :COLUMNS],  # a part, like a table's words
        clock3=clock(),
    )


@inlined
def words_of_table(scratch: Scratch, place: int, table: int, seed: np.uint64) -> U32:
    """The random words of the table at a place of a run, uint32 (4, COLUMNS), to be used row by row.

    They were made beforehand by ``fill_words``.
    """
    scratch.clock[_TABLE] = np.uint64(table)
    scratch.clock[_BATCH] = _1
    scratch.clock[_SEED] = seed
    return scratch.all_words[:, place * COLUMNS : (place + 1) * COLUMNS]


def fill_words(scratch: Scratch, first: int, seed: np.uint64) -> None:
    """Make the words of TABLES tables from ``first`` on; table t owns the counters from t x COLUMNS on.

    One call of one long loop: inside a larger function the compiler does not turn it into vector instructions.
    """
    random_words(scratch.all_words, first * COLUMNS, MUS_STREAM, seed)


@kernel
def more_words(words: U32, clock: U64) -> int:
    """The next batch of a table's words, for the few tables that use up the first; gives the place of its first."""
    table = np.int64(clock[_TABLE]) * COLUMNS
    for i in range(COLUMNS):
        w0, w1, w2, w3 = words_of(int(table + i), clock[_BATCH], MUS_STREAM, clock[_SEED])
        words[0, i] = w0
        words[1, i] = w1
        words[2, i] = w2
        words[3, i] = w3
    clock[_BATCH] += _1
    return int(FIRST_WORD)


@inlined
def draw(stock: U16, left: int, words: U32, at: int) -> tuple[np.uint32, int]:
    """Take a random card from the first ``left`` cards of the stock, which the last of them replaces.

    Unbiased (Lemire 2019). Gives the card and the place of the next word.
    """
    bound = np.uint64(left)
    product = np.uint64(words[(at >> 5) & 3, at & 31]) * bound
    at += 1
    if product & _LOW < bound:
        while product & _LOW < (_LOW + _1) % bound:
            product = np.uint64(words[(at >> 5) & 3, at & 31]) * bound
            at += 1
    place = product >> _32
    card = np.uint32(stock[place])
    stock[place] = stock[left - 1]
    return card, at


@inlined
def agrees(chance: float, words: U32, at: int) -> bool:
    """Whether something of this chance happens, by one word."""
    return bool(np.float64(words[(at >> 5) & 3, at & 31]) < chance * 4294967296.0)


@inlined
def choose_keep(cumulated: U32, words: U32, at: int) -> int:
    """The subset to keep, by the cumulated chances of the 16 subsets and one word."""
    subset = KEEP_ALL
    if cumulated[KEEP_ALL - 1] > 0:
        w = words[(at >> 5) & 3, at & 31]
        subset = 0
        while subset < KEEP_ALL and w >= cumulated[subset]:
            subset += 1
    return subset


@inlined
def discard_cards(row: int, keep: int, deck: Deck, pile: U16, piled: int) -> int:
    """Put the cards of a hand that are not kept on the pile; gives the pile's new size."""
    for i in range(4):
        if not (keep >> i) & 1:
            pile[piled] = deck.hand_cards[row, i]
            piled += 1
    return piled


@kernel
def exchange(
    rows: I64, keeps: I64, stock: U16, pile: U16, sizes: I64, deck: Deck, words: U32, at: int
) -> int:
    """All four discard and draw in seat order; a stock that runs out is made anew from all discards.

    Args:
        rows: int64 (4,), the hands of seats 1 to 4, changed in place.
        keeps: int64 (4,), the subset each keeps.
        stock, pile: uint16 (40,), cards; sizes: int64 (2,), how many lie in each.
        words, at: the random words and the place of the next; gives the place after.
    """
    left = sizes[0]
    piled = sizes[1]
    for seat in range(SEATS):
        piled = discard_cards(rows[seat], keeps[seat], deck, pile, piled)
    for seat in range(SEATS):
        key = np.uint32(deck.keep_keys[rows[seat], keeps[seat]])
        for _ in range(4 - deck.kept[keeps[seat]]):
            if left == 0:
                for i in range(piled):
                    stock[i] = pile[i]
                left = piled
                piled = 0
            card, at = draw(stock, left, words, at)
            key += card
            left -= 1
        rows[seat] = deck.row_of[key]
    sizes[0] = left
    sizes[1] = piled
    return at


@kernel
def play_on(
    rows: I64,
    stock: U16,
    pile: U16,
    sizes: I64,
    round_: int,
    rounds: int,
    policy: Policy,
    deck: Deck,
    keeps: I64,
    words: U32,
    at: int,
    clock: U64,
) -> int:
    """Go on from a round (0 is the first) until somebody cuts or the rounds are over.

    Gives 4 x the round reached + the seat (from 0) that cut, 0 if nobody did; ``keeps`` is scratch.
    """
    while round_ < rounds:
        if at > BATCH - ROUND:
            at = more_words(words, clock)
        for seat in range(SEATS):
            chance = policy.mus[round_, seat, rows[seat]]
            if chance < 1.0:
                if not agrees(chance, words, at):
                    return 4 * round_ + seat
                at += 1
        for seat in range(SEATS):
            keeps[seat] = choose_keep(policy.keep[round_, seat, rows[seat]], words, at)
            at += 1
        at = exchange(rows, keeps, stock, pile, sizes, deck, words, at)
        round_ += 1
    return 4 * round_


@kernel
def outcome(rows: I64, me: int, lances: Lances) -> np.uint64:
    """The outcome of the lances seen from a seat (0 to 3), as an index like that of ``kernels.score``.

    Args:
        rows: int64 (4,), the hands of seats 1 to 4.
        me: the seat asked about, from 0. The player's own pares and juego count in the index too.
    """
    partner = (me + 2) % 4
    right = (me + 1) % 4
    left = (me + 3) % 4
    m = lances.strength[me, rows[me]] | GUARDS
    p = lances.strength[partner, rows[partner]] | GUARDS
    r = lances.strength[right, rows[right]]
    l = lances.strength[left, rows[left]]  # noqa: E741
    won = ((m - r) | (p - r)) & ((m - l) | (p - l)) & GUARDS
    return lance_bits(won) + np.uint64(
        lances.worth[0, rows[right]]
        + lances.worth[1, rows[partner]]
        + lances.worth[0, rows[left]]
        + lances.worth[1, rows[me]]
    )


@inlined
def lance_bits(won: np.uint64) -> np.uint64:
    """The four guard bits as bits 0 to 3: juego or punto, pares, chica, grande."""
    return (
        ((won >> JUEGO_GUARD) & _1)
        | ((won >> (PARES_GUARD - _1)) & _2)
        | ((won >> (CHICA_GUARD - _2)) & _4)
        | ((won >> (GRANDE_GUARD - _3)) & _8)
    )


@kernel
def deal_table(rows: I64, stock: U16, sizes: I64, deck: Deck, words: U32) -> int:
    """Deal four hands from the full deck; the other 24 cards are the stock. Gives the place of the next word."""
    for i in range(40):
        stock[i] = deck.cards[i]
    left = 40
    at = int(FIRST_WORD)
    for seat in range(SEATS):
        key = np.uint32(0)
        for _ in range(4):
            card, at = draw(stock, left, words, at)
            key += card
            left -= 1
        rows[seat] = deck.row_of[key]
    sizes[0] = left
    sizes[1] = 0
    return at


@kernel
def try_options(
    results: U32,
    me: int,
    rows: I64,
    stock: U16,
    pile: U16,
    sizes: I64,
    round_: int,
    rounds: int,
    policy: Policy,
    options: U8,
    deck: Deck,
    lances: Lances,
    words: U32,
    at: int,
    clock: U64,
    scratch: Scratch,
) -> None:
    """What becomes of the hand for each subset that a player may keep, when all four have said mus.

    All options meet the same cards: the player's draws come from four cards laid aside, the others' from the
    rest. Where the stock may run out, and in rounds after the next, each option is played by itself with the
    same random words.

    Args:
        results: uint32 (16,), out: the outcome's index for each subset in ``options``.
        me: the seat, from 0. rows, stock, pile, sizes: the table, not changed.
        round_: the round of this mus, from 0; rounds: how many there may be.
        options: uint8 (16,), 1 for the subsets to try.
        words, at, clock: the random words from here on, not changed.
        The rest is as for ``play_on`` and ``outcome``; the policy of the player's own seat says how he goes on
        in later rounds.
    """
    keeps, now, then = scratch.keeps2, scratch.now, scratch.then
    chosen, mine = scratch.chosen, scratch.mine
    needed = 4
    for seat in range(SEATS):
        if seat != me:
            keeps[seat] = choose_keep(policy.keep[round_, seat, rows[seat]], words, at)
            at += 1
            needed += 4 - deck.kept[keeps[seat]]
    hand = rows[me]
    left = sizes[0]
    if left < needed:
        for subset in range(KEEP_ALL):
            if options[subset]:
                keeps[me] = subset
                for i in range(SEATS):
                    now[i] = rows[i]
                results[subset] = _continue(
                    now, keeps, stock, left, pile, sizes[1], me, round_, rounds, policy, deck, lances, words, at,
                    clock, scratch,
                )  # fmt: skip
        return

    stock2, pile2 = scratch.stock2, scratch.pile2
    for i in range(40):
        stock2[i] = stock[i]
    for i in range(4):
        card, at = draw(stock2, left, words, at)
        mine[i] = card
        left -= 1
    for seat in range(SEATS):
        if seat != me:
            key = np.uint32(deck.keep_keys[rows[seat], keeps[seat]])
            for _ in range(4 - deck.kept[keeps[seat]]):
                card, at = draw(stock2, left, words, at)
                key += card
                left -= 1
            now[seat] = deck.row_of[key]
    others_agree = round_ + 1 < rounds
    if others_agree:
        chance = 1.0
        for seat in range(SEATS):
            if seat != me:
                chance *= policy.mus[round_ + 1, seat, now[seat]]
        others_agree = agrees(chance, words, at)
        at += 1
    own_at = at
    at += 1
    # The others' hands are the same for every option: their side of the outcome is worked out once.
    partner = (me + 2) % 4
    right = (me + 1) % 4
    left_seat = (me + 3) % 4
    p = lances.strength[partner, now[partner]] | GUARDS
    r = lances.strength[right, now[right]]
    l = lances.strength[left_seat, now[left_seat]]  # noqa: E741
    p_over_r = p - r
    p_over_l = p - l
    others_worth = (
        lances.worth[0, now[right]] + lances.worth[1, now[partner]] + lances.worth[0, now[left_seat]]
    )
    piled = sizes[1]
    if others_agree:
        for i in range(piled):
            pile2[i] = pile[i]
        for seat in range(SEATS):
            if seat != me:
                piled = discard_cards(rows[seat], keeps[seat], deck, pile2, piled)
        for seat in range(SEATS):
            if seat != me:
                chosen[seat] = choose_keep(policy.keep[round_ + 1, seat, now[seat]], words, at)
                at += 1
    for subset in range(KEEP_ALL):
        if not options[subset]:
            continue
        key = np.uint32(deck.keep_keys[hand, subset])
        drawn = 4 - deck.kept[subset]
        for i in range(drawn):
            key += mine[i]
        own = np.int64(deck.row_of[key])
        if not others_agree or not agrees(policy.mus[round_ + 1, me, own], words, own_at):
            m = lances.strength[me, own] | GUARDS
            won = ((m - r) | p_over_r) & ((m - l) | p_over_l) & GUARDS
            results[subset] = lance_bits(won) + np.uint64(others_worth + lances.worth[1, own])
            continue
        # All four say mus once more: put the table together as this option leaves it and go on.
        stocked = left
        for i in range(drawn, 4):
            stock2[stocked] = mine[i]
            stocked += 1
        for i in range(SEATS):
            then[i] = now[i]
        then[me] = own
        chosen[me] = choose_keep(policy.keep[round_ + 1, me, own], words, at)
        results[subset] = _continue(
            then, chosen, stock2, stocked, pile2, discard_cards(hand, subset, deck, pile2, piled), me, round_ + 1,
            rounds, policy, deck, lances, words, at + 1, clock, scratch,
        )  # fmt: skip


@kernel
def _continue(
    rows: I64,
    keeps: I64,
    stock: U16,
    left: int,
    pile: U16,
    piled: int,
    me: int,
    round_: int,
    rounds: int,
    policy: Policy,
    deck: Deck,
    lances: Lances,
    words: U32,
    at: int,
    clock: U64,
    scratch: Scratch,
) -> np.uint64:
    """The outcome after this exchange and what follows; only ``rows`` is changed."""
    stock3, pile3, sizes3 = scratch.stock3, scratch.pile3, scratch.sizes3
    words3, clock3 = scratch.words3, scratch.clock3
    for i in range(left):
        stock3[i] = stock[i]
    for i in range(piled):
        pile3[i] = pile[i]
    sizes3[0] = left
    sizes3[1] = piled
    for row in range(4):
        for i in range(COLUMNS):
            words3[row, i] = words[row, i]
    for i in range(3):
        clock3[i] = clock[i]
    if at > BATCH - ROUND:
        at = more_words(words3, clock3)
    at = exchange(rows, keeps, stock3, pile3, sizes3, deck, words3, at)
    play_on(rows, stock3, pile3, sizes3, round_ + 1, rounds, policy, deck, scratch.keeps3, words3, at, clock3)
    return outcome(rows, me, lances)
