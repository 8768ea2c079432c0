"""How much of the deals is left by what is known of the other hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from musodds.analysis.knowledge import Explained
from musodds.analysis.odds import exact_odds
from musodds.analysis.query import Query
from musodds.errors import UsageError


@dataclass(frozen=True)
class Explanation:
    """What the conditions of a query leave, one by one and together.

    Attributes:
        query: the question.
        conditions: by role, right to left; roles of which nothing is known are absent.
        together: the share of all deals of the other three hands that fit all conditions, 0 to 1, each
            counted with its weights.
    """

    query: Query
    conditions: Mapping[str, Explained]
    together: float


def explanation(question: Query) -> Explanation:
    """Explain the conditions of a query.

    Raises:
        UsageError: if there are none.
    """
    if not question.known:
        raise UsageError(
            "nothing to explain: nothing is known of the others; say it with right, partner, left or declared"
        )
    share = exact_odds(question).deals / question.all_deals
    return Explanation(question, question.explained, share)
