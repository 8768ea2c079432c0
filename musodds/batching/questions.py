"""From the text of a row to a question, and what all rows of a run have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from musodds.analysis.figures import DEALS, MAX_DEALS, SEED, check_run
from musodds.analysis.query import Query, query
from musodds.batching.columns import EXACT_FIGURES, answer_columns
from musodds.engine.workers import Workers
from musodds.errors import RulesError, UsageError
from musodds.mus.cards import parse_hand, text_of
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of
from musodds.mus.seats import ROLES, parse_seat
from musodds.report.columns import LANCE_FIGURES

ADVICE_DEALS = 100_000
"""Deals to simulate for each question's advice, unless said otherwise: margins of some hundredths of a stone."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")

_CARD = r"([A2-7SCR][oceb])"  # one spelling only, so that equal cards are equal texts
_SUITED = re.compile(r"[\s,;/-]+".join([_CARD] * 4))
_PLAIN = frozenset(("hand", "seat", "kings", "real"))
_OTHERS = (*ROLES, "seen", "drew", "declared")
_DREW = 8  # the place of the cards drawn in a key

Key = tuple[str, ...]
"""A question in canonical words: hand, seat, kings, real, the three conditions, cards seen, cards drawn.

What was declared is part of the conditions; its own place, the last, is empty.
"""


def drew_of(key: Key) -> str:
    """The cards that the others drew in a question, empty if nothing is said of it."""
    return key[_DREW]


@dataclass(frozen=True)
class Settings:
    """What all rows of a run have in common.

    Attributes:
        rules: the rules, unless a row names its kings or real.
        defaults: what a row asks where it has no such column, or for all but the seat an empty field:
            ``seat``, ``right``, ``partner``, ``left``, ``seen``, ``drew``, ``declared``.
        exact: count every deal; otherwise simulate.
        deals, margin, seed: for the simulation, as for ``odds``; every question has the same seed, so that
            a row's figures are those of the question asked alone.
        figures: the figures of each lance that are written.
        advice: whether to add what to discard.
        advice_deals: deals to simulate for each advice; None is ``ADVICE_DEALS``.
        others, cuts: the policy of the others in the mus, as for ``discard``.
        drawn: whether rows may tell what the others drew; their figures are simulated, all the same.
        threads: None uses every core.
        workers: where questions are answered; None is on threads here.
    """

    rules: Rules = field(default_factory=Rules)
    defaults: Mapping[str, str] = field(default_factory=dict)
    exact: bool = True
    deals: int | None = None
    margin: float | None = None
    seed: int = SEED
    figures: tuple[str, ...] = EXACT_FIGURES
    advice: bool = False
    advice_deals: int | None = None
    others: str = "players"
    cuts: str | None = None
    drawn: bool = False
    threads: int | None = None
    workers: Workers | None = None

    @property
    def most_deals(self) -> int:
        """How many deals to simulate for a question, at most."""
        return self.deals if self.deals is not None else DEALS if self.margin is None else MAX_DEALS

    @property
    def drawn_deals(self) -> int:
        """How many deals to simulate where the others drew."""
        return self.deals if self.deals is not None else DEALS

    @property
    def advised_deals(self) -> int:
        """How many deals to simulate for an advice."""
        return self.advice_deals if self.advice_deals is not None else ADVICE_DEALS

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are added."""
        figures = LANCE_FIGURES if self.drawn and self.figures == EXACT_FIGURES else self.figures
        return answer_columns(figures, simulated=self.drawn or not self.exact, advice=self.advice)

    def asking(self, asked: Iterable[str]) -> Settings:
        """The settings for a file with these columns that ask.

        Raises:
            UsageError: for a policy of the others that cannot be.
        """
        drawn = "drew" in asked or bool(self.defaults.get("drew", "").strip())
        if drawn or self.advice:
            from musodds.batching.advice import check_policy

            check_policy(self)
        return replace(self, drawn=drawn)

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
        if self.advice_deals is not None:
            if not self.advice:
                raise UsageError("advice-deals is for the advice; add --advice")
            check_run(deals=self.advice_deals, margin=None, seed=self.seed, threads=None)
        parse_seat(self.defaults.get("seat", "mano"))


class Asker:
    """Reads rows; remembers every text it has read, for files repeat themselves."""

    def __init__(self, settings: Settings) -> None:
        """Start with nothing remembered."""
        self._settings = settings
        self._decks: dict[tuple[str, str], _Deck | UsageError] = {}
        self._seats: dict[str, str | UsageError] = {}
        self._seat = settings.defaults.get("seat", "mano")
        self._others = tuple(settings.defaults.get(name, "") for name in _OTHERS)
        self.questions: dict[Key, Query] = {}

    def ask(self, row: Mapping[str, str]) -> Key:
        """The key of a row's question; the question itself is then in ``questions``.

        Args:
            row: the text of each column that asks.

        Raises:
            UsageError: for whatever cannot be read or cannot be.
        """
        given = row.get
        deck = _once(self._decks, (given("kings", ""), given("real", "")), self._read_deck)
        hand = deck.read(row["hand"])
        seat = _once(self._seats, given("seat", self._seat), _read_seat)
        others = self._others
        if len(row) > len(_PLAIN & row.keys()):
            others = tuple(
                given(name, "").strip() or default for name, default in zip(_OTHERS, others, strict=True)
            )
        key = (hand, seat, deck.kings, deck.real, *others)
        return key if key in self.questions else self._asked(key, deck.rules)

    def _asked(self, key: Key, rules: Rules) -> Key:
        """A question that was not asked in these words: its key in canonical words."""
        hand, seat, kings, real, *others = key
        known = [_DECIMAL_COMMA.sub(".", text) if text else None for text in others[: len(ROLES)]]
        seen, drew, declared = others[len(ROLES) :]
        if drew:
            from musodds.batching.advice import drew_text

            drew = drew_text(drew)
        if declared and drew:
            raise UsageError(
                f"declared {declared!r} and drew {drew!r}: what is known of the others speaks of their hands "
                "before they drew, and they declare after it; give one of the two"
            )
        if declared and self._settings.advice:
            raise UsageError(
                f"declared {declared!r}: pares and juego are declared when the mus is over, so there is nothing "
                "to advise; leave the field empty, or ask without --advice"
            )
        question = query(
            hand,
            seat,
            rules=rules,
            right=known[0],
            partner=known[1],
            left=known[2],
            seen=seen,
            declared=declared or None,
        )
        words = question.known_text
        same = (hand, seat, kings, real, *(words[role] or "" for role in ROLES), question.seen_text, drew, "")
        self.questions.setdefault(same, question)
        return same

    def _read_deck(self, typed: tuple[str, str]) -> _Deck:
        kings, real = (text.strip() for text in typed)
        rules = self._settings.rules
        if kings:
            if kings not in ("4", "8"):
                raise RulesError(f"kings {kings!r}: Mus is played with 8 kings or with 4")
            rules = rules_of(rules, kings=int(kings))
        return _Deck(rules_of(rules, real=real.lower()) if real else rules)


class _Deck:
    """The rules of some rows, and the hands read under them."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.kings = str(rules.kings)
        self.real = rules.real
        self._hands: dict[str, str | UsageError] = {}

    def read(self, text: str) -> str:
        """A hand as it is printed."""
        suited = None if self.rules.deck.coins else _SUITED.fullmatch(text)
        if suited is not None:
            cards = suited.groups()
            if len(set(cards)) == len(cards):
                # Suits do not count, and a file may well have a hundred thousand ways to write the same.
                text = f"{cards[0][:-1]} {cards[1][:-1]} {cards[2][:-1]} {cards[3][:-1]}"
        return _once(self._hands, text, self._parsed)

    def _parsed(self, text: str) -> str:
        return text_of(parse_hand(text, self.rules.deck), self.rules.deck)


def _read_seat(text: str) -> str:
    return str(parse_seat(text))


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
