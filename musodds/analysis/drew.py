"""The odds of a hand after a mus, given how many cards each of the others took."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from musodds.analysis.discard import chances_as_weights, parse_drew, policy_for
from musodds.analysis.figures import Figures, check_run, figures
from musodds.analysis.policy import drawing
from musodds.analysis.query import Query
from musodds.engine import mus
from musodds.mus.seats import SEATS, seat_of


def odds_after_mus(
    question: Query,
    *,
    drew: str | Mapping[str, int] | None = None,
    others: str = "players",
    cuts: str | None = None,
    deals: int,
    seed: int,
    threads: int | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Figures:
    """Simulate a hand as it is after the first mus.

    All four said mus by the others' policy, the others threw as many cards as is known of them and drew new
    ones; then the lances are played. The player's own cards are those he holds now; what he threw is not guessed
    at (give it as ``seen``). Conditions speak of the others' hands as dealt, before their discard.

    Args:
        question: the hand after the mus, with what is known.
        drew: cards taken by ``right``, ``partner`` and ``left``; those not named took any number, and ``any`` names
            nobody.
        others, cuts: the others' policy, as for ``discard``.
        deals, seed, threads, progress: as for ``odds``.

    Raises:
        UsageError: for a policy or numbers that cannot be, or if nothing fits.
    """
    check_run(deals=deals, margin=None, seed=seed, threads=threads)
    taken = {seat_of(role, question.seat): number for role, number in parse_drew(drew).items()}
    policy = policy_for(question.rules, others, cuts, threads=threads)
    chances, given = drawing(policy, question.table, taken)
    asked = mus.Asked(
        question.table,
        question.row,
        question.seat,
        question.unseen,
        np.array(question.rules.deck.counts(question.seen), dtype=np.int64),
        chances_as_weights(question, chances, SEATS),
    )
    run = mus.count_after_mus(
        asked, given.compiled, rounds=1, deals=deals, seed=seed, threads=threads, progress=progress
    )
    return figures(run.counts, seed=seed, partial=run.partial)
