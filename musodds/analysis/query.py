"""One question about a hand: the cards, the seat, the rules and what is known of the rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from musodds.analysis.knowledge import (
    Condition,
    Explained,
    check_declared,
    check_possible,
    combine,
    explain,
    parse_condition,
)
from musodds.analysis.knowledge import declared as conditions_declared
from musodds.engine.tables import Table, table
from musodds.errors import ConditionError
from musodds.mus.cards import CARDS_IN_HAND, check_deck_holds, high_to_low, parse_cards, parse_hand, text_of
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of
from musodds.mus.seats import ROLES, parse_seat


@dataclass(frozen=True)
class Query:
    """A hand in a seat, under rules, with what is known of the other three and of cards out of play.

    Attributes:
        hand: four cards, high to low.
        seat: 1 (mano) to 4 (postre).
        rules: the table's rules.
        known: the condition on each other hand by role (``right``, ``partner``, ``left``); roles of
            which nothing is known are absent.
        seen: cards known to be in nobody's hand, high to low.
    """

    hand: tuple[str, ...]
    seat: int = 1
    rules: Rules = field(default_factory=Rules)
    known: tuple[tuple[str, Condition], ...] = ()
    seen: tuple[str, ...] = ()

    @property
    def hand_text(self) -> str:
        """The hand as printed."""
        return text_of(self.hand, self.rules.deck)

    @property
    def seen_text(self) -> str:
        """The seen cards as printed; empty if there are none."""
        return text_of(self.seen, self.rules.deck)

    @property
    def known_text(self) -> dict[str, str | None]:
        """The canonical condition on each role, None where nothing is known."""
        known = dict(self.known)
        return {role: known[role].text if role in known else None for role in ROLES}

    @property
    def table(self) -> Table:
        """The engine's table for these rules."""
        return table(self.rules.kings, self.rules.real)

    @property
    def row(self) -> int:
        """The row of the hand in the table."""
        return self.table.index[self.hand_text]

    @cached_property
    def unseen(self) -> NDArray[np.int64]:
        """int64 (k,): how many cards of each class may still be in the other hands or the stock."""
        held = self.rules.deck.counts((*self.hand, *self.seen))
        return self.table.copies - np.array(held, dtype=np.int64)

    @cached_property
    def weights(self) -> NDArray[np.int64] | None:
        """int64 (3, n): the weight of every hand on the right, as partner and on the left.

        None when nothing is known of anybody. Weights are whole numbers; see ``Condition``.
        """
        if not self.known:
            return None
        known = dict(self.known)
        ones = np.ones(len(self.table), dtype=np.int64)
        return np.stack([known[role].weights if role in known else ones for role in ROLES])

    @property
    def unit(self) -> int:
        """The product of weights that stands for one deal (1 unless a condition is weighted)."""
        return prod(condition.unit for _, condition in self.known)

    @property
    def all_deals(self) -> int:
        """In how many ways the unseen cards can be dealt to the other three, whatever is known of them."""
        cards = int(self.unseen.sum())
        return prod(comb(cards - CARDS_IN_HAND * dealt, CARDS_IN_HAND) for dealt in range(len(ROLES)))

    @cached_property
    def explained(self) -> dict[str, Explained]:
        """How many hands and what share of deals each condition leaves, by the role it is on."""
        return {role: explain(condition, self.table, self.unseen) for role, condition in self.known}

    @cached_property
    def certain(self) -> bool:
        """Whether all four hands are known, so that there is only one answer.

        They are if one of the other hands can only be one, then, without its cards, another, then the last.
        """
        cards, counts = self.unseen, self.table.counts
        unknown = dict(self.known)
        if len(unknown) < len(ROLES):
            return False
        while unknown:
            dealt = (counts <= cards).all(axis=1)
            only = {
                role: rows[0]
                for role, condition in unknown.items()
                if len(rows := np.flatnonzero(dealt & (condition.weights > 0))) == 1
            }
            if not only:
                return False
            role, row = next(iter(only.items()))
            cards = cards - counts[row]
            del unknown[role]
        return True


def query(
    hand: str,
    seat: str | int = "mano",
    *,
    rules: str | Rules = "classic",
    right: str | None = None,
    partner: str | None = None,
    left: str | None = None,
    seen: str = "",
    declared: str | None = None,
) -> Query:
    """Read a question as a player types it.

    Args:
        hand: four cards, as in ``RR4A``.
        seat: mano, 2, 3, postre, or 1 to 4.
        rules: a preset's name, or rules.
        right, partner, left: conditions on the other hands.
        seen: cards out of play.
        declared: who said yes to pares and juego, in seat numbers, as in ``pares: 1,3; juego: 2``; everyone
            else said no. It is added to the conditions on the other hands.

    Raises:
        UsageError: for whatever cannot be read or cannot be: conditions too that contradict the hand, the
            cards seen, what was declared, or each other.
    """
    chosen = rules_of(rules)
    number = parse_seat(seat)
    cards = parse_hand(hand, chosen.deck)
    gone = high_to_low(parse_cards(seen, chosen.deck), chosen.deck) if seen.strip() else ()
    check_deck_holds((*cards, *gone), chosen.deck, f"{hand} and seen {seen}" if gone else hand)
    lines = table(chosen.kings, chosen.real)
    typed = {"right": right, "partner": partner, "left": left}
    known = {role: _condition(role, text, lines) for role in ROLES if (text := typed[role]) is not None}
    if declared is not None:
        check_declared(declared, number, cards, chosen.deck)
        for role, said in conditions_declared(declared, number).items():
            known[role] = _both(role, known.get(role), _condition(role, said, lines), lines)
    ordered = {role: known[role] for role in ROLES if role in known}
    question = Query(cards, number, chosen, tuple(ordered.items()), gone)
    check_possible(ordered, lines, question.unseen)
    return question


def _condition(role: str, text: str, lines: Table) -> Condition:
    try:
        return parse_condition(text, lines)
    except ConditionError as error:
        raise ConditionError(f"{role}: {error}") from None


def _both(role: str, first: Condition | None, second: Condition, lines: Table) -> Condition:
    """What fits both conditions; one of them as it is if the other adds nothing."""
    if first is None:
        return second
    both = _condition(role, combine(first.text, second.text), lines)
    same = (one for one in (first, second) if one.unit == both.unit and (one.weights == both.weights).all())
    return next(same, both)
