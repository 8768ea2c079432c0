"""Cards, decks and hands: from what a player types to what the game knows, and back.

A card is written by its rank alone, because in Mus suits do not count: ``A 2 3 4 5 6 7 S C R``
(sota, caballo, rey). The one exception is the jack of coins, written ``S*``, where the rules play
the *real* with that card alone; it is then one card among the four jacks.

A hand is a tuple of four cards from high to low. With eight kings a three *is* a king and a two
*is* an ace, so hands are written with ``R`` and ``A`` only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from musodds.errors import CardError, RulesError

COIN_JACK = "S*"
CARDS_IN_HAND = 4
CARDS_IN_DECK = 40
SUITS = {"o": "coins", "c": "cups", "e": "swords", "b": "clubs"}

REALS = ("off", "ten", "jack", "coins")

# What a player may type for a rank, in upper case; 10, 11 and 12 only where cards are separated.
_LETTERS = {"A": "A", "1": "A", "2": "2", "3": "3", "4": "4", "5": "5", "6": "6", "7": "7"}
_LETTERS |= {"S": "S", "J": "S", "C": "C", "Q": "C", "R": "R", "K": "R"}
_NUMBERS = {"10": "S", "11": "C", "12": "R"}
_SEPARATORS = re.compile(r"[\s,;/-]+")
_SUITED = re.compile(r"(1[0-2]|[A-Za-z1-7])[oceb]")
_COMPACT = re.compile(r"[SsJj]\*|.", re.DOTALL)
_ALLOWED = "A 2 3 4 5 6 7 S C R"


@dataclass(frozen=True)
class Deck:
    """The forty cards of one rule system, as classes of cards that the game cannot tell apart.

    Attributes:
        kings: 8 (threes are kings, twos are aces) or 4.
        coins: whether the jack of coins is a class of its own.
        classes: the card classes from low to high, as printed.
        copies: how many cards of each class the deck holds; they add up to 40.
        ranks: the order of each class for grande, chica and pares (equal for ``S`` and ``S*``).
        values: what each class is worth for juego and punto.
    """

    kings: int
    coins: bool
    classes: tuple[str, ...]
    copies: tuple[int, ...]
    ranks: tuple[int, ...]
    values: tuple[int, ...]

    @cached_property
    def position(self) -> dict[str, int]:
        """The index of each card class."""
        return {card: i for i, card in enumerate(self.classes)}

    def rank(self, card: str) -> int:
        """The rank of a card, higher is better for grande."""
        return self.ranks[self.position[card]]

    def value(self, card: str) -> int:
        """The points of a card for juego and punto."""
        return self.values[self.position[card]]

    def counts(self, cards: Iterable[str]) -> tuple[int, ...]:
        """How many of each class are among the cards."""
        seen = Counter(cards)
        return tuple(seen[card] for card in self.classes)


@cache
def deck(kings: int = 8, real: str = "off") -> Deck:
    """The deck for a number of kings (8 or 4) and a form of the *real*.

    Raises:
        RulesError: for any other number of kings or form.
    """
    if kings not in (4, 8):
        raise RulesError(f"{kings!r} kings: Mus is played with 8 kings or with 4")
    if real not in REALS:
        raise RulesError(f"real {real!r}: choose one of {', '.join(REALS)}")
    ranks = "A4567SCR" if kings == 8 else "A234567SCR"
    copies = {card: 8 if kings == 8 and card in "AR" else 4 for card in ranks}
    value = {card: 10 if card in "SCR" else 1 if card == "A" else int(card) for card in ranks}
    classes: list[tuple[str, int, int, int]] = []
    for rank, card in enumerate(ranks):
        if card == "S" and real == "coins":
            classes += [("S", copies["S"] - 1, rank, 10), (COIN_JACK, 1, rank, 10)]
        else:
            classes.append((card, copies[card], rank, value[card]))
    names, numbers, order, values = zip(*classes, strict=True)
    return Deck(kings, real == "coins", names, numbers, order, values)


def parse_cards(text: str, deck: Deck, what: str = "cards") -> tuple[str, ...]:
    """Read any number of cards, in the order typed.

    Accepts the compact form (``RR4A``, ``kk41``, ``S*777``) and the separated form (``R R 4 1``,
    ``12-12-4-1``, ``Ro,Rc,4e,Ab``), where a lower-case suit (o c e b) may follow a card.

    Args:
        text: what the player typed.
        deck: the deck in play; it says what a 2, a 3 and the jack of coins are.
        what: the noun for error messages.

    Raises:
        CardError: saying which character is wrong and what to write instead.
    """
    stripped = text.strip()
    if not stripped:
        raise CardError(f"{text!r}: no {what}; write cards such as RR4A")
    if stripped.isdecimal() and stripped.isascii() and stripped[:2] in _NUMBERS and len(stripped) == 2:
        tokens = [stripped]
    elif _SEPARATORS.search(stripped) or _SUITED.fullmatch(stripped):
        tokens = [token for token in _SEPARATORS.split(stripped) if token]
    else:
        return tuple(_compact(text, stripped, deck))
    return tuple(_separated(text, tokens, deck))


def _compact(text: str, typed: str, deck: Deck) -> Iterable[str]:
    tokens = _COMPACT.findall(typed)
    if sum(len(token) == 2 for token in tokens) > 1:
        raise CardError(f"{text!r}: the jack of coins (S*) is there twice, and a deck holds it once")
    for token in tokens:
        if token == "*":
            raise CardError(f"{text!r}: * marks the jack of coins and stands after S only")
        yield _fold(_rank(text, token[0]), deck, coins=len(token) == 2)


def _separated(text: str, tokens: list[str], deck: Deck) -> Iterable[str]:
    seen: set[str] = set()
    for token in tokens:
        suit = ""
        typed = token
        starred = len(typed) > 1 and typed[-1] == "*"
        if starred:
            typed, suit = typed[:-1], "o"
        elif len(typed) > 1 and typed[-1] in SUITS:
            typed, suit = typed[:-1], typed[-1]
        if typed in _NUMBERS:
            rank = _NUMBERS[typed]
        elif len(typed) == 1:
            rank = _rank(text, typed)
        else:
            raise CardError(
                f"{text!r}: {token!r} is not one card; separated cards stand alone, each with at most "
                f"one lower-case suit ({' '.join(SUITS)}), as in Ro,Rc,4e,Ab"
            )
        if starred and rank != "S":
            raise CardError(f"{text!r}: * marks the jack of coins and stands after S only")
        if suit:
            if rank + suit in seen:
                raise CardError(f"{text!r}: {token!r} is there twice, and a deck holds it once")
            seen.add(rank + suit)
        yield _fold(rank, deck, coins=suit == "o")


def _rank(text: str, character: str) -> str:
    """The rank that one typed character means."""
    card = _LETTERS.get(character.upper()) if character.isascii() else None
    if card is None and character in "089":
        hint = "; 10, 11 and 12 need the separated form, as in 12-12-4-1" if character == "0" else ""
        raise CardError(f"{text!r}: there is no {character} in a Mus deck; use {_ALLOWED}{hint}")
    if card is None:
        raise CardError(f"{text!r}: {character!r} is not a card; use {_ALLOWED}")
    return card


def _fold(rank: str, deck: Deck, *, coins: bool) -> str:
    """The card class of a rank: threes and twos with eight kings, the jack of coins where it counts."""
    if deck.kings == 8:
        rank = {"2": "A", "3": "R"}.get(rank, rank)
    return COIN_JACK if rank == "S" and coins and deck.coins else rank


def high_to_low(cards: Iterable[str], deck: Deck) -> tuple[str, ...]:
    """The cards in canonical order, high to low; the jack of coins before the other jacks."""
    return tuple(sorted(cards, key=lambda card: -deck.position[card]))


def text_of(cards: Iterable[str], deck: Deck) -> str:
    """Cards as they are printed: compact, high to low, such as ``RR4A``."""
    return "".join(high_to_low(cards, deck))


def parse_hand(text: str, deck: Deck) -> tuple[str, ...]:
    """Read a hand of four cards; gives it high to low.

    Raises:
        CardError: for anything that is not four cards that the deck holds.
    """
    cards = parse_cards(text, deck, "hand")
    if len(cards) != CARDS_IN_HAND:
        number = f"{len(cards)} card{'' if len(cards) == 1 else 's'}"
        raise CardError(f"{text!r}: {number}, and a Mus hand has four")
    check_deck_holds(cards, deck, text)
    return high_to_low(cards, deck)


def check_deck_holds(cards: Iterable[str], deck: Deck, text: str) -> None:
    """Refuse more cards of a class than there are in the deck.

    Args:
        cards: all cards that are known, wherever they are.
        deck: the deck in play.
        text: what was asked, for the message.

    Raises:
        CardError: naming the card and how many there are.
    """
    for card, number, copies in zip(deck.classes, deck.counts(cards), deck.copies, strict=True):
        if number > copies:
            name = f"{copies} {card}" if copies > 1 else f"one {card}"
            raise CardError(f"{text!r}: {number} {card}, and a deck with {deck.kings} kings holds {name}")
