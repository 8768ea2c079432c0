"""The condition language: meanings against slow predicates, weights, canonical text, errors."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import example, given, settings
from strategies import conditions, noise, plain_conditions
from test_signs import VALUE, facts

from musodds.analysis.knowledge import (
    Condition,
    check_declared,
    check_possible,
    combine,
    declared,
    explain,
    parse_condition,
    ways_from,
)
from musodds.engine.tables import Table, table
from musodds.errors import ConditionError
from musodds.mus import lances
from musodds.mus.cards import deck, parse_hand

TABLES = {"8": table(8), "4": table(4), "coins": table(8, "coins"), "coins-4": table(4, "coins")}


def fitting(text: str, hands: Table) -> set[str]:
    condition = parse_condition(text, hands)
    assert set(condition.weights.tolist()) <= {0, 1}
    assert condition.unit == 1
    return {hand for hand, weight in zip(hands.hands, condition.weights, strict=True) if weight}


def points(hand: str) -> int:
    return sum(VALUE[card] for card in hand.replace("*", ""))


def kind(hand: str) -> str:
    held = sorted(Counter(hand.replace("*", "")).values())
    return {(1, 1, 1, 1): "none", (1, 1, 2): "par", (1, 3): "medias"}.get(tuple(held), "duples")


def key(lance: str, hand: str, hands: Table) -> tuple[int, ...] | None:
    cards = ["S*" if card == "*" else card for card in hand.replace("S*", "*")]
    return lances.key_of(lance, hands.real)(cards, hands.deck)


SLOW: dict[str, Callable[[str], bool]] = {
    "pares": lambda h: kind(h) != "none",
    "par": lambda h: kind(h) == "par",
    "medias": lambda h: kind(h) == "medias",
    "duples": lambda h: kind(h) == "duples",
    "juego": lambda h: points(h) >= 31,
    "punto": lambda h: points(h) < 31,
    "any": lambda h: True,
    **{str(n): (lambda h, n=n: points(h) == n) for n in (31, 32, 33, 40, 37, 30, 29, 4, 22)},  # type: ignore[misc]
    "points>=27": lambda h: points(h) >= 27,
    "puntos < 20": lambda h: points(h) < 20,
    "points!=31": lambda h: points(h) != 31,
    "points == 28": lambda h: points(h) == 28,
    "R>=2": lambda h: h.count("R") >= 2,
    "K=0": lambda h: h.count("R") == 0,
    "A<1": lambda h: h.count("A") < 1,
    "1<=1": lambda h: h.count("A") <= 1,
    "7>=2": lambda h: h.count("7") >= 2,
    "4=2": lambda h: h.count("4") == 2,
    "S>1": lambda h: h.count("S") > 1,
    "C != 1": lambda h: h.count("C") != 1,
    "RRCA": lambda h: h == "RRCA",
    "ackk": lambda h: h == "RRCA",
    "12-12-4-1": lambda h: h == "RR4A",
    "7654": lambda h: h == "7654",
    "perete": lambda h: h == "7654",
    "1111": lambda h: h == "AAAA",
    "RR..": lambda h: h.count("R") >= 2,
    "R....": lambda h: h.count("R") >= 1,
    "11..": lambda h: h.count("A") >= 2,
    "RR7..": lambda h: h.count("R") >= 2 and "7" in h,
    "SS..": lambda h: h.count("S") >= 2,
    "....": lambda h: True,
    "not pares": lambda h: kind(h) == "none",
    "no pares y juego": lambda h: kind(h) == "none" and points(h) >= 31,
    "!pares & juego | duples": lambda h: (kind(h) == "none" and points(h) >= 31) or kind(h) == "duples",
    "duples o pares y !juego": lambda h: kind(h) == "duples" or (kind(h) != "none" and points(h) < 31),
    "!(pares | juego)": lambda h: kind(h) == "none" and points(h) < 31,
    "! ! pares": lambda h: kind(h) != "none",
    "!R>=1 AND !A>=1": lambda h: "R" not in h and "A" not in h,
    "two-kings": lambda h: facts(h)["two-kings"],
    "Tres Reyes": lambda h: facts(h)["three-kings"],
    "dos_ases": lambda h: facts(h)["two-aces"],
    "tres-ases": lambda h: facts(h)["three-aces"],
    "seña medias": lambda h: facts(h)["medias"],
    "sign-juego": lambda h: facts(h)["game"],
    "game": lambda h: facts(h)["game"],
    "solomillo": lambda h: facts(h)["solomillo"],
    "treinta y una": lambda h: facts(h)["thirty-one"],
    "la una": lambda h: facts(h)["thirty-one"],
    "treinta": lambda h: facts(h)["thirty"],
    "veintinueve": lambda h: facts(h)["twenty-nine"],
    "pair": lambda h: facts(h)["pair"],
    "ciego": lambda h: facts(h)["blind"],
}


@pytest.mark.parametrize("name", TABLES)
def test_meanings_over_every_hand(name: str) -> None:
    hands = TABLES[name]
    for text, slow in SLOW.items():
        assert fitting(text, hands) == {hand for hand in hands.hands if slow(hand)}, text


def test_two_and_three_are_what_the_deck_says() -> None:
    assert fitting("3>=2", TABLES["8"]) == fitting("R>=2", TABLES["8"])
    assert fitting("2..", TABLES["8"]) == fitting("A..", TABLES["8"])
    assert fitting("3>=2", TABLES["4"]) == {hand for hand in TABLES["4"].hands if hand.count("3") >= 2}
    assert fitting("sign medias", TABLES["4"]) >= {"R333", "222A"}


def test_the_jack_of_coins() -> None:
    coins = TABLES["coins"]
    assert fitting("S*>=1", coins) == {hand for hand in coins.hands if "*" in hand}
    assert fitting("S*S..", coins) == {h for h in coins.hands if "*" in h and h.count("S") >= 2}
    assert fitting("S>=3", coins) == {hand for hand in coins.hands if hand.count("S") >= 3}
    assert fitting("S*777", coins) == {"S*777"}
    assert fitting("S777", coins) == {"S777"}
    assert fitting("juego=31", coins) == fitting("31", coins)  # the real is a 31 as well
    assert fitting("top 0.001% juego", coins) == {"S*777"}
    for text in ("S*>=1", "S*7.."):
        with pytest.raises(ConditionError, match="real of coins"):
            parse_condition(text, TABLES["8"])


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    ("lance", "right", "fits"),
    [
        ("grande", "RR7..", lambda h: h.count("R") >= 2 and "7" in h),
        ("grande", "solomillo", lambda h: h == "RRRA"),
        ("chica", "RR4A", lambda h: h == "RR4A"),
        ("chica", "A4..", lambda h: "A" in h and "4" in h),
        ("pares", "CC..", lambda h: h.count("C") >= 2),
        ("pares", "medias", lambda h: kind(h) == "medias"),
        ("pares", "RSA.", lambda h: {"R", "S", "A"} <= set(h)),
        ("juego", "31", lambda h: points(h) == 31),
        ("juego", "40", lambda h: points(h) == 40),
        ("juego", "RR..", lambda h: h.count("R") >= 2),
        ("punto", "27", lambda h: points(h) == 27),
    ],
)
def test_strength_is_measured_by_the_hands_that_fit(
    name: str, lance: str, right: str, fits: Callable[[str], bool]
) -> None:
    hands = TABLES[name]
    keys = {hand: key(lance, hand, hands) for hand in hands.hands}
    there = [k for hand, k in keys.items() if fits(hand) and k is not None]
    low, high = min(there), max(there)
    part = {hand: k for hand, k in keys.items() if k is not None}
    slow = {
        ">=": {h for h, k in part.items() if k >= low},
        ">": {h for h, k in part.items() if k > high},
        "<": {h for h, k in part.items() if k < low},
        "<=": {h for h, k in part.items() if k <= high},
        "=": {h for h, k in part.items() if low <= k <= high},
        "!=": {h for h, k in part.items() if not low <= k <= high},
    }
    for operator, expected in slow.items():
        if expected:
            assert fitting(f"{lance} {operator} {right}", hands) == expected
        else:
            with pytest.raises(ConditionError, match="no hand of a deck"):
                parse_condition(f"{lance} {operator} {right}", hands)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("lance", lances.LANCES)
@pytest.mark.parametrize("percent", ["0.5", "5", "20", "26.7", "50", "100"])
def test_shares_are_the_fewest_whole_ties_that_reach_them(name: str, lance: str, percent: str) -> None:
    hands = TABLES[name]
    ways = dict(zip(hands.hands, hands.ways.tolist(), strict=True))
    ties: dict[tuple[int, ...], list[str]] = {}
    for hand in hands.hands:
        if (k := key(lance, hand, hands)) is not None:
            ties.setdefault(k, []).append(hand)
    for end in ("top", "bottom"):
        expected: set[str] = set()
        for k in sorted(ties, reverse=end == "top"):
            if sum(ways[hand] for hand in expected) >= Fraction(percent) / 100 * 91_390:
                break
            expected.update(ties[k])
        assert fitting(f"{end} {percent}% {lance}", hands) == expected


def test_published_shares() -> None:
    """P(31 | juego) and P(31 | juego, no pares): Los números del mus y algunas paradojas."""
    hands = table(8)

    def share(text: str, given: str) -> float:
        weights = parse_condition(given, hands).weights
        both = parse_condition(combine(text, given), hands).weights
        return float((both * hands.ways).sum() / (weights * hands.ways).sum())

    assert share("31", "juego") == pytest.approx(0.343, abs=0.0005)
    assert share("31", "juego & !pares") == pytest.approx(0.4375, abs=0.00005)


@pytest.mark.parametrize(
    ("text", "unit", "weights"),
    [
        ("pares", 1, {"RRCA": 1, "RCS4": 0}),
        ("0.3*ciego + 0.7*(R>=2)", 10, {"6541": 3, "RRCA": 7, "RRRR": 7, "RCSA": 0}),
        ("0.5*pares + 0.25*juego", 4, {"RRCA": 3, "RCSA": 1, "44AA": 2}),
        ("0.5*pares + 0.5*pares", 1, {"RRCA": 1, "RCSA": 0}),
        ("3*pares + juego", 1, {"RRCA": 4, "RCSA": 1}),
        ("0.2*pares | juego", 5, {"RRCA": 1, "RCSA": 1, "44AA": 1, "7654": 0}),
        ("(0.3*pares + 0.7*juego) & R>=1", 10, {"RRCA": 10, "RCSA": 7, "CCSA": 0, "R44A": 3}),
        ("(0.5*pares) & (0.5*juego)", 4, {"RRCA": 1, "RCSA": 0}),
        ("2*(0.5*pares + juego)", 1, {"RRCA": 3, "RCSA": 2}),
        ("0*pares + juego", 1, {"44AA": 0, "RRCA": 1}),
        ("3.9999*pares", 10_000, {"RRCA": 39_999}),
        ("40000*pares", 1, {"RRCA": 40_000}),
        (".50*pares + 0.500000*!pares", 2, {"RRCA": 1, "RCSA": 1}),
    ],
)
def test_weights_are_whole_numbers(text: str, unit: int, weights: dict[str, int]) -> None:
    hands = table(8)
    condition = parse_condition(text, hands)
    assert condition.unit == unit
    assert condition.weights.dtype == np.int64
    rows = [hands.index["".join(parse_hand(hand, hands.deck))] for hand in weights]
    assert condition.weights[rows].tolist() == list(weights.values())


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("  Pares&no   juego ", "pares & !juego"),
        ("(31) | ((duples | (medias)))", "31 | duples | medias"),
        ("31|pares y juego", "31 | (pares & juego)"),
        ("dos reyes", "two-kings"),
        ("treinta", "30"),
        ("una", "31"),
        ("pair", "pares"),
        ("seña medias", "sign-medias"),
        ("seña juego", "game"),
        ("solomillo", "solomillo"),
        ("kk..", "RR.."),
        ("kk7..", "RR7."),
        ("a4kk", "RR4A"),
        ("puntos == 031", "points=31"),
        ("k≥2", "R>=2"),
        ("!(R>=2)", "!(R>=2)"),
        ("not not pares", "pares"),
        ("grande >= 7kk..", "grande>=RR7."),
        ("mejor 20.50 % Grande", "top 20.5% grande"),
        ("0.30*ciego+.7*R>=2", "0.3*blind + 0.7*(R>=2)"),
        ("(0.5*pares) + (juego)", "0.5*pares + juego"),
        ("1*pares", "pares"),
        ("2*pares|31 + 1*(juego&R>=1)", "2*(pares | 31) + (juego & R>=1)"),
    ],
)
def test_canonical_text(typed: str, canonical: str) -> None:
    assert parse_condition(typed, table(8)).text == canonical


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("paers", 1, "did you mean pares?"),
        ("R>=2 & dos-reyse", 8, "did you mean dos-reyes?"),
        ("pares | sollomillo", 9, "did you mean solomillo?"),
        ("pares juego", 1, "join conditions by & or |"),
        ("pares &", 8, "the condition ends where"),
        ("& pares", 1, "'&' stands where a condition"),
        ("(pares", 7, "a ) is missing"),
        ("pares)", 6, "closes nothing"),
        ("pares # juego", 7, "'#' means nothing"),
        ("pares*2", 1, "'pares*2' is not known"),
        ("juego*2", 6, "* is for weights"),
        ("R>=2>=1", 5, "join two comparisons by &"),
        ("R>=x", 4, "whole number"),
        ("R>=1.5", 4, "whole number"),
        ("reyes>=2", 1, "cannot be compared"),
        ("grnde>=RR7.", 1, "did you mean grande?"),
        ("31>=2", 1, "cannot be compared"),
        ("grande>=31", 9, "compare grande with a hand"),
        ("juego>=38", 8, "the juegos are"),
        ("juego>=7654", 8, "takes no part in juego"),
        ("grande", 1, "grande>=RR7."),
        ("points", 1, "points>=27"),
        ("pares & RR8A", 9, "there is no 8 in a Mus deck"),
        ("RR7", 1, "write RR7."),
        ("RRCAA", 1, "a Mus hand has four"),
        ("RRCAA..", 1, "a Mus hand has four"),
        ("41", 1, "4 to 40"),
        ("2", 1, "4 to 40"),
        ("top 20% grade", 9, "did you mean grande?"),
        ("top 0% grande", 5, "above 0"),
        ("top 101% grande", 5, "at most 100%"),
        ("top x% grande", 5, "where a number should"),
        ("top 20 grande", 8, "where % should"),
        ("!(0.3*pares)", 3, "without weights"),
        ("pares | (0.3*juego)", 10, "without weights"),
        ("0.00001*pares", 1, "up to four decimals"),
        ("pares + 50000*juego", 9, "at most 40,000"),
        ("20.0001*pares", 1, "up to four decimals"),
        ("pares & " + "(" * 60 + "juego" + ")" * 60, 61, "50 deep"),
        ("!" * 60 + "juego", 52, "50 deep"),
    ],
)
def test_errors_point_at_the_place(text: str, column: int, says: str) -> None:
    with pytest.raises(ConditionError) as caught:
        parse_condition(text, table(8))
    message = str(caught.value)
    assert f"at column {column}: " in message
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "nothing is said"),
        (" \n ", "nothing is said"),
        ("pares & !pares", "no hand of a deck with 8 kings fits"),
        ("R>=5", "no hand"),
        ("38", "no hand"),
        ("0*pares", "no hand"),
        ("pares|" * 400 + "juego", "at most 2000"),
        ("31|" * 600 + "juego", "at most 2000"),  # the canonical text would be too long to be read again
    ],
)
def test_conditions_that_cannot_be(text: str, says: str) -> None:
    with pytest.raises(ConditionError, match=says):
        parse_condition(text, table(8))


def test_long_errors_show_the_place_only() -> None:
    text = "pares | " * 30 + "paers" + " | juego" * 30
    with pytest.raises(ConditionError) as caught:
        parse_condition(text, table(8))
    assert "'paers' is not known" in str(caught.value)
    assert len(str(caught.value)) < 200


def _read(text: str, hands: Table) -> Condition | None:
    try:
        return parse_condition(text, hands)
    except ConditionError as error:
        if "\n" in str(error):
            raise AssertionError("an error is one line") from error
        return None


@settings(max_examples=300, deadline=None, derandomize=True)
@given(conditions)
def test_canonical_text_reads_back(text: str) -> None:
    for hands in (TABLES["8"], TABLES["coins-4"]):
        first = _read(text, hands)
        if first is None:
            continue
        again = parse_condition(first.text, hands)
        assert again.text == first.text
        assert again.unit == first.unit
        assert (again.weights == first.weights).all()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(plain_conditions)
def test_not_is_the_complement(text: str) -> None:
    hands = TABLES["8"]
    first, opposite = _read(text, hands), _read(f"!({text})", hands)
    ones = np.ones(len(hands), dtype=np.int64)
    if first is None:
        assert opposite is None or (opposite.weights == ones).all()
    else:
        other = 0 if opposite is None else opposite.weights
        assert (first.weights + other == ones).all()


@settings(max_examples=600, deadline=None, derandomize=True)
@given(noise)
@example("(" * 2000)
@example("!" * 2000)
@example("1" * 2000)
@example("1" * 1990 + "*pares")
@example("0." + "0" * 1990 + "1*pares")
@example("R>=" + "9" * 1990)
@example("." * 2000)
@example("S*" * 1000)
@example("a " * 1000)
@example("\ud800")
@example("pares\x00")
@example("²")
@example("٣>=2")
def test_any_text_is_an_answer_or_a_clear_error(text: str) -> None:
    condition = _read(text, TABLES["8"])
    assert condition is None or condition.weights.max() >= 1


def test_the_parser_library_is_loaded_on_demand() -> None:
    code = "import sys, musodds.analysis.knowledge; print('lark' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_weights_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        parse_condition("pares", table(8)).weights[0] = 5


def unseen(hand: str, hands: Table, seen: str = "") -> np.ndarray:
    return hands.copies - np.array(hands.deck.counts((*hand, *seen)), dtype=np.int64)


@pytest.mark.parametrize("name", ["8", "4"])
def test_explain_counts_hands_and_deals(name: str) -> None:
    hands = TABLES[name]
    left = unseen("RR4A", hands, "777")
    assert ways_from(hands, left).sum() == comb(33, 4)
    assert (ways_from(hands, hands.copies) == hands.ways).all()
    told = explain(parse_condition("77..", hands), hands, left)
    assert told.hands == len([hand for hand in hands.hands if hand.count("7") >= 2])
    assert told.of_hands == len(hands)
    assert told.possible == 0  # one 7 is left
    assert told.share == 0
    told = explain(parse_condition("7>=1", hands), hands, left)
    assert told.share == pytest.approx(1 - comb(32, 4) / comb(33, 4), abs=1e-15)
    half = explain(parse_condition("0.5*(7>=1) + 0*any", hands), hands, left)
    assert half.share == pytest.approx(told.share / 2, abs=1e-15)


@pytest.mark.parametrize(
    ("hand", "known", "says"),
    [
        ("RR44", {"right": "4444"}, "right '4444': no hand that fits"),
        ("RRCA", {"right": "AAAA", "left": "AAAA"}, "cannot meet these together"),
        ("RRCA", {"right": "AAAA", "left": "AAAA", "partner": "AAAA"}, "cannot meet these together"),
        ("4567", {"right": "4>=2", "left": "4>=2"}, "cannot meet these together"),
        ("4567", {"right": "4>=1", "left": "4>=1", "partner": "4>=1"}, None),
        ("4567", {"right": "4>=1", "left": "4>=1", "partner": "4>=2"}, "cannot meet these together"),
        ("AAAA", {"right": "AA..", "left": "AA.."}, None),
        ("RR4A", {}, None),
    ],
)
def test_contradictions(hand: str, known: dict[str, str], says: str | None) -> None:
    hands = table(8)
    read = {role: parse_condition(text, hands) for role, text in known.items()}
    if says is None:
        check_possible(read, hands, unseen(hand, hands))
    else:
        with pytest.raises(ConditionError, match=says):
            check_possible(read, hands, unseen(hand, hands))


def test_the_stock_must_hold_three_hands() -> None:
    with pytest.raises(ConditionError, match="need twelve"):
        check_possible({}, table(8), np.array([2, 1, 1, 1, 1, 1, 1, 3]))


@pytest.mark.parametrize(
    ("text", "seat", "conditions"),
    [
        (
            "pares: 1,3; juego: 2",
            1,
            {"right": "!pares & juego", "partner": "pares & !juego", "left": "!pares & !juego"},
        ),
        ("pares: 1,3", 4, {"right": "pares", "partner": "!pares", "left": "pares"}),
        ("juego: none", 2, {"right": "!juego", "partner": "!juego", "left": "!juego"}),
        ("Juego:", 2, {"right": "!juego", "partner": "!juego", "left": "!juego"}),
        ("juego: nadie; pares: todos", 3, dict.fromkeys(("right", "partner", "left"), "pares & !juego")),
        ("pares: mano postre;", 2, {"right": "!pares", "partner": "pares", "left": "pares"}),
    ],
)
def test_declared(text: str, seat: int, conditions: dict[str, str]) -> None:
    assert declared(text, seat) == conditions
    for condition in conditions.values():
        assert parse_condition(condition, table(8)).text == condition


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "nothing is said"),
        ("paers: 1", "did you mean pares"),
        ("grande: 1", "'grande' is not declared"),
        ("pares", "who has pares"),
        ("pares: 5", "seat '5'"),
        ("pares: 1; pares: 2", "there twice"),
    ],
)
def test_declarations_that_cannot_be(text: str, says: str) -> None:
    with pytest.raises(ConditionError, match=says):
        declared(text, 1)


@pytest.mark.parametrize(
    ("text", "seat", "says"),
    [
        ("pares: 1,3; juego: 2", 1, None),
        ("pares: 2", 1, "seat 1 said no pares, but RR4A has them"),
        ("juego: 1", 1, "seat 1 said juego, but RR4A does not have it"),
        ("pares: 2; juego: 3", 2, None),
    ],
)
def test_a_declaration_agrees_with_the_hand(text: str, seat: int, says: str | None) -> None:
    hand = parse_hand("RR4A", deck(8))
    if says is None:
        check_declared(text, seat, hand, deck(8))
    else:
        with pytest.raises(ConditionError, match=says):
            check_declared(text, seat, hand, deck(8))


def test_combined_conditions() -> None:
    hands = table(8)
    text = combine("0.3*ciego + 0.7*(R>=2)", "!juego & points>20")
    condition = parse_condition(text, hands)
    assert condition.text == "(0.3*blind + 0.7*(R>=2)) & !juego & points>20"
    with pytest.raises(ConditionError, match="no hand"):
        parse_condition(combine("pares", "!pares"), hands)
    assert combine("pares") == "pares"
