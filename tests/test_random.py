"""The random numbers against published vectors and a plain twin; the deal against exact chances."""

from __future__ import annotations

import random
from itertools import product
from math import comb

import naive
import numpy as np
import pytest

from musodds.analysis.query import Query, query
from musodds.engine import kernels, plans
from musodds.engine.simulate import deal_hands

BIG_SEEDS = (0, 1, 2**32 - 1, 2**32, 2**64 - 1)

# Known answers for philox4x32-10 from the Random123 library of the generator's authors (kat_vectors).
VECTORS = [
    ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def philox(counter, key):
    """The kernel, from and to Python's integers."""
    return tuple(int(word) for word in kernels.philox(*(np.uint64(word) for word in (*counter, *key))))


@pytest.mark.kernels
@pytest.mark.parametrize(("counter", "key", "answer"), VECTORS)
def test_the_published_answers_come_out(counter, key, answer):
    assert philox(counter, key) == answer
    assert naive.philox(counter, key) == answer


@pytest.mark.kernels
def test_the_plain_twin_gives_the_same_numbers():
    generator = random.Random(1)
    for _ in range(500):
        counter, key = ([generator.getrandbits(32) for _ in range(size)] for size in (4, 2))
        assert philox(counter, key) == naive.philox(counter, key)


@pytest.mark.kernels
@pytest.mark.parametrize("seed", BIG_SEEDS)
@pytest.mark.parametrize("first", [0, 1000, 2**32 - 3, 2**40])
def test_a_deal_has_its_own_numbers_wherever_it_is_computed(seed, first):
    words = np.empty((4, 7), np.uint32)
    kernels.random_words(words, first, 0, np.uint64(seed))
    key = (seed % 2**32, seed // 2**32)
    for i in range(7):
        deal = first + i
        expected = naive.philox((deal % 2**32, deal // 2**32, 0, 0), key)
        assert tuple(int(word) for word in words[:, i]) == expected


def unseen_of(question: Query) -> list[str]:
    """The unseen cards, low to high."""
    cards = question.rules.deck.classes
    return [card for card, number in zip(cards, question.unseen, strict=True) for _ in range(number)]


QUESTIONS = {
    "eight": lambda: query("RR4A"),
    "four": lambda: query("RC32", rules="classic-4"),
    "seen": lambda: query("SS54", seen="RRRR AAAA CCC 777".replace(" ", "")),
    "few": lambda: query("SS54", seen="RRRRAAAACCC7776665RRRA4S"),
}


@pytest.mark.kernels
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("seed", [1, 2**64 - 1])
def test_the_plain_twin_deals_the_same_hands(name, seed):
    question = QUESTIONS[name]()
    hands = deal_hands(question.table, question.unseen, 300, seed)
    assert hands.shape == (300, 3)
    unseen = unseen_of(question)
    for deal, rows in enumerate(hands):
        texts = [question.table.hands[row] for row in rows]
        assert texts == [naive.text(hand) for hand in naive.dealt(unseen, deal, seed)]


def test_a_deal_that_would_be_unfair_is_dealt_again_as_the_twin_does():
    question = query("RR4A")
    deals, seed = 1_000_000, 5
    words = np.empty((4, deals), np.uint32)
    kernels.random_words(words, 0, 0, np.uint64(seed))
    refused = np.zeros(deals, bool)
    for word, left in zip(words.astype(np.uint64), (36, 33, 30, 27), strict=True):
        choices = left * (left - 1) * (left - 2)
        refused |= word * np.uint64(choices) % np.uint64(2**32) < 2**32 % choices
    assert 1 <= refused.sum() <= 60, "some in a hundred thousand"
    hands = deal_hands(question.table, question.unseen, deals, seed)
    for deal in np.flatnonzero(refused):
        texts = [question.table.hands[row] for row in hands[deal]]
        assert texts == [naive.text(hand) for hand in naive.dealt(unseen_of(question), int(deal), seed)]


@pytest.mark.parametrize("unseen", range(12, 37))
def test_the_refused_remainders_leave_every_choice_alike(unseen):
    """Of 2**32 words as many are refused as are over after each choice has its equal share."""
    for refused, left in zip(plans.refusals(unseen), range(unseen, unseen - 12, -3), strict=True):
        choices = left * (left - 1) * (left - 2)
        assert int(refused) == 2**32 - 2**32 // choices * choices


# --- the deal is fair: every statistic below is a standard normal deviate, judged at 4.5 ---

NORMAL = pytest.param(1_000_000, id="million")
LONG = pytest.param(10_000_000, id="ten-million", marks=pytest.mark.exhaustive)
DEALS = pytest.mark.parametrize("deals", [NORMAL, LONG])
LIMIT = 4.5


def pack_places(deals: int, seed: int) -> list[np.ndarray]:
    """Which of the 36 unseen cards, told apart, lie in the three hands: int64 (deals, 3) of 36 bits.

    The dealer only adds up keys. The same seed deals the same places whatever the keys, so the places are
    read twelve at a time, as bits of keys.
    """
    found = np.zeros((deals, 3), np.int64)
    row_of = np.arange(2**16, dtype=np.uint16)
    for start in (0, 12, 24):
        cards = np.zeros(kernels.DECK, np.uint16)
        cards[start : start + 12] = 1 << np.arange(12)
        rows = np.empty((deals, 3), np.uint16)
        kernels.deal_plain_rows(rows, 0, np.uint64(seed), cards, np.uint64(36), row_of, plans.refusals(36))
        found |= rows.astype(np.int64) << start
    return found


def cards_in(places: np.ndarray) -> np.ndarray:
    """How many of the 36 cards each set holds."""
    return sum(places >> card & 1 for card in range(36))


@DEALS
def test_no_card_is_dealt_twice_and_every_card_goes_everywhere_alike(deals):
    places = pack_places(deals, seed=11)
    right, partner, left = places.T
    for hand in (right, partner, left):
        assert (cards_in(hand) == 4).all()
    assert (cards_in(right | partner | left) == 12).all()
    expected = deals * 4 / 36
    # Four different cards of 36 are less spread out than four independent ones, by 32 in 35 parts.
    shrink = (1 - 4 / 36) * 36 / 35
    for hand in (right, partner, left):
        times = [int((hand >> card & 1).sum()) for card in range(36)]
        observed = [(number - expected) / shrink**0.5 + expected for number in times]
        assert abs(naive.chi_square_z(observed, [expected] * 36)) < LIMIT
    # Two cards together: the same hand, two hands of a pair, of neighbours; each of the 630 pairs alike.
    for one, other in product((right, partner, left), repeat=2):
        both = [int((one >> a & other >> b & 1).sum()) for a, b in [(0, 1), (0, 35), (17, 18), (34, 35)]]
        chance = 4 / 36 * (3 if one is other else 4) / 35
        for number in both:
            assert abs(number - deals * chance) < LIMIT * (deals * chance * (1 - chance)) ** 0.5


@DEALS
@pytest.mark.parametrize(("kings", "hand"), [(8, "RC7A"), (4, "RC7A")])
def test_whole_hands_come_to_every_seat_as_often_as_they_should(deals, kings, hand):
    question = query(hand, rules="classic" if kings == 8 else "classic-4")
    rows = deal_hands(question.table, question.unseen, deals, 3)
    ways = naive.every_hand(naive.without(naive.deck(kings), naive.cards_of(hand)))
    assert sum(ways.values()) == comb(36, 4)
    chances = np.zeros(len(question.table))
    for cards, number in ways.items():
        chances[question.table.index[naive.text(cards)]] = number / comb(36, 4)
    for role in range(3):
        observed = np.bincount(rows[:, role], minlength=len(chances))
        assert (observed[chances == 0] == 0).all()
        rare = chances * deals < 20
        z = naive.chi_square_z(
            [*observed[~rare], observed[rare].sum() + 20],
            [*(chances[~rare] * deals), chances[rare].sum() * deals + 20],
        )
        assert abs(z) < LIMIT


@DEALS
def test_ranks_fall_to_the_three_hands_together_as_they_should(deals):
    question = query("RC7A")
    rows = deal_hands(question.table, question.unseen, deals, 4)
    for card, copies in enumerate(question.unseen):
        held = question.table.counts[rows, card].astype(np.int64)
        observed = np.bincount(held @ np.array([25, 5, 1]), minlength=125)
        chances = []
        for three in product(range(5), repeat=3):
            rest = int(copies) - sum(three)
            ways = (
                comb(4, three[0])
                * comb(4, three[1])
                * comb(4, three[2])
                * (comb(24, rest) if rest >= 0 else 0)
            )
            chances.append(ways / comb(36, int(copies)))
        assert sum(chances) == pytest.approx(1)
        common = [place for place, chance in enumerate(chances) if chance * deals >= 20]
        others = sum(chances) - sum(chances[place] for place in common)
        z = naive.chi_square_z(
            [*observed[common], deals - observed[common].sum() + 20],
            [*(chances[place] * deals for place in common), others * deals + 20],
        )
        assert abs(z) < LIMIT, question.rules.deck.classes[card]


@DEALS
def test_a_weighted_deal_draws_every_hand_by_its_weight(deals):
    question = query("RC7A")
    table = question.table
    generator = np.random.default_rng(8)
    weights = generator.integers(0, 4, size=(3, len(table)))
    rows = deal_hands(table, question.unseen, deals // 4, 6, weights=weights)
    for role in range(3):
        assert (weights[role][rows[:, role]] > 0).all()
    held = table.counts[rows].astype(np.int64).sum(axis=1)
    assert (held <= question.unseen).all(), "no more cards than are unseen"
