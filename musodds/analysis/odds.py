"""The odds of a hand in each lance, simulated and exact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from musodds.analysis.figures import DEALS, MAX_DEALS, SEED, Figures, check_run, figures, half_width
from musodds.analysis.query import Query, query
from musodds.engine.counts import Counts
from musodds.engine.exact import enumerate_deals
from musodds.engine.simulate import simulate as simulate_deals
from musodds.engine.workers import Workers
from musodds.errors import UsageError
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of
from musodds.mus.seats import SEATS

PLAYERS = "players"


@dataclass(frozen=True)
class AfterMus:
    """That the odds are those after the first mus.

    Attributes:
        others: the policy that the others followed; cuts: their cut rule if one was given.
        drew: the cards that each took by role; roles of which nothing is known are absent.
    """

    others: str
    cuts: str | None
    drew: Mapping[str, int]


@dataclass(frozen=True)
class Odds:
    """The answer to one query; ``simulated`` or ``exact`` is None when not asked for.

    ``mus`` is None for hands as dealt; after a mus there are no exact figures.
    """

    query: Query
    simulated: Figures | None
    exact: Figures | None
    mus: AfterMus | None = None

    @property
    def fits(self) -> float | None:
        """The share of all deals that fit what is known of the other hands together; None if not counted.

        With weighted conditions each deal counts with its weight.
        """
        return None if self.exact is None else self.exact.deals / self.query.all_deals


def simulated_odds(
    question: Query,
    *,
    deals: int = DEALS,
    margin: float | None = None,
    seed: int = SEED,
    threads: int | None = None,
    workers: Workers | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Figures:
    """Simulate a query.

    Args:
        question: what is asked.
        deals: how many deals; with ``margin`` the most.
        margin: stop once the 95 % half-width of ``win`` in every lance is at most this many
            percentage points.
        seed: 0 to 2**64 - 1; the same seed gives the same figures on any number of threads.
        threads: None uses every core.
        workers: who deals instead of threads here.
        progress: called with the deals done and the deals planned (None if not known).
    """
    enough = None if margin is None else _margin_rule(margin)
    run = simulate_deals(
        question.table,
        question.row,
        question.seat,
        question.unseen,
        question.weights,
        deals=deals,
        seed=seed,
        threads=threads,
        workers=workers,
        enough=enough,
        progress=progress,
    )
    return figures(run.counts, seed=seed, partial=run.partial)


def _margin_rule(margin: float) -> Callable[[Counts], int]:
    """The deals a run needs, judged by what it has counted so far, for every half-width to be small."""

    def needed(counts: Counts) -> int:
        worst = max(half_width(lance.win, counts.deals) for lance in counts.lances.values()) * 100
        return counts.deals if worst <= margin else int(counts.deals * (worst / margin) ** 2 * 1.01) + 1

    return needed


def exact_odds(question: Query) -> Figures:
    """Enumerate every deal of a query; the counts are whole numbers and so exact."""
    counts = enumerate_deals(
        question.table, question.row, question.seat, question.unseen, question.weights, unit=question.unit
    )
    return figures(counts, seed=None)


def answer(
    question: Query,
    *,
    deals: int | None = None,
    margin: float | None = None,
    seed: int = SEED,
    threads: int | None = None,
    simulate: bool = True,
    exact: bool = True,
    drew: str | Mapping[str, int] | None = None,
    others: str | None = None,
    cuts: str | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Odds:
    """Answer a query with the engines asked for; the arguments are those of :func:`odds`.

    Raises:
        UsageError: if nothing is asked for, or a number cannot be.
    """
    if drew is not None:
        return _after_mus(
            question,
            drew,
            others or PLAYERS,
            cuts,
            deals=deals,
            margin=margin,
            seed=seed,
            threads=threads,
            simulate=simulate,
            progress=progress,
        )
    if others is not None or cuts is not None:
        raise UsageError("what the others do in the mus (others, cuts) goes with what they drew (drew)")
    if not simulate and not exact:
        raise UsageError("nothing to do: ask for simulated figures, exact ones, or both")
    check_run(deals=deals, margin=margin, seed=seed, threads=threads)
    most = deals if deals is not None else DEALS if margin is None else MAX_DEALS
    exact_figures = exact_odds(question) if exact else None
    simulated = None
    if simulate:
        simulated = simulated_odds(
            question, deals=most, margin=margin, seed=seed, threads=threads, progress=progress
        )
    return Odds(question, simulated, exact_figures)


def _after_mus(
    question: Query,
    drew: str | Mapping[str, int],
    others: str,
    cuts: str | None,
    *,
    deals: int | None,
    margin: float | None,
    seed: int,
    threads: int | None,
    simulate: bool,
    progress: Callable[[int, int | None], None] | None,
) -> Odds:
    """The odds of a hand as it is after the first mus: only a simulation can tell."""
    from musodds.analysis.discard import parse_drew
    from musodds.analysis.drew import odds_after_mus

    if not simulate:
        raise UsageError(
            "after a mus nobody can count every deal, for the others have thrown and drawn by a policy; "
            "leave out --exact, or what they drew"
        )
    if margin is not None:
        raise UsageError("after a mus the deals are chosen, not the margin; give deals")
    taken = parse_drew(drew)
    found = odds_after_mus(
        question,
        drew=taken,
        others=others,
        cuts=cuts,
        deals=DEALS if deals is None else deals,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    return Odds(question, found, None, AfterMus(others, cuts, taken))


def odds(
    hand: str,
    seat: str | int = "mano",
    *,
    rules: str | Rules = "classic",
    right: str | None = None,
    partner: str | None = None,
    left: str | None = None,
    seen: str = "",
    declared: str | None = None,
    deals: int | None = None,
    margin: float | None = None,
    seed: int = SEED,
    threads: int | None = None,
    simulate: bool = True,
    exact: bool = True,
    drew: str | Mapping[str, int] | None = None,
    others: str | None = None,
    cuts: str | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    **overrides: object,
) -> Odds:
    """The odds of a hand in every lance, simulated with margins and exact beside them.

    Args:
        hand: four cards, as in ``"RR4A"``.
        seat: ``"mano"``, 2, 3, ``"postre"`` or 1 to 4.
        rules: a preset's name, or ``Rules``; ``overrides`` are single rules, such as ``kings=4``.
        right, partner, left: conditions on the other hands.
        seen: cards out of play.
        declared: who said yes to pares and juego, in seat numbers: ``"pares: 1,3; juego: none"``.
        deals: deals to simulate (a million; with ``margin`` the most, without limit).
        margin: simulate until every lance's 95 % half-width is at most this many percentage points.
        seed: 0 to 2**64 - 1.
        threads: threads to simulate on; the figures do not depend on it.
        simulate, exact: which engines to ask.
        drew: the hand is one after the first mus, in which the others took so many cards:
            ``"right=2,partner=1,left=4"``, or ``"any"``; conditions then speak of their hands as dealt, and there
            are no exact figures.
        others, cuts: with ``drew``, what the others do in the mus; see :func:`musodds.discard`.
        progress: called with the deals done and the deals planned.

    Raises:
        UsageError: for whatever cannot be read or cannot be.
    """
    question = query(
        hand,
        seat,
        rules=rules_of(rules, **overrides),
        right=right,
        partner=partner,
        left=left,
        seen=seen,
        declared=declared,
    )
    return answer(
        question,
        deals=deals,
        margin=margin,
        seed=seed,
        threads=threads,
        simulate=simulate,
        exact=exact,
        drew=drew,
        others=others,
        cuts=cuts,
        progress=progress,
    )


def odds_all_seats(hand: str, **options: Any) -> list[Odds]:
    """The odds of a hand in each of the four seats; the options are those of :func:`odds`.

    Conditions keep their role: ``right`` is the next to speak, wherever the hand sits. Declarations keep
    their seats, so the hand must agree with what was said in all four.
    """
    return [odds(hand, seat, **options) for seat in SEATS]
