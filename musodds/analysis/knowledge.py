"""What is known of another hand, as a weight for every hand of the deck.

A condition speaks of one hand of four cards. From what it is made:

``pares`` ``par`` ``medias`` ``duples`` ``juego`` ``punto`` ``any``
    what the hand holds in a lance; ``par`` is exactly one pair, ``punto`` is no juego. ``medias`` and
    ``juego`` mean the lance; the señas of these names, which say less, are ``sign-medias`` and ``game``.
a number from 4 to 40
    the points of the hand: ``31``, ``27``.
a señal
    by any of its names, whatever the case, accents and hyphens: ``two-kings``, ``Dos reyes``, ``ciego``.
    With ``sign`` or ``seña`` before it the name is the señal's in any case: ``seña medias``.
``points>=27`` ``R>=2`` ``7=0``
    the points, or the number of a card; operators are ``= != < <= > >=``. ``S`` counts every jack.
a whole hand, ``RRCA``
    exactly these four cards, as hands are written everywhere (``S`` is then not the jack of coins).
a pattern, ``RR..``
    at least the cards named (``S`` any jack); the dots, however many, stand for any other cards.
``grande>=RR7.`` ``pares>=medias`` ``juego>=32``
    strength in a lance, among the hands that take part in it. The right side is a hand, a pattern, a kind
    of pares, or the points of a juego or punto. ``>=`` is as good as the weakest hand that fits the
    right side or better, ``>`` better than the strongest; ``<`` and ``<=`` are their opposites,
    ``=`` lies between (``>=`` and ``<=``), ``!=`` does not.
``top 20% grande`` ``bottom 5% pares``
    the strongest (weakest) hands that take part in the lance. The share is of all dealt hands of a fresh
    deck, C(40, 4) = 91,390; hands that tie stay together, so it is the smallest number of whole ties
    that reaches the share. If fewer take part, it is all of them.

They are joined by ``!`` (``not``, ``no``), ``&`` (``and``, ``y``), ``|`` (``or``, ``o``) and
parentheses, in this order of binding, and by weighted sums: ``0.3*ciego + 0.7*(R>=2)``.

A weight multiplies the frequency of every hand that fits; a hand in two terms has the sum of their
weights, and a condition without a weight has weight 1. So the odds under ``a*C1 + b*C2`` are the mixture
of the odds under ``C1`` and ``C2`` in the proportion a·P(C1) to b·P(C2), where P is the probability that
the hand fits. ``&`` multiplies weights; ``!`` and ``|`` join conditions without weights only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache
from math import comb, gcd, lcm

import numpy as np
from numpy.typing import NDArray

from musodds.analysis import atoms
from musodds.analysis.grammar import (
    MAX_NUMBER,
    All,
    Compared,
    Either,
    Node,
    Not,
    Operand,
    Share,
    Sum,
    check_length,
    decimal,
    fail,
    parse,
)
from musodds.engine.tables import Table
from musodds.errors import ConditionError, SeatError
from musodds.mus.cards import CARDS_IN_HAND, Deck, text_of
from musodds.mus.lances import JUEGO_FROM, pares_kind, points
from musodds.mus.seats import ROLES, SEATS, parse_seat, seat_of

_DECLARED = ("pares", "juego")
_NOBODY = ("", "none", "nadie", "nobody")
_EVERYBODY = ("all", "todos", "everybody")


@dataclass(frozen=True)
class Condition:
    """A condition on one hand.

    Attributes:
        text: the canonical text, which reads back as the same condition and the same text.
        weights: int64 (n,), the weight of every hand of the table; 0 excludes it. Read-only.
        unit: the weight that stands for "fits"; weights are fractions of it (1 unless weighted).
            No divisor is common to the unit and all weights; both are at most 40,000.
    """

    text: str
    weights: NDArray[np.int64] = field(compare=False, repr=False)
    unit: int = 1

    @property
    def weighted(self) -> bool:
        """Whether some hand counts for more or less than 1."""
        return self.unit != 1 or bool((self.weights > 1).any())


@dataclass(frozen=True)
class Explained:
    """How much of a deck a condition leaves.

    Attributes:
        text: the condition.
        hands: how many hands of the table have a weight above 0.
        of_hands: how many hands the table has.
        possible: how many of ``hands`` can still be dealt from the unseen cards.
        share: the share of deals that fit, 0 to 1: among all ways to deal this one hand from the unseen
            cards, each counted with its weight (above 1 if weights are).
        weighted: whether the share counts some hand for more or less than 1.
    """

    text: str
    hands: int
    of_hands: int
    possible: int
    share: float
    weighted: bool = False


@dataclass(frozen=True)
class _Part:
    """A part of a condition: its text, how it binds, its weights in units, whether weights are written."""

    text: str
    node: Node
    weights: NDArray[np.int64]
    unit: int = 1

    @property
    def weighted(self) -> bool:
        return isinstance(self.node, Sum) or self.unit != 1 or bool((self.weights > 1).any())

    def inside(self, *loose: type) -> str:
        """The text as a part of something else: in parentheses if it is one of the loose kinds."""
        return f"({self.text})" if isinstance(self.node, loose) else self.text


@lru_cache(maxsize=512)
def parse_condition(text: str, table: Table) -> Condition:
    """Read a condition; the module says what may be written.

    Args:
        text: what the player typed, at most 2,000 characters.
        table: the table of the deck in play.

    Raises:
        ConditionError: for text that cannot be read (it names the place and the nearest name) and for a
            condition that no hand of the deck fits.
    """
    part = _weigh(text, parse(text), table)
    if not part.weights.any():
        raise ConditionError(
            f"condition {part.text[:200]!r}: no hand of a deck with {table.deck.kings} kings fits it"
        )
    check_length(part.text)
    weights = part.weights.copy()
    weights.setflags(write=False)
    return Condition(part.text, weights, part.unit)


def combine(*texts: str) -> str:
    """The text of what fits all of some conditions."""
    return texts[0] if len(texts) == 1 else " & ".join(f"({text})" for text in texts)


def _weigh(text: str, node: Node, table: Table) -> _Part:
    """The canonical text and the weights of a tree."""
    if isinstance(node, Operand | Compared | Share):
        if isinstance(node, Operand):
            meaning = atoms.atom(text, node, table)
        elif isinstance(node, Compared):
            meaning = atoms.compared(text, node, table)
        else:
            meaning = atoms.share(text, node, table)
        return _Part(meaning.text, node, meaning.fits.astype(np.int64))
    if isinstance(node, Not):
        part = _unweighted(text, node.part, table, "!")
        return _Part("!" + part.inside(Compared, Share, All, Either, Sum), node, 1 - part.weights)
    if isinstance(node, Either):
        parts = [_unweighted(text, part, table, "|") for part in node.parts]
        weights = np.max([part.weights for part in parts], axis=0)
        return _Part(" | ".join(part.inside(All, Sum) for part in parts), node, weights)
    if isinstance(node, All):
        return _product(text, node, table)
    return _total(text, node, table)


def _unweighted(text: str, node: Node, table: Table, operator: str) -> _Part:
    part = _weigh(text, node, table)
    if part.weighted:
        raise fail(
            text, node.column, f"{operator} joins conditions without weights; put it inside of the sum"
        )
    return part


def _product(text: str, node: All, table: Table) -> _Part:
    parts = [_weigh(text, part, table) for part in node.parts]
    weights, unit = parts[0].weights, parts[0].unit
    for part in parts[1:]:  # each factor is at most 40,000, so int64 holds the product
        weights, unit = _reduced(text, node, (weights * part.weights).astype(object), unit * part.unit)
    return _Part(" & ".join(part.inside(Either, Sum) for part in parts), node, weights, unit)


def _total(text: str, node: Sum, table: Table) -> _Part:
    terms = [(weight, _weigh(text, part, table)) for weight, part in node.terms]
    unit = lcm(*(weight.denominator * part.unit for weight, part in terms))
    total = np.zeros(len(table), dtype=object)
    for weight, part in terms:  # Python integers, so that nothing can overflow before it is reduced
        total += part.weights.astype(object) * int(weight * unit / part.unit)
    weights, unit = _reduced(text, node, total, unit)
    return _Part(" + ".join(_term_text(weight, part) for weight, part in terms), node, weights, unit)


def _term_text(weight: Fraction, part: _Part) -> str:
    if weight == 1:
        return part.inside(All, Either, Sum)
    return f"{decimal(weight)}*{part.inside(Compared, Share, Not, All, Either, Sum)}"


def _reduced(text: str, node: Node, weights: NDArray[np.object_], unit: int) -> tuple[NDArray[np.int64], int]:
    """Weights and unit without their common divisor, as numbers that an engine can multiply."""
    common = gcd(unit, *weights.tolist())
    weights, unit = weights // common, unit // common
    if unit > MAX_NUMBER or max(weights.tolist()) > MAX_NUMBER:
        raise fail(
            text,
            node.column,
            f"these weights are too fine or too far apart: together they may have up to four decimals, "
            f"and the greatest may be {MAX_NUMBER:,} times the last decimal",
        )
    return weights.astype(np.int64), unit


def explain(condition: Condition, table: Table, unseen: NDArray[np.int64]) -> Explained:
    """How many hands fit a condition, and which share of the deals.

    Args:
        condition: the condition, read for this table.
        table: the table of the deck.
        unseen: int64 (k,), the cards of each class that may still be in the hand.
    """
    ways = ways_from(table, unseen)
    fits = condition.weights > 0
    weight = sum(w * n for w, n in zip(condition.weights.tolist(), ways.tolist(), strict=True))
    total = comb(int(unseen.sum()), CARDS_IN_HAND)
    return Explained(
        text=condition.text,
        hands=int(fits.sum()),
        of_hands=len(table),
        possible=int((fits & (ways > 0)).sum()),
        share=weight / (condition.unit * total),
        weighted=condition.weighted,
    )


def ways_from(table: Table, cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64 (n,): in how many ways each hand can be dealt from so many cards of each class.

    The ways add up to C(number of cards, 4).
    """
    most = int(cards.max())
    choose = np.array(
        [[comb(n, k) for k in range(CARDS_IN_HAND + 1)] for n in range(most + 1)], dtype=np.int64
    )
    ways: NDArray[np.int64] = np.prod(choose[cards, table.counts], axis=1)
    return ways


def check_possible(known: Mapping[str, Condition], table: Table, unseen: NDArray[np.int64]) -> None:
    """Refuse conditions that the unseen cards cannot meet, one by one or all together.

    Args:
        known: the conditions by role (``right``, ``partner``, ``left``); roles may be absent.
        table: the table of the deck.
        unseen: int64 (k,), the cards of each class that may still be in the three hands.

    Raises:
        ConditionError: naming the condition, or saying that they exclude each other.
    """
    if unseen.sum() < len(ROLES) * CARDS_IN_HAND:
        raise ConditionError(f"{unseen.sum()} cards are left unseen, and the other three hands need twelve")
    counts = table.counts.astype(np.int8)
    dealt = (counts <= unseen).all(axis=1)
    fitting = {role: counts[dealt & (condition.weights > 0)] for role, condition in known.items()}
    for role, hands in fitting.items():
        if not len(hands):
            raise ConditionError(
                f"{role} {known[role].text!r}: no hand that fits can be dealt from the unseen cards"
            )
    if not _fit_together(sorted(fitting.values(), key=len), unseen.astype(np.int8)):
        names = " and ".join(f"{role} {known[role].text!r}" for role in known)
        raise ConditionError(f"{names}: the unseen cards cannot meet these together")


def _fit_together(groups: Sequence[NDArray[np.int8]], cards: NDArray[np.int8]) -> bool:
    """Whether one hand of each group can be dealt at the same time."""
    left = [group[(group <= cards).all(axis=1)] for group in groups]
    if not all(len(group) for group in left):
        return False
    if len(left) <= 1:
        return True
    if len(left) == 2:
        return bool((left[0][:, None] + left[1] <= cards).all(axis=2).any())
    return any(_fit_together(left[1:], cards - hand) for hand in left[0])


def declared(text: str, seat: int) -> dict[str, str]:
    """The conditions on the other hands that the declarations at the table make.

    Args:
        text: who said yes to pares and juego, in seat numbers, as in ``"pares: 1,3; juego: 2"``; of a lance
            that is named, everyone else said no. ``none`` (or nothing) is nobody, ``all`` everybody.
        seat: the seat of the player who asks, 1 to 4; what it says of this seat is left to
            :func:`check_declared`.

    Returns:
        a condition for each role, such as ``pares & !juego``.

    Raises:
        ConditionError: for a lance that is not declared, or a seat that does not exist.
    """
    said = _said(text)
    return {
        role: " & ".join(lance if seat_of(role, seat) in yes else f"!{lance}" for lance, yes in said.items())
        for role in ROLES
    }


def check_declared(text: str, seat: int, hand: Sequence[str], deck: Deck) -> None:
    """Refuse declarations that the player's own hand contradicts.

    Args:
        text: the declarations, as for :func:`declared`.
        seat: the seat of the player who asks, 1 to 4.
        hand: the player's four cards.
        deck: the deck in play.

    Raises:
        ConditionError: saying which declaration and why, as in
            ``seat 1 said no pares, but RR4A has them``.
    """
    holds = {"pares": pares_kind(hand, deck) != "none", "juego": points(hand, deck) >= JUEGO_FROM}
    for lance, yes in _said(text).items():
        if (seat in yes) != holds[lance]:
            word = "them" if lance == "pares" else "it"
            answer = f"{lance}, but {text_of(hand, deck)} does not have {word}"
            if holds[lance]:
                answer = f"no {lance}, but {text_of(hand, deck)} has {word}"
            raise ConditionError(f"declared {text!r}: seat {seat} said {answer}")


def _said(text: str) -> dict[str, frozenset[int]]:
    """Who said yes, by lance in the order of play."""
    said: dict[str, frozenset[int]] = {}
    for part in filter(str.strip, text.split(";")):
        typed, colon, seats = part.partition(":")
        lance = typed.strip().lower()
        if lance not in _DECLARED:
            close = get_close_matches(lance, _DECLARED, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise ConditionError(
                f"declared {text!r}: {typed.strip()!r} is not declared; {hint}"
                "write as in pares: 1,3; juego: none"
            )
        if not colon:
            raise ConditionError(
                f"declared {text!r}: who has {lance}? write as in {lance}: 1,3 or {lance}: none"
            )
        if lance in said:
            raise ConditionError(f"declared {text!r}: {lance} is there twice")
        said[lance] = _seats(text, seats)
    if not said:
        raise ConditionError(f"declared {text!r}: nothing is said; write as in pares: 1,3; juego: none")
    return {lance: said[lance] for lance in _DECLARED if lance in said}


def _seats(text: str, typed: str) -> frozenset[int]:
    word = typed.strip().lower()
    if word in _NOBODY:
        return frozenset()
    if word in _EVERYBODY:
        return frozenset(SEATS)
    try:
        return frozenset(parse_seat(seat) for seat in typed.replace(",", " ").split())
    except SeatError as error:
        raise ConditionError(f"declared {text!r}: {error}") from None
