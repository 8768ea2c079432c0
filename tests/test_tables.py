"""The engine's tables against counts printed elsewhere and against the slow comparators, hand by hand."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cmp_to_key
from itertools import pairwise, product

import naive
import numpy as np
import pytest

from musodds.engine.tables import ALL_DEALS, Table, table
from musodds.errors import RulesError
from musodds.mus import lances

REALS = ("off", "ten", "jack", "coins")
TABLES = pytest.mark.parametrize(("kings", "real"), list(product((8, 4), REALS)))
HANDS = {(8, False): 330, (4, False): 715, (8, True): 449, (4, True): 934}


def classes(made: Table) -> dict[str, int]:
    """Hands per class out of 91,390, under the names of ``data/counts.csv``."""
    ways, pares, points = made.ways, made.pares_worth, made.points
    kings = made.counts[:, made.deck.classes.index("R")]
    found = {
        "distinct hands": len(made),
        "deals": ways.sum(),
        "pares": ways[pares > 0].sum(),
        "par": ways[pares == 1].sum(),
        "medias": ways[pares == 2].sum(),
        "duples": ways[pares == 3].sum(),
        "four equal": ways[made.counts.max(axis=1) == 4].sum(),
        "juego": ways[points >= 31].sum(),
        "31 with pares": ways[(points == 31) & (pares > 0)].sum(),
        "juego with pares": ways[(made.juego > 0) & (pares > 0)].sum(),
    }
    found |= {f"points {total}": ways[points == total].sum() for total in range(4, 41)}
    return found | {f"exactly {number} kings": ways[kings == number].sum() for number in (2, 3, 4)}


@pytest.mark.parametrize(("kings", "column"), [(8, "eight_kings"), (4, "four_kings")])
def test_class_counts_are_those_printed(kings, column, data):
    found = classes(table(kings))
    rows = data("counts.csv")
    assert len(rows) == 25
    for row in rows:
        assert found[row["class"]] == int(row[column]), row["class"]


@TABLES
def test_a_table_holds_every_hand_once_with_its_ways(kings, real):
    made = table(kings, real)
    every = naive.every_hand(naive.deck(kings, coins=real == "coins"))
    assert len(made) == len(every) == HANDS[kings, real == "coins"]
    assert {
        naive.cards_of(hand): int(ways) for hand, ways in zip(made.hands, made.ways, strict=True)
    } == every
    assert all(made.index[hand] == row for row, hand in enumerate(made.hands))
    for hand, counts, points in zip(made.hands, made.counts, made.points, strict=True):
        cards = naive.cards_of(hand)
        assert [cards.count(card) for card in made.deck.classes] == counts.tolist()
        assert naive.points(cards) == points


def dense_ranks(made: Table, lance: str) -> list[int]:
    """The strengths of a lance, by sorting the hands with the slow comparison."""
    hands = [naive.cards_of(hand) for hand in made.hands]
    taking_part = [hand for hand in hands if naive.takes_part(lance, hand)]
    order = sorted(taking_part, key=cmp_to_key(lambda a, b: naive.compare(lance, a, b, made.real)))
    ranks = {order[0]: 1}
    for worse, better in pairwise(order):
        ranks[better] = ranks[worse] + (naive.compare(lance, better, worse, made.real) > 0)
    return [ranks.get(hand, 0) for hand in hands]


@TABLES
@pytest.mark.parametrize("lance", lances.LANCES)
def test_the_whole_order_is_that_of_the_slow_comparison(kings, real, lance):
    made = table(kings, real)
    strengths = getattr(made, lance)
    assert strengths.dtype == np.uint16
    assert strengths.tolist() == dense_ranks(made, lance)
    assert (made.strengths[lances.LANCES.index(lance)] == strengths).all()


@TABLES
@pytest.mark.parametrize("lance", lances.LANCES)
def test_the_whole_order_is_that_of_the_rule_book(kings, real, lance):
    made = table(kings, real)
    key = lances.key_of(lance, real)
    keys = [key(naive.cards_of(hand), made.deck) for hand in made.hands]
    place = {each: number for number, each in enumerate(sorted({k for k in keys if k is not None}), start=1)}
    place |= {None: 0}
    assert getattr(made, lance).tolist() == [place[each] for each in keys]


def compare_all_pairs(made: Table, lance: str) -> None:
    hands = [naive.cards_of(hand) for hand in made.hands]
    strengths = [int(strength) for strength in getattr(made, lance)]
    playing = [row for row, hand in enumerate(hands) if naive.takes_part(lance, hand)]
    assert playing == [row for row, strength in enumerate(strengths) if strength]
    compare = {
        "grande": naive.compare_grande,
        "chica": naive.compare_chica,
        "pares": naive.compare_pares,
        "juego": lambda a, b: naive.compare_juego(a, b, made.real),
        "punto": naive.compare_punto,
    }[lance]
    for a in playing:
        for b in playing:
            answer = compare(hands[a], hands[b])
            assert (answer > 0) == (strengths[a] > strengths[b])
            assert (answer == 0) == (strengths[a] == strengths[b])


@pytest.mark.parametrize("lance", lances.LANCES)
def test_any_two_hands_compare_as_the_slow_comparison_says(lance):
    compare_all_pairs(table(8), lance)


@pytest.mark.exhaustive
@TABLES
@pytest.mark.parametrize("lance", lances.LANCES)
def test_any_two_hands_of_any_deck_compare_as_the_slow_comparison_says(kings, real, lance):
    compare_all_pairs(table(kings, real), lance)


@TABLES
def test_worths_are_the_stones_of_the_rule_book(kings, real):
    made = table(kings, real)
    hands = [naive.cards_of(hand) for hand in made.hands]
    assert made.pares_worth.tolist() == [naive.stones("pares", hand) for hand in hands]
    assert made.juego_worth.tolist() == [naive.stones("juego", hand) for hand in hands]
    assert made.pares_worth.tolist() == [lances.pares_worth(hand, made.deck) for hand in hands]
    assert made.juego_worth.tolist() == [lances.juego_worth(hand, made.deck) for hand in hands]
    assert ((made.juego > 0) ^ (made.punto > 0)).all(), (
        "a hand takes part in juego or in punto, never in both"
    )


def test_with_eight_kings_chica_is_grande_of_the_mirrored_hand():
    made = table(8)
    mirror = dict(zip("RCS7", "A456", strict=True))
    mirror |= {low: high for high, low in mirror.items()}
    for row, hand in enumerate(made.hands):
        other = made.index[naive.text(mirror[card] for card in hand)]
        assert made.chica[row] == made.grande[other]
        assert made.ways[row] == made.ways[other]


@TABLES
def test_grande_and_chica_tie_only_where_the_jack_of_coins_is_set_apart(kings, real):
    made = table(kings, real)
    assert made.grande.max() == made.chica.max() == HANDS[kings, False]
    assert made.hands[0] == "RRRR"
    assert made.hands[-1] == "AAAA"
    if real != "coins":
        assert (np.diff(made.grande.astype(int)) == -1).all(), "strongest at grande first"


@pytest.mark.parametrize(
    ("kings", "real", "ways"),
    # Three of the four sevens in 4 ways, times the cards that may be the fourth.
    [(8, "off", 0), (8, "ten", 64), (8, "jack", 16), (8, "coins", 4), (4, "ten", 48), (4, "coins", 4)],
)
def test_only_the_real_is_above_31(kings, real, ways):
    made = table(kings, real)
    above = made.juego > made.juego[made.index["RRRA"]]
    assert made.ways[above].sum() == ways
    assert (made.points[above] == 31).all()


def test_the_number_of_deals_is_the_one_printed():
    assert ALL_DEALS == 43_370_632_305_000


@pytest.mark.parametrize(("kings", "real"), [(6, "off"), (8, "queen")])
def test_a_table_nobody_plays_with_is_refused(kings, real):
    with pytest.raises(RulesError):
        table(kings, real)


@pytest.mark.parametrize("kings", [8, 4])
def test_a_table_sent_to_another_process_is_the_one_that_is_there(kings):
    hands = table(kings)
    assert hands is table(kings, "off")
    assert pickle.loads(pickle.dumps(hands)) is hands
    with pytest.raises(TypeError, match="has built"):
        pickle.dumps(replace(hands, real="ten"))
