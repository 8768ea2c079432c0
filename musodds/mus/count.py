"""Settling a finished hand: who wins each lance and why, the stones, the running score, the game.

The order of the count. A *deje* is paid at once, while the lances are played. At the end the cards are
shown and grande, chica, pares, juego (or punto) are counted in that order. The first pair to reach the
target wins and the rest is not counted; if a deje takes a pair there, the game ends on the spot. An
accepted órdago decides the game on its lance alone.

What a lance pays its winners:

    lance          all pass               bet accepted              bet refused (to the bettors)
    grande, chica  1                      the stake                 the deje
    pares          their pares            the stake + their pares   the deje, their pares at the count
    juego          their juegos           the stake + their juegos  the deje, their juegos at the count
    punto          1                      the stake + 1             the deje, 1 at the count

Pares per player: par 1, medias 2, duples 3. Juego per player: 31 is 3, any other 2. Both players of the
winning pair count. If only one pair holds pares (juego) it scores them and there is no bet.

Source: the written rules of the game, scoring (the rule systems agree on all of this).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from musodds.errors import RecordError
from musodds.mus.bets import ALL_PASSED, PASSED, Bet, Record, check_score
from musodds.mus.lances import LANCES, Cards, juego_worth, pares_worth
from musodds.mus.rules import Rules
from musodds.mus.why import (
    SEATS_OF,
    Comparison,
    Reason,
    compare,
    game_over,
    pair_of,
    refused,
)

ENTRY_KINDS = ("deje", "pass", "bet", "pares", "juego", "punto")


@dataclass(frozen=True)
class Entry:
    """One line of the scoreboard.

    Attributes:
        lance: the lance that pays.
        kind: ``deje`` (a refused bet, at once), ``pass`` (grande or chica without a bet), ``bet`` (the
            accepted stake), ``pares``, ``juego`` (one player's own), ``punto`` (the stone of the punto).
        pair: who scores, ``us`` or ``them``.
        seat: whose pares or juego it is; None for the other kinds.
        stones: how many.
        score: the score (us, them) after this entry; None if it is not counted because the game is over.
    """

    lance: str
    kind: str
    pair: str
    seat: int | None
    stones: int
    score: tuple[int, int] | None = None

    @property
    def counted(self) -> bool:
        """Whether the stones were scored; False if the game was over before."""
        return self.score is not None


@dataclass(frozen=True)
class LanceResult:
    """One lance of a settled hand.

    Attributes:
        lance: its name.
        played: False if nobody holds it, punto gives way to juego, or the game ended before it.
        contested: both pairs hold it, so there was betting.
        bet: how the betting ended.
        pair: the pair that wins it: the better cards, or the bettors if the bet was refused; None if it
            was not played.
        seat: the winning seat if the cards decide; None if a refusal did.
        best: the seat with the best hand, whatever the betting; None if nobody takes part.
        reason: why ``pair`` wins, or why the lance was not played.
        cards: why ``best`` is best, or why nobody takes part.
        entries: what the lance pays, in the order of payment.
    """

    lance: str
    played: bool
    contested: bool
    bet: Bet
    pair: str | None
    seat: int | None
    best: int | None
    reason: Reason
    cards: Reason
    entries: tuple[Entry, ...]

    @property
    def stones(self) -> int:
        """The stones that the lance pays and that are counted."""
        return sum(entry.stones for entry in self.entries if entry.counted)

    @property
    def not_counted(self) -> int:
        """The stones that the lance would have paid, had the game not been over."""
        return sum(entry.stones for entry in self.entries if not entry.counted)

    def stones_of(self, kind: str) -> int:
        """The counted stones of one kind, such as ``bet`` or ``deje``."""
        return sum(entry.stones for entry in self.entries if entry.counted and entry.kind == kind)


@dataclass(frozen=True)
class Settlement:
    """A finished hand, settled. ``us`` is the pair of seats 1 and 3, ``them`` that of seats 2 and 4.

    Attributes:
        hands: the four hands in speaking order.
        rules: the rules it was settled by.
        record: the betting.
        before: the score (us, them) before the hand.
        lances: grande, chica, pares, juego and punto.
        entries: all entries in counting order: the dejes, then lance by lance; those not counted last.
        after: the score (us, them) after the hand. An accepted órdago wins the game without stones.
        winner: the pair that won the game with this hand, or None.
        ended_by: ``deje``, ``count`` or ``ordago`` if the game ended, else None.
        ended_at: the lance that ended the game, else None.
    """

    hands: tuple[tuple[str, ...], ...]
    rules: Rules
    record: Record
    before: tuple[int, int]
    lances: tuple[LanceResult, ...]
    entries: tuple[Entry, ...]
    after: tuple[int, int]
    winner: str | None
    ended_by: str | None
    ended_at: str | None

    @property
    def stones(self) -> tuple[int, int]:
        """The stones (us, them) that the hand scored."""
        return self.after[0] - self.before[0], self.after[1] - self.before[1]

    def lance(self, name: str) -> LanceResult:
        """The result of one lance."""
        return next(result for result in self.lances if result.lance == name)


def settle(
    hands: Sequence[Cards],
    rules: Rules,
    record: Record = ALL_PASSED,
    score: tuple[int, int] = (0, 0),
) -> Settlement:
    """Settle a finished hand.

    Args:
        hands: four hands in speaking order, seats 1 (mano) to 4 (postre).
        rules: the table's rules.
        record: the betting; a lance that it does not mention was passed.
        score: the stones of us (seats 1 and 3) and them before the hand.

    Raises:
        RecordError: for a score or a betting that these hands, rules and score cannot produce.
    """
    check_score(score, rules.target)
    play = _play(hands, rules, record, score)
    entries, after, crossed = _count(play.dejes, play.payments, score, rules.target, play.ordago)
    winner = ended_by = ended_at = None
    if crossed is not None:
        winner, ended_at = crossed.pair, crossed.lance
        ended_by = "deje" if crossed.kind == "deje" else "count"
    elif play.ordago is not None:
        winner = play.comparisons[play.ordago].pair
        ended_by, ended_at = "ordago", play.ordago
    results = tuple(
        _result(lance, play, record.bet(lance), tuple(e for e in entries if e.lance == lance))
        for lance in LANCES
    )
    kept = tuple(tuple(hand) for hand in hands)
    return Settlement(kept, rules, record, score, results, entries, after, winner, ended_by, ended_at)


def passed_stones(hands: Sequence[Cards], rules: Rules) -> tuple[int, int]:
    """The stones (us, them) that four hands pay with every lance passed, the target left aside."""
    stones = {"us": 0, "them": 0}
    for lance in LANCES:
        seat = compare(lance, hands, rules).seat
        if seat is not None:
            for entry in _at_the_count(lance, PASSED, pair_of(seat), hands, rules):
                stones[entry.pair] += entry.stones
    return stones["us"], stones["them"]


@dataclass(frozen=True)
class _Play:
    """A hand as it was played, before the count.

    ``over`` maps each lance that was not reached to the reason; ``ordago`` is the lance whose órdago was
    accepted; ``payments`` is what the count would pay, in order.
    """

    comparisons: dict[str, Comparison]
    dejes: tuple[Entry, ...]
    payments: tuple[Entry, ...]
    over: dict[str, Reason]
    ordago: str | None


def _play(hands: Sequence[Cards], rules: Rules, record: Record, score: tuple[int, int]) -> _Play:
    """Go through the lances in order, checking each bet against the hands, the rules and the score."""
    comparisons = {lance: compare(lance, hands, rules) for lance in LANCES}
    running = {"us": score[0], "them": score[1]}
    dejes: list[Entry] = []
    payments: list[Entry] = []
    over: dict[str, Reason] = {}
    ended: Reason | None = None
    ordago: str | None = None
    for lance in LANCES:
        bet, found = record.bet(lance), comparisons[lance]
        if ended is not None:
            if bet != PASSED:
                raise RecordError(
                    f"'{lance}={bet.text}': {ended.en.removeprefix('not played: ')}; leave it out"
                )
            over[lance] = ended
            continue
        _check_bet(lance, bet, found, rules)
        if bet.kind == "refused":
            assert bet.collector is not None
            dejes.append(Entry(lance, "deje", bet.collector, None, bet.stones))
            running[bet.collector] += bet.stones
        if bet.kind == "ordago":
            ordago = lance
            ended = game_over(lance, "ordago")
        elif found.seat is not None:
            pair = bet.collector or pair_of(found.seat)
            payments += _at_the_count(lance, bet, pair, hands, rules)
        if bet.collector and running[bet.collector] >= rules.target:
            ended = game_over(lance, "deje")
    return _Play(comparisons, tuple(dejes), tuple(payments), over, ordago)


def _check_bet(lance: str, bet: Bet, found: Comparison, rules: Rules) -> None:
    """Refuse a bet that could not be made in this lance.

    Raises:
        RecordError: with the reason.
    """
    if bet == PASSED:
        return
    said = f"'{lance}={bet.text}'"
    if found.seat is None:
        raise RecordError(f"{said}: {found.reason.en}; leave it out")
    if not found.contested:
        raise RecordError(f"{said}: {found.reason.en}, and a bet takes both pairs; leave it out")
    limit = rules.bet_limit
    if limit is not None and bet.stones > limit:
        raise RecordError(f"{said}: the highest bet at this table is {limit}, above it only an órdago")


def _at_the_count(lance: str, bet: Bet, pair: str, hands: Sequence[Cards], rules: Rules) -> list[Entry]:
    """What a lance pays its winners at the count; a deje is paid before."""
    entries = []
    if bet.kind == "accepted":
        entries.append(Entry(lance, "bet", pair, None, bet.stones))
    if lance in ("grande", "chica") and bet == PASSED:
        entries.append(Entry(lance, "pass", pair, None, 1))
    if lance == "punto":
        entries.append(Entry(lance, "punto", pair, None, 1))
    if lance in ("pares", "juego"):
        worth = pares_worth if lance == "pares" else juego_worth
        for seat in SEATS_OF[pair]:
            if stones := worth(hands[seat - 1], rules.deck):
                entries.append(Entry(lance, lance, pair, seat, stones))
    return entries


def _count(
    dejes: Sequence[Entry],
    payments: Sequence[Entry],
    score: tuple[int, int],
    target: int,
    ordago: str | None,
) -> tuple[tuple[Entry, ...], tuple[int, int], Entry | None]:
    """Run down the scoreboard; gives the entries with their scores, the last score and the winning entry."""
    running = {"us": score[0], "them": score[1]}
    entries = []
    crossed: Entry | None = None
    for payment in (*dejes, *payments):
        # After an accepted órdago the cards of that lance are the game: no count takes place.
        over = crossed is not None or (ordago is not None and payment.kind != "deje")
        if not over:
            running[payment.pair] += payment.stones
        now = None if over else (running["us"], running["them"])
        entry = Entry(payment.lance, payment.kind, payment.pair, payment.seat, payment.stones, now)
        entries.append(entry)
        if not over and running[entry.pair] >= target:
            crossed = entry
    return tuple(entries), (running["us"], running["them"]), crossed


def _result(lance: str, play: _Play, bet: Bet, entries: tuple[Entry, ...]) -> LanceResult:
    found = play.comparisons[lance]
    if lance in play.over and found.seat is not None:
        reason = play.over[lance]
        return LanceResult(lance, False, False, bet, None, None, found.seat, reason, found.reason, entries)
    if found.seat is None:
        return LanceResult(lance, False, False, bet, None, None, None, found.reason, found.reason, entries)
    if bet.collector is not None:
        reason = refused(bet.collector)
        return LanceResult(
            lance, True, True, bet, bet.collector, None, found.seat, reason, found.reason, entries
        )
    return LanceResult(
        lance,
        True,
        found.contested,
        bet,
        pair_of(found.seat),
        found.seat,
        found.seat,
        found.reason,
        found.reason,
        entries,
    )
