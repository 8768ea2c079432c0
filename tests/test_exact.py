"""The enumeration against figures computed elsewhere and against dealing every card by hand."""

from __future__ import annotations

import random
from dataclasses import asdict

import naive
import numpy as np
import pytest

import musodds
from musodds.analysis.figures import Figures
from musodds.analysis.query import query
from musodds.engine.counts import Counts
from musodds.engine.exact import MOST_WEIGHT, enumerate_deals
from musodds.engine.tables import ALL_DEALS, Table, table
from musodds.errors import ConditionError
from musodds.mus.lances import LANCES
from musodds.mus.seats import SEATS

PRINTED = 1e-9  # the files print twelve digits of figures up to some ten stones


def columns(figures: Figures) -> dict[str, float]:
    """Figures under the column names of the files in ``data``."""
    lances, stones = figures.lances, figures.stones
    row = {name: lances[name].win for name in LANCES}
    row |= {f"i_{name}": lances[name].mine for name in LANCES}
    for name in ("pares", "juego"):
        counts = lances[name].counts
        won_alone = counts.win - counts.win_contested
        row[f"{name}_both"] = lances[name].contested
        row[f"{name}_us"] = won_alone / figures.deals
        row[f"{name}_them"] = (counts.played - counts.contested - won_alone) / figures.deals
        row[f"{name}_none"] = 1 - lances[name].played
        row[f"{name}_win_both"] = (lances[name].win_if_contested or 0) * lances[name].contested
    return row | {"stones_us": stones.us, "stones_them": stones.them}


def check_file(rows, size, **rules):
    assert len(rows) == size
    for row in rows:
        hand = row.pop("hand").replace("O", "S*")
        seat = int(row.pop("seat")) + 1
        form = row.pop("real", "off")
        answer = musodds.odds(hand, seat, simulate=False, real=form, **rules).exact
        assert answer.deals == ALL_DEALS
        assert answer.lances["punto"].played == pytest.approx(float(row["juego_none"]), abs=PRINTED)
        assert answer.lances["punto"].contested == answer.lances["punto"].played
        found = columns(answer)
        assert set(found) == set(row)
        for name, figure in row.items():
            assert found[name] == pytest.approx(float(figure), abs=PRINTED), (hand, seat, form, name)
        check_sums(answer)


def check_sums(figures: Figures) -> None:
    """What holds in any answer, in whole numbers."""
    for name, lance in figures.lances.items():
        counts = lance.counts
        assert counts.win + counts.lose == counts.played
        assert 0 <= counts.mine <= counts.win
        assert 0 <= counts.win_contested <= min(counts.win, counts.contested)
        assert counts.contested - counts.win_contested <= counts.lose
        assert lance.win_low is lance.win_high is None
        if name in ("grande", "chica"):
            assert counts.played == counts.contested == figures.deals
        if name == "punto":
            assert counts.played == counts.contested
    assert figures.lances["juego"].counts.played + figures.lances["punto"].counts.played == figures.deals
    assert figures.stones.difference == pytest.approx(figures.stones.us - figures.stones.them, abs=1e-12)


def test_every_printed_figure_with_eight_kings(data):
    check_file(data("exact_8.csv"), 48, kings=8)


def test_every_printed_figure_with_four_kings(data):
    check_file(data("exact_4.csv"), 8, kings=4)


def test_every_printed_figure_with_a_real(data):
    check_file(data("real.csv"), 4, kings=8)


@pytest.mark.parametrize("kings", [8, 4])
def test_counts_of_any_hand_add_up(kings):
    generator = random.Random(kings)
    for hand in generator.sample(table(kings).hands, 8):
        seat = generator.choice(SEATS)
        answer = musodds.odds(hand, seat, kings=kings, simulate=False).exact
        assert answer.deals == ALL_DEALS
        check_sums(answer)


# --- against dealing every card by hand ---


def as_naive(counts: Counts) -> dict[tuple[str, str], int]:
    """The counts of an engine under the names of ``naive.add_up``."""
    found = {("deals", ""): counts.deals}
    found |= {(lance, name): n for lance in LANCES for name, n in asdict(counts.lances[lance]).items()}
    return found | {("stones", "us"): counts.stones_us, ("stones", "them"): counts.stones_them}


def small_situation(kings: int, real: str, unseen: int, seed: int) -> tuple[naive.Hand, list[str], str]:
    """A hand, the few cards that are unseen, and the text of all the others, which are out of play."""
    pack = naive.deck(kings, coins=real == "coins")
    random.Random(seed).shuffle(pack)
    gone = pack[4 + unseen :]
    return naive.in_order(pack[:4]), pack[4 : 4 + unseen], naive.text(gone)


SMALL = [
    (8, "off", 12, 1),
    (8, "off", 12, 2),
    (8, "ten", 12, 3),
    (8, "jack", 12, 4),
    (8, "coins", 12, 5),
    (4, "off", 12, 6),
    (4, "coins", 12, 7),
    pytest.param(4, "off", 13, 8, marks=pytest.mark.exhaustive),
    pytest.param(8, "coins", 13, 9, marks=pytest.mark.exhaustive),
    pytest.param(8, "off", 14, 10, marks=pytest.mark.exhaustive),
]


@pytest.mark.parametrize(("kings", "real", "unseen", "seed"), SMALL)
def test_few_unseen_cards_counted_one_deal_at_a_time(kings, real, unseen, seed):
    mine, cards, seen = small_situation(kings, real, unseen, seed)
    seat = seed % 4 + 1
    question = query(naive.text(mine), seat, rules=musodds.rules(kings=kings, real=real), seen=seen)
    counts = enumerate_deals(question.table, question.row, seat, question.unseen, None)
    expected = naive.add_up(naive.all_deals(mine, cards, seat), seat, real)
    assert expected["deals", ""] == {12: 34_650, 13: 450_450, 14: 3_153_150}[unseen]
    assert as_naive(counts) == expected


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize(("kings", "real", "seed"), [(8, "off", 21), (4, "off", 22), (8, "coins", 23)])
def test_weights_count_each_deal_as_often_as_its_hands_weigh(kings, real, seed, seat):
    mine, cards, seen = small_situation(kings, real, 12, seed)
    question = query(naive.text(mine), seat, rules=musodds.rules(kings=kings, real=real), seen=seen)
    weights = np.random.default_rng(seed).integers(0, 5, size=(3, len(question.table)), dtype=np.int64)
    counts = enumerate_deals(question.table, question.row, seat, question.unseen, weights)
    tables = [dict(zip(question.table.hands, row.tolist(), strict=True)) for row in weights]
    assert as_naive(counts) == naive.add_up(naive.all_deals(mine, cards, seat, tables), seat, real)


def few_hands(
    made: Table, number: int, most: int, seed: int
) -> tuple[np.ndarray, list[dict[naive.Hand, int]]]:
    """Random weights for a few hands on each side, as the engine takes them and as the slow twin does."""
    generator = random.Random(seed)
    weights = np.zeros((3, len(made)), dtype=np.int64)
    tables = []
    for role in range(3):
        for row in generator.sample(range(len(made)), number):
            weights[role, row] = generator.randint(1, most)
        tables.append(
            {naive.cards_of(made.hands[row]): int(weights[role, row]) for row in weights[role].nonzero()[0]}
        )
    return weights, tables


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize(
    ("hand", "kings", "real"),
    [("RR4A", 8, "off"), ("RC7A", 8, "ten"), ("S*777", 8, "coins"), ("3322", 4, "off"), ("RCSA", 4, "jack")],
)
def test_a_few_weighted_hands_of_a_whole_deck_counted_one_by_one(hand, kings, real, seat):
    question = query(hand, seat, rules=musodds.rules(kings=kings, real=real))
    mine = naive.cards_of(question.hand_text)
    unseen = naive.without(naive.deck(kings, coins=real == "coins"), mine)
    weights, tables = few_hands(question.table, 16, MOST_WEIGHT, seat)
    counts = enumerate_deals(question.table, question.row, seat, question.unseen, weights)
    assert as_naive(counts) == naive.add_up(naive.weighted_deals(mine, unseen, seat, tables), seat, real)


@pytest.mark.parametrize("seat", SEATS)
def test_rivals_of_whom_the_same_is_known_counted_one_by_one(seat):
    question = query("RR4A", seat)
    mine = naive.cards_of("RR4A")
    weights, tables = few_hands(question.table, 20, 9, seat)
    weights[2], tables[2] = weights[0], tables[0]
    counts = enumerate_deals(question.table, question.row, seat, question.unseen, weights)
    unseen = naive.without(naive.deck(), mine)
    assert as_naive(counts) == naive.add_up(naive.weighted_deals(mine, unseen, seat, tables), seat)


@pytest.mark.kernels
@pytest.mark.parametrize(("hand", "kings", "seat"), [("RR4A", 8, 2), ("RRRA", 8, 3), ("RC32", 4, 1)])
def test_three_weighted_hands_on_each_side_counted_one_by_one(hand, kings, seat):
    question = query(hand, seat, rules=musodds.rules(kings=kings))
    mine = naive.cards_of(hand)
    weights, tables = few_hands(question.table, 3, 5, seat)
    counts = enumerate_deals(question.table, question.row, seat, question.unseen, weights)
    unseen = naive.without(naive.deck(kings), mine)
    assert as_naive(counts) == naive.add_up(naive.weighted_deals(mine, unseen, seat, tables), seat)


def test_the_greatest_weights_are_counted_without_overflow():
    for hand in ("RRRR", "7654", "S777"):
        question = query(hand, 2)
        arguments = (question.table, question.row, 2, question.unseen)
        most = np.full((3, len(question.table)), MOST_WEIGHT, dtype=np.int64)
        plain, weighted = enumerate_deals(*arguments, None), enumerate_deals(*arguments, most)
        assert as_naive(weighted) == {name: n * MOST_WEIGHT**3 for name, n in as_naive(plain).items()}


def test_weights_of_one_change_nothing():
    question = query("RC75", 3)
    arguments = (question.table, question.row, 3, question.unseen)
    ones = np.ones((3, len(question.table)), dtype=np.int64)
    plain, weighted = enumerate_deals(*arguments, None), enumerate_deals(*arguments, ones)
    assert as_naive(plain) == as_naive(weighted)


def test_a_known_hand_on_each_side_leaves_one_deal():
    question = query("RR4A", 1)
    hands = ("7654", "SS54", "RC77")
    weights = np.zeros((3, len(question.table)), dtype=np.int64)
    for role, hand in enumerate(hands):
        weights[role, question.table.index[hand]] = 1
    counts = enumerate_deals(question.table, question.row, 1, question.unseen, weights)
    one = naive.settle([naive.cards_of(hand) for hand in ("RR4A", *hands)], 1)
    assert counts.deals > 0
    expected = {name: number * counts.deals for name, number in one.items()}
    assert as_naive(counts) == expected | {("deals", ""): counts.deals}


@pytest.mark.parametrize("role", [0, 1, 2])
def test_a_condition_that_nothing_meets_is_an_error(role):
    question = query("RR4A")
    weights = np.ones((3, len(question.table)), dtype=np.int64)
    weights[role] = 0
    with pytest.raises(ConditionError):
        enumerate_deals(question.table, question.row, 1, question.unseen, weights)


def test_hands_that_need_the_same_cards_are_an_error():
    question = query("RR4A")
    weights = np.zeros((3, len(question.table)), dtype=np.int64)
    weights[:, question.table.index["7777"]] = 1
    with pytest.raises(ConditionError):
        enumerate_deals(question.table, question.row, 1, question.unseen, weights)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("kings", "step"), [(8, 1), (4, 1)])
def test_over_all_hands_the_two_pairs_share_every_lance(kings, step):
    """What one pair wins over all its hands is what the other loses over all of its own."""
    made = table(kings)
    totals = {(seat, lance, name): 0 for seat in (1, 2, 3) for lance in LANCES for name in ("win", "lose")}
    stones = {seat: [0, 0] for seat in (1, 2, 3)}
    for hand, ways in zip(made.hands[::step], made.ways[::step].tolist(), strict=True):
        for seat in (1, 2, 3):
            question = query(hand, seat, rules=musodds.rules(kings=kings))
            counts = enumerate_deals(made, question.row, seat, question.unseen, None)
            for lance in LANCES:
                for name in ("win", "lose"):
                    totals[seat, lance, name] += ways * getattr(counts.lances[lance], name)
            stones[seat][0] += ways * counts.stones_us
            stones[seat][1] += ways * counts.stones_them
    for lance in LANCES:
        assert totals[1, lance, "win"] == totals[3, lance, "win"] == totals[2, lance, "lose"]
        assert totals[1, lance, "lose"] == totals[3, lance, "lose"] == totals[2, lance, "win"]
    assert stones[1] == stones[3] == stones[2][::-1]


@pytest.mark.parametrize("weight", [-1, MOST_WEIGHT + 1, 2**62])
def test_weights_that_could_overflow_are_refused(weight):
    question = query("RR4A")
    weights = np.ones((3, len(question.table)), dtype=np.int64)
    weights[1, 7] = MOST_WEIGHT
    enumerate_deals(question.table, question.row, 1, question.unseen, weights)
    weights[1, 7] = weight
    with pytest.raises(ConditionError, match=f"weight {weight:,}"):
        enumerate_deals(question.table, question.row, 1, question.unseen, weights)
