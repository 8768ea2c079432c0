"""What a bet is worth: refuse, accept or raise, in chance to win the game.

The rivals have bet on a lance. The other hands are dealt by what is known; each deal says who takes each
lance and what the hands pay, and so, for every answer, how the count goes on from the score (dejes at once, then
grande, chica, pares, juego or punto; the first to the target wins). What comes after the hand is the race table's.
The other lances are passed. That both pairs hold the lance of the bet is known, since there is betting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from musodds.analysis.figures import DEALS, SEED, Z95, check_run
from musodds.analysis.knowledge import combine
from musodds.analysis.odds import exact_odds
from musodds.analysis.query import Query, query
from musodds.analysis.race import Board, after, board
from musodds.engine import outcomes
from musodds.engine.outcomes import Outcomes
from musodds.engine.simulate import simulate
from musodds.errors import ConditionError, RecordError, UsageError
from musodds.mus.bets import parse_score
from musodds.mus.lances import LANCES
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of
from musodds.mus.seats import ROLES

ORDAGO = "ordago"
STRONGEST_SHARE = 1.0
FLIP_STEP = 0.11  # shares are tried in tenths of a per cent
PLACES = {"grande": 0, "chica": 1, "pares": 2, "juego": 3, "punto": 3}

Progress = Callable[[int, int | None], None]
Stake = int | str


@dataclass(frozen=True)
class Answer:
    """One way to answer.

    Attributes:
        action: ``refuse``, ``accept`` or ``raise``; to: what a raise bets in all, stones or ``ordago``.
        win: the chance to win the game; margin: half its 95 % interval.
        behind, behind_margin: how much less than the best on the same deals, and its margin.
        if_accepted: for a raise, the chance to win the game if the rivals accept it; else None.
        if_folded: for a raise, if they fold; else None.
    """

    action: str
    to: Stake | None
    win: float
    margin: float
    behind: float
    behind_margin: float
    if_accepted: float | None = None
    if_folded: float | None = None


@dataclass(frozen=True)
class Bet:
    """The answer to a bet.

    Attributes:
        query: the hand, the seat and what is known.
        lance, offer, standing: what is bet, in stones or ``ordago``, over what was accepted before (0: nothing).
        us, them: the score.
        fold: the chance that the rivals fold to a raise.
        lance_win: the exact chance to win the lance, given that there is betting.
        deje: what refusing pays the rivals.
        deals, seed: of the simulation: deals in which there is betting.
        answers: best first.
        verdict: the best action; close: whether another cannot be told from it.
        break_even: the chance of winning the lance at which accepting is worth as much as refusing: 0 if accepting
            is worth as much with any hand, 1 if refusing is; None if winning or losing it makes no difference.
        bettor: with ``when``, who bets, ``right`` or ``left``; else None.
        flips_at: with ``when``, the strongest part of the bettor's hands in per cent at which the verdict between
            accepting and refusing has changed; None if it does not, or was not asked.
    """

    query: Query
    lance: str
    offer: Stake
    standing: int
    us: int
    them: int
    fold: float
    lance_win: float
    deje: int
    deals: int
    seed: int
    answers: tuple[Answer, ...]
    verdict: str
    close: bool
    break_even: float | None
    bettor: str | None
    flips_at: float | None
    board: Board


def bet(
    hand: str,
    seat: str | int = "mano",
    *,
    lance: str,
    offer: int | str = 2,
    standing: int = 0,
    score: str = "0-0",
    raises: Sequence[int | str] = (),
    fold: float = 0.0,
    when: str | None = None,
    bettor: str | None = None,
    rules: str | Rules = "classic",
    right: str | None = None,
    partner: str | None = None,
    left: str | None = None,
    declared: str | None = None,
    seen: str = "",
    others: str = "players",
    cuts: str | None = None,
    play: str = "passed",
    deals: int = DEALS,
    seed: int = SEED,
    threads: int | None = None,
    progress: Progress | None = None,
    **overrides: object,
) -> Bet:
    """Whether to refuse, accept or raise a bet of the rivals.

    Args:
        hand, seat, rules, right, partner, left, declared, seen: as for ``odds``.
        lance: the lance of the bet.
        offer: what they bet in all, in stones, or ``"ordago"``.
        standing: what had been accepted before their raise; 0 if theirs is the first bet.
        score: our stones and theirs, as in ``"32-36"``.
        raises: what else to try: stones in all to raise to, or ``"ordago"``.
        fold: the chance that the rivals fold to a raise, 0 to 1, whatever they hold.
        when: ``"better"`` also asks how strong the bettor's hands must be for the verdict to change.
        bettor: who bets, ``"right"`` or ``"left"``, for ``when``; None takes the one who speaks first.
        others, cuts, play: how later hands are played, as for ``race``.
        deals, seed, threads, progress: as for ``odds``.

    Raises:
        UsageError: for a bet, a score or cards that the game cannot produce.
    """
    chosen = rules_of(rules, **overrides)
    question = query(
        hand,
        seat,
        rules=chosen,
        right=right,
        partner=partner,
        left=left,
        declared=declared,
        seen=seen,
    )
    check_run(deals=deals, margin=None, seed=seed, threads=threads)
    us, them = parse_score(score, chosen.target)
    stake = _offer(offer, standing, lance, question)
    if not 0 <= fold <= 1:
        raise UsageError(f"fold {fold:g}: the chance that the rivals fold is between 0 and 1")
    tried = _raises(raises, stake, chosen)
    if when not in (None, "better"):
        raise UsageError(f"when {when!r}: only better is asked")
    if bettor not in (None, "right", "left"):
        raise UsageError(f"bettor {bettor!r}: the bettor is on the right or on the left")
    lance_win = lance_chance(question, lance)
    known = board(chosen, others=others, cuts=cuts, play=play, threads=threads, progress=progress)
    table = _Pricing(question, lance, stake, standing, us, them, known)
    found = table.outcomes(deals, seed, threads, progress)
    answers = table.answers(found, tried, fold)
    flips = None
    if when is None:
        bettor = None
    else:
        bettor = bettor or ("right" if question.seat in (1, 4) else "left")
        flips = _flips_at(table, found, bettor, deals // 4 or 1, seed, threads)
    best = answers[0]
    return Bet(
        query=question,
        lance=lance,
        offer=stake,
        standing=standing,
        us=us,
        them=them,
        fold=fold,
        lance_win=lance_win,
        deje=table.deje,
        deals=int(found.number.sum()),
        seed=seed,
        answers=answers,
        verdict=best.action,
        close=any(other.behind <= other.behind_margin for other in answers[1:]),
        break_even=table.break_even(found),
        bettor=bettor,
        flips_at=flips,
        board=known,
    )


def lance_chance(question: Query, lance: str) -> float:
    """The exact chance to win a lance, given that there is betting on it.

    Raises:
        ConditionError: if there can be none.
    """
    chance = exact_odds(question).lances[lance].win_if_contested
    if chance is None:
        raise ConditionError(f"there can be no betting on {lance}: no deal that fits lets both pairs hold it")
    return chance


def _offer(offer: int | str, standing: int, lance: str, question: Query) -> Stake:
    """Check the lance and what is bet on it."""
    if lance not in LANCES:
        raise UsageError(f"lance {lance!r}: the lances are {', '.join(LANCES)}")
    row, table = question.row, question.table
    if lance == "pares" and not table.pares_worth[row]:
        raise RecordError(f"{question.hand_text} has no pares, so its player does not answer a bet on them")
    if lance == "juego" and not table.juego_worth[row]:
        raise RecordError(f"{question.hand_text} has no juego, so its player does not answer a bet on it")
    if lance == "punto" and table.juego_worth[row]:
        raise RecordError(f"{question.hand_text} has juego, so no punto is played")
    if not _whole(standing) or standing < 0 or standing == 1:
        raise RecordError(f"standing {standing}: an accepted bet is 2 stones or more; 0 if there was none")
    limit = question.rules.bet_limit
    if limit is not None and standing > limit:
        raise RecordError(f"standing {standing}: these rules allow bets up to {limit}, or an órdago")
    if isinstance(offer, str):
        if offer.lower().replace("ó", "o") == ORDAGO:
            return ORDAGO
        raise RecordError(f"offer {offer!r}: a number of stones, or ordago")
    least = 2 if standing == 0 else standing + question.rules.raise_minimum
    if not _whole(offer):
        raise RecordError(f"offer {offer}: a whole number of stones, or ordago")
    if offer < least:
        over = f" over {standing}" if standing else ""
        raise RecordError(f"offer {offer}{over}: the smallest is {least}")
    if limit is not None and offer > limit:
        raise RecordError(f"offer {offer}: these rules allow bets up to {limit}, or an órdago")
    return offer


def _raises(raises: Sequence[int | str], offer: Stake, rules: Rules) -> tuple[Stake, ...]:
    """What to try raising to."""
    if offer == ORDAGO:
        if raises:
            raise RecordError("an órdago cannot be raised")
        return ()
    assert isinstance(offer, int)
    least = offer + rules.raise_minimum
    tried: list[Stake] = []
    for each in raises:
        if isinstance(each, str) and each.lower().replace("ó", "o") == ORDAGO:
            tried.append(ORDAGO)
        elif isinstance(each, str) or not _whole(each) or each < least:
            raise RecordError(f"raise to {each}: the smallest raise over {offer} is to {least}, or an órdago")
        elif rules.bet_limit is not None and each > rules.bet_limit:
            raise RecordError(
                f"raise to {each}: these rules allow bets up to {rules.bet_limit}, or an órdago"
            )
        else:
            tried.append(each)
    return tuple(dict.fromkeys(tried))


def _whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


@dataclass(frozen=True)
class _Pricing:
    """A bet at a score: what each outcome of the hand is worth after each answer."""

    query: Query
    lance: str
    offer: Stake
    standing: int
    us: int
    them: int
    board: Board

    @property
    def deje(self) -> int:
        """What a refusal pays: the last accepted stake, at least 1."""
        return max(1, self.standing)

    def outcomes(
        self,
        deals: int,
        seed: int,
        threads: int | None,
        progress: Progress | None,
        question: Query | None = None,
    ) -> Outcomes:
        """Simulated outcomes of the hand in which there is betting on the lance."""
        asked = question or self.query
        run = simulate(
            asked.table,
            asked.row,
            asked.seat,
            asked.unseen,
            asked.weights,
            deals=deals,
            seed=seed,
            threads=threads,
            progress=progress,
        )
        table, row = asked.table, asked.row
        if run.partial:
            raise KeyboardInterrupt
        found = outcomes.read(run.outcomes, int(table.pares_worth[row]), int(table.juego_worth[row]))
        found = found.where(found.contested(self.lance))
        if not len(found.number):
            raise ConditionError(
                f"there is no betting on {self.lance}: in no deal that fits do both pairs hold it"
            )
        return found

    def refuse(self, found: Outcomes) -> NDArray[np.float64]:
        """float64 (m,): our chance to win the game if we refuse."""
        return self._folded(found, deje=self.deje, ours=False)

    def accept(self, found: Outcomes) -> NDArray[np.float64]:
        """float64 (m,): our chance to win the game if we accept."""
        return self._accepted(found, self.offer)

    def answers(self, found: Outcomes, raises: tuple[Stake, ...], fold: float) -> tuple[Answer, ...]:
        """Every answer, best first."""
        number = found.number.astype(np.float64)
        chances: list[tuple[str, Stake | None, NDArray[np.float64], float | None, float | None]] = [
            # of equal answers the first counts: where refusing loses anyway there is nothing to lose
            ("accept", None, self.accept(found), None, None),
            ("refuse", None, self.refuse(found), None, None),
        ]
        for to in raises:
            assert isinstance(self.offer, int)
            folded = self._folded(found, deje=self.offer, ours=True)
            accepted = self._accepted(found, to)
            mixed = fold * folded + (1 - fold) * accepted
            chances.append(("raise", to, mixed, _mean(accepted, number)[0], _mean(folded, number)[0]))
        best = max(chances, key=lambda chance: _mean(chance[2], number)[0])
        answers = []
        for action, stake, chance, if_accepted, if_folded in chances:
            win, margin = _mean(chance, number)
            behind, behind_margin = _mean(best[2] - chance, number)
            answers.append(Answer(action, stake, win, margin, behind, behind_margin, if_accepted, if_folded))
        return tuple(sorted(answers, key=lambda answer: -answer.win))

    def break_even(self, found: Outcomes) -> float | None:
        """The chance of winning the lance at which accepting is worth as much as refusing.

        What accepting gains over refusing is taken on the same deals, once where the lance is won and once where
        it is lost, for hands that win it are better or worse in the other lances too.
        """
        won = found.won(self.lance)
        gained, lost = found.where(won), found.where(~won)
        # one side may never happen among the deals; what it would pay is read off with the lance turned round
        flag = {"juego": "last", "punto": "last"}.get(self.lance, self.lance)
        if not len(gained.number):
            gained = replace(lost, **{flag: ~getattr(lost, flag)})
        if not len(lost.number):
            lost = replace(gained, **{flag: ~getattr(gained, flag)})
        gain, loss = self._gain(gained), -self._gain(lost)
        return loss / (gain + loss) if gain + loss > 0 else None

    def _gain(self, found: Outcomes) -> float:
        """How much accepting is worth more than refusing."""
        return _mean(self.accept(found) - self.refuse(found), found.number.astype(np.float64))[0]

    def better(self, found: Outcomes) -> bool:
        """Whether accepting is worth at least as much as refusing."""
        return self._gain(found) >= 0

    def _passed(self, found: Outcomes) -> NDArray[np.int64]:
        """int64 (m, 4): what each lance pays if it is passed, above 0 for us."""
        pares = np.where(found.pares, found.our_pares, -found.their_pares)
        juego = np.where(found.last, found.our_juego, -found.their_juego)
        last = np.where(found.punto, np.where(found.last, 1, -1), juego)
        ones = [np.where(found.grande, 1, -1), np.where(found.chica, 1, -1)]
        return np.stack([*ones, pares, last], axis=1)

    def _accepted(self, found: Outcomes, stake: Stake) -> NDArray[np.float64]:
        won = found.won(self.lance)
        if stake == ORDAGO:
            return won.astype(np.float64)
        assert isinstance(stake, int)
        paid = self._passed(found)
        place = PLACES[self.lance]
        sign = np.where(won, 1, -1)
        # a passed grande or chica pays 1 in place of the stake; pares, juego and punto pay on top of it
        anyway = 0 if self.lance in ("grande", "chica") else paid[:, place]
        paid[:, place] = sign * stake + anyway
        return self._count(paid, 0, 0)

    def _folded(self, found: Outcomes, *, deje: int, ours: bool) -> NDArray[np.float64]:
        """The lance goes to the pair that bet last, ``ours`` or theirs: the deje now, their hands at the count."""
        paid = self._passed(found)
        worth: NDArray[np.int64]
        if self.lance in ("grande", "chica"):
            worth = np.zeros(len(paid), dtype=np.int64)
        elif self.lance == "punto":
            worth = np.ones(len(paid), dtype=np.int64)
        elif self.lance == "pares":
            worth = found.our_pares if ours else found.their_pares
        else:
            worth = found.our_juego if ours else found.their_juego
        paid[:, PLACES[self.lance]] = worth if ours else -worth
        return self._count(paid, deje if ours else 0, 0 if ours else deje)

    def _count(self, paid: NDArray[np.int64], our_deje: int, their_deje: int) -> NDArray[np.float64]:
        """Our chance to win the game after the dejes and the count."""
        us, them = self.us + our_deje, self.them + their_deje
        target = self.board.rules.target
        if us >= target or them >= target:
            return np.full(len(paid), 1.0 if us >= target else 0.0)
        next_mano = "them" if self.query.seat in (1, 3) else "us"
        return after(
            np.maximum(paid, 0), np.maximum(-paid, 0), us, them, target, self.board.win, next_mano=next_mano
        )


def _mean(values: NDArray[np.float64], number: NDArray[np.float64]) -> tuple[float, float]:
    """The mean of a value over counted outcomes, and half its 95 % interval."""
    total = number.sum()
    mean = float((values * number).sum() / total)
    spread = float((number * (values - mean) ** 2).sum() / total)
    return mean, Z95 * sqrt(spread / total)


def _flips_at(
    table: _Pricing, found: Outcomes, bettor: str, deals: int, seed: int, threads: int | None
) -> float | None:
    """The share of the bettor's strongest hands, in per cent, at which accept or refuse has changed."""
    asked = table.query
    known = {role: text for role, text in asked.known_text.items() if text is not None}
    now = table.better(found)

    def changed(share: float) -> bool | None:
        """Whether the verdict is another one; None if the bettor can hold no such hand."""
        strong = f"top {share:g}% {table.lance}"
        both = combine(*(text for text in (known.get(bettor), strong) if text))
        conditions: dict[str, str | None] = {role: known.get(role) for role in ROLES}
        conditions[bettor] = both
        try:
            narrowed = query(
                asked.hand_text, asked.seat, rules=asked.rules, seen=asked.seen_text, **conditions
            )
            return table.better(table.outcomes(deals, seed, threads, None, narrowed)) is not now
        except ConditionError:
            return None

    # The stronger his hands, the worse it is to accept: the verdict changes once, if at all.
    low, high = STRONGEST_SHARE, 100.0
    first = changed(low)
    if first is False:
        return None
    if changed(high):
        return high
    last = low if first else None
    while high - low > FLIP_STEP:
        middle = round((low + high) / 2, 1)
        what = changed(middle)
        if what is False:
            high = middle
        else:
            low = middle
            last = middle if what else last
    return last
