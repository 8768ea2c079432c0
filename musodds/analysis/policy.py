"""Policies: what every seat does with every hand in every round of the mus.

A policy says, for rounds 1 to H, seats 1 to 4 and all hands of a deck, how often to cut and otherwise which
cards to keep. It is a table of numbers here, rows of ``round,seat,hand,action,probability`` in a file (see
``policy_file``), and two arrays in the compiled loops.

Cut rules are conditions (see ``knowledge``), one for all seats or one for a seat.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from musodds.analysis.knowledge import parse_condition
from musodds.engine import mus
from musodds.engine.mus_play import KEEP_ALL
from musodds.engine.mus_play import Policy as Compiled
from musodds.engine.tables import Table, table
from musodds.errors import ConditionError, PolicyError, SeatError
from musodds.mus.rules import Rules
from musodds.mus.seats import SEATS, parse_seat

PLAYERS_CUT = "31 | duples | medias | R>=2 | (pares & juego)"
"""The rule of thumb at a table: cut with 31, duples, medias, two kings or more, or pares with juego."""

HORIZON = 3
"""Rounds of mus that a policy looks at where the rules set no limit; after them the hand goes on."""


@dataclass(frozen=True, eq=False)
class Policy:
    """What players do.

    Attributes:
        name: ``players``, ``solved``, ``stand`` or where it was read from.
        kings: 8 or 4, the deck it is for.
        mus: float64 (H, 4, n), the chance to say mus rather than cut.
        keep: float64 (H, 4, n, 16), for each hand the chances of the subsets of its cards to keep when it
            discards (bit 0 is the highest card); each row adds to 1.
        making: how it came about: rules, cut rule, seed, tables, version, gains.
    """

    name: str
    kings: int
    mus: NDArray[np.float64]
    keep: NDArray[np.float64]
    making: Mapping[str, str] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        """How many rounds it speaks of."""
        return len(self.mus)

    @property
    def table(self) -> Table:
        """The hands it speaks of."""
        return table(self.kings)

    @cached_property
    def compiled(self) -> Compiled:
        """The arrays that the loops read."""
        return Compiled(np.ascontiguousarray(self.mus), mus.mixed_keep(self.keep))


def stand(kings: int) -> Policy:
    """Everybody says mus and keeps what was dealt: one round, figures that can be checked by hand."""
    number = len(table(kings))
    keep = np.zeros((1, 4, number, 16))
    keep[..., KEEP_ALL] = 1.0
    return Policy("stand", kings, np.ones((1, 4, number)), keep)


def for_rules(policy: Policy, rules: Rules) -> Policy:
    """A policy as it serves under rules: as many rounds as they allow, hands with the jack of coins too.

    With fewer rounds than the policy has, its last ones are taken, which know that the end is near; with more,
    its first round stands for the rounds before.

    Raises:
        PolicyError: for another deck, or where the rules have no mus.
    """
    if policy.kings != rules.kings:
        raise PolicyError(
            f"policy {policy.name!r} is for {policy.kings} kings, and the rules play with {rules.kings}"
        )
    if rules.max_mus == 0:
        raise PolicyError("these rules have no mus (max_mus 0), so there is nothing to discard")
    rounds = policy.rounds if rules.max_mus is None or policy.name == "stand" else rules.max_mus
    first = policy.rounds - rounds
    chosen = [max(0, first + i) for i in range(rounds)]
    hands = table(rules.kings, rules.real)
    plain = policy.table
    rows = np.array([plain.index[hand.replace("*", "")] for hand in hands.hands])
    return replace(policy, mus=policy.mus[chosen][:, :, rows], keep=policy.keep[chosen][:, :, rows])


def cut_rule(text: str, hands: Table) -> NDArray[np.bool_]:
    """bool (4, n): the hands that each seat cuts with.

    Args:
        text: a condition for all seats, or ``seat: condition`` parts joined by ``;`` (``all: …`` is for the
            seats that have no part of their own, which otherwise keep the players' rule).
        hands: the deck's hands.

    Raises:
        ConditionError: for a rule that cannot be read, a seat named twice, or one that always cuts.
    """
    parts = [part for part in text.split(";") if part.strip()]
    if not parts:
        raise ConditionError(f"cut rule {text!r} is empty; write a condition such as {PLAYERS_CUT!r}")
    rules: dict[int, str] = {}
    everybody = PLAYERS_CUT
    for part in parts:
        found = re.fullmatch(r"\s*(mano|postre|all|todos|[1-4])\s*:(.*)", part, re.IGNORECASE | re.DOTALL)
        if found is None and len(parts) == 1:
            everybody = part
            continue
        if found is None:
            raise ConditionError(
                f"cut rule {part.strip()!r}: with more than one part each needs its seat, as in '4: R>=2'"
            )
        who, rule = found.group(1).lower(), found.group(2)
        if who in ("all", "todos"):
            everybody = rule
            continue
        try:
            seat = parse_seat(who)
        except SeatError as error:
            raise ConditionError(f"cut rule {part.strip()!r}: {error}") from error
        if seat in rules:
            raise ConditionError(f"cut rule {text!r}: seat {seat} has two rules")
        rules[seat] = rule
    cuts = []
    for seat in SEATS:
        condition = parse_condition(rules.get(seat, everybody), hands)
        cut = condition.weights > 0
        if condition.unit != 1:
            raise ConditionError(
                f"cut rule {condition.text!r}: a hand cuts or does not; weights have no place here"
            )
        if cut.all():
            raise ConditionError(
                f"cut rule {condition.text!r} cuts with every hand, so no mus would ever go through"
            )
        cuts.append(cut)
    return np.stack(cuts)


def drawing(policy: Policy, hands: Table, drew: Mapping[int, int]) -> tuple[NDArray[np.float64], Policy]:
    """A policy given how many cards some seats took in the first mus.

    Args:
        policy: as served under the rules.
        hands: its hands.
        drew: cards taken by seat.

    Returns:
        float64 (4, n), the chance of each hand to say mus and take so many cards, and the policy whose first
        round takes just so many.
    """
    sizes = 4 - mus.deck_of(hands).kept.astype(np.int64)
    weights = policy.mus[0].copy()
    keep = policy.keep.copy()
    for seat, number in drew.items():
        fits = np.where(sizes == number, keep[0, seat - 1], 0.0)
        share = fits.sum(axis=-1)
        weights[seat - 1] *= share
        some = share > 0
        keep[0, seat - 1][some] = fits[some] / share[some, None]
    return weights, replace(policy, keep=keep)
