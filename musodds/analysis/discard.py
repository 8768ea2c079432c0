"""Cut or mus, and what to throw: every discard of a hand measured on the same deals.

The value of a hand is the expected stones difference with every lance passed, unless an objective names a
lance or stakes weigh them. With it:

- *cut*: the hands as they are, given that whoever spoke before said mus. Counted exactly in the first round.
- *mus*: somebody later may still cut (the hands as they are, exactly too); if nobody does, all four discard,
  and the best discard is worth what the simulation of everything that follows shows.
- every *option* is a discard of one to four cards, given that all four said mus. The deals are drawn so that
  the others do say mus (their policy is a weight on their hands), and none is thrown away. All options meet the
  same cards, so the differences between them are known far better than the values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import comb, sqrt

import numpy as np
from numpy.typing import NDArray

from musodds.analysis.figures import DEALS, SEED, Z95, check_run
from musodds.analysis.policy import Policy, drawing, for_rules
from musodds.analysis.policy_file import named_policy
from musodds.analysis.query import Query, query
from musodds.engine import mus
from musodds.engine.counts import Counts
from musodds.engine.exact import MOST_WEIGHT, enumerate_deals
from musodds.engine.mus_play import KEEP_ALL
from musodds.engine.tables import Table
from musodds.errors import ConditionError, UsageError
from musodds.mus.lances import LANCES
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of
from musodds.mus.seats import ROLES, SEATS, seat_of

OBJECTIVES = ("stones", *LANCES)
ANY = "any"
PARTS = 10_000  # chances to say mus become whole weights in parts of this

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Value:
    """A value in stones (or, with a lance as objective, in chance to win it) and half its 95 % interval."""

    value: float
    margin: float


@dataclass(frozen=True)
class LanceShare:
    """How a lance goes after a discard: joint probabilities, as in ``odds``."""

    win: float
    lose: float
    played: float


@dataclass(frozen=True)
class Option:
    """One discard.

    Attributes:
        keep, discard: the cards kept and thrown, high to low; ``keep`` is empty when all four are thrown.
        value, margin: the value given that all four said mus.
        behind, behind_margin: how much less than the best on the same deals, and its margin.
        tied: whether the best cannot be told from this one: the interval of ``behind`` reaches 0.
        lances: how each lance goes.
        draw: the exact chance that the new hand has pares, medias, duples, juego, 31, two kings or more
            (``R>=2``), three or more (``R>=3``), before anything is known of the others.
    """

    keep: str
    discard: str
    value: float
    margin: float
    behind: float
    behind_margin: float
    tied: bool
    lances: Mapping[str, LanceShare]
    draw: Mapping[str, float]


@dataclass(frozen=True)
class Advice:
    """The answer to a question before a mus.

    Attributes:
        query: the hand, the seat and what is known.
        others: the policy that the others follow; cuts: the cut rule if one was given.
        round: the round asked about, from 1; rounds: how many the policy looks at.
        objective: ``stones`` or a lance; stakes: the accepted bets by lance.
        deals, seed: of the simulation; partial: whether it was interrupted.
        advice: ``cut`` or ``mus``; close: whether the two cannot be told apart.
        cut, mus: what either is worth; difference: of mus over cut.
        through: the chance that nobody after the player cuts, once he says mus.
        options: every discard, best first.
    """

    query: Query
    others: str
    cuts: str | None
    round: int
    rounds: int
    drew: Mapping[str, int] | None
    objective: str
    stakes: Mapping[str, int]
    deals: int
    seed: int
    partial: bool
    advice: str
    close: bool
    cut: Value
    mus: Value
    difference: Value
    through: float
    options: tuple[Option, ...]


def discard(
    hand: str,
    seat: str | int = "mano",
    *,
    rules: str | Rules = "classic",
    others: str = "players",
    cuts: str | None = None,
    round: int | None = None,
    drew: str | Mapping[str, int] | None = None,
    objective: str = "stones",
    stakes: str | Mapping[str, int] | None = None,
    right: str | None = None,
    partner: str | None = None,
    left: str | None = None,
    seen: str = "",
    deals: int = DEALS,
    seed: int = SEED,
    threads: int | None = None,
    progress: Progress | None = None,
    **overrides: object,
) -> Advice:
    """Whether to cut or give mus, and every discard ranked.

    Args:
        hand: four cards, as in ``"RR54"``.
        seat: ``"mano"``, 2, 3, ``"postre"`` or 1 to 4.
        rules: a preset's name, or ``Rules``; ``overrides`` are single rules.
        others: what the others do: ``"players"``, ``"solved"``, ``"stand"`` or a policy file.
        cuts: another cut rule for the players, as in ``"R>=2 | pares"`` or ``"4: 31"``.
        round: the mus that is being talked about, from 1. In later ones the others have drawn already.
        drew: cards that the others took in the mus before, as in ``"right=2,partner=1,left=4"``; the question
            then stands in round 2.
        objective: ``"stones"``, or a lance to win.
        stakes: bets taken as accepted, as in ``"grande=2,juego=5"``.
        right, partner, left: conditions on the others' hands as dealt, before any discard.
        seen: cards known to be discarded.
        deals: deals to simulate in which all four say mus.
        seed: 0 to 2**64 - 1.
        threads: threads to simulate on; the figures do not depend on it.
        progress: called with the deals done and the deals planned.

    Raises:
        UsageError: for whatever cannot be read or cannot be.
    """
    chosen = rules_of(rules, **overrides)
    question = query(hand, seat, rules=chosen, right=right, partner=partner, left=left, seen=seen)
    check_run(deals=deals, margin=None, seed=seed, threads=threads)
    if objective not in OBJECTIVES:
        raise UsageError(f"objective {objective!r}: choose one of {', '.join(OBJECTIVES)}")
    bets = parse_stakes(stakes)
    if bets and objective != "stones":
        raise UsageError("stakes weigh the lances in stones; they do not go with a lance as objective")
    taken = parse_drew(drew)
    policy = policy_for(chosen, others, cuts, threads=threads)
    asked_round = round if round is not None else 1 if drew is None else 2
    _check_round(asked_round, policy, chosen, drew)
    return _Judge(
        question, policy, others, cuts, asked_round, taken, objective, bets, deals, seed, threads, progress
    ).advice()


def policy_for(rules: Rules, others: str, cuts: str | None, threads: int | None = None) -> Policy:
    """The policy that the others follow under rules.

    Raises:
        UsageError: for a policy or cut rule that cannot be used.
    """
    policy = for_rules(named_policy(others, rules.kings), rules)
    if cuts is None:
        return policy
    if others != "players":
        raise UsageError(f"a cut rule is for the players' policy; {others!r} has its own")
    from musodds.analysis.quick import quick_players

    return for_rules(quick_players(cuts, rules.kings, threads), rules)


def parse_stakes(stakes: str | Mapping[str, int] | None) -> dict[str, int]:
    """Accepted bets by lance, from ``grande=2,juego=5``.

    Raises:
        UsageError: for a lance that does not exist or a stake below 2.
    """
    pairs = _pairs(stakes, "stakes", "grande=2,pares=5")
    for lance, stake in pairs.items():
        if lance not in LANCES:
            raise UsageError(f"stakes: {lance!r} is not a lance; the lances are {', '.join(LANCES)}")
        if stake < 2:
            raise UsageError(f"stakes: {lance}={stake}: the smallest bet is 2 stones")
    if "juego" in pairs and "punto" in pairs and pairs["juego"] != pairs["punto"]:
        raise UsageError("stakes: juego and punto are one lance in the betting; give them the same stake")
    return pairs


def parse_drew(drew: str | Mapping[str, int] | None) -> dict[str, int]:
    """Cards that the others took, from ``right=2,partner=1,left=4``; ``any`` is a mus of which nothing is known.

    Raises:
        UsageError: for a player who does not exist or a number but 1 to 4.
    """
    if isinstance(drew, str) and drew.strip().lower() == ANY:
        return {}
    pairs = _pairs(drew, "drew", "right=2,partner=1,left=4")
    for role, number in pairs.items():
        if role not in ROLES:
            raise UsageError(f"drew: {role!r} is not one of {', '.join(ROLES)}")
        if not 1 <= number <= 4:
            raise UsageError(f"drew: {role}={number}: a player who gave mus takes one to four cards")
    return pairs


def _pairs(typed: str | Mapping[str, int] | None, what: str, example: str) -> dict[str, int]:
    if typed is None:
        return {}
    if not isinstance(typed, str):
        return {str(name): int(number) for name, number in typed.items()}
    pairs: dict[str, int] = {}
    for part in typed.replace(";", ",").split(","):
        name, equals, number = (piece.strip().lower() for piece in part.partition("="))
        if not equals or not (number.isascii() and number.isdecimal()):
            raise UsageError(
                f"{what} {typed!r}: {part.strip()!r} is not a name and a number, as in {example}"
            )
        if name in pairs:
            raise UsageError(f"{what} {typed!r}: {name} is there twice")
        pairs[name] = int(number)
    return pairs


def _check_round(round_: int, policy: Policy, rules: Rules, drew: object) -> None:
    if round_ < 1:
        raise UsageError(f"round {round_}: the first mus is round 1")
    if rules.max_mus is not None and round_ > rules.max_mus:
        raise UsageError(f"round {round_}: these rules allow at most {rules.max_mus} (max_mus)")
    if round_ > policy.rounds:
        raise UsageError(f"round {round_}: the policy {policy.name!r} looks at {policy.rounds} only")
    if drew is not None and round_ != 2:
        raise UsageError(f"round {round_}: cards drawn in the first mus (drew) go with round 2")


@dataclass(frozen=True)
class _Judge:
    """One question on its way to its advice."""

    query: Query
    policy: Policy
    others: str
    cuts: str | None
    round: int
    drew: Mapping[str, int]
    objective: str
    stakes: Mapping[str, int]
    deals: int
    seed: int
    threads: int | None
    progress: Progress | None

    def advice(self) -> Advice:
        """Judge cut, mus and every discard."""
        payoff = self._payoff()
        chances, policy = self._first_mus()
        asked = mus.Asked(
            self.query.table,
            self.query.row,
            self.query.seat,
            self.query.unseen,
            np.array(self.query.rules.deck.counts(self.query.seen), dtype=np.int64),
            self._weights(chances, SEATS),
        )
        run = partial(
            mus.judge,
            asked,
            policy.compiled,
            payoff,
            round_=self.round,
            seed=self.seed,
            threads=self.threads,
        )
        if self.round == 1:
            found = run(deals=self.deals, progress=self.progress)
        else:
            found = self._in_later_round(run)
        options = self._options(found)
        if self.round == 1:
            cut, said, difference, through = self._verdict(chances, options[0])
        else:
            cut, said, difference, through = self._later_verdict(found, options[0])
        return Advice(
            query=self.query,
            others=self.others,
            cuts=self.cuts,
            round=self.round,
            rounds=self.policy.rounds,
            drew=self.drew or None,
            objective=self.objective,
            stakes=self.stakes,
            deals=found.deals,
            seed=self.seed,
            partial=found.partial,
            advice="mus" if difference.value > 0 else "cut",
            close=abs(difference.value) <= difference.margin,
            cut=cut,
            mus=said,
            difference=difference,
            through=through,
            options=options,
        )

    def _payoff(self) -> NDArray[np.int64]:
        if self.objective != "stones":
            return mus.payoffs(lance=self.objective)
        last = self.stakes.get("juego", self.stakes.get("punto"))
        return mus.payoffs((*(self.stakes.get(lance) for lance in LANCES[:3]), last))

    def _first_mus(self) -> tuple[NDArray[np.float64], Policy]:
        """The chance of each seat's hands to say mus in the first round, and the policy that goes with it."""
        taken = {seat_of(role, self.query.seat): number for role, number in self.drew.items()}
        return drawing(self.policy, self.query.table, taken)

    def _weights(self, chances: NDArray[np.float64], say_mus: tuple[int, ...]) -> NDArray[np.int64]:
        return chances_as_weights(self.query, chances, say_mus)

    def _in_later_round(self, run: Callable[..., mus.Judgement]) -> mus.Judgement:
        """Deal until about as many deals as asked for reach the round and have all four say mus.

        A first look says how rare that is, so the number is settled by the question and the seed alone.
        """
        look = run(deals=_LOOK)
        if look.deals == 0:
            look = run(deals=50 * _LOOK)
        if look.deals == 0:
            raise ConditionError(
                f"in round {self.round} the others next to never all say mus, so no discard can be judged"
            )
        needed = int(look.totals[0] * min(self.deals / look.deals, _MOST / look.totals[0])) + 1
        return run(deals=max(needed, int(look.totals[0])), progress=self.progress)

    def _options(self, found: mus.Judgement) -> tuple[Option, ...]:
        table, row = self.query.table, self.query.row
        deals = found.deals
        if deals == 0:
            raise ConditionError("no deal in which all four say mus fits all that is known")
        subsets = [s for s in range(KEEP_ALL) if mus.deck_of(table).options[row, s]]
        products = [[int(p) for p in line] for line in found.products]
        best = max(subsets, key=lambda s: (products[s][16], -subsets.index(s)))
        options = []
        for s in subsets:
            value, margin = _mean(products[s][16], products[s][s], deals)
            apart = products[best][best] + products[s][s] - 2 * products[best][s]
            behind, behind_margin = _mean(products[best][16] - products[s][16], apart, deals)
            kept = mus.kept_cards(table, row, s)
            options.append(
                Option(
                    keep=kept,
                    discard=mus.kept_cards(table, row, KEEP_ALL & ~s),
                    value=value,
                    margin=margin,
                    behind=behind,
                    behind_margin=behind_margin,
                    tied=behind <= behind_margin,
                    lances=_shares(found.cells[s], deals),
                    draw=draw_odds(self.query, s),
                )
            )
        return tuple(sorted(options, key=lambda option: -option.value))

    def _verdict(self, chances: NDArray[np.float64], best: Option) -> tuple[Value, Value, Value, float]:
        """Cut and mus in the first round: all but the discard is counted exactly."""
        before = tuple(seat for seat in SEATS if seat < self.query.seat)
        if not (chances[[seat - 1 for seat in SEATS if seat != self.query.seat]] < 1).any():
            before = ()
        cut, dealt = self._counted(self._weights(chances, before))
        as_they_are, agreed = self._counted(self._weights(chances, SEATS))
        through = agreed / dealt
        difference = Value(through * (best.value - as_they_are), through * best.margin)
        return Value(cut, 0.0), Value(cut + difference.value, difference.margin), difference, through

    def _counted(self, weights: NDArray[np.int64]) -> tuple[float, float]:
        """The exact value of the hands as they are under weights, and the deals in units of plain ones."""
        counts = enumerate_deals(
            self.query.table, self.query.row, self.query.seat, self.query.unseen, weights
        )
        scale = 1.0
        for line in weights:
            scale *= float(line.max())
        return value_of(counts, self.objective, self.stakes), counts.deals / scale

    def _later_verdict(self, found: mus.Judgement, best: Option) -> tuple[Value, Value, Value, float]:
        """Cut and mus in a later round, all from the same deals."""
        table, row = self.query.table, self.query.row
        products = [[int(p) for p in line] for line in found.products]
        reached, as_they_are, square = (int(total) for total in found.totals[1:4])
        subset = next(
            s
            for s in range(KEEP_ALL)
            if mus.deck_of(table).options[row, s] and mus.kept_cards(table, row, s) == best.keep
        )
        gain = products[subset][16] - (as_they_are - int(found.totals[4]))
        # all deals that reach the player's word, the gain of a mus being 0 where somebody after him cuts
        kept = products[KEEP_ALL]
        squares = products[subset][subset] + kept[KEEP_ALL] - 2 * products[subset][KEEP_ALL]
        difference = Value(*_mean(gain, squares, reached))
        cut = Value(*_mean(as_they_are, square, reached))
        return (
            cut,
            Value(cut.value + difference.value, cut.margin + difference.margin),
            difference,
            (found.deals / reached),
        )


_LOOK = 1 << 16
_MOST = 1 << 26


def chances_as_weights(
    question: Query, chances: NDArray[np.float64], say_mus: tuple[int, ...]
) -> NDArray[np.int64]:
    """int64 (3, n): what is known of each hand, times its chance to say mus where that is known.

    Args:
        chances: float64 (4, n), the chance of each seat's hands.
        say_mus: the seats known to have said mus.

    Raises:
        ConditionError: if no hand is left for somebody.
    """
    known = question.weights
    weights = np.ones((3, len(question.table))) if known is None else known.astype(np.float64)
    for place, role in enumerate(ROLES):
        seat = seat_of(role, question.seat)
        if seat in say_mus:
            weights[place] *= chances[seat - 1]
    return _whole(weights)


def _whole(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Weights as whole numbers, each row scaled to what its chances need and the exact count allows."""
    whole = np.zeros(weights.shape, dtype=np.int64)
    for place, line in enumerate(weights):
        most = line.max()
        if most <= 0:
            raise ConditionError("no hand that says mus fits all that is known of the others")
        plain = np.array_equal(line, np.rint(line)) and most <= MOST_WEIGHT
        scale = 1.0 if plain else min(PARTS, MOST_WEIGHT / most)
        whole[place] = np.rint(line * scale)
        if not whole[place].any():
            raise ConditionError("the hands that fit next to never say mus, so no discard can be judged")
    return whole


def _mean(total: int, square: int, number: int) -> tuple[float, float]:
    """The mean of a payoff and half its 95 % interval, from the sums of it and of its square."""
    mean = total / number
    spread = max(square / number - mean * mean, 0.0)
    return mean, Z95 * sqrt(spread / number)


def _shares(cells: NDArray[np.int64], deals: int) -> dict[str, LanceShare]:
    """How each lance goes, from the cells of ``mus_loops.judge_options``."""
    cell = np.arange(64)
    pares, juego = cell >> 4 & 1 == 1, cell >> 5 & 1 == 1
    always = np.ones(64, dtype=bool)
    bits = {"grande": 3, "chica": 2, "pares": 1, "juego": 0, "punto": 0}
    played = {"grande": always, "chica": always, "pares": pares, "juego": juego, "punto": ~juego}
    shares = {}
    for lance in LANCES:
        won = (cell >> bits[lance] & 1 == 1) & played[lance]
        win, plays = int(cells[won].sum()), int(cells[played[lance]].sum())
        shares[lance] = LanceShare(win / deals, (plays - win) / deals, plays / deals)
    return shares


def value_of(counts: Counts, objective: str, stakes: Mapping[str, int]) -> float:
    """The value of counted deals: what ``engine.mus.payoffs`` pays, on average."""
    if objective != "stones":
        return counts.lances[objective].win / counts.deals
    total = counts.stones_us - counts.stones_them
    last = stakes.get("juego", stakes.get("punto", 0))
    for lance, bet in (
        *((name, stakes.get(name, 0)) for name in LANCES[:3]),
        ("juego", last),
        ("punto", last),
    ):
        if bet:
            count = counts.lances[lance]
            paid_anyway = 1 if lance in ("grande", "chica") else 0
            total += (bet - paid_anyway) * (2 * count.win_contested - count.contested)
    return total / counts.deals


def draw_odds(question: Query, subset: int) -> dict[str, float]:
    """The exact chance of what the new hand holds after keeping a subset, over all draws of unseen cards."""
    table: Table = question.table
    kept = question.rules.deck.counts(
        card for place, card in enumerate(mus.cards_of(table, question.row)) if subset >> place & 1
    )
    drawn = table.counts.astype(np.int64) - np.array(kept)
    possible = (drawn >= 0).all(axis=1)
    number = int(drawn[0].sum())
    ways = np.zeros(len(table), dtype=np.int64)
    for row in np.flatnonzero(possible):
        product = 1
        for unseen, some in zip(question.unseen, drawn[row], strict=True):
            product *= comb(int(unseen), int(some))
        ways[row] = product
    total = comb(int(question.unseen.sum()), number)
    kings = table.counts[:, -1]
    what = {
        "pares": table.pares_worth > 0,
        "medias": table.pares_worth == 2,
        "duples": table.pares_worth == 3,
        "juego": table.juego_worth > 0,
        "31": table.points == 31,
        "R>=2": kings >= 2,
        "R>=3": kings >= 3,
    }
    return {name: int(ways[holds].sum()) / total for name, holds in what.items()}
