"""From the text of a row to a question, and what all rows of a run have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from musodds.analysis.odds import DEALS, MAX_DEALS, SEED, check_run
from musodds.analysis.query import Query, query
from musodds.batching.columns import EXACT_FIGURES, answer_columns
from musodds.errors import RulesError, UsageError
from musodds.mus.cards import parse_hand, text_of
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of
from musodds.mus.seats import ROLES, parse_seat

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")

Key = tuple[str, ...]
"""A question in canonical words: hand, seat, kings, real, the three conditions, the cards seen."""


@dataclass(frozen=True)
class Settings:
    """What all rows of a run have in common.

    Attributes:
        rules: the rules, unless a row names its kings or real.
        defaults: what a row asks where it has no such column, or for all but the seat an empty field:
            ``seat``, ``right``, ``partner``, ``left``, ``seen``.
        exact: count every deal; otherwise simulate.
        deals, margin, seed: for the simulation, as for ``odds``; every question has the same seed, so that
            a row's figures are those of the question asked alone.
        figures: the figures of each lance that are written.
        advice: whether to add what to discard.
        threads: None uses every core.
    """

    rules: Rules = field(default_factory=Rules)
    defaults: Mapping[str, str] = field(default_factory=dict)
    exact: bool = True
    deals: int | None = None
    margin: float | None = None
    seed: int = SEED
    figures: tuple[str, ...] = EXACT_FIGURES
    advice: bool = False
    threads: int | None = None

    @property
    def most_deals(self) -> int:
        """How many deals to simulate for a question, at most."""
        return self.deals if self.deals is not None else DEALS if self.margin is None else MAX_DEALS

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are added."""
        return answer_columns(self.figures, simulated=not self.exact)

    def check(self) -> None:
        """Refuse settings that cannot be.

        Raises:
            UsageError: saying which and why.
        """
        check_run(deals=self.deals, margin=self.margin, seed=self.seed, threads=self.threads)
        if self.exact and (self.deals is not None or self.margin is not None):
            raise UsageError(
                "deals and margin are for simulated figures, and these are exact; add --no-exact"
            )
        if self.advice:
            from musodds.batching.advice import check_advice

            check_advice()
        parse_seat(self.defaults.get("seat", "mano"))


class Asker:
    """Reads rows; remembers every text it has read, for files repeat themselves."""

    def __init__(self, settings: Settings) -> None:
        """Start with nothing remembered."""
        self._settings = settings
        self._rules: dict[tuple[str, str], Rules | UsageError] = {}
        self._hands: dict[tuple[str, Rules], str | UsageError] = {}
        self._seats: dict[str, int | UsageError] = {}
        self.questions: dict[Key, Query] = {}

    def ask(self, row: Mapping[str, str]) -> Key:
        """The key of a row's question; the question itself is then in ``questions``.

        Args:
            row: the text of each column that asks.

        Raises:
            UsageError: for whatever cannot be read or cannot be.
        """
        defaults = self._settings.defaults
        text = {name: defaults.get(name, "") for name in (*ROLES, "seen")}
        text |= {name: given for name in text if (given := row.get(name, "").strip())}
        if row.get("drew", "").strip():
            from musodds.batching.advice import check_drew

            check_drew(row["drew"])
        rules = _once(self._rules, (row.get("kings", ""), row.get("real", "")), self._read_rules)
        hand = _once(self._hands, (row["hand"], rules), _read_hand)
        seat = _once(self._seats, row.get("seat", defaults.get("seat", "mano")), parse_seat)
        key = (hand, str(seat), str(rules.kings), rules.real, *(text[role] for role in ROLES), text["seen"])
        if key not in self.questions:
            known = {role: _DECIMAL_COMMA.sub(".", text[role]) if text[role] else None for role in ROLES}
            question = query(hand, seat, rules=rules, **known, seen=text["seen"])
            # Rows that ask the same in other words share one answer.
            words = question.known_text
            same = (
                *key[:4],
                *(words[role] or "" for role in ROLES),
                question.seen_text,
            )
            self.questions.setdefault(same, question)
            return same
        return key

    def _read_rules(self, typed: tuple[str, str]) -> Rules:
        kings, real = (text.strip() for text in typed)
        rules = self._settings.rules
        if kings:
            if kings not in ("4", "8"):
                raise RulesError(f"kings {kings!r}: Mus is played with 8 kings or with 4")
            rules = rules_of(rules, kings=int(kings))
        return rules_of(rules, real=real.lower()) if real else rules


def _read_hand(typed: tuple[str, Rules]) -> str:
    text, rules = typed
    return text_of(parse_hand(text, rules.deck), rules.deck)


def _once(memory: dict[K, V | UsageError], key: K, read: Callable[[K], V]) -> V:
    """Read a text, or remember what reading it gave, errors included."""
    found = memory.get(key)
    if found is None:
        try:
            found = read(key)
        except UsageError as error:
            found = error
        memory[key] = found
    if isinstance(found, UsageError):
        raise found
    return found
