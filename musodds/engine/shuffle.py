"""A shuffle without a deck: twelve cards drawn without replacement, many deals at a time.

Fisher and Yates draw card t from the places t and up of a deck in memory and move the card at place t to the
place it came from, so every draw waits for the memory of the draw before. But which card a draw finds can be
told from the places drawn from alone, by comparing them: bytes, and so 32 or 64 deals in one instruction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from musodds.engine.jit import inlined, kernel

U64 = NDArray[np.uint64]
U32 = NDArray[np.uint32]
U16 = NDArray[np.uint16]
U8 = NDArray[np.uint8]

DECK = 40
PAIRS = 1 << 12  # two cards of six bits each
CHUNK = 256  # deals per round of the dealing and scoring loops; their work arrays stay in the first cache

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_1 = np.uint64(1)
_2 = np.uint64(2)


class Scratch(NamedTuple):
    """Where a chunk of deals is made.

    Attributes:
        words: uint32 (4, CHUNK), the random words of each deal.
        draws: uint8 (12 * CHUNK,), the place of each draw.
        refused: uint8 (CHUNK,), whether a deal must be made again.
        pairs: uint16 (6 * CHUNK,), the cards drawn, two by two.
    """

    words: U32
    draws: U8
    refused: U8
    pairs: U16


@kernel
def make_scratch() -> Scratch:
    """Room for a chunk."""
    return Scratch(
        np.empty((4, CHUNK), np.uint32),
        np.empty(12 * CHUNK, np.uint8),
        np.empty(CHUNK, np.uint8),
        np.empty(6 * CHUNK, np.uint16),
    )


@kernel
def draw(draws: U8, refused: U8, words: U32, number: int, unseen: np.uint64, refuse: U64) -> None:
    """The place from which each of the twelve draws takes its card: the t-th from place t on.

    Draw t of deal d stands at ``t * CHUNK + d``: in an array of one axis the compiler can tell that the draws
    lie apart.
    """
    refused[:] = 0
    for w in range(4):
        limit = refuse[w]
        base = np.uint64(3 * w)
        left = unseen - base
        for d in range(number):
            word = np.uint64(words[w, d]) * left
            draws[3 * w * CHUNK + d] = np.uint8((word >> _32) + base)
            word = (word & _LOW) * (left - _1)
            draws[(3 * w + 1) * CHUNK + d] = np.uint8((word >> _32) + base + _1)
            word = (word & _LOW) * (left - _2)
            draws[(3 * w + 2) * CHUNK + d] = np.uint8((word >> _32) + base + _2)
            refused[d] |= (word & _LOW) < limit


@inlined
def _found(place: np.uint8, places: tuple[np.uint8, ...], moved: tuple[np.uint8, ...]) -> np.uint8:
    """The card that lies at a place after some draws.

    A draw takes the card at its place and moves the card at its base there. So a place holds the card that
    the last draw from it moved, or its first card if there was none.
    """
    card = place
    for s in range(len(places)):
        if places[s] == place:
            card = moved[s]
    return card


@kernel
def cards_drawn(pairs: U16, draws: U8, number: int) -> None:
    """The cards of each deal, two by two (``a | b << 6``), from the places drawn from.

    All 66 pairs of draws are compared; the tuples are unrolled, so that no branch and no table is left.
    """
    for d in range(number):
        p = (
            draws[d], draws[d + CHUNK], draws[d + 2 * CHUNK], draws[d + 3 * CHUNK],
            draws[d + 4 * CHUNK], draws[d + 5 * CHUNK], draws[d + 6 * CHUNK], draws[d + 7 * CHUNK],
            draws[d + 8 * CHUNK], draws[d + 9 * CHUNK], draws[d + 10 * CHUNK], draws[d + 11 * CHUNK],
        )  # fmt: skip
        m1 = (np.uint8(0),)  # the card moved by each of the first t draws
        m2 = (*m1, _found(np.uint8(1), p[:1], m1))
        m3 = (*m2, _found(np.uint8(2), p[:2], m2))
        m4 = (*m3, _found(np.uint8(3), p[:3], m3))
        m5 = (*m4, _found(np.uint8(4), p[:4], m4))
        m6 = (*m5, _found(np.uint8(5), p[:5], m5))
        m7 = (*m6, _found(np.uint8(6), p[:6], m6))
        m8 = (*m7, _found(np.uint8(7), p[:7], m7))
        m9 = (*m8, _found(np.uint8(8), p[:8], m8))
        m10 = (*m9, _found(np.uint8(9), p[:9], m9))
        m11 = (*m10, _found(np.uint8(10), p[:10], m10))
        pairs[d] = _pair(p[0], _found(p[1], p[:1], m1))
        pairs[d + CHUNK] = _pair(_found(p[2], p[:2], m2), _found(p[3], p[:3], m3))
        pairs[d + 2 * CHUNK] = _pair(_found(p[4], p[:4], m4), _found(p[5], p[:5], m5))
        pairs[d + 3 * CHUNK] = _pair(_found(p[6], p[:6], m6), _found(p[7], p[:7], m7))
        pairs[d + 4 * CHUNK] = _pair(_found(p[8], p[:8], m8), _found(p[9], p[:9], m9))
        pairs[d + 5 * CHUNK] = _pair(_found(p[10], p[:10], m10), _found(p[11], p[:11], m11))


@inlined
def _pair(a: np.uint8, b: np.uint8) -> np.uint16:
    return np.uint16(a) | np.uint16(b) << np.uint16(6)


@kernel
def add_pairs(cards: U16) -> U16:
    """uint16 (PAIRS,): at ``a | b << 6`` the keys of cards a and b added up."""
    keys = np.zeros(PAIRS, np.uint16)
    for b in range(DECK):
        for a in range(DECK):
            keys[a | b << 6] = cards[a] + cards[b]
    return keys
