"""What a policy does with every hand in every seat, as a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from musodds.analysis.policy import Policy
from musodds.analysis.policy_file import NONE, SHIPPED
from musodds.engine import mus
from musodds.engine.tables import table
from musodds.errors import PolicyError, UsageError
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of
from musodds.mus.seats import parse_seats


@dataclass(frozen=True)
class PolicyRow:
    """What a policy does with one hand in one seat.

    Attributes:
        hand: as printed; seat: 1 (mano) to 4 (postre).
        ways: in how many of the 91,390 ways to deal four cards the hand comes.
        cut: the chance to cut; otherwise there is mus.
        keep: the cards that are likeliest kept when there is mus, ``-`` for none; None if it always cuts.
        discard: the other cards, likewise.
        probability: how likely they are kept when there is mus; None if it always cuts.
    """

    hand: str
    seat: int
    ways: int
    cut: float
    keep: str | None
    discard: str | None
    probability: float | None


@dataclass(frozen=True)
class PolicyTable:
    """What a policy does with every hand of a deck in one or more seats.

    Attributes:
        rules: the rules it serves under.
        others: the policy's name, or its file.
        cuts: the cut rule, if one was given.
        round: the round of mus, from 1; rounds: how many the policy looks at.
        seats: the seats asked for.
        rows: seat by seat, the hands of each by their cards, kings first.
    """

    rules: Rules
    others: str
    cuts: str | None
    round: int
    rounds: int
    seats: tuple[int, ...]
    rows: tuple[PolicyRow, ...]


def policy_table(
    seat: str | int = "all",
    *,
    rules: str | Rules = "classic",
    others: str = "players",
    cuts: str | None = None,
    round_: int = 1,
    threads: int | None = None,
    **overrides: object,
) -> PolicyTable:
    """What a policy does with every hand.

    Args:
        seat: mano, 2, 3, postre, 1 to 4, or all.
        rules: a preset's name, or ``Rules``; ``overrides`` are single rules.
        others, cuts: the policy, as for ``discard``.
        round_: the round of mus, from 1.
        threads: for a cut rule whose discards are solved on the spot.

    Raises:
        UsageError: for a policy, a seat or a round that does not exist.
    """
    from musodds.analysis.discard import policy_for

    chosen = rules_of(rules, **overrides)
    seats = parse_seats(seat)
    policy = policy_for(chosen, others, cuts, threads)
    if not 1 <= round_ <= policy.rounds:
        raise UsageError(f"round {round_}: this policy looks at rounds 1 to {policy.rounds}")
    rows = tuple(
        _row(policy, chosen, round_, number, row) for number in seats for row in range(_hands(chosen))
    )
    return PolicyTable(chosen, others, cuts, round_, policy.rounds, seats, rows)


def shipped_advice(rules: Rules) -> PolicyTable | None:
    """What the players' policy that comes with the package does in the first round; None if the deck has none."""
    if rules.max_mus == 0:
        return None
    try:
        return policy_table(rules=rules, others=SHIPPED[0])
    except (PolicyError, FileNotFoundError):
        return None


def _hands(rules: Rules) -> int:
    return len(table(rules.kings, rules.real))


def _row(policy: Policy, rules: Rules, round_: int, seat: int, row: int) -> PolicyRow:
    hands = table(rules.kings, rules.real)
    said = float(policy.mus[round_ - 1, seat - 1, row])
    hand, ways = hands.hands[row], int(hands.ways[row])
    if said == 0:
        return PolicyRow(hand, seat, ways, 1.0, None, None, None)
    keep = policy.keep[round_ - 1, seat - 1, row]
    subset = int(np.argmax(keep))
    thrown = mus.kept_cards(hands, row, 15 & ~subset)
    return PolicyRow(
        hand=hand,
        seat=seat,
        ways=ways,
        cut=1 - said,
        keep=mus.kept_cards(hands, row, subset) or NONE,
        discard=thrown or NONE,
        probability=min(1.0, float(keep[subset])),
    )
