"""Rule cases: single situations with what the written rules of the game say about them.

Each case names the rule that it shows. "Us" is the pair of seats 1 and 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from musodds.mus.bets import parse_record, parse_score
from musodds.mus.cards import parse_hand
from musodds.mus.count import Settlement, settle
from musodds.mus.rules import rules

WORKED_EXAMPLE = "R3CA 7654 SS54 RC77"


def settled(hands: str, bets: str = "", score: str = "0-0", **overrides: object) -> Settlement:
    table = rules("classic", **overrides)
    cards = [parse_hand(hand, table.deck) for hand in hands.split()]
    return settle(cards, table, parse_record(bets), parse_score(score, table.target))


@dataclass(frozen=True)
class Win:
    """Who wins a lance, and the words for it."""

    rule: str
    hands: str
    lance: str
    seat: int | None
    why: str
    real: str = "off"
    kings: int = 8


WINS = [
    Win("grande, highest card decides", "R444 CCCC 5544 5544", "grande", 1, "first card R over C"),
    Win(
        "grande, the second card", "RCC4 RR44 5544 5544", "grande", 2, "kings tie; second card R over C"
    ),  # K 3 4 4 beats K Q Q Q
    Win(
        "grande, the third card",
        "RRC4 RRS7 5544 5544",
        "grande",
        1,
        "the first two cards tie; third card C over S",
    ),
    Win(
        "grande, the fourth card",
        "RRC4 RRC5 5544 6644",
        "grande",
        2,
        "the first three cards tie; fourth card 5 over 4",
    ),
    Win(
        "eight kings, a three is a king",
        "R3CA RCCS 5544 5544",
        "grande",
        1,
        "kings tie; second card R over C",
    ),
    Win(
        "four kings, a three is a three",
        "R3CA RCCS 5544 5544",
        "grande",
        2,
        "the first two cards tie; third card C over 3",
        kings=4,
    ),
    Win("chica, lowest card decides", "RRRA CCC4 5544 5544", "chica", 1, "lowest card A under 4"),
    Win(
        "chica is not grande backwards",
        "654A 7AAA RRR7 RRR7",
        "chica",
        2,
        "aces tie; second lowest card A under 4",
    ),
    Win(
        "chica, A 2 7 K beats A 4 5 6",
        "A27R A456 CCC7 CCC7",
        "chica",
        1,
        "aces tie; second lowest card A under 4",
    ),
    Win(
        "chica, four kings: a two is above the aces",
        "RRR2 RRRA CCC7 CCC7",
        "chica",
        2,
        "lowest card A under 2",
        kings=4,
    ),
    Win(
        "chica, the third card",
        "RSAA R7AA CCC7 CCC7",
        "chica",
        2,
        "the two lowest cards tie; third lowest card 7 under S",
    ),
    Win("pares, medias over par", "RR54 444A 7654 7654", "pares", 2, "medias of 4 over par of R"),
    Win("pares, duples over medias", "RRCC 777A 7654 654A", "pares", 1, "duples of R and C over medias of 7"),
    Win("pares, the higher pair", "SS54 RR54 7654 7654", "pares", 2, "par of R over par of S"),
    Win(
        "duples, four kings over kings and knights",
        "RRRR RRCC 7654 7654",
        "pares",
        1,
        "duples of four R over duples of R and C",
    ),
    Win(
        "duples, four kings over kings and aces",
        "RRAA RRRR 7654 7654",
        "pares",
        2,
        "duples of four R over duples of R and A",
    ),
    Win(
        "duples, the higher pair first: RRAA over CCCC",
        "CCCC RRAA 7654 7654",
        "pares",
        2,
        "duples of R and A over duples of four C",
    ),
    Win(
        "duples, the higher pair first: CC66 over SSSS",
        "SSSS CC66 754A 754A",
        "pares",
        2,
        "duples of C and 6 over duples of four S",
    ),
    Win(
        "duples, then the lower pair",
        "RR44 RR55 76CA 76CA",
        "pares",
        2,
        "duples of R and 5 over duples of R and 4",
    ),
    Win(
        "pares, other cards never break a tie",
        "RR54 RRCS 7654 7654",
        "pares",
        1,
        "par of R twice: tied, seat 1 speaks first",
    ),
    Win(
        "pares, only one pair holds them", "RR54 7654 SS54 754A", "pares", 1, "only seats 1 and 3 have pares"
    ),
    Win("pares, only one player holds them", "RC54 7654 RS54 RR5A", "pares", 4, "only seat 4 has pares"),
    Win("pares, nobody holds them", "RC54 7654 RS54 R65A", "pares", None, "nobody has pares: not played"),
    Win("juego, 31 over all others", "RCSA RCS4 RCSS 7777", "juego", 1, "31 over 34"),
    Win("juego, 32 over 40", "RRCC RC75 7654 7654", "juego", 2, "32 over 40"),
    Win("juego, 40 over 37", "RRR7 SSCC 7654 7654", "juego", 2, "40 over 37"),
    Win("juego, 34 over 33", "RR76 RR77 7654 7654", "juego", 2, "34 over 33"),
    Win("juego, only one pair has it", "RCSA 7654 7654 7654", "juego", 1, "only seat 1 has juego"),
    Win("juego, nobody has it", "RCA4 7654 7654 7654", "juego", None, "nobody has juego: punto is played"),
    Win(
        "juego, no real unless agreed",
        "RCSA 777R 7654 7654",
        "juego",
        1,
        "31 twice: tied, seat 1 speaks first",
    ),
    Win(
        "real, any ten-point card",
        "RCSA 777R 7654 7654",
        "juego",
        2,
        "the real beats every juego",
        real="ten",
    ),
    Win(
        "real, with eight kings a three is a king",
        "RCSA 7773 654A 654A",
        "juego",
        2,
        "the real beats every juego",
        real="ten",
    ),
    Win(
        "real, a king is no jack",
        "RCSA 777R 654A 654A",
        "juego",
        1,
        "31 twice: tied, seat 1 speaks first",
        real="jack",
    ),
    Win("real, any jack", "RCSA 777S 654A 654A", "juego", 2, "the real beats every juego", real="jack"),
    Win(
        "real, another jack is not the jack of coins",
        "RCCA 777S 654A 654A",
        "juego",
        1,
        "31 twice: tied, seat 1 speaks first",
        real="coins",
    ),
    Win(
        "real, the jack of coins alone",
        "RCCA 777S* 654A 654A",
        "juego",
        2,
        "the real beats every juego",
        real="coins",
    ),
    Win(
        "real, the jack of coins is a plain jack at grande",
        "SS*54 SS54 777A 654A",
        "grande",
        1,
        "tied, seat 1 speaks first",
        real="coins",
    ),
    Win("punto, 30 is best", "RC64 RC54 RC5A 7654", "punto", 1, "30 over 29"),
    Win(
        "punto, not if one of the four has juego",
        "RCSA 7654 7654 7654",
        "punto",
        None,
        "seat 1 has juego: not played",
    ),
    Win(
        "punto, not if two of the four have juego",
        "RCSA 7654 RCSA 7654",
        "punto",
        None,
        "seats 1 and 3 have juego: not played",
    ),
]


@pytest.mark.parametrize("case", WINS, ids=lambda case: case.rule)
def test_who_wins_a_lance_and_why(case: Win) -> None:
    result = settled(case.hands, real=case.real, kings=case.kings).lance(case.lance)
    assert (result.seat, result.reason.en) == (case.seat, case.why)
    assert result.played == (case.seat is not None)
    assert result.reason.es
    assert result.reason.es != result.reason.en


# Two hands tie in every lance that each takes part in; the fillers lose all of them.
TIES = {
    "grande": ("RRC4", "7654"),
    "chica": ("RRAA", "7654"),
    "pares": ("RR54", "654A"),
    "juego": ("RCSA", "7654"),
    "punto": ("RC54", "7654"),
}


@pytest.mark.parametrize("lance", TIES)
@pytest.mark.parametrize("seats", [(1, 2), (1, 4), (2, 3), (3, 4)])
def test_ties_between_the_pairs_go_to_the_seat_that_speaks_first(lance: str, seats: tuple[int, int]) -> None:
    strong, weak = TIES[lance]
    hands = " ".join(strong if seat in seats else weak for seat in (1, 2, 3, 4))
    result = settled(hands).lance(lance)
    assert result.seat == min(seats)
    assert result.reason.code == "tie"
    assert result.reason.en.endswith(f"tied, seat {min(seats)} speaks first")


@pytest.mark.parametrize("lance", TIES)
@pytest.mark.parametrize("seats", [(1, 3), (2, 4)])
def test_ties_between_partners_are_the_pairs_anyway(lance: str, seats: tuple[int, int]) -> None:
    strong, weak = TIES[lance]
    hands = " ".join(strong if seat in seats else weak for seat in (1, 2, 3, 4))
    result = settled(hands).lance(lance)
    assert result.seat == seats[0]
    assert result.pair == ("us" if seats == (1, 3) else "them")
    assert result.reason.code != "tie"


@dataclass(frozen=True)
class Pay:
    """What a hand pays: the scoreboard lines of some lances as (lance, kind, pair, seat, stones)."""

    rule: str
    hands: str
    bets: str
    pays: list[tuple[str, str, str, int | None, int]]
    of: tuple[str, ...]


# Nobody has juego here: seat 1 wins grande, seat 2 chica and pares (medias), seat 3 punto (30).
PUNTO = "RR54 7AAA RC64 SS5A"
# Both pairs have pares and juego: seat 1 wins pares (duples), seat 2 juego (31).
BOTH = "RRCC RCSA SS77 RR77"

PAYS = [
    Pay("grande passed", PUNTO, "", [("grande", "pass", "us", None, 1)], ("grande",)),
    Pay("grande accepted", PUNTO, "grande=5", [("grande", "bet", "us", None, 5)], ("grande",)),
    Pay(
        "grande refused, by the better hand",
        PUNTO,
        "grande=refused:them:1",
        [("grande", "deje", "them", None, 1)],
        ("grande",),
    ),
    Pay("chica passed", PUNTO, "", [("chica", "pass", "them", None, 1)], ("chica",)),
    Pay("chica accepted", PUNTO, "chica=2", [("chica", "bet", "them", None, 2)], ("chica",)),
    Pay(
        "a raise refused pays what was accepted",
        PUNTO,
        "chica=refused:us:2",
        [("chica", "deje", "us", None, 2)],
        ("chica",),
    ),
    Pay(
        "pares passed: both players of the pair",
        PUNTO,
        "",
        [("pares", "pares", "them", 2, 2), ("pares", "pares", "them", 4, 1)],
        ("pares",),
    ),
    Pay(
        "pares accepted: the stake and the pares",
        BOTH,
        "pares=4",
        [("pares", "bet", "us", None, 4), ("pares", "pares", "us", 1, 3), ("pares", "pares", "us", 3, 3)],
        ("pares",),
    ),
    Pay(
        "pares refused: the bettors still score their own pares",
        BOTH,
        "pares=refused:them:1",
        [("pares", "deje", "them", None, 1), ("pares", "pares", "them", 4, 3)],
        ("pares",),
    ),
    Pay(
        "pares uncontested: scored without a bet",
        "RR54 7654 SSS4 765A",
        "",
        [("pares", "pares", "us", 1, 1), ("pares", "pares", "us", 3, 2)],
        ("pares",),
    ),
    Pay("pares that nobody holds pay nothing", "RC54 7654 RS54 R65A", "", [], ("pares",)),
    Pay(
        "juego passed: 31 is 3, any other 2",
        BOTH,
        "",
        [("juego", "juego", "them", 2, 3), ("juego", "juego", "them", 4, 2)],
        ("juego", "punto"),
    ),
    Pay(
        "juego accepted: the stake and the juegos",
        BOTH,
        "juego=2",
        [
            ("juego", "bet", "them", None, 2),
            ("juego", "juego", "them", 2, 3),
            ("juego", "juego", "them", 4, 2),
        ],
        ("juego", "punto"),
    ),
    Pay(
        "juego refused: the bettors still score their own juegos",
        BOTH,
        "juego=refused:us:2",
        [("juego", "deje", "us", None, 2), ("juego", "juego", "us", 1, 2), ("juego", "juego", "us", 3, 2)],
        ("juego", "punto"),
    ),
    Pay(
        "juego uncontested: scored without a bet",
        "RCSA 7654 7654 7654",
        "",
        [("juego", "juego", "us", 1, 3)],
        ("juego", "punto"),
    ),
    Pay("punto passed", PUNTO, "", [("punto", "punto", "us", None, 1)], ("juego", "punto")),
    Pay(
        "punto accepted: the stake and 1",
        PUNTO,
        "punto=2",
        [("punto", "bet", "us", None, 2), ("punto", "punto", "us", None, 1)],
        ("juego", "punto"),
    ),
    Pay(
        "punto refused: the deje, and 1 at the count",
        PUNTO,
        "punto=refused:them:1",
        [("punto", "deje", "them", None, 1), ("punto", "punto", "them", None, 1)],
        ("juego", "punto"),
    ),
    Pay(
        "a refused órdago is a refusal",
        PUNTO,
        "grande=refused:them:5",
        [("grande", "deje", "them", None, 5)],
        ("grande",),
    ),
]


@pytest.mark.parametrize("case", PAYS, ids=lambda case: case.rule)
def test_what_a_lance_pays(case: Pay) -> None:
    settlement = settled(case.hands, case.bets)
    lines = [(e.lance, e.kind, e.pair, e.seat, e.stones) for e in settlement.entries if e.lance in case.of]
    assert lines == case.pays
    assert all(entry.counted for entry in settlement.entries)


@pytest.mark.parametrize(
    ("real", "jack"), [("ten", "R"), ("jack", "S"), ("coins", "S*")], ids=["ten", "jack", "coins"]
)
def test_the_real_pays_three_as_any_31(real: str, jack: str) -> None:
    settlement = settled(f"777{jack} RCCA 654A 654A", real=real)
    (entry,) = settlement.lance("juego").entries
    assert (entry.pair, entry.seat, entry.stones) == ("us", 1, 3)


def test_two_reals_tie_and_the_seat_that_speaks_first_wins() -> None:
    # A deck holds four sevens, so two reals cannot meet; the order of speaking is settled all the same.
    table = rules("classic", real="ten")
    hands = [parse_hand(hand, table.deck) for hand in ("654A", "777C", "777S", "654A")]
    result = settle(hands, table).lance("juego")
    assert (result.seat, result.reason.en) == (2, "two reals: tied, seat 2 speaks first")


def test_the_worked_example_pays_eleven_stones_lance_by_lance() -> None:
    settlement = settled(WORKED_EXAMPLE, "grande=pass,chica=2,pares=refused:us:1,juego=2")
    assert [(e.lance, e.kind, e.seat, e.stones, e.score) for e in settlement.entries] == [
        ("pares", "deje", None, 1, (1, 0)),
        ("grande", "pass", None, 1, (2, 0)),
        ("chica", "bet", None, 2, (4, 0)),
        ("pares", "pares", 1, 1, (5, 0)),
        ("pares", "pares", 3, 1, (6, 0)),
        ("juego", "bet", None, 2, (8, 0)),
        ("juego", "juego", 1, 3, (11, 0)),
    ]
    assert [result.stones for result in settlement.lances] == [1, 2, 3, 5, 0]
    assert settlement.stones == (11, 0)
    assert settlement.winner is None
    assert [result.reason.en for result in settlement.lances] == [
        "kings tie; second card R over C",
        "lowest card A under 4",
        "seats 2 and 4 refused the bet",
        "31 over 34",
        "seats 1 and 4 have juego: not played",
    ]


def test_a_refused_lance_goes_to_the_bettors_even_with_worse_cards() -> None:
    result = settled(PUNTO, "grande=refused:them:1").lance("grande")
    assert (result.pair, result.seat, result.best) == ("them", None, 1)
    assert result.cards.en == "first card R over S"


# The count stops when a pair is out ---------------------------------------------------------------


def test_the_count_stops_in_the_middle_at_39_38() -> None:
    # Us one from home: grande is counted first, though they hold chica and duples.
    settlement = settled("RR54 CCAA RS64 7654", score="39-38")
    assert (settlement.winner, settlement.ended_by, settlement.ended_at) == ("us", "count", "grande")
    assert settlement.after == (40, 38)
    assert [entry.lance for entry in settlement.entries if not entry.counted] == ["chica", "pares", "punto"]


def test_the_same_hand_at_38_39_is_theirs() -> None:
    settlement = settled("RR54 CCAA RS64 7654", score="38-39")
    assert (settlement.winner, settlement.ended_at, settlement.after) == ("them", "chica", (39, 40))


def test_a_deje_comes_before_the_count() -> None:
    # Grande is counted before chica, but a refusal at chica is paid before both.
    settlement = settled("RR54 CCAA RS64 7654", "chica=refused:them:1", score="39-39")
    assert (settlement.winner, settlement.ended_by, settlement.ended_at) == ("them", "deje", "chica")
    assert settlement.after == (39, 40)
    assert [result.played for result in settlement.lances] == [True, True, False, False, False]


def test_dejes_are_paid_in_the_order_of_the_lances() -> None:
    settlement = settled(BOTH, "juego=refused:us:2,grande=refused:them:1", score="10-20")
    assert [(e.lance, e.score) for e in settlement.entries[:2]] == [("grande", (10, 21)), ("juego", (12, 21))]


def test_an_accepted_ordago_decides_the_game_on_its_lance_alone() -> None:
    settlement = settled(BOTH, "grande=5,juego=ordago", score="38-0")
    assert (settlement.winner, settlement.ended_by, settlement.ended_at) == ("them", "ordago", "juego")
    assert settlement.after == (38, 0)
    assert not any(entry.counted for entry in settlement.entries)


def test_an_accepted_ordago_keeps_the_dejes_of_earlier_lances() -> None:
    settlement = settled(BOTH, "grande=refused:us:1,pares=ordago", score="30-30")
    assert (settlement.winner, settlement.ended_by, settlement.after) == ("us", "ordago", (31, 30))


@pytest.mark.parametrize("target", [30, 35, 40])
def test_any_target(target: int) -> None:
    settlement = settled(PUNTO, score=f"{target - 1}-0", target=target)
    assert (settlement.winner, settlement.after) == ("us", (target, 0))


def test_euskal_plays_to_30_with_four_kings() -> None:
    table = rules("euskal")
    hands = [parse_hand(hand, table.deck) for hand in ("R3CA", "RC74", "7654", "7654")]
    settlement = settle(hands, table, score=(29, 29))
    # With four kings the three is low: R C 3 A against R C 7 4.
    assert settlement.lance("grande").reason.en == "the first two cards tie; third card 7 over 3"
    assert (settlement.winner, settlement.after) == ("them", (29, 30))
