"""What a batch asks about the mus: the one place where it meets the analysis of discards."""

from __future__ import annotations

from musodds.errors import UsageError


def check_advice() -> None:
    """Refuse to advise on discards, which a batch cannot do yet.

    Raises:
        UsageError: always.
    """
    raise UsageError("advice: a batch cannot say yet what to discard; leave --advice out")


def check_drew(text: str) -> None:
    """Refuse what is said of the cards that others drew.

    Raises:
        UsageError: always.
    """
    raise UsageError(f"drew {text!r}: a batch cannot weigh yet what others drew; leave the field empty")
