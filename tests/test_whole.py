"""The whole table at once against the count of one hand, its own sums, and what is kept on disk."""

from __future__ import annotations

import random

import numpy as np
import pytest

from musodds.engine import enumeration_all as kernel
from musodds.engine import whole
from musodds.engine.exact import enumerate_deals
from musodds.engine.tables import ALL_DEALS, table

DECKS = [(8, "off"), (4, "off"), (8, "ten"), (8, "coins"), (4, "coins")]


@pytest.fixture(scope="module")
def tables():
    """The whole table of a deck, counted once for all tests of this file."""
    done: dict[tuple[int, str], whole.Whole] = {}

    def get(kings: int = 8, real: str = "off") -> whole.Whole:
        if (kings, real) not in done:
            done[kings, real] = whole.whole_table(table(kings, real), keep=False)
        return done[kings, real]

    return get


def alone(hands, row, seat):
    return enumerate_deals(hands, row, seat, hands.copies - hands.counts[row], None)


@pytest.mark.parametrize(("kings", "real"), DECKS)
def test_every_count_is_that_of_the_hand_alone(tables, kings, real):
    hands = table(kings, real)
    found = tables(kings, real)
    rows = random.Random(7).sample(range(len(hands)), 8)
    for row in rows:
        for seat in (1, 2, 3, 4):
            assert found.counts(row, seat) == alone(hands, row, seat), (hands.hands[row], seat)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("kings", "real"), [(8, "off"), (8, "jack"), (4, "off")])
def test_all_hands_and_seats_are_those_of_the_hand_alone(tables, kings, real):
    hands = table(kings, real)
    found = tables(kings, real)
    for row in range(len(hands)):
        for seat in (1, 2, 3, 4):
            assert found.counts(row, seat) == alone(hands, row, seat), (hands.hands[row], seat)


@pytest.mark.parametrize(("kings", "real"), DECKS)
def test_over_all_hands_the_four_seats_share_every_deal(tables, kings, real):
    hands = table(kings, real)
    figures = tables(kings, real).figures
    assert (figures[:, :, kernel.DEALS] == ALL_DEALS).all()
    # Weighted by the ways of the hand, all deals of four hands: 5.6e10 ways x 7e13, so not in 63 bits.
    seats = np.einsum("h,hsf->sf", hands.ways.astype(object), figures.astype(object))
    for lance in range(5):
        at = 1 + lance * kernel.LANCE
        assert seats[0, at + kernel.PLAYED] == seats[1, at + kernel.PLAYED]
        assert seats[0, at + kernel.WIN] == seats[2, at + kernel.WIN] == seats[1, at + kernel.LOSE]
        assert seats[1, at + kernel.WIN] == seats[3, at + kernel.WIN]
        # in every deal in which the lance is played, exactly one of the four holds the best hand
        assert sum(seats[:, at + kernel.MINE]) == seats[0, at + kernel.PLAYED]
    assert seats[0, kernel.STONES_US] == seats[1, kernel.STONES_THEM]


def test_threads_change_nothing(tables):
    again = whole.whole_table(table(), threads=3, keep=False)
    assert (again.figures == tables().figures).all()


@pytest.mark.kernels
def test_one_group_of_pairs_adds_up():
    """The 4444 and 5555 of one pair: few cards are left to compare with."""
    hands = table()
    pairs = whole.pairs_of(hands)
    assert pairs.groups == 5715
    both = hands.counts[hands.index["4444"]] + hands.counts[hands.index["5555"]]
    group = next(
        g
        for g in range(pairs.groups)
        if (
            hands.counts[pairs.firsts[pairs.starts[g]]] + hands.counts[pairs.seconds[pairs.starts[g]]] == both
        ).all()
    )
    figures = whole.count_groups(hands, pairs, first=group, stop=group + 1, threads=1)
    rivals = 35_960 * 20_475  # C(32, 4) x C(28, 4)
    assert figures[hands.index["5555"], 0, kernel.DEALS] == rivals
    assert figures[hands.index["5544"], 0, kernel.DEALS] == rivals  # its partner holds the other four
    figures_of = figures[hands.index["5555"], 0, 1 + 2 * kernel.LANCE :]
    assert figures_of[kernel.MINE] == figures_of[kernel.WIN] > 0  # at pares 5555 speaks for the pair


def test_it_is_kept_and_a_damaged_file_is_counted_again(tables, tmp_path, monkeypatch):
    monkeypatch.setattr(whole, "cache_folder", lambda: tmp_path)
    hands = table()
    assert whole.kept_table(hands) is None
    whole.whole_table(hands)
    (place,) = tmp_path.iterdir()
    kept = whole.kept_table(hands)
    assert kept is not None
    assert (kept.figures == tables().figures).all()
    assert kept.counts(3, 2) == tables().counts(3, 2)

    content = bytearray(place.read_bytes())
    content[1000] ^= 1
    place.write_bytes(content)
    assert whole.kept_table(hands) is None
    assert (whole.whole_table(hands).figures == tables().figures).all()
    assert whole.kept_table(hands) is not None
    place.write_bytes(b"")
    assert whole.kept_table(hands) is None


def test_each_deck_and_real_has_a_file_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(whole, "cache_folder", lambda: tmp_path)
    places = {
        whole._place(table(kings, real)) for kings in (4, 8) for real in ("off", "ten", "jack", "coins")
    }
    assert len(places) == 8


def test_a_disk_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch):
    monkeypatch.setattr(whole, "cache_folder", lambda: None)
    assert whole.kept_table(table()) is None
    monkeypatch.setattr(whole, "cache_folder", lambda: tmp_path / "gone")
    assert whole.whole_table(table()).figures.any()
    assert not (tmp_path / "gone").exists()
