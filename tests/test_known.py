"""Odds under what is known of the others: printed figures, laws they obey, simulated beside exact."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from test_exact import PRINTED, check_sums, columns

import musodds
from musodds.analysis.query import query
from musodds.engine import enumeration as kernel
from musodds.engine.counts import Counts
from musodds.engine.exact import enumerate_deals, partner_figures
from musodds.engine.tables import ALL_DEALS, table
from musodds.errors import CardError, ConditionError
from musodds.mus.lances import LANCES
from musodds.mus.rules import rules
from musodds.mus.seats import ROLES, SEATS

GIVEN = {
    "right has pares; left has none": {"right": "pares", "left": "!pares"},
    "nobody else has juego": dict.fromkeys(ROLES, "!juego"),
    "partner holds at least two kings": {"partner": "RR.."},
    "right has duples": {"right": "duples"},
    "own discards dead": {},
}
# Twenty-four conditions that both decks can meet, common and rare, of every form.
CONDITIONS = (
    *("pares", "par", "medias", "duples", "juego", "31", "30", "ciego", "game", "sign-medias"),
    *("two-kings", "tres-ases", "solomillo", "RRCA", "RR..", "7>=1", "R>=2", "points>=27", "points<12"),
    *("grande>=RR7..", "pares>=CC..", "top 20% grande", "bottom 10% chica", "31 | duples | (pares & !juego)"),
)
FIELDS = ("win", "lose", "played", "contested", "win_contested", "mine")


def count(hand: str, seat: int, *, kings: int = 8, seen: str = "", **known: str) -> Counts:
    asked = query(hand, seat, rules=rules("classic", kings=kings), seen=seen, **known)
    return enumerate_deals(asked.table, asked.row, asked.seat, asked.unseen, asked.weights, unit=asked.unit)


def numbers(counts: Counts) -> np.ndarray:
    """Everything that was counted, as one column of whole numbers of any size."""
    lances = [getattr(counts.lances[lance], name) for lance in LANCES for name in FIELDS]
    return np.array([counts.deals, *lances, counts.stones_us, counts.stones_them], dtype=object)


def test_printed_figures_under_conditions(data):
    rows = data("known.csv")
    assert {row["given"] for row in rows} == set(GIVEN)
    for row in rows:
        known, seen, seat = GIVEN[row.pop("given")], row.pop("dead"), int(row.pop("seat")) + 1
        answer = musodds.odds(row.pop("hand"), seat, seen=seen, simulate=False, **known).exact
        found = columns(answer)
        assert set(found) == set(row)
        for name, figure in row.items():
            assert found[name] == pytest.approx(float(figure), abs=PRINTED), (known, seen, name)
        check_sums(answer)


def test_published_figures_of_a_known_pair(data):
    printed = [row for row in data("published.csv") if row["what"].startswith("pair ")]
    assert len(printed) == 7
    for row in printed:
        pair, asked = row["what"].removeprefix("pair ").split(": ")
        hands, seat = pair.split(", seat ")
        mine, partner = hands.split(" + ")
        answer = musodds.odds(mine, int(seat), partner=partner, simulate=False).exact
        lance = answer.lances[asked.split()[0]]
        assert lance.win == pytest.approx(float(row["value"]), abs=5e-7), row["what"]


@pytest.mark.parametrize("kings", [8, 4])
@pytest.mark.parametrize("role", ROLES)
def test_a_condition_and_its_opposite_make_up_all_deals(kings: int, role: str) -> None:
    """In whole numbers, so the weighed odds agree to the last digit."""
    for number, text in enumerate(CONDITIONS):
        hand, seat = ("RC76", "C765", "S54A")[number % 3], SEATS[number % 4]
        whole = count(hand, seat, kings=kings)
        assert whole.deals == ALL_DEALS
        fits = count(hand, seat, kings=kings, **{role: text})
        opposite = count(hand, seat, kings=kings, **{role: f"!({text})"})
        assert 0 < fits.deals < ALL_DEALS
        assert (numbers(fits) + numbers(opposite) == numbers(whole)).all(), (text, hand, seat)


@pytest.mark.parametrize("role", ROLES)
def test_a_weighted_condition_is_the_mixture_it_says(role: str) -> None:
    other = {name: "points>=20" for name in ROLES if name != role}
    for first, second in (("ciego", "R>=2"), ("pares", "juego"), ("RRCA", "any")):
        asked = query("RS54", 2, **{role: f"0.3*{first} + 0.7*({second})"}, **other)
        assert asked.unit == 10
        mixed = enumerate_deals(
            asked.table, asked.row, asked.seat, asked.unseen, asked.weights, unit=asked.unit
        )
        parts = [count("RS54", 2, **{role: text}, **other) for text in (first, second)]
        assert (numbers(mixed) == 3 * numbers(parts[0]) + 7 * numbers(parts[1])).all(), (first, second)


def test_equal_weights_are_no_weights() -> None:
    plain = musodds.odds("RR4A", 3, left="pares", simulate=False).exact
    tenth = musodds.odds("RR4A", 3, left="0.1*pares", simulate=False).exact
    for lance in LANCES:
        assert tenth.lances[lance].win == plain.lances[lance].win
    assert tenth.deals == pytest.approx(plain.deals / 10)


def test_weights_on_three_hands_multiply() -> None:
    weights = {"right": "0.25*pares + 0.75*!pares", "partner": "3*juego + any", "left": "0.5*RR.. + any"}
    asked = query("C765", 4, **weights)
    assert asked.unit == 4 * 1 * 2
    mixed = enumerate_deals(asked.table, asked.row, asked.seat, asked.unseen, asked.weights, unit=asked.unit)
    total = 0
    for a, right in ((1, "pares"), (3, "!pares")):
        for b, partner in ((3, "juego"), (1, "any")):
            for c, left in ((1, "RR.."), (2, "any")):
                part = count("C765", 4, right=right, partner=partner, left=left)
                total = total + a * b * c * numbers(part)
    assert (numbers(mixed) == total).all()


SIMULATED = (
    {"right": "pares"},
    {"partner": "!pares"},
    {"left": "duples"},
    {"right": "pares", "left": "!pares"},
    {"right": "juego", "partner": "juego", "left": "juego"},
    {"right": "!juego", "partner": "!juego", "left": "!juego"},
    {"partner": "RRCA"},
    {"partner": "RR.."},
    {"right": "31", "left": "31", "partner": "solomillo"},
    {"right": "AAAA"},
    {"left": "SSSS", "partner": "A>=3"},
    {"right": "top 5% grande", "left": "top 5% chica"},
    {"right": "ciego", "partner": "ciego", "left": "ciego"},
    {"partner": "0.3*ciego + 0.7*(R>=2)"},
    {"right": "0.01*any + medias", "left": "0.9*pares + 0.1*!pares"},
    {"partner": "tres-reyes", "right": "R=1"},
    {"left": "points>=27 & !pares"},
    {"right": "grande>=RR7..", "partner": "pares>=CC.."},
    {"left": "perete", "right": "perete", "partner": "perete"},
    {"right": "4>=1", "partner": "4>=1", "left": "4>=1"},
    {"partner": "30", "left": "29"},
)


@pytest.mark.parametrize("number", range(len(SIMULATED)))
def test_simulated_agrees_with_exact(number: int) -> None:
    """Within 4.5 standard errors, all told some 400 figures; certain ones agree to the deal.

    A figure with few expected deals is not normal, so its standard error is taken as that of 9 deals.
    """
    kings, seat = (8, 4)[number % 2], SEATS[number % 4]
    hand = "C765" if kings == 4 else ("RR4A", "C76A", "S54A")[number % 3]
    deals = 200_000
    exact_deals = count(hand, seat, kings=kings, **SIMULATED[number]).deals  # with their weights
    answer = musodds.odds(hand, seat, deals=deals, seed=20 + number, kings=kings, **SIMULATED[number])
    for lance in LANCES:
        exact, drawn = answer.exact.lances[lance], answer.simulated.lances[lance]
        for name in FIELDS:
            truth = getattr(exact.counts, name) / exact_deals
            found = getattr(drawn.counts, name)
            error = 0.0 if truth in (0, 1) else sqrt(max(deals * truth * (1 - truth), 9))
            assert abs(found - deals * truth) <= 4.5 * error, (lance, name)
    stones, drawn_stones = answer.exact.stones, answer.simulated.stones
    assert abs(stones.difference - drawn_stones.difference) <= 4.5 / 1.96 * drawn_stones.margin


@pytest.mark.parametrize(
    ("hand", "known", "seen", "says"),
    [
        ("RRCA", dict.fromkeys(ROLES, "AAAA"), "", "together"),
        ("RRCA", {"right": "AAAA", "left": "AAAA"}, "", "right .AAAA. and left .AAAA.: .* together"),
        ("RR44", {"right": "4444"}, "", "fit"),
        ("RR44", {"partner": "4>=3"}, "", "fit"),
        ("RRCA", {"left": "7>=2"}, "777", "fit"),
        ("RRCA", {"left": "pares & !pares"}, "", "no hand of a deck"),
        ("RRCA", {"left": "0*pares"}, "", "no hand of a deck"),
        ("RRCA", {"left": "nonsense"}, "", "not known"),
    ],
)
@pytest.mark.parametrize("engine", ["exact", "simulate"])
def test_contradictions_are_errors_in_both_engines(
    hand: str, known: dict[str, str], seen: str, says: str, engine: str
) -> None:
    engines = {"exact": False, "simulate": False} | {engine: True}
    with pytest.raises(ConditionError, match=says):
        musodds.odds(hand, 1, seen=seen, deals=1000, **known, **engines)


def test_more_cards_than_the_deck_holds_are_an_error() -> None:
    with pytest.raises(CardError, match="5 4"):
        musodds.odds("4444", 1, seen="4")


@pytest.mark.parametrize("seat", SEATS)
def test_with_every_hand_known_the_answer_is_certain(seat: int) -> None:
    answer = musodds.odds("RR4A", seat, right="RC76", partner="SS54", left="RC77", deals=1000)
    for figures in (answer.exact, answer.simulated):
        for lance in figures.lances.values():
            assert {lance.win, lance.played, lance.mine} <= {0, 1}
        assert figures.stones.difference == int(figures.stones.difference)


def test_a_paradox_of_pares() -> None:
    """At pares as mano RR4A beats CCC7, but not once a rival is known to have pares.

    RR4A leaves fewer kings, and so fewer pares, for the others. Source: Los números del mus y algunas
    paradojas.
    """

    def win(hand: str, **known: str) -> float:
        return musodds.odds(hand, "mano", simulate=False, **known).exact.lances["pares"].win

    assert win("RR4A") == pytest.approx(0.86440, abs=5e-6)
    assert win("CCC7") == pytest.approx(0.86285, abs=5e-6)
    for known in ({"right": "pares"}, {"left": "pares"}, {"right": "pares", "left": "pares"}):
        assert win("RR4A", **known) < win("CCC7", **known)
    either = [musodds.odds(h, 1, simulate=False).exact.lances["pares"] for h in ("RR4A", "CCC7")]
    assert either[0].win_if_contested < either[1].win_if_contested  # some rival, whichever


def test_a_paradox_of_chica() -> None:
    """RRSA with a partner who holds AA6S: two kings, and yet chica is the better lance in every seat."""
    for seat in SEATS:
        lances = musodds.odds("RRSA", seat, partner="AA6S", simulate=False).exact.lances
        assert lances["chica"].win > lances["grande"].win


def _law_error(hand: str, partner: str) -> float:
    """|P(no rival has juego) in % - (our points + partner's points)|."""
    juego = musodds.odds(hand, 1, partner=partner, simulate=False).exact.lances["juego"].counts
    points = table(8).points[[table(8).index[hand], table(8).index[partner]]]
    deals = count(hand, 1, partner=partner).deals
    with_juego = juego.played - (juego.win - juego.win_contested)
    return abs(100 * (1 - with_juego / deals) - int(points.sum()))


def test_the_first_law_of_acme_at_its_worst() -> None:
    assert _law_error("AAAA", "AAAA") == pytest.approx(9.494, abs=0.0005)
    assert _law_error("RRCA", "7654") < 5


@pytest.mark.exhaustive
def test_the_first_law_of_acme_for_every_pair_of_hands() -> None:
    """Points of the pair are about the chance, in %, that no rival has juego (Primera ley de ACME).

    Over all 52,551 pairs of hands that eight kings can deal.
    """
    hands = table(8)
    ones = np.ones((3, len(hands)), dtype=np.int64)
    errors = {}
    for row, hand in enumerate(hands.hands):
        unseen = hands.copies - hands.counts[row]
        figures = partner_figures(hands, row, 1, unseen, ones)
        for other in range(row, len(hands)):
            if (hands.counts[other] <= unseen).all():
                chance = figures[other, kernel.NO_JUEGO] / figures[other, kernel.ALL]
                points = int(hands.points[row]) + int(hands.points[other])
                errors[hand, hands.hands[other]] = abs(100 * chance - points)
    assert len(errors) == 52_551
    worst = max(errors, key=errors.__getitem__)
    assert worst == ("AAAA", "AAAA")
    assert errors[worst] == pytest.approx(9.494, abs=0.0005)
    assert sum(error < 5 for error in errors.values()) / len(errors) == pytest.approx(0.975, abs=0.0005)


def test_canonical_conditions_give_the_same_answer() -> None:
    typed = {
        "right": "dos reyes o kk7..",
        "partner": ".30*ciego+0.7*3>=2",
        "left": "mejor 20% grande y no 31",
    }
    asked = query("RS54", 2, **typed)
    again = query("RS54", 2, **{role: text for role, text in asked.known_text.items() if text})
    assert again.known_text == asked.known_text
    assert (again.weights == asked.weights).all()
    assert again.unit == asked.unit
