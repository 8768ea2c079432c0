"""Evaluate arrays of hands: all five lances of a hand from one look-up.

Each class of card has a key, and the keys are chosen so that no two hands of four cards have the same sum (see
``plans.CARD_KEYS``). So two look-ups of two cards each and an addition give the hand's key, and one more look-up
gives its strengths in all lances, packed in one word. The tables in use stay in the first cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from musodds.engine import kernels, plans
from musodds.engine.jit import kernel
from musodds.engine.tables import Table, table
from musodds.errors import CardError, SeatError

U64 = NDArray[np.uint64]
U16 = NDArray[np.uint16]
U8 = NDArray[np.uint8]

CARDS = 4


@dataclass(frozen=True, eq=False)
class Strengths:
    """What packed words say of each hand; more is stronger, and equal is a tie.

    Attributes:
        grande, chica, pares: uint16 (m,); pares is 0 for a hand without pares.
        last: uint16 (m,), juego and punto in one order: every juego is above every punto.
    """

    grande: U16
    chica: U16
    pares: U16
    last: U16


def evaluate(
    cards: U8, *, kings: int = 8, real: str = "off", seat: int | None = None, out: U64 | None = None
) -> U64:
    """The strengths of many hands in all lances.

    Args:
        cards: uint8 (m, 4), a hand in each row, in any order: the number of each card's class, from 0, in the
            deck's order from low to high (``A 4 5 6 7 S C R``, with four kings ``A 2 3 4 5 6 7 S C R``).
        kings, real: which deck, and whether the *real* is played; as in ``tables.table``.
        seat: 1 to 4, to break ties as that seat does against others; None leaves ties.
        out: uint64 (m,), to write into.

    Returns:
        uint64 (m,): a word for each hand. A field of a word is greater if the hand is stronger in that lance;
        ``read_words`` takes them apart, and ``(a | kernels.GUARDS) - b`` compares two hands in all
        lances at once.

    Raises:
        CardError: for an array of another shape or type, or a hand that the deck does not hold.
        SeatError: for a seat that does not exist.
    """
    if cards.dtype != np.uint8 or cards.ndim != 2 or cards.shape[1] != CARDS:
        raise CardError(
            f"hands of shape {cards.shape} and type {cards.dtype}: give one hand in each row, as uint8 (m, 4)"
        )
    hands = table(kings, real)
    words = _words_out(out, len(cards))
    flat = np.ascontiguousarray(cards).reshape(-1)
    if flat.ctypes.data % 2:  # two cards are read at a time
        flat = flat.copy()
    if not _evaluate_cards(words, flat.view(np.uint16), _pair_keys(hands), _word_of_key(hands, seat)):
        row = int(np.flatnonzero(words == 0)[0])
        raise CardError(
            f"row {row}, cards {cards[row].tolist()}: no such hand; classes are 0 to "
            f"{len(hands.deck.classes) - 1} ({' '.join(hands.deck.classes)}), no more of one than the deck has"
        )
    return words


def evaluate_keys(
    keys: U16, *, kings: int = 8, real: str = "off", seat: int | None = None, out: U64 | None = None
) -> U64:
    """As ``evaluate``, for hands that are already packed into keys, uint16 (m,); see ``keys_of``."""
    if keys.dtype != np.uint16 or keys.ndim != 1:
        raise CardError(
            f"keys of shape {keys.shape} and type {keys.dtype}: give uint16 (m,), as keys_of does"
        )
    words = _words_out(out, len(keys))
    if not _evaluate_keys(words, np.ascontiguousarray(keys), _word_of_key(table(kings, real), seat)):
        row = int(np.flatnonzero(words == 0)[0])
        raise CardError(f"row {row}, key {keys[row]}: no hand has this key; make keys with keys_of")
    return words


def keys_of(cards: U8, *, kings: int = 8, real: str = "off") -> U16:
    """uint16 (m,): the key of each hand, from cards as in ``evaluate``; a hand in two bytes."""
    hands = table(kings, real)
    if cards.size and int(cards.max()) >= len(hands.deck.classes):
        raise CardError(f"class {cards.max()}: classes are 0 to {len(hands.deck.classes) - 1}")
    card_keys = np.array(plans.CARD_KEYS, dtype=np.uint16)
    keys: U16 = card_keys[cards].sum(axis=1, dtype=np.uint16)
    return keys


def read_words(words: U64) -> Strengths:
    """Take packed words apart."""
    ends = (kernels.JUEGO_GUARD, kernels.PARES_GUARD, kernels.CHICA_GUARD, kernels.GRANDE_GUARD)
    start, fields = 0, []
    for end in map(int, ends):
        # The lowest two bits of a field are the seat's.
        fields.append(
            (words >> np.uint64(start + 2) & np.uint64((1 << (end - start - 2)) - 1)).astype(np.uint16)
        )
        start = end + 1
    last, pares, chica, grande = fields
    return Strengths(grande=grande, chica=chica, pares=pares, last=last)


def _words_out(out: U64 | None, number: int) -> U64:
    if out is None:
        return np.empty(number, dtype=np.uint64)
    if out.dtype != np.uint64 or out.shape != (number,) or not out.flags.c_contiguous:
        raise CardError(f"out of shape {out.shape} and type {out.dtype}: give uint64 ({number},), contiguous")
    return out


@cache
def _word_of_key(hands: Table, seat: int | None) -> U64:
    """uint64: the word of every sum of two entries of ``_pair_keys``; 0 where there is no hand."""
    if seat is not None and seat not in (1, 2, 3, 4):
        raise SeatError(f"seat {seat}: seats are 1 (mano) to 4 (postre)")
    keys = hands.counts.astype(np.int64) @ np.array(plans.CARD_KEYS[: hands.counts.shape[1]])
    words = np.zeros(2 * _no_card(hands) + 1, dtype=np.uint64)
    words[keys] = plans.strength_words(hands)[3 if seat is None else seat - 1]  # the last seat's bits are 0
    return words


@cache
def _pair_keys(hands: Table) -> U16:
    """uint16 (2**16,): the keys of two cards added up, by their two bytes; too much if either is no card.

    The order of the bytes does not matter, so neither does the machine's.
    """
    card_keys = np.array(plans.CARD_KEYS[: hands.counts.shape[1]])
    pairs = np.full((256, 256), _no_card(hands), dtype=np.uint16)
    pairs[: len(card_keys), : len(card_keys)] = card_keys[:, None] + card_keys
    return pairs.reshape(-1)


def _no_card(hands: Table) -> int:
    """A key that no hand reaches."""
    return CARDS * plans.CARD_KEYS[hands.counts.shape[1] - 1] + 1


@kernel
def _evaluate_cards(words: U64, pairs: U16, pair_keys: U16, word_of_key: U64) -> bool:
    """Fill the words from hands of two pairs of cards each; whether all are hands."""
    missing = np.uint64(0)
    for i in range(words.size):
        place = np.uint64(2) * np.uint64(i)
        one = np.uint64(pair_keys[np.uint64(pairs[place])])
        other = np.uint64(pair_keys[np.uint64(pairs[place + np.uint64(1)])])
        word = word_of_key[one + other]
        words[i] = word
        missing |= np.uint64(word == 0)
    return bool(missing == 0)


@kernel
def _evaluate_keys(words: U64, keys: U16, word_of_key: U64) -> bool:
    """Fill the words from keys; whether all are hands'."""
    missing = np.uint64(0)
    last = np.uint64(word_of_key.size - 1)
    for i in range(words.size):
        word = word_of_key[min(np.uint64(keys[np.uint64(i)]), last)]
        words[i] = word
        missing |= np.uint64(word == 0)
    return bool(missing == 0)
