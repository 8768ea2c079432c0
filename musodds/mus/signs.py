"""Señas: the signals that partners give, as facts about a hand.

Signals are truthful and complete, so a sign and its absence both tell something. In a deck with four
kings ``R`` is the king alone and ``A`` the ace alone; a three or a two is a card like any other, so three
of them are ordinary medias.

A sign called *medias* or *juego* says less than the word in its lance: the sign for medias leaves out
kings and aces, which have signs of their own, and the one for juego leaves out 31.

Source: the señas of the written rules of the game.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from musodds.mus.cards import Deck
from musodds.mus.lances import JUEGO_FROM, pares_kind, points

Cards = Sequence[str]
_BLIND_UNDER = 29  # 29 and 30 are good puntos and have signs of their own


@dataclass(frozen=True)
class Sign:
    """One señal.

    Attributes:
        name: the English name, lower case with hyphens.
        aliases: every other name, the Spanish one first.
        says: what the hand is, in English.
        fits: whether a hand (four cards of a deck) is what the sign says.
    """

    name: str
    aliases: tuple[str, ...]
    says: str
    fits: Callable[[Cards, Deck], bool]


def _exactly(number: int, card: str) -> Callable[[Cards, Deck], bool]:
    """Exactly so many of a card, and not duples (which three of a card never are)."""
    return lambda hand, deck: hand.count(card) == number and pares_kind(hand, deck) != "duples"


def _medias(hand: Cards, deck: Deck) -> bool:
    return pares_kind(hand, deck) == "medias" and 3 not in (hand.count("R"), hand.count("A"))


def _solomillo(hand: Cards, deck: Deck) -> bool:
    return hand.count("R") == 3 and hand.count("A") == 1


def _has_points(total: int) -> Callable[[Cards, Deck], bool]:
    return lambda hand, deck: points(hand, deck) == total


def _blind(hand: Cards, deck: Deck) -> bool:
    return pares_kind(hand, deck) == "none" and points(hand, deck) < _BLIND_UNDER


SIGNS = (
    Sign("two-kings", ("dos-reyes", "2-reyes", "2-kings"), "exactly two R, not duples", _exactly(2, "R")),
    Sign("three-kings", ("tres-reyes", "3-reyes", "3-kings"), "exactly three R", _exactly(3, "R")),
    Sign("two-aces", ("dos-ases", "2-ases", "2-aces"), "exactly two A, not duples", _exactly(2, "A")),
    Sign("three-aces", ("tres-ases", "3-ases", "3-aces"), "exactly three A", _exactly(3, "A")),
    Sign("medias", ("medias",), "three equal, neither R nor A", _medias),
    Sign(
        "duples",
        ("duples",),
        "two pairs or four equal",
        lambda hand, deck: pares_kind(hand, deck) == "duples",
    ),
    Sign("solomillo", ("solomillo",), "R R R A", _solomillo),
    Sign(
        "thirty-one",
        ("treinta-y-una", "31", "treinta-y-uno", "la-una", "una"),
        "points 31",
        _has_points(JUEGO_FROM),
    ),
    Sign(
        "game",
        ("juego",),
        "juego other than 31",
        lambda hand, deck: points(hand, deck) > JUEGO_FROM,
    ),
    Sign("thirty", ("treinta", "30"), "points 30", _has_points(30)),
    Sign("twenty-nine", ("veintinueve", "29"), "points 29", _has_points(29)),
    Sign("pair", ("pares",), "any pares", lambda hand, deck: pares_kind(hand, deck) != "none"),
    Sign("blind", ("ciego",), "no pares, no juego, points under 29", _blind),
)
"""Every señal, in the order of the rules."""


def plain(name: str) -> str:
    """A name without case, accents, hyphens, underscores and spaces: ``Seña medias`` is ``senamedias``."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return re.sub(r"[\s_-]+", "", "".join(c for c in letters if not unicodedata.combining(c)))


def names_of(sign: Sign) -> Iterator[str]:
    """Every name of a sign, the English one first."""
    yield from dict.fromkeys((sign.name, *sign.aliases))


SIGN_OF = MappingProxyType({plain(name): sign for sign in SIGNS for name in names_of(sign)})
"""The sign for every name in its plain form (see :func:`plain`)."""


def find_sign(name: str) -> Sign | None:
    """The sign of a name, whatever its case, accents and hyphens; None if there is none."""
    return SIGN_OF.get(plain(name))
