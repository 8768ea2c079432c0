"""musodds: what a Mus hand is worth.

>>> import musodds
>>> musodds.odds("RR4A", seat="mano").exact.lances["grande"].win  # doctest: +SKIP

Public names load on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PUBLIC = {
    "Advice": "musodds.analysis.discard",
    "MusoddsError": "musodds.errors",
    "UsageError": "musodds.errors",
    "Odds": "musodds.analysis.odds",
    "Policy": "musodds.analysis.policy",
    "Query": "musodds.analysis.query",
    "Rules": "musodds.mus.rules",
    "batch": "musodds.batching",
    "bet": "musodds.analysis.bet",
    "discard": "musodds.analysis.discard",
    "odds": "musodds.analysis.odds",
    "odds_all_seats": "musodds.analysis.odds",
    "query": "musodds.analysis.query",
    "race": "musodds.analysis.race",
    "rules": "musodds.mus.rules",
    "showdown": "musodds.analysis.showdown",
    "solve": "musodds.analysis.solve",
    "table": "musodds.batching.tables",
}

__all__ = ["__version__", *sorted(_PUBLIC)]

if TYPE_CHECKING:
    from musodds.analysis.bet import bet
    from musodds.analysis.discard import Advice, discard
    from musodds.analysis.odds import Odds, odds, odds_all_seats
    from musodds.analysis.policy import Policy
    from musodds.analysis.query import Query, query
    from musodds.analysis.race import race
    from musodds.analysis.showdown import showdown
    from musodds.analysis.solve import solve
    from musodds.batching import batch
    from musodds.batching.tables import table
    from musodds.errors import MusoddsError, UsageError
    from musodds.mus.rules import Rules, rules


def __getattr__(name: str) -> Any:
    """Load a public name from its module on first use."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
