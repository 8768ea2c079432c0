"""A finished hand as a player types it: four hands, the betting and the score, settled."""

from __future__ import annotations

from musodds.errors import RecordError
from musodds.mus.bets import check_score, parse_record, parse_score
from musodds.mus.cards import check_deck_holds, parse_cards, parse_hand
from musodds.mus.count import Settlement, settle
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of


def showdown(
    mano: str,
    second: str,
    third: str,
    postre: str,
    *,
    bets: str = "",
    score: str | tuple[int, int] = "0-0",
    rules: str | Rules = "classic",
    **overrides: object,
) -> Settlement:
    """Settle a finished hand: who wins each lance and why, the stones, the running score, the game.

    Args:
        mano, second, third, postre: the four hands in speaking order, as in ``"RR4A"``.
        bets: the betting, as in ``"chica=2,pares=refused:us:1"``; lances left out were passed.
        score: the stones of us (seats 1 and 3) and them before the hand, ``"36-30"`` or ``(36, 30)``.
        rules: a preset's name, or ``Rules``; ``overrides`` are single rules, such as ``target=30``.

    Raises:
        UsageError: for hands that one deck cannot deal, or a betting or score that the game cannot produce.
    """
    chosen = rules_of(rules, **overrides)
    typed = (mano, second, third, postre)
    hands = tuple(parse_hand(text, chosen.deck) for text in typed)
    check_deck_holds([card for hand in hands for card in hand], chosen.deck, " ".join(typed))
    _check_suits(typed, chosen)
    return settle(hands, chosen, parse_record(bets), _score(score, chosen.target))


def _check_suits(typed: tuple[str, ...], rules: Rules) -> None:
    """Refuse a card that two hands hold, where suits were typed, as in ``Ro,Rc,4e,Ab``.

    Raises:
        CardError: naming the card.
    """
    separated = [text.strip() for text in typed if any(mark in text.strip() for mark in " ,;/-\t")]
    if separated:
        parse_cards(",".join(separated), rules.deck)


def _score(score: str | tuple[int, int], target: int) -> tuple[int, int]:
    if isinstance(score, str):
        return parse_score(score, target)
    whole = isinstance(score, tuple) and len(score) == 2 and all(type(part) is int for part in score)
    if not whole:
        raise RecordError(f"score {score!r}: two whole numbers, us and them, such as (36, 30)")
    check_score(score, target)
    return score
