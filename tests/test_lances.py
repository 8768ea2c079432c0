"""The comparators, held to the examples that the written rules of the game print.

Where a case quotes one rule system, the comment names it; the others follow from the same rules.
"""

from __future__ import annotations

import naive
import pytest

from musodds.mus import lances
from musodds.mus.cards import deck, parse_hand

# lance, kings, the better hand, the worse hand
BETTER = [
    # Barajamos: king, king, four and ace beats king, knight, knight and jack.
    ("grande", 4, "RR4A", "RCCS"),
    # Classic: K-3-4-4 (two kings) beats K-Q-Q-Q.
    ("grande", 8, "R344", "RCCC"),
    ("grande", 4, "RCCC", "R344"),
    ("grande", 8, "RAAA", "CCCC"),
    ("grande", 8, "RRR5", "RRR4"),
    ("grande", 4, "AAA2", "AAAA"),
    # Barajamos: ace, ace, seven and king beats ace, four, five and six.
    ("chica", 8, "AA7R", "A456"),
    # Classic: A-2-7-K beats A-4-5-6, since the two is an ace.
    ("chica", 8, "A27R", "A456"),
    ("chica", 4, "A27R", "A456"),
    # Chica is not grande backwards: 6 5 4 A loses at chica and also at grande.
    ("chica", 8, "7AAA", "654A"),
    ("grande", 8, "7AAA", "654A"),
    ("chica", 8, "AAAA", "AAA4"),
    ("chica", 4, "AAAA", "AAA2"),
    ("chica", 4, "A234", "2223"),
    ("chica", 8, "RRR4", "5555"),
    # Barajamos: a pair of kings beats a pair of jacks.
    ("pares", 4, "RR5A", "SS54"),
    # Classic: any three of a kind beats any pair, any two pairs beat any three of a kind.
    ("pares", 8, "AAA4", "RR54"),
    ("pares", 8, "44AA", "RRR7"),
    ("pares", 8, "RRR4", "CCCR"),
    # Barajamos: four kings beat kings and knights.
    ("pares", 8, "RRRR", "RRCC"),
    ("pares", 8, "RRAA", "CCCC"),
    ("pares", 8, "CC66", "SSSS"),
    ("pares", 8, "CC55", "CC44"),
    ("pares", 4, "2222", "22AA"),
    ("pares", 4, "3355", "2255"),
    # Barajamos: 31 is best; 33 the lowest game (king, knight, seven and six).
    ("juego", 8, "RCSA", "RS75"),
    ("juego", 8, "RS75", "RRRR"),
    ("juego", 8, "RRRR", "RCS7"),
    ("juego", 8, "RCS7", "RCS6"),
    ("juego", 8, "RCS6", "RCS5"),
    ("juego", 8, "RCS5", "RCS4"),
    ("juego", 8, "RCS4", "RC76"),
    # Barajamos: king, knight, seven and three is 30 with four kings; there is nothing better at point.
    ("punto", 4, "RC73", "RC54"),
    ("punto", 8, "RR54", "RR44"),
    ("punto", 8, "A456", "AAAA"),
]


@pytest.mark.parametrize(("lance", "kings", "better", "worse"), BETTER)
def test_the_better_hand_wins(lance, kings, better, worse):
    cards = deck(kings)
    key = lances.key_of(lance)
    best, other = key(parse_hand(better, cards), cards), key(parse_hand(worse, cards), cards)
    assert best is not None
    assert other is not None
    assert best > other


# lance, kings, two hands that tie
TIES = [
    ("grande", 8, "RR4A", "3342"),
    ("chica", 8, "RR4A", "3342"),
    # Other cards never break a tie at pares.
    ("pares", 8, "RR4A", "RR76"),
    ("pares", 8, "777R", "777A"),
    ("juego", 8, "RRRA", "R777"),
    ("juego", 8, "RRRR", "SSSS"),
    ("juego", 8, "RR75", "RR66"),
    ("punto", 8, "RR55", "RR64"),
]


@pytest.mark.parametrize(("lance", "kings", "one", "other"), TIES)
def test_equal_hands_tie(lance, kings, one, other):
    cards = deck(kings)
    key = lances.key_of(lance)
    assert key(parse_hand(one, cards), cards) == key(parse_hand(other, cards), cards) is not None


@pytest.mark.parametrize(
    ("hand", "kings", "kind", "worth"),
    [
        # Barajamos, the table of pairs.
        ("RR5A", 4, "par", 1),
        ("7774", 4, "medias", 2),
        ("CC44", 4, "duples", 3),
        ("SSSS", 4, "duples", 3),
        ("R36A", 4, "none", 0),
        ("R36A", 8, "par", 1),
        ("3R2A", 8, "duples", 3),
        ("3R2A", 4, "none", 0),
        ("RRR3", 8, "duples", 3),
        ("RRR3", 4, "medias", 2),
    ],
)
def test_the_kinds_of_pares_and_what_they_are_worth(hand, kings, kind, worth):
    cards = deck(kings)
    held = parse_hand(hand, cards)
    assert lances.pares_kind(held, cards) == kind
    assert lances.pares_worth(held, cards) == worth
    assert (lances.pares(held, cards) is None) == (worth == 0)


@pytest.mark.parametrize(
    ("hand", "kings", "points", "worth"),
    [
        # Barajamos, the table of game.
        ("RCSA", 4, 31, 3),
        ("RS75", 4, 32, 2),
        ("RCSS", 4, 40, 2),
        ("RC76", 4, 33, 2),
        ("RC73", 4, 30, 0),
        ("3RC2", 8, 31, 3),
        ("3RC2", 4, 25, 0),
        ("S777", 8, 31, 3),
        ("AAAA", 8, 4, 0),
        ("2222", 4, 8, 0),
    ],
)
def test_points_and_what_the_juego_is_worth(hand, kings, points, worth):
    cards = deck(kings)
    held = parse_hand(hand, cards)
    assert lances.points(held, cards) == points
    assert lances.juego_worth(held, cards) == worth
    assert (lances.juego(held, cards) is None) == (worth == 0)
    assert (lances.punto(held, cards) is None) == (worth > 0)


REAL_HANDS = {"R777": {"ten"}, "3777": {"ten"}, "C777": {"ten"}, "S777": {"ten", "jack"}}
REAL_HANDS |= {"S*777": {"ten", "jack", "coins"}, "S*S77": set(), "7777": set(), "7774": set(), "RRRA": set()}


@pytest.mark.parametrize("real", ["off", "ten", "jack", "coins"])
@pytest.mark.parametrize("hand", REAL_HANDS)
def test_the_forms_of_the_real(hand, real):
    cards = deck(8, real)
    held = parse_hand(hand, cards)
    assert lances.is_real(held, cards, real) == (real in REAL_HANDS[hand])


def test_a_three_with_three_sevens_is_no_real_with_four_kings():
    assert not lances.is_real(parse_hand("3777", deck(4, "ten")), deck(4, "ten"), "ten")
    assert lances.is_real(parse_hand("R777", deck(4, "ten")), deck(4, "ten"), "ten")


@pytest.mark.parametrize("real", ["ten", "jack", "coins"])
def test_the_real_beats_every_other_juego_from_any_seat_and_pays_as_any_31(real):
    cards = deck(8, real)
    held, plain, forty = (parse_hand(hand, cards) for hand in ("S*777", "RRRA", "RRRR"))
    assert lances.winner("juego", [plain, forty, plain, held], cards, real) == 4
    assert lances.winner("juego", [plain, forty, plain, held], cards, "off") == 1
    assert lances.juego_worth(held, cards) == 3


def test_two_reals_tie_and_the_one_nearer_the_mano_wins():
    cards = deck(8, "ten")
    hands = [parse_hand(hand, cards) for hand in ("RRRA", "C777", "RRRR", "S777")]
    # Eight sevens are more than a deck holds, but the comparison must not depend on that.
    assert lances.winner("juego", hands, cards, "ten") == 2


WORKED = ("R3CA", "7654", "SS54", "RC77")  # Anna, Ben, Carla and Dan of the classic rules


@pytest.mark.parametrize(
    ("lance", "seat"), [("grande", 1), ("chica", 1), ("pares", 1), ("juego", 1), ("punto", None)]
)
def test_the_worked_example_of_the_classic_rules(lance, seat):
    hands = [parse_hand(hand, deck(8)) for hand in WORKED]
    assert lances.winner(lance, hands, deck(8)) == seat
    assert [lances.pares_worth(hand, deck(8)) for hand in hands] == [1, 0, 1, 1]
    assert [lances.juego_worth(hand, deck(8)) for hand in hands] == [3, 0, 0, 2]
    assert [lances.points(hand, deck(8)) for hand in hands] == [31, 22, 29, 34]


@pytest.mark.parametrize("lance", lances.LANCES)
@pytest.mark.parametrize("holders", [(1, 2, 3, 4), (2, 3, 4), (2, 4), (3, 4), (4,)])
def test_a_tie_goes_to_the_seat_nearest_the_mano(lance, holders):
    best, worst = {
        "grande": ("RRRR", "AAAA"),
        "chica": ("AAAA", "RRRR"),
        "pares": ("RR4A", "7654"),
        "juego": ("RRRA", "RC76"),
        "punto": ("RR55", "AAAA"),
    }[lance]
    hands = [parse_hand(best if seat in holders else worst, deck(8)) for seat in (1, 2, 3, 4)]
    assert lances.winner(lance, hands, deck(8)) == holders[0]


def test_a_lance_that_nobody_may_play_has_no_winner():
    cards = deck(8)
    none, juego = parse_hand("7654", cards), parse_hand("RRRA", cards)
    assert lances.winner("pares", [none] * 4, cards) is None
    assert lances.winner("juego", [none] * 4, cards) is None
    assert lances.winner("punto", [none] * 4, cards) == 1
    assert lances.winner("punto", [none, none, none, juego], cards) is None


@pytest.mark.parametrize(("kings", "real"), [(8, "off"), (4, "off"), (8, "coins"), (4, "jack"), (8, "ten")])
def test_whole_tables_settle_as_the_second_opinion_says(kings, real):
    cards = deck(kings, real)
    pack = naive.deck(kings, coins=real == "coins")
    mine = naive.in_order(pack[::9][:4])
    for hands, _ in naive.random_deals(mine, naive.without(pack, mine), 3, 1000, seed=5):
        for lance in lances.LANCES:
            assert lances.winner(lance, hands, cards, real) == naive.winner(lance, hands, real)
        for hand in hands:
            assert lances.pares_worth(hand, cards) == naive.stones("pares", hand)
            assert lances.juego_worth(hand, cards) == naive.stones("juego", hand)
