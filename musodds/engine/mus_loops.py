"""The loops over tables of the mus: learning a policy, comparing two, judging one hand's discards.

See ``mus_play`` for how a table, a policy and the random words are kept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from musodds.engine.jit import inlined, kernel
from musodds.engine.kernels import DECK
from musodds.engine.mus_play import (
    BATCH,
    FIRST_WORD,
    KEEP_ALL,
    ROUND,
    SEATS,
    Deck,
    Lances,
    Policy,
    Scratch,
    agrees,
    choose_keep,
    deal_table,
    draw,
    exchange,
    more_words,
    outcome,
    play_on,
    try_options,
    words_of_table,
)

U32 = NDArray[np.uint32]
U16 = NDArray[np.uint16]
U8 = NDArray[np.uint8]
I64 = NDArray[np.int64]


@kernel
def learn(
    first: int,
    stop: int,
    seed: np.uint64,
    me: int,
    rounds: int,
    every_hand: bool,
    policy: Policy,
    deck: Deck,
    lances: Lances,
    scratch: Scratch,
    payoff: I64,
    sums: I64,
    visits: I64,
) -> None:
    """The worth of every action of one seat, over tables in which the other three say mus.

    Args:
        first, stop: which tables. me: the seat, from 0.
        every_hand: whether hands that always cut are to be judged too.
        payoff: int64 (OUTCOMES,), what an outcome pays the seat's pair.
        sums: int64 (rounds, n, 16), added to: the payoff after each subset kept; in the last place that of the
            hands as they are, which is what a cut would give.
        visits: int64 (rounds, n), added to: tables behind the sums.
    """
    rows, keeps, stock, pile, sizes = scratch.rows, scratch.keeps, scratch.stock, scratch.pile, scratch.sizes
    clock = scratch.clock
    results = np.empty(16, np.uint32)
    for table in range(first, stop):
        words = words_of_table(scratch, table - first, table, seed)
        at = deal_table(rows, stock, sizes, deck, words)
        for round_ in range(rounds):
            if at > BATCH - ROUND:
                at = more_words(words, clock)
            chance = 1.0
            for seat in range(SEATS):
                if seat != me:
                    chance *= policy.mus[round_, seat, rows[seat]]
            if not agrees(chance, words, at):
                break
            at += 1
            hand = rows[me]
            own = policy.mus[round_, me, hand]
            if every_hand or own > 0.0:
                try_options(
                    results,
                    me,
                    rows,
                    stock,
                    pile,
                    sizes,
                    round_,
                    rounds,
                    policy,
                    deck.options[hand],
                    deck,
                    lances,
                    words,
                    at,
                    clock,
                    scratch,
                )
                for subset in range(KEEP_ALL):
                    if deck.options[hand, subset]:
                        sums[round_, hand, subset] += payoff[results[subset]]
                sums[round_, hand, KEEP_ALL] += payoff[outcome(rows, me, lances)]
                visits[round_, hand] += 1
            if not agrees(own, words, at):
                break
            at += 1
            for seat in range(SEATS):
                keeps[seat] = choose_keep(policy.keep[round_, seat, rows[seat]], words, at)
                at += 1
            at = exchange(rows, keeps, stock, pile, sizes, deck, words, at)


@kernel
def compare(
    first: int,
    stop: int,
    seed: np.uint64,
    me: int,
    rounds: int,
    policy: Policy,
    other: Policy,
    deck: Deck,
    lances: Lances,
    scratch: Scratch,
    payoff: I64,
    totals: I64,
    cuts: I64,
) -> None:
    """Play whole hands under two policies on the same cards.

    Args:
        policy, other: the two.
        totals: int64 (3,), added to: the payoff of seat ``me`` under the other policy less that under the
            first, its square, and the payoff under the first.
        cuts: int64 (rounds + 1, 4), added to: under the first policy, hands that each seat ends by cutting, by
            the round; the first column of the last row: hands that use up all rounds.
    """
    rows, keeps, stock, pile, sizes = scratch.rows, scratch.keeps, scratch.stock, scratch.pile, scratch.sizes
    clock = scratch.clock
    for table in range(first, stop):
        words = words_of_table(scratch, table - first, table, seed)
        at = deal_table(rows, stock, sizes, deck, words)
        end = play_on(rows, stock, pile, sizes, 0, rounds, policy, deck, keeps, words, at, clock)
        cuts[end // 4, end % 4] += 1
        value = payoff[outcome(rows, me, lances)]
        words = words_of_table(scratch, table - first, table, seed)
        at = deal_table(rows, stock, sizes, deck, words)
        play_on(rows, stock, pile, sizes, 0, rounds, other, deck, keeps, words, at, clock)
        gain = payoff[outcome(rows, me, lances)] - value
        totals[0] += gain
        totals[1] += gain * gain
        totals[2] += value


@kernel
def lay_out(hands: U16, stock: U16, pile: U16, sizes: I64, unseen: I64, seen: I64, deck: Deck) -> int:
    """Make the stock of the unseen cards that are in none of three hands, and the pile of the seen cards.

    Gives the place of the next random word, the first.
    """
    sizes[:] = 0
    for k in range(unseen.size):
        rest = unseen[k]
        for h in range(3):
            rest -= np.int64(deck.counts[hands[h], k])
        for _ in range(rest):
            stock[sizes[0]] = deck.card_keys[k]
            sizes[0] += 1
        for _ in range(seen[k]):
            pile[sizes[1]] = deck.card_keys[k]
            sizes[1] += 1
    return int(FIRST_WORD)


@inlined
def others_exchange(
    rows: I64,
    keeps: I64,
    me: int,
    round_: int,
    stock: U16,
    pile: U16,
    sizes: I64,
    policy: Policy,
    deck: Deck,
    words: U32,
    at: int,
) -> int:
    """One mus in which seat ``me`` keeps its cards and the others play by their policy."""
    for seat in range(SEATS):
        keeps[seat] = KEEP_ALL
        if seat != me:
            keeps[seat] = choose_keep(policy.keep[round_, seat, rows[seat]], words, at)
            at += 1
    return exchange(rows, keeps, stock, pile, sizes, deck, words, at)


@kernel
def judge_options(
    first: int,
    hands: U16,
    seed: np.uint64,
    me: int,
    hand: int,
    asked: int,
    rounds: int,
    policy: Policy,
    unseen: I64,
    seen: I64,
    options: U8,
    deck: Deck,
    lances: Lances,
    scratch: Scratch,
    payoff: I64,
    products: I64,
    cells: I64,
    totals: I64,
) -> None:
    """Try every discard of one hand against dealt hands, in a round in which all four say mus.

    Args:
        first: the number of the first deal.
        hands: uint16 (m, 3), the hands on the right, as partner, on the left as dealt.
        me: the seat, from 0; hand: the row of the hand; asked: the round, from 0, in which the question
            stands. In earlier rounds the others play by their policy and the player's cards stay.
        unseen, seen: int64 (k,), cards of each class not yet seen, seen out of play (they lie on the pile).
        options: uint8 (16,), the subsets to try.
        products: int64 (17, 17), added to: products of the payoffs of two options; row and column 15 stand for
            the hands as they are, 16 for the number 1, so that it holds the sums too.
        cells: int64 (16, 64), added to: deals of each option by the four lances won (bits 0 to 3), whether pares
            (bit 4) and juego (bit 5) are played.
        totals: int64 (5,), added to: deals tried; deals in which all said mus in earlier rounds, and those
            before the player in this one; of these the payoff of the hands as they are, and its square; the same
            payoff where somebody after the player cuts.
    """
    rows, keeps, stock, pile, sizes = scratch.rows, scratch.keeps, scratch.stock, scratch.pile, scratch.sizes
    clock = scratch.clock
    results = np.zeros(16, np.uint32)
    values = np.zeros(17, np.int64)
    values[16] = 1
    right, partner, left = (me + 1) % 4, (me + 2) % 4, (me + 3) % 4
    for d in range(hands.shape[0]):
        words = words_of_table(scratch, d, first + d, seed)
        rows[me] = hand
        rows[right] = hands[d, 0]
        rows[partner] = hands[d, 1]
        rows[left] = hands[d, 2]
        at = lay_out(hands[d], stock, pile, sizes, unseen, seen, deck)
        totals[0] += 1
        agreed = True
        all_agree = True
        for round_ in range(1, asked + 1):
            if at > BATCH - ROUND:
                at = more_words(words, clock)
            at = others_exchange(rows, keeps, me, round_ - 1, stock, pile, sizes, policy, deck, words, at)
            before = 1.0
            after = 1.0
            for seat in range(SEATS):
                if seat < me:
                    before *= policy.mus[round_, seat, rows[seat]]
                elif seat > me:
                    after *= policy.mus[round_, seat, rows[seat]]
            agreed = agreed and all_agree and agrees(before, words, at)
            all_agree = agrees(after, words, at + 1)
            at += 2
        if not agreed:
            continue
        results[KEEP_ALL] = outcome(rows, me, lances)
        value = payoff[results[KEEP_ALL]]
        totals[1] += 1
        totals[2] += value
        totals[3] += value * value
        if not all_agree:
            totals[4] += value
            continue
        if at > BATCH - ROUND:
            at = more_words(words, clock)
        try_options(
            results,
            me,
            rows,
            stock,
            pile,
            sizes,
            asked,
            rounds,
            policy,
            options,
            deck,
            lances,
            words,
            at,
            clock,
            scratch,
        )
        for o in range(16):
            if options[o]:
                index = results[o]
                values[o] = payoff[index]
                cell = np.uint32(index & np.uint32(15))
                if (index >> np.uint32(4)) & np.uint32(7) or (index >> np.uint32(10)) & np.uint32(7):
                    cell |= np.uint32(16)
                if (index >> np.uint32(7)) & np.uint32(7) or (index >> np.uint32(13)) & np.uint32(7):
                    cell |= np.uint32(32)
                cells[o, cell] += 1
        for a in range(17):
            for b in range(17):
                products[a, b] += values[a] * values[b]


@kernel
def after_mus(
    first: int,
    hands: U16,
    seed: np.uint64,
    me: int,
    hand: int,
    rounds: int,
    policy: Policy,
    unseen: I64,
    seen: I64,
    deck: Deck,
    scratch: Scratch,
    out: U16,
) -> None:
    """The others' hands after they have discarded and drawn.

    Args:
        first, hands, seed, me, hand: as for ``judge_options``; the player's own hand is as it is now.
        rounds: how many times they draw.
        out: uint16 (m, 3), out: the hands on the right, as partner, on the left.
    """
    rows, keeps, stock, pile, sizes = scratch.rows, scratch.keeps, scratch.stock, scratch.pile, scratch.sizes
    clock = scratch.clock
    right, partner, left = (me + 1) % 4, (me + 2) % 4, (me + 3) % 4
    for d in range(hands.shape[0]):
        words = words_of_table(scratch, d, first + d, seed)
        rows[me] = hand
        rows[right] = hands[d, 0]
        rows[partner] = hands[d, 1]
        rows[left] = hands[d, 2]
        at = lay_out(hands[d], stock, pile, sizes, unseen, seen, deck)
        for round_ in range(rounds):
            if at > BATCH - ROUND:
                at = more_words(words, clock)
            at = others_exchange(rows, keeps, me, round_, stock, pile, sizes, policy, deck, words, at)
        out[d, 0] = rows[right]
        out[d, 1] = rows[partner]
        out[d, 2] = rows[left]


@kernel
def play_tables(
    first: int,
    stop: int,
    seed: np.uint64,
    rounds: int,
    policy: Policy,
    deck: Deck,
    scratch: Scratch,
    out: U16,
    ends: U8,
) -> None:
    """Play whole hands from the deal to the lances.

    Args:
        out: uint16 (tables, 4), out: the hands of seats 1 to 4 when the lances begin.
        ends: uint8 (tables,), out: 4 x the mus rounds that went through + the seat (from 0) that cut.
    """
    rows, keeps, stock, pile, sizes = scratch.rows, scratch.keeps, scratch.stock, scratch.pile, scratch.sizes
    clock = scratch.clock
    for table in range(first, stop):
        words = words_of_table(scratch, table - first, table, seed)
        at = deal_table(rows, stock, sizes, deck, words)
        end = play_on(rows, stock, pile, sizes, 0, rounds, policy, deck, keeps, words, at, clock)
        for seat in range(SEATS):
            out[table - first, seat] = rows[seat]
        ends[table - first] = end


# What a cell of ``fill_drew_table`` counts.
(
    DEALS,
    GRANDE_WIN,
    CHICA_WIN,
    PARES_WIN,
    PARES_PLAYED,
    PARES_CONTESTED,
    PARES_BOTH,
    JUEGO_WIN,
    JUEGO_PLAYED,
    JUEGO_CONTESTED,
    JUEGO_BOTH,
    PUNTO_WIN,
    STONES_US,
    STONES_THEM,
) = range(14)
DREW_FIGURES = 14


@kernel
def fill_drew_table(
    first: int,
    stop: int,
    seed: np.uint64,
    policy: Policy,
    deck: Deck,
    lances: Lances,
    scratch: Scratch,
    cells: I64,
    totals: I64,
) -> None:
    """The hands of all four seats after one mus, by how many cards the other three took.

    Args:
        cells: int64 (4, n, 64, DREW_FIGURES), added to: for each seat and hand after the draw, and each pattern
            16 (right - 1) + 4 (partner - 1) + (left - 1) of cards taken, what is counted above.
        totals: int64 (2,), added to: tables dealt, tables in which all four said mus.
    """
    rows, keeps, stock, pile, sizes = scratch.rows, scratch.keeps, scratch.stock, scratch.pile, scratch.sizes
    drawn = scratch.now
    one = np.uint64(1)
    seven = np.uint64(7)
    for table in range(first, stop):
        words = words_of_table(scratch, table - first, table, seed)
        for i in range(DECK):
            stock[i] = deck.cards[i]
        left_over = DECK
        at = 0
        agreed = True
        # Hand by hand: four tables in five end before all are dealt, with the first player who cuts.
        for seat in range(SEATS):
            key = np.uint32(0)
            for _ in range(4):
                card, at = draw(stock, left_over, words, at)
                key += card
                left_over -= 1
            rows[seat] = deck.row_of[key]
            agreed = agrees(policy.mus[0, seat, rows[seat]], words, at)
            at += 1
            if not agreed:
                break
        totals[0] += 1
        if not agreed:
            continue
        totals[1] += 1
        sizes[0] = left_over
        sizes[1] = 0
        for seat in range(SEATS):
            keeps[seat] = choose_keep(policy.keep[0, seat, rows[seat]], words, at)
            drawn[seat] = 3 - deck.kept[keeps[seat]]
            at += 1
        exchange(rows, keeps, stock, pile, sizes, deck, words, at)
        for me in range(SEATS):
            right, partner, left = (me + 1) % 4, (me + 2) % 4, (me + 3) % 4
            cell = cells[me, rows[me], 16 * drawn[right] + 4 * drawn[partner] + drawn[left]]
            index = np.uint64(outcome(rows, me, lances))
            our_pares, our_juego = (index >> np.uint64(4)) & seven, (index >> seven) & seven
            their_pares, their_juego = (index >> np.uint64(10)) & seven, (index >> np.uint64(13)) & seven
            last, pares = index & one, (index >> one) & one
            chica, grande = (index >> np.uint64(2)) & one, (index >> np.uint64(3)) & one
            both_pares = our_pares > 0 and their_pares > 0
            both_juego = our_juego > 0 and their_juego > 0
            some_pares = our_pares > 0 or their_pares > 0
            some_juego = our_juego > 0 or their_juego > 0
            us = grande + chica
            them = np.uint64(2) - us
            cell[DEALS] += 1
            cell[GRANDE_WIN] += grande
            cell[CHICA_WIN] += chica
            if some_pares:
                cell[PARES_PLAYED] += 1
                cell[PARES_WIN] += pares
                us += pares * our_pares
                them += (one - pares) * their_pares
            if both_pares:
                cell[PARES_CONTESTED] += 1
                cell[PARES_BOTH] += pares
            if some_juego:
                cell[JUEGO_PLAYED] += 1
                cell[JUEGO_WIN] += last
                us += last * our_juego
                them += (one - last) * their_juego
            else:
                cell[PUNTO_WIN] += last
                us += last
                them += one - last
            if both_juego:
                cell[JUEGO_CONTESTED] += 1
                cell[JUEGO_BOTH] += last
            cell[STONES_US] += us
            cell[STONES_THEM] += them


@kernel
def tally_tables(
    first: int,
    stop: int,
    seed: np.uint64,
    policy: Policy,
    deck: Deck,
    lances: Lances,
    scratch: Scratch,
    outcomes: I64,
) -> None:
    """Play whole hands from the deal to the lances and count their outcomes.

    Args:
        outcomes: int64 (OUTCOMES,), added to: hands by the outcome seen from the mano; see ``kernels.score``.
    """
    rows, keeps, stock, pile, sizes = scratch.rows, scratch.keeps, scratch.stock, scratch.pile, scratch.sizes
    clock = scratch.clock
    rounds = policy.mus.shape[0]
    for table in range(first, stop):
        words = words_of_table(scratch, table - first, table, seed)
        at = deal_table(rows, stock, sizes, deck, words)
        play_on(rows, stock, pile, sizes, 0, rounds, policy, deck, keeps, words, at, clock)
        outcomes[np.uint64(outcome(rows, 0, lances))] += 1
