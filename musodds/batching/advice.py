"""What a batch asks about the mus: the one place where it meets the analysis of discards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from musodds.analysis.discard import ANY, Advice, discard, parse_drew, policy_for
from musodds.analysis.drew import odds_after_mus
from musodds.analysis.figures import Figures
from musodds.analysis.policy import cut_rule
from musodds.analysis.query import Query
from musodds.engine.tables import table
from musodds.errors import UsageError
from musodds.mus.seats import ROLES

if TYPE_CHECKING:
    from musodds.batching.answers import Values
    from musodds.batching.questions import Settings


def check_policy(settings: Settings) -> None:
    """Refuse a policy or a cut rule that no row could be answered with.

    Raises:
        UsageError: naming it.
    """
    rules = settings.rules
    policy_for(rules, settings.others, None)
    if settings.cuts is not None:
        if settings.others != "players":
            raise UsageError(
                f"a cut rule is for the players' policy; {settings.others!r} has its own: leave cuts out"
            )
        cut_rule(settings.cuts, table(rules.kings, rules.real))


def drew_text(text: str) -> str:
    """What is said of the cards that others took, in canonical words: ``right=2,partner=1``, or ``any``.

    Raises:
        UsageError: for a player who does not exist or a number but 1 to 4.
    """
    taken = parse_drew(text)
    return ",".join(f"{role}={taken[role]}" for role in ROLES if role in taken) or ANY


def drawn_odds(question: Query, drew: str, settings: Settings, threads: int | None) -> Figures:
    """The simulated odds of a hand after the first mus, in which the others took cards.

    Raises:
        UsageError: if nothing fits, or the policy is for other rules.
    """
    return odds_after_mus(
        question,
        drew=drew,
        others=settings.others,
        cuts=settings.cuts,
        deals=settings.drawn_deals,
        seed=settings.seed,
        threads=threads,
    )


def advice_values(question: Query, drew: str, settings: Settings, threads: int | None) -> Values:
    """What to do before the mus (after the first one, if cards were drawn), by the names of the columns.

    Raises:
        UsageError: if nothing fits, or the policy is for other rules.
    """
    known = question.known_text
    found = discard(
        question.hand_text,
        question.seat,
        rules=question.rules,
        others=settings.others,
        cuts=settings.cuts,
        drew=drew or None,
        right=known["right"],
        partner=known["partner"],
        left=known["left"],
        seen=question.seen_text,
        deals=settings.advised_deals,
        seed=settings.seed,
        threads=threads,
    )
    if found.partial:  # an unfinished answer is none
        raise KeyboardInterrupt
    return _values(found)


def _values(advice: Advice) -> Values:
    best, second = advice.options[:2]
    return {
        "advice": advice.advice,
        "advice_close": advice.close,
        "cut_value": advice.cut.value,
        "cut_margin": advice.cut.margin,
        "mus_value": advice.mus.value,
        "mus_margin": advice.mus.margin,
        "discard": best.discard,
        "keep": best.keep,
        "discard_value": best.value,
        "discard_margin": best.margin,
        "second_discard": second.discard,
        "second_behind": second.behind,
        "second_margin": second.behind_margin,
        "second_tied": second.tied,
        "advice_deals": advice.deals,
    }
