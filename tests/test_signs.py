"""The señas against the table of the rules, written out card by card."""

from __future__ import annotations

from collections import Counter

import pytest

from musodds.engine.tables import table
from musodds.mus.cards import deck
from musodds.mus.signs import SIGNS, find_sign, names_of

VALUE = {"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "S": 10, "C": 10, "R": 10}


def facts(hand: str) -> dict[str, bool]:
    """What the table of the rules says of a hand; a slow twin that knows no other code."""
    hand = hand.replace("*", "")
    held = Counter(hand)
    equal = sorted(held.values())
    points = sum(VALUE[card] for card in hand)
    duples = equal in ([2, 2], [4])
    triple = equal == [1, 3]
    pares = len(held) < 4
    return {
        "two-kings": held["R"] == 2 and not duples,
        "three-kings": held["R"] == 3,
        "two-aces": held["A"] == 2 and not duples,
        "three-aces": held["A"] == 3,
        "medias": triple and held["R"] != 3 and held["A"] != 3,
        "duples": duples,
        "solomillo": held["R"] == 3 and held["A"] == 1,
        "thirty-one": points == 31,
        "game": points > 31,
        "thirty": points == 30,
        "twenty-nine": points == 29,
        "pair": pares,
        "blind": not pares and points < 29,
    }


@pytest.mark.parametrize("real", ["off", "coins"])
@pytest.mark.parametrize("kings", [8, 4])
def test_every_sign_over_every_hand(kings: int, real: str) -> None:
    cards = deck(kings, real)
    for hand in table(kings, real).hands:
        held = tuple(hand.replace("S*", "*"))
        held = tuple("S*" if card == "*" else card for card in held)
        assert {sign.name: sign.fits(held, cards) for sign in SIGNS} == facts(hand), hand


def test_a_hand_without_any_sign_is_a_low_one_or_has_no_other() -> None:
    """Every hand has a sign: without pares it has juego, 30, 29 or is blind."""
    cards = deck(4)
    assert all(any(sign.fits(tuple(hand), cards) for sign in SIGNS) for hand in table(4).hands)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("two-kings", "two-kings"),
        ("Dos Reyes", "two-kings"),
        ("DOS_REYES", "two-kings"),
        ("tres-reyes", "three-kings"),
        ("dos-ases", "two-aces"),
        ("tres ases", "three-aces"),
        ("medias", "medias"),
        ("duples", "duples"),
        ("Solomíllo", "solomillo"),
        ("treinta-y-una", "thirty-one"),
        ("treinta y una", "thirty-one"),
        ("31", "thirty-one"),
        ("la una", "thirty-one"),
        ("juego", "game"),
        ("treinta", "thirty"),
        ("30", "thirty"),
        ("veintinueve", "twenty-nine"),
        ("29", "twenty-nine"),
        ("pares", "pair"),
        ("ciego", "blind"),
    ],
)
def test_names(typed: str, name: str) -> None:
    sign = find_sign(typed)
    assert sign is not None
    assert sign.name == name


def test_no_name_means_two_signs() -> None:
    names = [name for sign in SIGNS for name in names_of(sign)]
    assert len(names) == len(set(names))
    assert find_sign("three-queens") is None
