"""How hands compare in each lance: slow and obvious, for a Mus player who knows a little Python.

Every lance has a *key* of a hand: the hand with the greater key is better, and hands with equal keys
tie. A key of None says that the hand does not take part. Ties go to the player nearest the mano.

Source: the written rules of the game (the four rule systems agree on all of this).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from musodds.mus.cards import COIN_JACK, Deck

LANCES = ("grande", "chica", "pares", "juego", "punto")
PARES_KINDS = ("none", "par", "medias", "duples")

# The juegos from worst to best. 38 and 39 cannot happen: no card is worth 8 or 9.
JUEGOS = (33, 34, 35, 36, 37, 40, 32, 31)
JUEGO_FROM = 31
REAL = 99  # above every ordinary juego

Key = tuple[int, ...]
Cards = Sequence[str]


def grande(hand: Cards, deck: Deck) -> Key:
    """Highest cards: compare from the highest card down; the higher card wins."""
    return tuple(sorted((deck.rank(card) for card in hand), reverse=True))


def chica(hand: Cards, deck: Deck) -> Key:
    """Lowest cards: compare from the lowest card up; the lower card wins.

    This is not grande backwards: 7 A A A beats 6 5 4 A, for the second lowest card decides.
    """
    return tuple(-rank for rank in sorted(deck.rank(card) for card in hand))


def pares(hand: Cards, deck: Deck) -> Key | None:
    """Pairs: par < medias < duples, then the rank of the pair; other cards never break a tie.

    Duples compare the higher pair, then the lower; four equal cards are that pair twice.
    """
    kind = pares_kind(hand, deck)
    if kind == "none":
        return None
    number = Counter(deck.rank(card) for card in hand)
    paired = sorted((rank for rank, copies in number.items() if copies >= 2), reverse=True)
    if kind == "duples" and len(paired) == 1:
        paired *= 2
    return (PARES_KINDS.index(kind), *paired)


def pares_kind(hand: Cards, deck: Deck) -> str:
    """``none``, ``par`` (two equal), ``medias`` (three equal) or ``duples`` (two pairs, or four equal)."""
    equal = sorted(Counter(deck.rank(card) for card in hand).values(), reverse=True)
    if equal[0] == 4 or equal[:2] == [2, 2]:
        return "duples"
    return {3: "medias", 2: "par", 1: "none"}[equal[0]]


def points(hand: Cards, deck: Deck) -> int:
    """The sum of the four cards: kings, knights and jacks 10, aces 1, the rest their number."""
    return sum(deck.value(card) for card in hand)


def juego(hand: Cards, deck: Deck, real: str = "off") -> Key | None:
    """31 or more: best to worst 31, 32, 40, 37, 36, 35, 34, 33; the *real*, if played, beats them all."""
    total = points(hand, deck)
    if total < JUEGO_FROM:
        return None
    return (REAL,) if is_real(hand, deck, real) else (JUEGOS.index(total),)


def is_real(hand: Cards, deck: Deck, real: str) -> bool:
    """Three sevens and the fourth card that the form of the *real* asks for.

    ``ten`` takes any card worth 10 (with eight kings a three is a king), ``jack`` any jack, ``coins``
    the jack of coins alone.
    """
    others = [card for card in hand if card != "7"]
    if real == "off" or len(others) != 1:
        return False
    if real == "ten":
        return deck.value(others[0]) == 10
    return others[0] == COIN_JACK if real == "coins" else others[0] in ("S", COIN_JACK)


def punto(hand: Cards, deck: Deck) -> Key | None:
    """The sum of the cards, only for a hand without juego; 30 is best.

    Punto is played only if none of the four players has juego.
    """
    total = points(hand, deck)
    return None if total >= JUEGO_FROM else (total,)


def key_of(lance: str, real: str = "off") -> Callable[[Cards, Deck], Key | None]:
    """The key function of a lance by name."""
    if lance == "juego":
        return lambda hand, deck: juego(hand, deck, real)
    return {"grande": grande, "chica": chica, "pares": pares, "punto": punto}[lance]


def pares_worth(hand: Cards, deck: Deck) -> int:
    """Stones a player's pares add when the pair wins them: par 1, medias 2, duples 3."""
    return PARES_KINDS.index(pares_kind(hand, deck))


def juego_worth(hand: Cards, deck: Deck) -> int:
    """Stones a player's juego adds when the pair wins it: 31 (the *real* too) is 3, any other 2."""
    total = points(hand, deck)
    return 0 if total < JUEGO_FROM else 3 if total == 31 else 2


def winner(lance: str, hands: Sequence[Cards], deck: Deck, real: str = "off") -> int | None:
    """The seat (1 to 4) that wins a lance among four hands in speaking order; None if it is not played.

    Punto is None as soon as any of the four has juego.
    """
    if lance == "punto" and any(points(hand, deck) >= JUEGO_FROM for hand in hands):
        return None
    key = key_of(lance, real)
    best: Key | None = None
    seat = None
    for number, hand in enumerate(hands, start=1):
        mine = key(hand, deck)
        if mine is not None and (best is None or mine > best):
            best, seat = mine, number
    return seat
