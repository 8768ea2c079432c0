"""One question about a hand: the cards, the seat, the rules and what is known of the rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from musodds.analysis.knowledge import Condition, parse_condition
from musodds.engine.tables import Table, table
from musodds.mus.cards import check_deck_holds, high_to_low, parse_cards, parse_hand, text_of
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
        unit = 1
        for _, condition in self.known:
            unit *= condition.unit
        return unit


def query(
    hand: str,
    seat: str | int = "mano",
    *,
    rules: str | Rules = "classic",
    right: str | None = None,
    partner: str | None = None,
    left: str | None = None,
    seen: str = "",
) -> Query:
    """Read a question as a player types it.

    Args:
        hand: four cards, as in ``RR4A``.
        seat: mano, 2, 3, postre, or 1 to 4.
        rules: a preset's name, or rules.
        right, partner, left: conditions on the other hands.
        seen: cards out of play.

    Raises:
        UsageError: for whatever cannot be read or cannot be.
    """
    chosen = rules_of(rules)
    cards = parse_hand(hand, chosen.deck)
    gone = high_to_low(parse_cards(seen, chosen.deck), chosen.deck) if seen.strip() else ()
    check_deck_holds((*cards, *gone), chosen.deck, f"{hand} and seen {seen}" if gone else hand)
    lines = table(chosen.kings, chosen.real)
    typed = {"right": right, "partner": partner, "left": left}
    known = tuple(
        (role, parse_condition(text, lines)) for role in ROLES if (text := typed[role]) is not None
    )
    return Query(cards, parse_seat(seat), chosen, known, gone)
