"""Every distinct hand of a deck, with what it is worth in each lance.

Derivation. Suits do not count, so a hand is a multiset of four card classes that respects the
copies. Eight kings: 8 classes, C(8+3, 4) = 330 multisets, all of them possible. Four kings: 10 classes,
C(10+3, 4) = 715, all possible. Where the jack of coins is a class of its own (one copy) the 3 plain jacks
and the one of coins give 449 (eight kings) or 934 (four kings) hands. A hand can be dealt in
prod(C(copies, number held)) ways, and over all hands the ways add up to C(40, 4) = 91,390.

A strength is a dense rank: 0 says that the hand does not take part in the lance, 1 is the weakest that
does, and equal strengths tie. So every lance is one integer comparison. The table is built from the
card counts alone and shares no code with ``musodds.mus.lances``, against which it is tested.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import NDArray

from musodds.mus.cards import CARDS_IN_DECK, CARDS_IN_HAND, COIN_JACK, Deck, deck

ALL_DEALS = comb(36, 4) * comb(32, 4) * comb(28, 4)
"""43,370,632,305,000: the ways to deal the other three hands once one hand is known."""

_HANDS = {(8, False): 330, (4, False): 715, (8, True): 449, (4, True): 934}
_JUEGO_ORDER = (33, 34, 35, 36, 37, 40, 32, 31)  # worst to best
_REAL_STRENGTH = len(_JUEGO_ORDER) + 1


@dataclass(frozen=True, eq=False)
class Table:
    """All n distinct hands of a deck with k card classes, compared card by card from the highest down.

    So the strongest at grande comes first, except where the jack of coins is a class of its own: here it
    stands above the other jacks, which at grande it equals (RRS*A comes before RRSS).

    Attributes:
        deck: the deck.
        real: the form of the *real* that ``juego`` follows.
        hands: n texts as printed, high to low.
        counts: uint8 (n, k), cards of each class (low to high) in each hand; rows add to 4.
        ways: int64 (n,), in how many ways each hand is dealt from the full deck; adds to 91,390.
        grande, chica, pares, juego, punto: uint16 (n,), strength, greater is better, 0 does not take part.
        pares_worth: uint8 (n,), 0 none, 1 par, 2 medias, 3 duples: kind and stones at once.
        juego_worth: uint8 (n,), 0 none, 3 for 31, else 2.
        points: uint8 (n,), the sum of the cards, 4 to 40.
    """

    deck: Deck
    real: str
    hands: tuple[str, ...]
    counts: NDArray[np.uint8]
    ways: NDArray[np.int64]
    grande: NDArray[np.uint16]
    chica: NDArray[np.uint16]
    pares: NDArray[np.uint16]
    juego: NDArray[np.uint16]
    punto: NDArray[np.uint16]
    pares_worth: NDArray[np.uint8]
    juego_worth: NDArray[np.uint8]
    points: NDArray[np.uint8]

    def __reduce__(self) -> tuple[object, ...]:
        """Another process uses its own table of the deck, with all that is kept for it there."""
        if table(self.deck.kings, self.real) is not self:
            raise TypeError("only a table that table() has built can be sent to another process")
        return table, (self.deck.kings, self.real)

    def __len__(self) -> int:
        """The number of distinct hands."""
        return len(self.hands)

    @cached_property
    def index(self) -> dict[str, int]:
        """The row of each hand by its printed text."""
        return {hand: row for row, hand in enumerate(self.hands)}

    @cached_property
    def copies(self) -> NDArray[np.int64]:
        """int64 (k,): cards of each class in the full deck."""
        return np.array(self.deck.copies, dtype=np.int64)

    @cached_property
    def strengths(self) -> NDArray[np.uint16]:
        """uint16 (5, n): grande, chica, pares, juego, punto."""
        return np.stack([self.grande, self.chica, self.pares, self.juego, self.punto])


def table(kings: int = 8, real: str = "off") -> Table:
    """Build (once) the table of a deck; see the module for the derivation.

    Raises:
        RulesError: for a deck that does not exist.
    """
    return _built(kings, real)


@cache
def _built(kings: int, real: str) -> Table:
    cards = deck(kings, real)
    classes = range(len(cards.classes))
    rows = [
        held
        for held in combinations_with_replacement(reversed(classes), CARDS_IN_HAND)
        if all(held.count(card) <= cards.copies[card] for card in set(held))
    ]
    counts = np.array([[held.count(card) for card in classes] for held in rows], dtype=np.uint8)
    ways = np.array(
        [
            np.prod([comb(n, int(m)) for n, m in zip(cards.copies, held, strict=True)], dtype=np.int64)
            for held in counts
        ]
    )
    assert len(rows) == _HANDS[kings, cards.coins]
    assert ways.sum() == comb(CARDS_IN_DECK, CARDS_IN_HAND)

    order = np.array(cards.ranks)
    ranks = order[np.array(rows)]  # (n, 4), high to low
    values = np.array(cards.values)
    points = (counts @ values).astype(np.uint8)
    held = np.stack([counts[:, order == rank].sum(axis=1) for rank in range(order.max() + 1)], axis=1)
    pares_worth, pares = _pares(held)
    juego, juego_worth = _juego(points, counts, cards, real)
    base = int(order.max()) + 1
    digits = base ** np.arange(CARDS_IN_HAND)
    return Table(
        deck=cards,
        real=real,
        hands=tuple("".join(cards.classes[card] for card in held) for held in rows),
        counts=counts,
        ways=ways,
        grande=_dense(ranks @ digits[::-1], ranks[:, 0] >= 0),
        chica=_dense(-(ranks @ digits), ranks[:, 0] >= 0),
        pares=pares,
        juego=juego,
        punto=_dense(points.astype(np.int64), points < 31),
        pares_worth=pares_worth,
        juego_worth=juego_worth,
        points=points,
    )


def _dense(key: NDArray[np.int64], takes_part: NDArray[np.bool_]) -> NDArray[np.uint16]:
    """Dense ranks of the keys from 1, greater is better; 0 where the hand does not take part."""
    strength = np.zeros(len(key), dtype=np.uint16)
    strength[takes_part] = np.unique(key[takes_part], return_inverse=True)[1] + 1
    return strength


def _pares(held: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """Kind (= stones) and strength from the cards of each rank: kind high, then the two pairs' ranks."""
    most = held.max(axis=1)
    pairs = (held >= 2).sum(axis=1)
    kind = np.select([(most == 4) | (pairs == 2), most == 3, most == 2], [3, 2, 1], 0)
    ranks = np.arange(held.shape[1])
    high = np.where(held >= 2, ranks, -1).max(axis=1)
    low = np.where(held >= 2, ranks, 99).min(axis=1)
    key = kind * 10_000 + high * 100 + np.where(kind == 3, low, 0)
    return kind.astype(np.uint8), _dense(key, kind > 0)


def _juego(
    points: NDArray[np.uint8], counts: NDArray[np.uint8], cards: Deck, real: str
) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Strength (33 worst, 31 best, the *real* above) and stones (31 three, any other two)."""
    strength = np.zeros(len(points), dtype=np.uint16)
    for place, total in enumerate(_JUEGO_ORDER, start=1):
        strength[points == total] = place
    if real != "off":
        fourth = {
            "ten": [card for card, value in enumerate(cards.values) if value == 10],
            "jack": [card for card, name in enumerate(cards.classes) if name in ("S", COIN_JACK)],
            "coins": [card for card, name in enumerate(cards.classes) if name == COIN_JACK],
        }[real]
        sevens = counts[:, cards.classes.index("7")] == 3
        strength[sevens & (counts[:, fourth].sum(axis=1) == 1)] = _REAL_STRENGTH
    worth = np.where(points == 31, 3, np.where(points > 31, 2, 0))
    return strength, worth.astype(np.uint8)
