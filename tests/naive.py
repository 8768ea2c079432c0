"""Slow, obvious twins of everything that is fast.

Nothing here imports numpy, numba or the engine, and the hands are judged by an evaluator of its own,
written from the rules as plain comparisons of two hands. A hand is a tuple of card names, such as
``("R", "R", "4", "A")``; the jack of coins, where it is a card of its own, is ``"S*"``.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from math import comb, sqrt

LANCES = ("grande", "chica", "pares", "juego", "punto")
FIGURES = ("win", "lose", "played", "contested", "win_contested", "mine")
JUEGOS_BEST_FIRST = (31, 32, 40, 37, 36, 35, 34, 33)

Hand = tuple[str, ...]


# --- the deck ---


def deck(kings: int = 8, coins: bool = False) -> list[str]:
    """The forty cards; with eight kings each three is already an R and each two an A."""
    cards = []
    for suit in "oceb":
        for card in "A234567SCR":
            if kings == 8:
                card = {"2": "A", "3": "R"}.get(card, card)
            cards.append("S*" if coins and card == "S" and suit == "o" else card)
    return cards


def cards_of(text: str) -> Hand:
    """``"S*777"`` as a tuple of card names."""
    cards: list[str] = []
    for character in text:
        if character == "*":
            cards[-1] += "*"
        else:
            cards.append(character)
    return tuple(cards)


def height(card: str) -> int:
    """How high a card is in grande; right for both decks, since eight kings only leaves cards out."""
    return "A234567SCR".index(card[0])


def in_order(cards: Iterable[str]) -> Hand:
    """High to low, the jack of coins before the other jacks."""
    return tuple(sorted(cards, key=lambda card: (height(card), len(card)), reverse=True))


def text(cards: Iterable[str]) -> str:
    """A hand as it is printed."""
    return "".join(in_order(cards))


def without(cards: Sequence[str], gone: Iterable[str]) -> list[str]:
    """The cards that are left after some are taken away."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left


def every_hand(cards: Sequence[str]) -> dict[Hand, int]:
    """Each distinct hand that can be dealt from the cards, and in how many ways."""
    ways: dict[Hand, int] = {}
    for hand in combinations(in_order(cards), 4):
        ways[hand] = ways.get(hand, 0) + 1
    return ways


# --- which of two hands is better: above 0 the first, below 0 the second, 0 a tie ---


def points(hand: Hand) -> int:
    """The sum of the cards."""
    return sum(10 if card[0] in "SCR" else 1 if card == "A" else int(card) for card in hand)


def compare_grande(a: Hand, b: Hand) -> int:
    """From the highest card down."""
    for mine, other in zip(in_order(a), in_order(b), strict=True):
        if height(mine) != height(other):
            return 1 if height(mine) > height(other) else -1
    return 0


def compare_chica(a: Hand, b: Hand) -> int:
    """From the lowest card up, lower is better."""
    for mine, other in zip(in_order(a)[::-1], in_order(b)[::-1], strict=True):
        if height(mine) != height(other):
            return 1 if height(mine) < height(other) else -1
    return 0


def pairs(hand: Hand) -> tuple[int, list[int]]:
    """Stones of the pares (0 to 3) and the heights of the pairs, higher first."""
    heights = [height(card) for card in in_order(hand)]
    equal = {number: heights.count(number) for number in heights}
    pair = [number for number, times in equal.items() if times >= 2]
    if 4 in equal.values():
        return 3, pair + pair
    if len(pair) == 2:
        return 3, pair
    if 3 in equal.values():
        return 2, pair
    return (1, pair) if pair else (0, [])


def compare_pares(a: Hand, b: Hand) -> int:
    """Kind first, then the higher pair, then the lower one."""
    (kind_a, pairs_a), (kind_b, pairs_b) = pairs(a), pairs(b)
    if kind_a != kind_b:
        return kind_a - kind_b
    for mine, other in zip(pairs_a, pairs_b, strict=True):
        if mine != other:
            return mine - other
    return 0


def is_real(hand: Hand, real: str) -> bool:
    """Three sevens and the card that the form of the real asks for."""
    if real == "off" or hand.count("7") != 3:
        return False
    (fourth,) = (card for card in hand if card != "7")
    return fourth in {"ten": ("S", "S*", "C", "R"), "jack": ("S", "S*"), "coins": ("S*",)}[real]


def compare_juego(a: Hand, b: Hand, real: str = "off") -> int:
    """The real, then 31, 32, 40, 37 down to 33."""
    if is_real(a, real) or is_real(b, real):
        return is_real(a, real) - is_real(b, real)
    return JUEGOS_BEST_FIRST.index(points(b)) - JUEGOS_BEST_FIRST.index(points(a))


def compare_punto(a: Hand, b: Hand) -> int:
    """More points are better."""
    return points(a) - points(b)


@cache
def compare(lance: str, a: Hand, b: Hand, real: str = "off") -> int:
    """Two hands that both take part in a lance."""
    if lance == "juego":
        return compare_juego(a, b, real)
    return {
        "grande": compare_grande,
        "chica": compare_chica,
        "pares": compare_pares,
        "punto": compare_punto,
    }[lance](a, b)


@cache
def takes_part(lance: str, hand: Hand) -> bool:
    """Whether a hand may win a lance at all (punto also needs that nobody has juego)."""
    if lance == "pares":
        return pairs(hand)[0] > 0
    if lance == "juego":
        return points(hand) >= 31
    return lance != "punto" or points(hand) < 31


@cache
def stones(lance: str, hand: Hand) -> int:
    """What one player of the winning pair adds with every lance passed."""
    if lance == "pares":
        return pairs(hand)[0]
    if lance == "juego":
        return 3 if points(hand) == 31 else 2 if points(hand) > 31 else 0
    return 0


# --- a whole table ---


def winner(lance: str, hands: Sequence[Hand], real: str = "off") -> int | None:
    """The seat (1 to 4) that wins among four hands in speaking order; None if the lance is not played."""
    if lance == "punto" and any(points(hand) >= 31 for hand in hands):
        return None
    best = None
    for seat, hand in enumerate(hands, start=1):
        if takes_part(lance, hand) and (best is None or compare(lance, hand, hands[best - 1], real) > 0):
            best = seat
    return best


def seated(mine: Hand, right: Hand, partner: Hand, left: Hand, seat: int) -> list[Hand]:
    """Four hands in speaking order, from the player's own and the three around."""
    hands = [mine, right, partner, left]
    return [hands[(place - seat) % 4] for place in (1, 2, 3, 4)]


def settle(hands: Sequence[Hand], seat: int, real: str = "off") -> dict[tuple[str, str], int]:
    """What one deal adds to each count, seen from a seat: (lance, figure), and ("stones", us or them)."""
    us = {seat, (seat + 1) % 4 + 1}
    deal = {("stones", "us"): 0, ("stones", "them"): 0}
    for lance in LANCES:
        best = winner(lance, hands, real)
        holders = {place for place in (1, 2, 3, 4) if takes_part(lance, hands[place - 1])}
        won = best in us
        both = best is not None and bool(holders & us) and bool(holders - us)
        deal[lance, "win"] = int(won)
        deal[lance, "lose"] = int(best is not None and not won)
        deal[lance, "played"] = int(best is not None)
        deal[lance, "contested"] = int(both)
        deal[lance, "win_contested"] = int(won and both)
        deal[lance, "mine"] = int(best == seat)
        if best is not None:
            pair = us if won else {1, 2, 3, 4} - us
            flat = 0 if lance in ("pares", "juego") else 1
            paid = flat + sum(stones(lance, hands[place - 1]) for place in pair)
            deal["stones", "us" if won else "them"] += paid
    return deal


def add_up(
    deals: Iterable[tuple[Sequence[Hand], int]], seat: int, real: str = "off"
) -> dict[tuple[str, str], int]:
    """The counts over weighted deals of four hands in speaking order, their weight under ("deals", "")."""
    weights: Counter[tuple[Hand, ...]] = Counter()
    for hands, weight in deals:
        weights[tuple(hands)] += weight
    total: dict[tuple[str, str], int] = {("deals", ""): 0}
    for hands, weight in weights.items():
        total["deals", ""] += weight
        for name, number in settle(hands, seat, real).items():
            total[name] = total.get(name, 0) + weight * number
    return total


def all_deals(
    mine: Hand,
    unseen: Sequence[str],
    seat: int,
    weights: Sequence[Mapping[str, int]] | None = None,
) -> Iterator[tuple[list[Hand], int]]:
    """Every way to deal three hands from the unseen cards, card by card; feasible up to some 13 cards.

    Args:
        mine: the player's own hand.
        unseen: the cards that may be anywhere else.
        seat: where the player sits, 1 to 4.
        weights: for right, partner and left the weight of each hand by its text; absent hands weigh 1.
    """
    unseen = in_order(unseen)
    places = range(len(unseen))
    for right in combinations(places, 4):
        rest = [place for place in places if place not in right]
        for partner in combinations(rest, 4):
            last = [place for place in rest if place not in partner]
            for left in combinations(last, 4):
                others = [tuple(unseen[place] for place in hand) for hand in (right, partner, left)]
                weight = 1
                if weights is not None:
                    for hand, table in zip(others, weights, strict=True):
                        weight *= table.get(text(hand), 1)
                yield seated(mine, others[0], others[1], others[2], seat), weight


def ways_from(unseen: Sequence[str], hand: Hand) -> int:
    """In how many ways a hand is dealt from the cards."""
    ways = 1
    for card in set(hand):
        ways *= comb(unseen.count(card), hand.count(card))
    return ways


def weighted_deals(
    mine: Hand, unseen: Sequence[str], seat: int, weights: Sequence[Mapping[Hand, int]]
) -> Iterator[tuple[list[Hand], int]]:
    """Every deal of three hands of which a few may weigh something, each with its ways times its weights.

    Args:
        mine: the player's own hand.
        unseen: the cards that may be anywhere else.
        seat: where the player sits, 1 to 4.
        weights: for right, partner and left the weight of each hand; absent hands are ruled out.
    """
    for right, right_weight in weights[0].items():
        right_ways = ways_from(unseen, right) * right_weight
        if right_ways == 0:
            continue
        rest = without(unseen, right)
        for partner, partner_weight in weights[1].items():
            partner_ways = right_ways * ways_from(rest, partner) * partner_weight
            if partner_ways == 0:
                continue
            last = without(rest, partner)
            for left, left_weight in weights[2].items():
                ways = partner_ways * ways_from(last, left) * left_weight
                if ways:
                    yield seated(mine, right, partner, left, seat), ways


def random_deals(
    mine: Hand, unseen: Sequence[str], seat: int, deals: int, seed: int
) -> Iterator[tuple[list[Hand], int]]:
    """Deals by Python's own generator."""
    generator = random.Random(seed)
    for _ in range(deals):
        cards = generator.sample(list(unseen), 12)
        others = [in_order(cards[start : start + 4]) for start in (0, 4, 8)]
        yield seated(mine, others[0], others[1], others[2], seat), 1


# --- random numbers ---


def philox(counter: Sequence[int], key: Sequence[int]) -> tuple[int, int, int, int]:
    """Philox4x32-10 of Salmon, Moraes, Dror and Shaw (2011): four 32-bit numbers from a counter and a key."""
    word = 2**32
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c0, word)
        high1, low1 = divmod(0xCD9E8D57 * c2, word)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B9) % word, (k1 + 0xBB67AE85) % word
    return c0, c1, c2, c3


def dealt(unseen: Sequence[str], deal: int, seed: int) -> tuple[Hand, Hand, Hand]:
    """The hands on the right, as partner and on the left in one deal of a seed.

    The unseen cards lie from low to high. Each of the four words of the deal chooses three cards: the word
    times the number of choices is a whole number, which names the choice, and a remainder. Choices
    that would come up once too often are refused, and the deal is made again with fresh words.
    """
    attempt = 0
    while True:
        pack = sorted(unseen, key=lambda card: (height(card), len(card)))
        key = (seed % 2**32, seed // 2**32)
        drawn: list[str] = []
        fair = True
        for word in philox((deal % 2**32, deal // 2**32, attempt, 0), key):
            first = len(drawn)
            left = len(pack) - first
            choices = left * (left - 1) * (left - 2)
            choice, remainder = divmod(word * choices, 2**32)
            fair = fair and remainder >= 2**32 % choices
            steps = (
                choice // ((left - 1) * (left - 2)),
                choice // (left - 2) % (left - 1),
                choice % (left - 2),
            )
            for step in steps:
                place = len(drawn)
                pack[place], pack[place + step] = pack[place + step], pack[place]
                drawn.append(pack[place])
        if fair:
            return in_order(drawn[:4]), in_order(drawn[4:8]), in_order(drawn[8:])
        attempt += 1


# --- statistics ---


def chi_square_z(observed: Sequence[float], expected: Sequence[float]) -> float:
    """Pearson's χ² of counts as a standard normal deviate (Wilson and Hilferty, 1931)."""
    assert len(observed) == len(expected)
    assert min(expected) >= 5
    freedom = len(observed) - 1
    square = sum((seen - wanted) ** 2 / wanted for seen, wanted in zip(observed, expected, strict=True))
    spread = 2 / (9 * freedom)
    return float(((square / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))
