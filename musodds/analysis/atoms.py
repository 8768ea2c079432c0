"""What the words, hands, patterns and comparisons of a condition mean: which hands of a table they fit.

Every meaning comes with its canonical text, which reads back as the same meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from musodds.analysis.grammar import Compared, Operand, Share, decimal, fail
from musodds.engine.tables import Table
from musodds.errors import CardError, ConditionError
from musodds.mus.cards import (
    CARDS_IN_HAND,
    COIN_JACK,
    Deck,
    check_deck_holds,
    parse_cards,
    parse_hand,
    text_of,
)
from musodds.mus.lances import JUEGO_FROM, JUEGOS, LANCES, PARES_KINDS
from musodds.mus.signs import SIGN_OF, SIGNS, Sign, names_of, plain

Mask = NDArray[np.bool_]

_ANY = ("any", "cualquiera")
_PUNTOS = ("points", "puntos")
_NAMED_HANDS = {"perete": "7654", "solomillo": "RRRA"}
_SIGN_PREFIXES = ("sign", "sena", "senal")
_CARD = re.compile(r"[SsJj]\*|.", re.DOTALL)
_CARD_LETTERS = frozenset("A1234567SJCQRK")
_LEAST, _MOST = 4, 40  # points of a hand


@dataclass(frozen=True)
class Meaning:
    """An atom understood: its canonical text and bool (n,), whether each hand of the table fits."""

    text: str
    fits: Mask


def atom(source: str, operand: Operand, table: Table) -> Meaning:
    """The meaning of one word, number, hand or pattern standing alone.

    Raises:
        ConditionError: if it means nothing, with the nearest name.
    """
    typed = operand.text
    if _is_number(typed) and len(typed) <= 2:
        total = int(typed)
        if not _LEAST <= total <= _MOST:
            raise fail(source, operand.column, f"{typed}: the points of a hand are {_LEAST} to {_MOST}")
        return Meaning(str(total), table.points == total)
    known = _word(plain(typed), table)
    if known is not None:
        return known
    if plain(typed) in (*LANCES, *_PUNTOS):
        example = (
            "points>=27" if plain(typed) in _PUNTOS else f"{plain(typed)}>=RR7. or top 20% {plain(typed)}"
        )
        raise fail(
            source, operand.column, f"{typed!r} alone says nothing of a hand; write for example {example}"
        )
    return _cards(source, operand, table)


def compared(source: str, node: Compared, table: Table) -> Meaning:
    """The meaning of ``points>=27``, ``R>=2`` or ``grande>=RR7.``; see ``knowledge`` for the rules.

    Raises:
        ConditionError: for two things that cannot be compared.
    """
    key = plain(node.left.text)
    if key in _PUNTOS:
        total = _whole(source, node.right, "points")
        return Meaning(f"points{node.operator}{total}", _holds(table.points, node.operator, total, total))
    if key in LANCES:
        return _in_lance(source, node, key, table)
    if re.fullmatch(r".|[SsJj]\*", node.left.text):
        return _count(source, node, table)
    close = get_close_matches(key, (*LANCES, *_PUNTOS), n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    raise fail(
        source,
        node.left.column,
        f"{node.left.text!r} cannot be compared; {hint}"
        f"compare points, a card or a lance ({', '.join(LANCES)})",
    )


def share(source: str, node: Share, table: Table) -> Meaning:
    """The meaning of ``top 20% grande``; see ``knowledge`` for the rule at the border.

    Raises:
        ConditionError: for a lance that does not exist.
    """
    lance = _lance(source, node.lance)
    strength = _strength(table, lance)
    classes = np.bincount(strength, weights=table.ways).astype(np.int64)
    order = range(1, len(classes)) if node.end == "bottom" else range(len(classes) - 1, 0, -1)
    wanted = node.percent / 100 * Fraction(int(table.ways.sum()))
    taken = np.zeros(len(classes), dtype=bool)
    reached = 0
    for grade in order:
        if reached >= wanted:
            break
        taken[grade] = True
        reached += int(classes[grade])
    return Meaning(f"{node.end} {decimal(node.percent)}% {lance}", taken[strength])


def _word(key: str, table: Table) -> Meaning | None:
    """A name by its plain form. Where a lance and a sign share a name, the word is the lance's."""
    everything = np.ones(len(table), dtype=bool)
    if key in _ANY:
        return Meaning(_ANY[0], everything)
    if key in PARES_KINDS[1:]:
        return Meaning(key, table.pares_worth == PARES_KINDS.index(key))
    if key == "pares":
        return Meaning(key, table.pares_worth > 0)
    if key in ("juego", "punto"):
        return Meaning(key, (table.points >= JUEGO_FROM) == (key == "juego"))
    if key in _NAMED_HANDS and key not in SIGN_OF:
        return Meaning(_NAMED_HANDS[key], _only(_NAMED_HANDS[key], table))
    sign = SIGN_OF.get(key)
    for prefix in _SIGN_PREFIXES:
        sign = sign or SIGN_OF.get(key.removeprefix(prefix))
    return None if sign is None else Meaning(_sign_text(sign), _sign_fits(sign, table))


def _sign_text(sign: Sign) -> str:
    """The shortest text that means the sign and nothing else."""
    numbers = [name for name in sign.aliases if _is_number(name)]
    if numbers:
        return numbers[0]
    return {"pair": "pares", "medias": "sign-medias"}.get(sign.name, sign.name)


@cache
def _sign_fits(sign: Sign, table: Table) -> Mask:
    hands = [_expand(hand) for hand in table.hands]
    return np.array([sign.fits(hand, table.deck) for hand in hands])


def _expand(hand: str) -> tuple[str, ...]:
    return tuple(_CARD.findall(hand))


def _only(hand: str, table: Table) -> Mask:
    fits = np.zeros(len(table), dtype=bool)
    fits[table.index[hand]] = True
    return fits


def _cards(source: str, operand: Operand, table: Table) -> Meaning:
    """A whole hand or a pattern."""
    typed = operand.text
    named = typed.replace(".", "")
    if named and not _looks_like_cards(named):
        raise _unknown(source, operand)
    if len(named) > 4 * CARDS_IN_HAND:
        raise fail(source, operand.column, f"{len(named)} characters, and a Mus hand has four cards")
    try:
        if "." not in typed:
            hand = text_of(parse_hand(typed, table.deck), table.deck)
            return Meaning(hand, _only(hand, table))
        cards = [card for token in _CARD.findall(named) for card in parse_cards(token, table.deck)]
        check_deck_holds(cards, table.deck, typed)
    except CardError as error:
        hint = ""
        missing = CARDS_IN_HAND - len(_CARD.findall(named))
        if "." not in typed and missing > 0 and typed.isalnum():
            hint = f"; for a hand that holds these, write {typed}{'.' * missing}"
        raise fail(source, operand.column, f"{error}{hint}") from None
    if len(cards) > CARDS_IN_HAND:
        raise fail(source, operand.column, f"{typed!r}: {len(cards)} cards, and a Mus hand has four")
    if "*" in named:
        _check_coins(source, operand, table.deck)
    text = text_of(cards, table.deck)
    if len(cards) == CARDS_IN_HAND:
        return Meaning(text, _only(text, table))
    fits = np.ones(len(table), dtype=bool)
    for card in set(cards):
        number = cards.count(card)
        if card == "S":
            number += cards.count(COIN_JACK)
        fits &= _number_of(card, table) >= number
    return Meaning(text + "." * (CARDS_IN_HAND - len(cards)), fits)


def _number_of(card: str, table: Table) -> NDArray[np.int64]:
    """int64 (n,): how many of a card each hand holds; ``S`` is any jack, that of coins included."""
    classes = [card, COIN_JACK] if card == "S" and table.deck.coins else [card]
    columns = [table.deck.position[name] for name in classes]
    number: NDArray[np.int64] = table.counts[:, columns].sum(axis=1, dtype=np.int64)
    return number


def _check_coins(source: str, operand: Operand, deck: Deck) -> None:
    if not deck.coins:
        raise fail(
            source,
            operand.column,
            "S* is told from the other jacks only with the real of coins; write S for any jack",
        )


def _count(source: str, node: Compared, table: Table) -> Meaning:
    typed = node.left.text
    try:
        (card,) = parse_cards(typed, table.deck, "card")
    except CardError as error:
        raise fail(source, node.left.column, str(error)) from None
    if "*" in typed:
        _check_coins(source, node.left, table.deck)
    number = _whole(source, node.right, "cards")
    return Meaning(
        f"{card}{node.operator}{number}", _holds(_number_of(card, table), node.operator, number, number)
    )


def _in_lance(source: str, node: Compared, lance: str, table: Table) -> Meaning:
    strength = _strength(table, lance)
    other = _rival(source, node.right, lance, table)
    graded = strength[other.fits & (strength > 0)]
    if not len(graded):
        raise fail(source, node.right.column, f"{node.right.text!r} takes no part in {lance}")
    fits = _holds(strength, node.operator, int(graded.min()), int(graded.max())) & (strength > 0)
    return Meaning(f"{lance}{node.operator}{other.text}", fits)


def _rival(source: str, operand: Operand, lance: str, table: Table) -> Meaning:
    """What a lance is compared with: hands as a pattern, a kind of pares, the points of a juego."""
    key = plain(operand.text)
    if lance == "pares" and key in PARES_KINDS[1:]:
        return Meaning(key, table.pares_worth == PARES_KINDS.index(key))
    if _is_number(operand.text) and len(operand.text) <= 2:
        if lance not in ("juego", "punto"):
            raise fail(
                source, operand.column, f"{operand.text}: compare {lance} with a hand, as in {lance}>=RR7."
            )
        total = int(operand.text)
        if lance == "juego" and total not in JUEGOS:
            raise fail(source, operand.column, f"{total}: the juegos are 31, 32, 40, 37, 36, 35, 34, 33")
        return Meaning(str(total), table.points == total)
    if key in _NAMED_HANDS:
        return Meaning(_NAMED_HANDS[key], _only(_NAMED_HANDS[key], table))
    return _cards(source, operand, table)


def _strength(table: Table, lance: str) -> NDArray[np.uint16]:
    strengths: NDArray[np.uint16] = table.strengths[LANCES.index(lance)]
    return strengths


def _lance(source: str, operand: Operand) -> str:
    lance = plain(operand.text)
    if lance not in LANCES:
        close = get_close_matches(lance, LANCES, n=1)
        hint = f"did you mean {close[0]}? " if close else ""
        raise fail(
            source, operand.column, f"{operand.text!r} is no lance; {hint}the lances are {', '.join(LANCES)}"
        )
    return lance


def _holds(values: NDArray[np.generic], operator: str, low: int, high: int) -> Mask:
    """Whether values stand so to a range: ``>=`` reaches its low end, ``>`` is above its high end."""
    numbers = values.astype(np.int64)
    at_least, above = numbers >= low, numbers > high
    table = {">=": at_least, "<": ~at_least, ">": above, "<=": ~above, "=": at_least & ~above}
    return ~table["="] if operator == "!=" else table[operator]


def _whole(source: str, operand: Operand, what: str) -> int:
    if not _is_number(operand.text):
        raise fail(source, operand.column, f"{operand.text!r}: compare {what} with a whole number")
    return int(operand.text) if len(operand.text.lstrip("0")) <= 3 else 999  # as good as any greater


def _is_number(typed: str) -> bool:
    return typed.isascii() and typed.isdecimal()


def _looks_like_cards(named: str) -> bool:
    """Cards, or a slip in writing four of them: then the reason is in the card, not in the name."""
    letters = [letter for letter in named.upper() if letter not in " *-/,;"]
    good = sum(letter in _CARD_LETTERS for letter in letters)
    return good == len(letters) or (len(letters) == CARDS_IN_HAND and good == CARDS_IN_HAND - 1)


def _names() -> Iterator[tuple[str, str]]:
    """Every name by its plain form, the plainest first."""
    for name in ("pares", *PARES_KINDS[1:], "juego", "punto", *_ANY, *_NAMED_HANDS, *LANCES, *_PUNTOS):
        yield name, name
    for sign in SIGNS:
        for name in names_of(sign):
            yield plain(name), name


def _unknown(source: str, operand: Operand) -> ConditionError:
    names = dict(reversed(list(_names())))
    if len(words := operand.text.split()) > 1 and any(plain(word) in names for word in words):
        return fail(source, operand.column, f"{operand.text[:40]!r}: join conditions by & or |")
    close = get_close_matches(plain(operand.text), names, n=1)
    hint = (
        f"did you mean {names[close[0]]}?"
        if close
        else "use pares, juego, 31, points>=27, R>=2, a hand, a pattern such as RR.., or a señal"
    )
    return fail(source, operand.column, f"{operand.text[:40]!r} is not known; {hint}")
