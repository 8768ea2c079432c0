"""The 95 % intervals: how often they hold the exact value, and what they do at the ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import musodds
from musodds.analysis.figures import wilson
from musodds.analysis.query import query
from musodds.engine.simulate import simulate
from musodds.mus.lances import LANCES

RUNS, DEALS = 1_000, 20_000


@pytest.mark.parametrize(
    ("hand", "seat", "start"), [("RR4A", 1, 0), ("C765", 2, 10_000), ("SS54", 4, 20_000)]
)
def test_intervals_hold_the_exact_value_as_often_as_they_say(hand, seat, start):
    question = query(hand, seat)
    exact = musodds.odds(hand, seat, simulate=False).exact
    held = dict.fromkeys(LANCES, 0)
    for seed in range(start, start + RUNS):
        counts = simulate(
            question.table,
            question.row,
            seat,
            question.unseen,
            None,
            deals=DEALS,
            seed=seed,
            threads=1,
        ).counts
        for lance in LANCES:
            low, high = wilson(counts.lances[lance].win, DEALS)
            held[lance] += low <= exact.lances[lance].win <= high
    for lance in LANCES:
        p = exact.lances[lance].win
        if p == 0:
            assert held[lance] == RUNS
        else:
            assert 0.01 < p < 0.99
            # 950 of 1,000 with a standard error of 6.9: three of them on either side.
            assert 930 <= held[lance] <= 970, (lance, held[lance])


def test_the_stones_margin_holds_the_exact_value_as_often_as_it_says():
    exact = musodds.odds("RR4A", 2, simulate=False).exact.stones.difference
    held = 0
    for seed in range(RUNS):
        stones = musodds.odds("RR4A", 2, deals=2_000, seed=seed, exact=False, threads=1).simulated.stones
        held += abs(stones.difference - exact) <= stones.margin
    assert 930 <= held <= 970


@given(st.integers(1, 10**12), st.data())
def test_an_interval_has_width_and_stays_within_nothing_and_certainty(trials, data):
    successes = data.draw(st.one_of(st.sampled_from([0, trials]), st.integers(0, trials)))
    low, high = wilson(successes, trials)
    assert 0 <= low <= successes / trials <= high <= 1
    assert low < high


def test_at_the_ends_an_interval_has_width_on_one_side():
    # The closed form at the ends is z² / (n + z²).
    edge = 1.959963984540054**2 / (1000 + 1.959963984540054**2)
    assert wilson(0, 1000) == (0, pytest.approx(edge))
    assert wilson(1000, 1000) == (pytest.approx(1 - edge), 1)


def test_an_interval_printed_elsewhere():
    # 81 of 263: 0.2553 to 0.3662 (Newcombe 1998, "Two-sided confidence intervals for the single proportion").
    low, high = wilson(81, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
    low, high = wilson(15, 148)
    assert (round(low, 4), round(high, 4)) == (0.0624, 0.1605)


def test_certain_and_impossible_lances_keep_an_interval():
    lances = musodds.odds("RRRR", "mano", deals=5_000, exact=False).simulated.lances
    assert lances["grande"].win == lances["grande"].win_high == 1
    assert 0.999 < lances["grande"].win_low < 1
    assert lances["punto"].win == lances["punto"].win_low == 0
    assert 0 < lances["punto"].win_high < 0.001
