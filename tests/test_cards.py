"""Every way to write a hand, and every way to get it wrong."""

from __future__ import annotations

from itertools import combinations

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st

from musodds.errors import CardError, RulesError, UsageError
from musodds.mus.cards import COIN_JACK, Deck, check_deck_holds, deck, parse_cards, parse_hand, text_of

EIGHT, FOUR, COINS = deck(8), deck(4), deck(8, "coins")
DECKS = pytest.mark.parametrize(
    ("kings", "real"), [(kings, real) for kings in (8, 4) for real in ("off", "ten", "jack", "coins")]
)


@pytest.mark.parametrize(
    "typed",
    [
        "RR4A",
        "rr4a",
        "kk41",
        "KK41",
        "RK4A",
        "A4RR",
        "3342",
        "  RR4A ",
        "R R 4 1",
        "12 12 4 1",
        "12-12-4-1",
        "R,3,4,2",
        "R, 3, 4, 2",
        "r;k/4\t1",
        "Ro Rc 4e Ab",
        "Ro,Rc,4e,Ab",
        "12o 12c 4e 1b",
        "12o,3o,4o,2o",
        "Ko R 4 A",
    ],
)
def test_a_hand_is_read_in_every_notation(typed):
    assert text_of(parse_hand(typed, EIGHT), EIGHT) == "RR4A"


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("1111", "AAAA"),
        ("JQK7", "RCS7"),
        ("10-11-12-7", "RCS7"),
        ("10o 11c 12e 7b", "RCS7"),
        ("4567", "7654"),
        ("2345", "5432"),
    ],
)
def test_with_four_kings_every_card_is_what_it_shows(typed, printed):
    assert text_of(parse_hand(typed, FOUR), FOUR) == printed


def test_threes_are_kings_and_twos_are_aces_with_eight_kings_only():
    assert parse_hand("3322", EIGHT) == ("R", "R", "A", "A")
    assert parse_hand("3322", FOUR) == ("3", "3", "2", "2")
    assert parse_hand("R3A2", FOUR) == ("R", "3", "2", "A")


@pytest.mark.parametrize(
    "typed", ["777S*", "S*777", "j*777", "7 7 7 So", "7,7,7,10o", "7-7-S*-7", "7 7 7 Jo"]
)
def test_the_jack_of_coins_is_its_own_card_where_the_real_asks_for_it(typed):
    assert parse_hand(typed, COINS) == (COIN_JACK, "7", "7", "7")
    assert parse_hand(typed, EIGHT) == ("S", "7", "7", "7")


def test_another_jack_is_not_the_jack_of_coins():
    assert parse_hand("Sc 7 7 7", COINS) == ("S", "7", "7", "7")
    assert text_of(parse_hand("S7S*7", COINS), COINS) == "S*S77"


REFUSED = [
    ("RR8A", EIGHT, "there is no 8"),
    ("RR9A", EIGHT, "there is no 9"),
    ("RR0A", EIGHT, "there is no 0"),
    ("RRR", EIGHT, "3 cards"),
    ("R", EIGHT, "1 card,"),
    ("RRRRR", EIGHT, "5 cards"),
    ("", EIGHT, "no hand"),
    ("   ", EIGHT, "no hand"),
    ("101112", EIGHT, "separated"),
    ("10 11 12", EIGHT, "3 cards"),
    ("10111210", EIGHT, "separated"),
    ("RRKX", EIGHT, "'X'"),
    ("RЯ4A", EIGHT, "'Я'"),
    ("RR4А", EIGHT, "'А'"),  # a Cyrillic А, which looks like an ace
    ("RR4¹", EIGHT, "'¹'"),
    ("RR4١", EIGHT, "'١'"),
    ("RR4ſ", EIGHT, "'ſ'"),  # its upper case is S
    ("RR4\x00", EIGHT, "not a card"),
    ("RR 4A", EIGHT, "'RR'"),
    ("R R 4 13", EIGHT, "'13'"),
    ("R R 4 Ax", EIGHT, "'Ax'"),
    ("R R 4 AO", EIGHT, "'AO'"),
    ("Ro Ro 4e Ab", EIGHT, "twice"),
    ("12o Ko 4e Ab", EIGHT, "twice"),
    ("RR4*", EIGHT, "after S only"),
    ("R R 4 A*", EIGHT, "after S only"),
    ("*RR4", EIGHT, "after S only"),
    ("S*S*77", COINS, "twice"),
    ("S*S*77", EIGHT, "twice"),
    ("So So 7 7", COINS, "twice"),
    ("S* So 7 7", COINS, "twice"),
    ("SSSS", COINS, "4 S"),
]


@pytest.mark.parametrize(("typed", "cards", "says"), REFUSED)
def test_a_wrong_hand_is_refused_with_its_reason(typed: str, cards: Deck, says: str):
    with pytest.raises(CardError) as refusal:
        parse_hand(typed, cards)
    message = str(refusal.value)
    assert says in message
    assert repr(typed) in message, "the message repeats what was typed"
    assert "\n" not in message
    assert refusal.value.exit_code == 2


def test_four_jacks_are_fine_when_one_is_the_jack_of_coins():
    assert text_of(parse_hand("SSSS*", COINS), COINS) == "S*SSS"
    assert parse_hand("SSSS", EIGHT) == ("S",) * 4


@pytest.mark.parametrize(
    ("cards", "kings", "says"),
    [("44444", 8, "5 4"), ("R" * 9, 8, "9 R"), ("R" * 5, 4, "5 R"), ("A" * 9, 8, "9 A"), ("2" * 5, 4, "5 2")],
)
def test_more_cards_than_the_deck_holds_are_refused(cards, kings, says):
    with pytest.raises(CardError, match=says):
        check_deck_holds(cards, deck(kings), cards)
    check_deck_holds(cards[1:], deck(kings), cards)


def test_card_errors_are_usage_errors():
    with pytest.raises(UsageError):
        parse_cards("x", EIGHT)


@pytest.mark.parametrize(("kings", "real"), [(6, "off"), (0, "off"), ("8", "off"), (8, "queen"), (4, "")])
def test_a_deck_that_nobody_plays_is_refused(kings, real):
    with pytest.raises(RulesError):
        deck(kings, real)


@DECKS
def test_a_deck_has_the_forty_cards(kings, real):
    made = deck(kings, real)
    physical = naive.deck(kings, coins=real == "coins")
    assert sum(made.copies) == len(physical) == 40
    for card, copies in zip(made.classes, made.copies, strict=True):
        assert copies == physical.count(card)
        assert made.value(card) == naive.points((card,))
    for low, high in combinations(made.classes, 2):
        assert (made.rank(low) < made.rank(high)) == (naive.height(low) < naive.height(high))
        assert made.rank(low) <= made.rank(high)


@DECKS
def test_every_hand_reads_back_from_its_printed_text(kings, real):
    made = deck(kings, real)
    for hand in naive.every_hand(naive.deck(kings, coins=real == "coins")):
        assert parse_hand(naive.text(hand), made) == hand
        assert text_of(reversed(hand), made) == naive.text(hand)


SPELLINGS = {
    8: {"R": "RrKk3", "C": "CcQq", "S": "SsJj", "A": "Aa12"} | {rank: rank for rank in "7654"},
    4: {"R": "RrKk", "C": "CcQq", "S": "SsJj", "A": "Aa1"} | {rank: rank for rank in "765432"},
}
NUMBERS = {"S": ["10"], "C": ["11"], "R": ["12"]}


@given(st.data())
def test_any_spelling_in_any_order_is_the_same_hand(data):
    kings = data.draw(st.sampled_from([8, 4]))
    hand = data.draw(st.lists(st.sampled_from(naive.deck(kings)), min_size=4, max_size=4))
    if any(hand.count(card) > naive.deck(kings).count(card) for card in hand):
        return
    separated = data.draw(st.booleans())
    tokens = []
    for card in hand:
        spellings = list(SPELLINGS[kings][card]) + (NUMBERS.get(card, []) if separated else [])
        tokens.append(data.draw(st.sampled_from(spellings)))
    between = data.draw(st.sampled_from([" ", "-", ",", ", ", ";", "/", "  "])) if separated else ""
    assert parse_hand(between.join(tokens), deck(kings)) == naive.in_order(hand)


@given(st.text(max_size=12), st.sampled_from([EIGHT, FOUR, COINS]))
def test_any_text_is_a_hand_or_a_card_error(typed, cards):
    try:
        hand = parse_hand(typed, cards)
    except CardError:
        return
    assert len(hand) == 4
    assert parse_hand(text_of(hand, cards), cards) == hand


@given(st.text(alphabet="A1234567SCRJQKjqk*oceb 08-,", max_size=12), st.sampled_from([EIGHT, FOUR, COINS]))
def test_any_text_of_card_letters_is_a_hand_or_a_card_error(typed, cards):
    test_any_text_is_a_hand_or_a_card_error.hypothesis.inner_test(typed, cards)
