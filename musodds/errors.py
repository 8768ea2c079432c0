"""Every error musodds raises on purpose: what was wrong, which value, what to do.

The tree is small so that a caller can catch as much or as little as wanted:

    MusoddsError            anything below (exit code 1)
    └─ UsageError           what was asked for is wrong (exit code 2)
       ├─ CardError         a card, a hand, or more cards than the deck holds
       ├─ SeatError         a seat that does not exist
       ├─ RulesError        a preset or a rule that does not exist, or does not fit the others
       ├─ ConditionError    a condition on the other hands that cannot be read or met
       ├─ PolicyError       a discard policy that cannot be used
       └─ RecordError       bets, stakes or scores that the game cannot produce
"""

from __future__ import annotations

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_REJECTED_ROWS = 3
EXIT_INTERRUPTED = 130


class MusoddsError(Exception):
    """Base of every error raised on purpose; its text is one readable sentence."""

    exit_code = EXIT_FAILED


class UsageError(MusoddsError):
    """The question itself is wrong."""

    exit_code = EXIT_USAGE


class CardError(UsageError):
    """A card or hand that cannot be read, or that the deck cannot hold."""


class SeatError(UsageError):
    """A seat that does not exist."""


class RulesError(UsageError):
    """A preset or a rule value that does not exist, or rules that do not fit together."""


class ConditionError(UsageError):
    """A condition on the other hands that cannot be read, or that nothing satisfies."""


class PolicyError(UsageError):
    """A discard-and-cut policy that cannot be read or does not fit the question."""


class RecordError(UsageError):
    """Bets, stakes or a score that the game cannot produce."""
