"""How a query's tables are laid out for the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from musodds.engine import kernels
from musodds.engine.tables import Table

RIGHT, PARTNER, LEFT = 0, 1, 2


# The greedy sequence in which all sums of four terms differ (a B4 sequence), so that the sum of four cards'
# keys tells the hand: one addition a card, one small table look-up a hand. Asserted in ``hand_of_key``.
CARD_KEYS = (0, 1, 5, 21, 55, 153, 368, 856, 1424, 2603, 4967)


@cache
def hand_of_key(table: Table) -> NDArray[np.uint16]:
    """uint16: the table row of every sum of four card keys."""
    sums = table.counts.astype(np.int64) @ np.array(CARD_KEYS[: table.counts.shape[1]])
    assert len(np.unique(sums)) == len(table)
    row_of = np.zeros(int(sums.max()) + 1, dtype=np.uint16)
    row_of[sums] = np.arange(len(table), dtype=np.uint16)
    return row_of


def unseen_cards(table: Table, unseen: NDArray[np.int64]) -> NDArray[np.uint16]:
    """uint16 (40,): the key of each unseen card, low to high, then padding."""
    cards = np.zeros(kernels.DECK, dtype=np.uint16)
    drawn = np.repeat(np.array(CARD_KEYS[: len(unseen)], dtype=np.uint16), unseen)
    cards[: len(drawn)] = drawn
    return cards


def refusals(unseen: int) -> NDArray[np.uint64]:
    """uint64 (4,): the remainders to refuse after three draws from each word of a deal."""
    products = [(unseen - i) * (unseen - i - 1) * (unseen - i - 2) for i in (0, 3, 6, 9)]
    return np.array([2**32 % product for product in products], dtype=np.uint64)


@cache
def ordered_strengths(table: Table) -> NDArray[np.uint16]:
    """uint16 (4, n): grande, chica, pares, and juego with punto below it in one order.

    Punto is played only when nobody has juego, so the best of the four hands in this one order wins
    whichever of the two is played.
    """
    top = int(table.punto.max())
    last = np.where(table.juego > 0, top + table.juego, table.punto)
    return np.stack([table.grande, table.chica, table.pares, last.astype(np.uint16)])


@cache
def strength_words(table: Table) -> NDArray[np.uint64]:
    """uint64 (4, n): the strength word of every hand in seats 1 to 4; see ``kernels.score``."""
    grande, chica, pares, last = ordered_strengths(table).astype(np.uint64) << np.uint64(2)
    one = np.uint64(1)
    words = (
        last
        | pares << kernels.JUEGO_GUARD + one
        | chica << kernels.PARES_GUARD + one
        | grande << kernels.CHICA_GUARD + one
    )
    return np.stack([words + _tie_word(seat) for seat in (1, 2, 3, 4)])


def _tie_word(seat: int) -> np.uint64:
    """The lowest two bits of each field: the nearer the mano, the more."""
    starts = (
        0,
        *(int(guard) + 1 for guard in (kernels.JUEGO_GUARD, kernels.PARES_GUARD, kernels.CHICA_GUARD)),
    )
    return np.uint64(sum((4 - seat) << start for start in starts))


@cache
def worth_codes(table: Table) -> NDArray[np.uint32]:
    """uint32 (3, n): what each hand on the right, as partner, on the left adds to an outcome's index."""
    pares = table.pares_worth.astype(np.uint32)
    juego = table.juego_worth.astype(np.uint32)
    ours = pares << np.uint32(4) | juego << np.uint32(7)
    theirs = pares << np.uint32(10) | juego << np.uint32(13)
    return np.stack([theirs, ours, theirs])


def seats_of_roles(seat: int) -> tuple[int, int, int]:
    """The seats on the right, of the partner and on the left of a seat."""
    return seat % 4 + 1, (seat + 1) % 4 + 1, (seat + 2) % 4 + 1


CHOOSE = np.array([[comb(n, k) for k in range(5)] for n in range(9)], dtype=np.int64)
"""int64 (9, 5): binomial coefficients; no class has more than 8 cards, no hand more than 4 of one."""


@dataclass(frozen=True, eq=False)
class Layout:
    """A table as the enumeration reads it; see ``enumeration.enumerate_partner_hands`` for the shapes.

    Attributes:
        classes, held: uint8 (n, 4), the distinct card classes of each hand and how many of each (0 pads).
        subsets: uint16 (n, 16), the kind of each subset of a hand's four cards, in the order of the bits
            of 0..15: kind 0 is the empty set.
        subset_classes, subset_held: uint8 (m, 4), the same for each kind of subset.
        subset_size: uint8 (m,), how many cards.
        orders: uint16 (4, n), the hands from weakest to strongest in ``ordered_strengths``.
        below: uint16 (4, most + 2), how many hands have less than a strength.
        without: int64 (2,), how many hands have no pares, no juego.
    """

    classes: NDArray[np.uint8]
    held: NDArray[np.uint8]
    subsets: NDArray[np.uint16]
    subset_classes: NDArray[np.uint8]
    subset_held: NDArray[np.uint8]
    subset_size: NDArray[np.uint8]
    orders: NDArray[np.uint16]
    below: NDArray[np.uint16]
    without: NDArray[np.int64]


@cache
def layout(table: Table) -> Layout:
    """Lay out a table for the enumeration (built once)."""
    number, width = table.counts.shape
    cards = np.repeat(np.tile(np.arange(width), number), table.counts.ravel()).reshape(number, 4)
    digit = 5 ** np.arange(width, dtype=np.int64)
    chosen = (np.arange(16)[:, None] >> np.arange(4)) & 1
    kind_keys, kinds = np.unique(digit[cards] @ chosen.T, return_inverse=True)
    subset_counts = (kind_keys[:, None] // digit % 5).astype(np.uint8)
    classes, held = _distinct(table.counts)
    subset_classes, subset_held = _distinct(subset_counts)
    strengths = ordered_strengths(table)
    most = int(strengths.max())
    below = np.stack([np.searchsorted(np.sort(row), np.arange(most + 2)) for row in strengths])
    return Layout(
        classes=classes,
        held=held,
        subsets=kinds.reshape(number, 16).astype(np.uint16),
        subset_classes=subset_classes,
        subset_held=subset_held,
        subset_size=subset_counts.sum(axis=1).astype(np.uint8),
        orders=np.argsort(strengths, axis=1, kind="stable").astype(np.uint16),
        below=below.astype(np.uint16),
        without=np.array([(table.pares == 0).sum(), (table.juego == 0).sum()], dtype=np.int64),
    )


def _distinct(counts: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The classes present in each row, at most four, and how many of each; padded with none of class 0."""
    classes = np.argsort(counts == 0, axis=1, kind="stable")[:, :4].astype(np.uint8)
    return classes, np.take_along_axis(counts, classes, axis=1)
