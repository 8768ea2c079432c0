"""Advice on discards: against printed figures, exact counts, slow twins, players' lore and the laws of chance."""

from __future__ import annotations

import random
from functools import cache
from math import comb, sqrt

import naive
import numpy as np
import pytest
from conftest import read_rows

import musodds
from musodds.analysis.discard import (
    Advice,
    Option,
    chances_as_weights,
    discard,
    draw_odds,
    parse_drew,
    parse_stakes,
    policy_for,
)
from musodds.analysis.drew import odds_after_mus
from musodds.analysis.figures import Z95
from musodds.analysis.odds import exact_odds
from musodds.analysis.policy import drawing
from musodds.analysis.query import Query, query
from musodds.engine import mus
from musodds.engine.exact import enumerate_deals
from musodds.errors import ConditionError, PolicyError, UsageError
from musodds.mus.lances import LANCES
from musodds.mus.rules import rules
from musodds.mus.seats import SEATS, seat_of

SIGMAS = 4.5


def option(advice: Advice, keep: str) -> Option:
    """The discard that keeps these cards."""
    (found,) = (one for one in advice.options if one.keep == keep)
    return found


def check_share(seen: float, known: float, deals: int, what: str = "") -> None:
    """A simulated share against a known one."""
    error = sqrt(max(known * (1 - known), 0.0) / deals)
    assert abs(seen - known) <= SIGMAS * error + 1e-12, what


# --- everybody stands: figures that can be counted ---


def check_standing(row: dict[str, str], deals: int) -> None:
    advice = discard(row["hand"], int(row["seat"]) + 1, others="stand", deals=deals, seed=17)
    found = option(advice, row["keep"])
    known = {lance: float(row[lance]) for lance in LANCES}
    played = {
        "grande": 1.0,
        "chica": 1.0,
        "pares": 1 - float(row["pares_none"]),
        "juego": 1 - float(row["juego_none"]),
        "punto": float(row["juego_none"]),
    }
    assert advice.deals == deals
    for lance, share in found.lances.items():
        check_share(share.win, known[lance], deals, lance)
        check_share(share.played, played[lance], deals, lance)
        assert share.win + share.lose == pytest.approx(share.played, abs=1e-12)
    difference = float(row["stones_us"]) - float(row["stones_them"])
    assert abs(found.value - difference) <= SIGMAS * found.margin / Z95


@pytest.mark.parametrize("row", read_rows("stand.csv"), ids=lambda row: f"{row['hand']}-{row['keep']}")
def test_with_everybody_standing_the_figures_are_the_printed_ones(row):
    check_standing(row, 300_000)


@pytest.mark.exhaustive
@pytest.mark.parametrize("row", read_rows("stand.csv"), ids=lambda row: f"{row['hand']}-{row['keep']}")
def test_with_everybody_standing_five_million_deals_are_near_the_printed_ones(row):
    check_standing(row, 5_000_000)


def counted(hand: str, keep: str, seat: int, kings: int) -> tuple[dict[str, float], dict[str, float], float]:
    """Win and played by lance and the stones difference, counted over all deals after every draw.

    While the others stand it does not matter whether I draw before or after they are dealt: each new hand
    is a question of its own, in which my discards are seen cards.
    """
    known = rules("classic", kings=kings)
    thrown = naive.without(naive.cards_of(hand), naive.cards_of(keep))
    rest = naive.without(naive.deck(kings), naive.cards_of(hand))
    win, played, stones = dict.fromkeys(LANCES, 0.0), dict.fromkeys(LANCES, 0.0), 0.0
    draws: dict[naive.Hand, int] = {}
    for row in mus_draws(tuple(sorted(rest)), len(thrown)):
        draws[row[0]] = row[1]
    total = sum(draws.values())
    assert total == comb(36, len(thrown))
    for drawn, ways in draws.items():
        question = query(naive.text((*naive.cards_of(keep), *drawn)), seat, rules=known, seen="".join(thrown))
        figures = exact_odds(question)
        for lance in LANCES:
            win[lance] += ways / total * figures.lances[lance].win
            played[lance] += ways / total * figures.lances[lance].played
        stones += ways / total * figures.stones.difference
    return win, played, stones


@cache
def mus_draws(cards: tuple[str, ...], number: int) -> tuple[tuple[naive.Hand, int], ...]:
    """Every distinct draw of so many cards, and in how many ways."""
    ways = {(): 1}
    kinds = sorted(set(cards))
    for card in kinds:
        held = cards.count(card)
        grown: dict[tuple[str, ...], int] = {}
        for draw, number_of_ways in ways.items():
            for more in range(min(held, number - len(draw)) + 1):
                longer = (*draw, *[card] * more)
                grown[longer] = grown.get(longer, 0) + number_of_ways * comb(held, more)
        ways = grown
    return tuple((draw, count) for draw, count in ways.items() if len(draw) == number)


def check_counted(hand: str, keep: str, seat: int, kings: int, deals: int) -> None:
    win, played, stones = counted(hand, keep, seat, kings)
    advice = discard(hand, seat, others="stand", kings=kings, deals=deals, seed=23)
    found = option(advice, keep)
    for lance in LANCES:
        check_share(found.lances[lance].win, win[lance], deals, lance)
        check_share(found.lances[lance].played, played[lance], deals, lance)
    assert abs(found.value - stones) <= SIGMAS * found.margin / Z95


@pytest.mark.parametrize(
    ("hand", "keep", "seat", "kings"), [("RRR4", "RRR", 2, 8), ("SA54", "S54", 3, 8), ("CC76", "CC", 4, 8)]
)
def test_with_everybody_standing_the_figures_are_those_of_every_draw(hand, keep, seat, kings):
    check_counted(hand, keep, seat, kings, 200_000)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("hand", "keep", "seat", "kings"),
    [
        ("RCS7", "R", 2, 8),
        ("7654", "74", 1, 8),
        ("AAA4", "AAA", 4, 8),
        ("R732", "R7", 3, 4),
        ("S664", "S66", 1, 4),
    ],
)
def test_with_everybody_standing_five_million_deals_are_near_those_of_every_draw(hand, keep, seat, kings):
    check_counted(hand, keep, seat, kings, 5_000_000)


def test_with_everybody_standing_plain_shuffles_say_the_same():
    hand, keep, seat, deals = naive.cards_of("R764"), ("R",), 2, 4000
    generator = random.Random(5)
    rest = naive.without(naive.deck(8), hand)
    total: dict[tuple[str, str], int] = {}
    for _ in range(deals):
        cards = generator.sample(rest, 15)
        others = [naive.in_order(cards[start : start + 4]) for start in (0, 4, 8)]
        hands = naive.seated(naive.in_order((*keep, *cards[12:])), *others, seat)
        for name, number in naive.settle(hands, seat).items():
            total[name] = total.get(name, 0) + number
    found = option(discard("R764", seat, others="stand", deals=400_000), "R")
    for lance in LANCES:
        check_share(total[lance, "win"] / deals, found.lances[lance].win, int(deals / 1.01), lance)


# --- what players know ---

# hand, seats, what is kept
LORE = [
    *((f"RR{pair}", (1, 4), {"RR"}) for pair in ("76", "75", "74", "65", "64", "54")),
    *((f"RR{card}A", (1,), {"RR", "RRA"}) for card in "7654"),
    *((f"RR{card}A", (4,), {"RR"}) for card in "7654"),
    *((f"RRR{card}", (1, 4), {"RRR"}) for card in "CS7654A"),
    ("CSA4", (1,), {"CSA"}),
    ("S754", (1,), {"S74"}),
    ("RAA5", (1,), {"R"}),
    ("R654", (1, 4), {"R"}),
    ("CCA4", (1,), {"CCA"}),
    ("7654", (1,), {""}),
]
SIGNS = [(hand, seat, keeps) for hand, seats, keeps in LORE for seat in seats]
FEW = [
    sign
    for sign in SIGNS
    if sign[0] in ("RR54", "RR7A", "RRR4", "CSA4", "S754", "RAA5", "R654", "CCA4", "7654")
]


@pytest.mark.parametrize(("hand", "seat", "keeps"), FEW)
def test_the_best_discard_is_the_one_that_players_know(hand, seat, keeps):
    advice = discard(hand, seat, deals=60_000)
    assert {one.keep for one in advice.options if one.tied} <= keeps | (
        {"RRA"} if hand[:2] == "RR" else set()
    )
    assert {one.keep for one in advice.options if one.tied} & keeps


@pytest.mark.exhaustive
@pytest.mark.parametrize(("hand", "seat", "keeps"), SIGNS)
def test_the_best_discard_is_the_one_that_players_know_by_far(hand, seat, keeps):
    advice = discard(hand, seat, deals=2_000_000)
    assert advice.options[0].keep in keeps
    assert not any(one.tied for one in advice.options[1:])


def test_two_kings_are_worth_more_than_a_stone_over_a_third_card():
    advice = discard("RR54", "mano", deals=100_000)
    assert advice.options[0].keep == "RR"
    for keep in ("RR5", "RR4"):
        one = option(advice, keep)
        assert one.behind - one.behind_margin > 1
    for hand, keep, other in (
        ("CSA4", "CSA", ""),
        ("S754", "S74", ""),
        ("RAA5", "R", "AA"),
        ("CCA4", "CCA", "CC"),
    ):
        advice = discard(hand, "mano", deals=60_000)
        assert advice.options[0].keep == keep
        one = option(advice, other)
        assert one.behind > 5 * one.behind_margin


def sure_cuts() -> list[str]:
    """Every hand with 31, and every duples with a pair of kings."""
    hands = query("RR54").table
    kings = hands.counts[:, -1]
    sure = (hands.points == 31) | ((hands.pares_worth == 3) & (kings >= 2))
    return [hands.hands[row] for row in np.flatnonzero(sure)]


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("hand", ["RRSA", "C777", "RR44"])
def test_31_and_duples_of_kings_cut(hand, seat):
    assert hand in sure_cuts()
    advice = discard(hand, seat, deals=20_000)
    assert (advice.advice, advice.close) == ("cut", False)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seat", SEATS)
def test_every_31_and_all_duples_of_kings_cut(seat):
    hands = sure_cuts()
    assert len(hands) > 20
    for hand in hands:
        advice = discard(hand, seat, deals=200_000)
        assert (advice.advice, advice.close) == ("cut", False), hand


# --- exact chances of the draw ---


@pytest.mark.parametrize(
    ("hand", "keep", "kings", "known"),
    [
        ("RR54", "RR", 8, {"31": 0.2159, "juego": 0.7349, "R>=3": 0.3095}),
        ("CSA4", "CSA", 8, {"31": 0.3889}),
        ("RRSA", "RRS", 8, {"juego": 1.0}),
        ("7654", "", 8, {"pares": 0.5901}),
        ("RR54", "RR", 4, {"juego": 0.5857}),
    ],
)
def test_draws_have_the_printed_chances(hand, keep, kings, known):
    chances = option(discard(hand, deals=2000, others="stand", kings=kings), keep).draw
    for name, chance in known.items():
        assert chances[name] == pytest.approx(chance, abs=1e-4)


@pytest.mark.parametrize("kings", [8, 4])
def test_draws_have_the_chances_that_counting_one_by_one_gives(kings):
    question = query("R764", seen="RC7", rules=rules("classic", kings=kings))
    rest = naive.without(naive.deck(kings), naive.cards_of("R764RC7"))
    for keep in ("R76", "74", ""):
        found = draw_odds(question, mus.subset_of(question.table, question.row, naive.cards_of(keep)))
        number = 4 - len(keep)
        ways = dict(mus_draws(tuple(sorted(rest)), number))
        total = comb(33, number)
        assert sum(ways.values()) == total
        hands = {(*naive.cards_of(keep), *drawn): count for drawn, count in ways.items()}
        wanted = {
            "pares": lambda hand: naive.pairs(hand)[0] > 0,
            "medias": lambda hand: naive.pairs(hand)[0] == 2,
            "duples": lambda hand: naive.pairs(hand)[0] == 3,
            "juego": lambda hand: naive.points(hand) >= 31,
            "31": lambda hand: naive.points(hand) == 31,
            "R>=2": lambda hand: hand.count("R") >= 2,
            "R>=3": lambda hand: hand.count("R") >= 3,
        }
        assert found.keys() == wanted.keys()
        for name, holds in wanted.items():
            counted_ways = sum(count for hand, count in hands.items() if holds(hand))
            assert found[name] == pytest.approx(counted_ways / total, abs=1e-12), name


# --- cut or mus ---


def test_the_verdict_adds_up():
    for seat in SEATS:
        advice = discard("R764", seat, deals=20_000)
        assert advice.difference.value == pytest.approx(advice.mus.value - advice.cut.value, abs=1e-12)
        assert advice.advice == ("mus" if advice.difference.value > 0 else "cut")
        values = [one.value for one in advice.options]
        assert values == sorted(values, reverse=True)
        assert advice.options[0].behind == 0
        assert advice.cut.margin == 0
        for one in advice.options:
            assert advice.options[0].value - one.value == pytest.approx(one.behind, abs=1e-12)
            assert sorted(one.keep + one.discard) == sorted("R764")
    assert advice.through == 1  # nobody speaks after the postre
    assert advice.mus.value == pytest.approx(advice.options[0].value, abs=1e-9)


def test_the_verdict_is_what_playing_on_shows():
    """Said mus, whoever cuts after me plays the hands as dealt, else the best discard counts: by whole hands."""
    policy = policy_for(rules("classic"), "players", None)
    hands, row, seat = policy.table, query("R764").row, 2
    advice = discard("R764", seat, deals=300_000)
    best = mus.subset_of(hands, row, naive.cards_of(advice.options[0].keep))
    said, keep = policy.mus.copy(), policy.keep.copy()
    said[0, seat - 1, row] = 1
    keep[0, seat - 1, row] = np.eye(16)[best]
    never = said.copy()
    never[0, seat - 1, row] = 0
    payoff = mus.payoffs()
    compiled = [type(policy.compiled)(chances, mus.mixed_keep(keep)) for chances in (said, never)]
    # of all tables those with this hand in this seat count, and the mano said mus: the others cancel out
    found = mus.compare(hands, seat, *compiled, payoff, tables=2_000_000, seed=31)
    share = hands.ways[row] / comb(40, 4) * before_me(hands, row, seat, policy)
    gain = -found.gain / found.tables
    error = sqrt(found.square / found.tables) / sqrt(found.tables)
    assert abs(gain - share * advice.difference.value) <= SIGMAS * error + share * advice.difference.margin


def before_me(hands, row: int, seat: int, policy) -> float:
    """The chance that whoever speaks before a hand says mus."""
    question = Query(tuple(naive.cards_of(hands.hands[row])), seat)
    weights = chances_as_weights(question, policy.mus[0], tuple(other for other in SEATS if other < seat))
    dealt = enumerate_deals(hands, row, seat, question.unseen, weights).deals
    return float(dealt / np.prod([float(line.max()) for line in weights]) / question.all_deals)


def test_objectives_and_stakes():
    plain = discard("RR54", deals=20_000)
    for lance in LANCES:
        advice = discard("RR54", objective=lance, deals=20_000)
        for one in advice.options:
            same = option(plain, one.keep)
            assert one.value == same.lances[lance].win == one.lances[lance].win
        assert advice.cut.value == pytest.approx(_exact_win("RR54", lance), abs=1e-12)
    # a stake on grande pays that many instead of 1: twice its share more than once its share
    staked = discard("RR54", stakes="grande=5", deals=20_000)
    for one in staked.options:
        grande = one.lances["grande"]
        gained = 4 * (grande.win - grande.lose)
        assert one.value == pytest.approx(option(plain, one.keep).value + gained, abs=1e-9)
    assert parse_stakes("juego=2, punto=2") == {"juego": 2, "punto": 2}


def _exact_win(hand: str, lance: str) -> float:
    return exact_odds(query(hand)).lances[lance].win


def test_what_is_known_and_seen_counts():
    free = discard("RR54", deals=50_000)
    strong = discard("RR54", right="31", deals=50_000, others="stand")
    assert strong.cut.value < free.cut.value
    none = discard("RR54", seen="RRRRRR", deals=50_000)
    assert option(none, "RR").draw["R>=3"] == 0
    assert option(none, "RR").value < option(free, "RR").value
    with pytest.raises(ConditionError, match="no hand that says mus"):
        discard("RR54", right="31", deals=1000)
    with pytest.raises(ConditionError):
        discard("RR54", right="medias", left="R>=4", deals=1000)


def test_fewer_rounds_and_other_decks():
    one = discard("RR54", max_mus=1, deals=50_000)
    assert one.rounds == 1
    assert discard("RR54", deals=1000).rounds == 3
    assert discard("RR54", rules="four-swaps", deals=1000).rounds == 4
    four = discard("RR32", kings=4, deals=20_000)
    assert four.options[0].keep.startswith("RR")
    coins = discard("S*765", real="coins", deals=5000)
    assert {one.keep for one in coins.options} >= {"S*76", "S*", ""}


def test_later_rounds_count_those_in_which_all_say_mus():
    advice = discard("R764", round=2, deals=20_000)
    assert advice.round == 2
    assert 16_000 < advice.deals < 26_000
    drew = discard("R764", drew="right=1", deals=20_000)
    assert (drew.round, drew.drew) == (2, {"right": 1})
    assert drew.cut.margin > 0
    # a player who took one card had three good ones: worse for us than one who took four
    assert drew.cut.value < discard("R764", drew="right=4", deals=20_000).cut.value


def test_any_number_of_threads_gives_the_same_answer():
    once = discard("C764", 3, deals=100_000, threads=1)
    assert (
        once == discard("C764", 3, deals=100_000, threads=2) == discard("C764", 3, deals=100_000, threads=3)
    )
    assert once.options != discard("C764", 3, deals=100_000, threads=1, seed=2).options
    later = discard("C764", 3, round=2, deals=20_000, threads=1)
    assert later == discard("C764", 3, round=2, deals=20_000, threads=3)


# --- the odds after a mus ---


def patterns() -> list[dict[str, int]]:
    """The 64 ways in which the others may have drawn."""
    return [
        {"right": right, "partner": partner, "left": left}
        for right in (1, 2, 3, 4)
        for partner in (1, 2, 3, 4)
        for left in (1, 2, 3, 4)
    ]


def check_total_probability(hand: str, seat: int, deals: int) -> None:
    question = query(hand, seat)
    policy = policy_for(question.rules, "players", None)
    weights, win, variance = [], np.zeros(6), np.zeros(6)
    parts = []
    for number, drew in enumerate(patterns()):
        chances, _ = drawing(policy, question.table, {seat_of(role, seat): n for role, n in drew.items()})
        try:
            known = chances_as_weights(question, chances, SEATS)
        except ConditionError:
            continue  # nobody ever takes so few
        counts = enumerate_deals(question.table, question.row, seat, question.unseen, known)
        scale = np.prod([line.max() / max_chance(question, chances, i) for i, line in enumerate(known)])
        weights.append(counts.deals / scale)
        parts.append(odds_after_mus(question, drew=drew, deals=deals, seed=100 + number))
    assert len(parts) > 27
    shares = np.array(weights) / sum(weights)
    for share, found in zip(shares, parts, strict=True):
        for place, lance in enumerate(LANCES):
            p = found.lances[lance].win
            win[place] += share * p
            variance[place] += share**2 * p * (1 - p) / deals
        win[5] += share * found.stones.difference
        variance[5] += (share * (found.stones.margin or 0) / Z95) ** 2
    whole = odds_after_mus(question, drew="any", deals=20 * deals, seed=1)
    for place, lance in enumerate(LANCES):
        p = whole.lances[lance].win
        assert abs(win[place] - p) <= SIGMAS * sqrt(variance[place] + p * (1 - p) / (20 * deals)), lance
    margin = (whole.stones.margin or 0) / Z95
    assert abs(win[5] - whole.stones.difference) <= SIGMAS * sqrt(variance[5] + margin**2)


def max_chance(question: Query, chances: np.ndarray, place: int) -> float:
    """The largest chance in a row of weights, which the weights were scaled by."""
    return float(chances[seat_of(("right", "partner", "left")[place], question.seat) - 1].max())


def test_the_64_patterns_of_cards_drawn_make_up_a_mus_of_which_nothing_is_known():
    check_total_probability("RR54", 1, 10_000)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("hand", "seat"), [("C764", 3), ("RRAA", 4), ("7A54", 2)])
def test_the_64_patterns_make_up_an_unknown_mus_closely(hand, seat):
    check_total_probability(hand, seat, 1_000_000)


def test_odds_after_a_mus_through_the_front_door():
    answer = musodds.odds("RR54", drew="right=1,left=4", deals=50_000)
    assert answer.exact is None
    assert answer.simulated is not None
    assert (answer.mus.others, answer.mus.drew) == ("players", {"right": 1, "left": 4})
    same = musodds.odds("RR54", drew={"left": 4, "right": 1}, deals=50_000, threads=3)
    assert same.simulated == answer.simulated
    standing = musodds.odds("RR54", drew="any", others="stand", deals=200_000)
    exact = musodds.odds("RR54", simulate=False).exact
    for lance in LANCES:
        check_share(standing.simulated.lances[lance].win, exact.lances[lance].win, 200_000, lance)


# --- what is refused ---


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"objective": "envido"}, "choose one of stones, grande"),
        ({"objective": "grande", "stakes": "grande=2"}, "do not go with a lance"),
        ({"stakes": "grande=1"}, "smallest bet is 2"),
        ({"stakes": "envido=2"}, "not a lance"),
        ({"stakes": "grande"}, "as in grande=2"),
        ({"stakes": "grande=2,grande=3"}, "twice"),
        ({"stakes": "juego=2,punto=3"}, "one lance in the betting"),
        ({"drew": "right=5"}, "one to four"),
        ({"drew": "right=0"}, "one to four"),
        ({"drew": "me=1"}, "not one of right, partner, left"),
        ({"drew": "right"}, "as in right=2"),
        ({"drew": "right=1", "round": 1}, "go with round 2"),
        ({"drew": "any", "round": 3}, "go with round 2"),
        ({"round": 0}, "first mus is round 1"),
        ({"round": 6, "max_mus": 4}, "at most 4"),
        ({"round": 4}, "looks at 3"),
        ({"max_mus": 0}, "no mus"),
        ({"cuts": "any"}, "cuts with every hand"),
        ({"cuts": "31", "others": "solved"}, "has its own"),
        ({"others": "nobody"}, "choose players, solved, stand"),
        ({"deals": 0}, "deals 0"),
        ({"seed": -1}, "seed -1"),
        ({"threads": 0}, "threads 0"),
    ],
    ids=str,
)
def test_questions_that_cannot_be_are_refused_with_the_reason(options, says):
    with pytest.raises((UsageError, PolicyError), match=says):
        discard("RR54", **options)


def test_cards_drawn_are_read_in_every_way():
    assert parse_drew("right=2, PARTNER=1;left=4") == {"right": 2, "partner": 1, "left": 4}
    assert parse_drew(None) == parse_drew("any") == {}
    with pytest.raises(UsageError, match="goes with what they drew"):
        musodds.odds("RR54", others="solved")
    with pytest.raises(UsageError, match="nobody can count"):
        musodds.odds("RR54", drew="right=1", simulate=False)
    with pytest.raises(UsageError, match="give deals"):
        musodds.odds("RR54", drew="right=1", margin=0.1)
