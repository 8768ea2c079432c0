"""The mus itself: no card is lost, the rounds end where they must, draws are fair, a slow twin agrees."""

from __future__ import annotations

import random
from collections import Counter
from math import comb, sqrt

import naive
import numpy as np
import pytest

from musodds.analysis.policy import Policy, for_rules, stand
from musodds.analysis.policy_file import CUT, rows_of, shipped_policy
from musodds.engine import mus, mus_loops, mus_play
from musodds.engine.mus_play import BATCH, COLUMNS, KEEP_ALL, ROUND
from musodds.engine.tables import table
from musodds.errors import PolicyError, UsageError
from musodds.mus.rules import rules

SIGMAS = 4.5


def words_for(seed: int) -> np.ndarray:
    """Random words of a table, from numpy; a part of a larger array, as the loops hand them on."""
    drawn = np.random.default_rng(seed).integers(0, 2**32, (4, 2 * COLUMNS), dtype=np.uint32)
    return drawn[:, :COLUMNS]


def cards_in_play(scratch, deck) -> list[int]:
    """The keys of all cards: in the four hands, in the stock, on the pile."""
    left, piled = scratch.sizes
    hands = [int(card) for row in scratch.rows for card in deck.hand_cards[row]]
    return sorted(hands + scratch.stock[:left].tolist() + scratch.pile[:piled].tolist())


def throwing_all(kings: int, rounds: int) -> Policy:
    """Everybody says mus and throws four cards, so many times."""
    number = len(table(kings))
    keep = np.zeros((rounds, 4, number, 16))
    keep[..., 0] = 1.0
    return Policy("all", kings, np.ones((rounds, 4, number)), keep)


@pytest.mark.kernels
@pytest.mark.parametrize(("kings", "real"), [(8, "off"), (4, "off"), (8, "coins")])
def test_all_forty_cards_are_there_once_after_any_number_of_rounds(kings, real):
    hands = table(kings, real)
    deck = mus.deck_of(hands)
    whole = sorted(deck.cards.tolist())
    assert len(whole) == 40
    choice = random.Random(5)
    for game in range(15):
        scratch = mus_play.make_scratch()
        words = words_for(game)
        at = mus_play.deal_table(scratch.rows, scratch.stock, scratch.sizes, deck, words)
        assert cards_in_play(scratch, deck) == whole
        for round_ in range(6):
            if at > BATCH - ROUND:
                words, at = words_for(1000 * game + round_ + 1), 0
            # now and then all throw everything, so that the stock runs out
            most = 1 if game % 3 == 0 else KEEP_ALL
            scratch.keeps[:] = [choice.randrange(most) for _ in range(4)]
            thrown = 16 - int(deck.kept[scratch.keeps].sum())
            before = int(scratch.sizes[0])
            at = mus_play.exchange(
                scratch.rows, scratch.keeps, scratch.stock, scratch.pile, scratch.sizes, deck, words, int(at)
            )
            assert cards_in_play(scratch, deck) == whole
            if before >= thrown:
                assert scratch.sizes[0] == before - thrown
            else:
                assert scratch.sizes[1] == 0
                assert scratch.sizes[0] == 24


@pytest.mark.kernels
def test_kept_cards_stay_and_the_stock_is_laid_out_without_the_hands():
    hands = table(8)
    deck = mus.deck_of(hands)
    mine, seen = hands.index["RR54"], hands.deck.counts(("7", "7"))
    seen = np.array(seen, dtype=np.int64)
    unseen = hands.copies - hands.counts[mine] - seen
    others = np.array([hands.index[hand] for hand in ("CC7A", "SS4A", "R654")], dtype=np.uint16)
    scratch = mus_play.make_scratch()
    mus_loops.lay_out(others, scratch.stock, scratch.pile, scratch.sizes, unseen, seen, deck)
    scratch.rows[:] = [mine, *others]
    assert cards_in_play(scratch, deck) == sorted(deck.cards.tolist())
    assert scratch.sizes.tolist() == [22, 2]
    keeps = [mus.subset_of(hands, int(row), ("R",) * (i in (0, 3))) for i, row in enumerate(scratch.rows)]
    scratch.keeps[:] = keeps
    mus_play.exchange(
        scratch.rows, scratch.keeps, scratch.stock, scratch.pile, scratch.sizes, deck, words_for(3), 0
    )
    for seat in (0, 3):
        assert "R" in hands.hands[scratch.rows[seat]]


def test_the_rules_say_how_many_rounds_there_are():
    players = shipped_policy("players", 8)
    with pytest.raises(PolicyError, match="max_mus 0"):
        for_rules(players, rules("classic", max_mus=0))
    for most in (1, 4):
        policy = for_rules(players, rules("classic", max_mus=most))
        assert policy.rounds == most
        ends = mus.play_tables(policy.table, policy.compiled, tables=40_000, seed=3)[1]
        assert ends.max() <= 4 * most
        assert (ends // 4 == 1).any()
        assert not (ends[ends // 4 == most] % 4).any()
    always = throwing_all(8, 4)
    assert set(mus.play_tables(always.table, always.compiled, tables=1000, seed=3)[1].tolist()) == {16}
    assert for_rules(players, rules("classic")).rounds == players.rounds == 3
    # with fewer rounds than the policy has, its last ones serve
    assert np.array_equal(for_rules(players, rules("classic", max_mus=1)).mus[0], players.mus[-1])


def test_a_stock_that_runs_out_is_shuffled_fairly():
    # 16 cards each time: the second exchange uses up the 24 of the stock, so the third lives on discards.
    tables, hands, policy = 120_000, table(8), throwing_all(8, 3)
    out, ends = mus.play_tables(hands, policy.compiled, tables=tables, seed=11)
    assert (ends == 12).all()
    expected = hands.ways / comb(40, 4) * tables
    common = expected >= 8
    for seat in range(4):
        seen = np.bincount(out[:, seat], minlength=len(hands))
        z = naive.chi_square_z(
            [*seen[common], seen[~common].sum()], [*expected[common], expected[~common].sum()]
        )
        assert abs(z) < SIGMAS
    # and jointly: of 40 cards 8 are kings, 16 lie in hands
    kings = hands.counts[out.astype(np.int64), -1].sum(axis=1)
    chances = [comb(8, k) * comb(32, 16 - k) / comb(40, 16) for k in range(9)]
    seen = np.bincount(kings, minlength=9)
    z = naive.chi_square_z(
        [seen[0] + seen[1], *seen[2:7], seen[7] + seen[8]],
        [tables * p for p in (chances[0] + chances[1], *chances[2:7], chances[7] + chances[8])],
    )
    assert abs(z) < SIGMAS


def test_hands_and_endings_do_not_depend_on_where_a_run_begins():
    policy = shipped_policy("players", 8)
    out, ends = mus.play_tables(policy.table, policy.compiled, tables=9000, seed=4)
    later, later_ends = mus.play_tables(policy.table, policy.compiled, tables=4000, seed=4, first=5000)
    assert np.array_equal(out[5000:], later)
    assert np.array_equal(ends[5000:], later_ends)
    other = mus.play_tables(policy.table, policy.compiled, tables=9000, seed=5)[0]
    assert not np.array_equal(out, other)


# --- a slow twin of one whole hand ---


def slow_policy(policy: Policy) -> dict[tuple[int, int, str], list[tuple[str, float]]]:
    """The policy as its file says it: actions and chances by round, seat and hand."""
    rows: dict[tuple[int, int, str], list[tuple[str, float]]] = {}
    for round_, seat, hand, action, chance in rows_of(policy):
        rows.setdefault((round_, seat, hand), []).append((action, chance))
    return rows


def slow_hand(rows, kings: int, rounds: int, generator: random.Random) -> tuple[list[naive.Hand], int, int]:
    """Deal, talk, throw and draw: the four hands, the mus that went through, the seat that cut (0 if none)."""
    stock = naive.deck(kings)
    generator.shuffle(stock)
    hands = [naive.in_order(stock.pop() for _ in range(4)) for _ in range(4)]
    pile: list[str] = []
    for round_ in range(1, rounds + 1):
        says = []
        for seat in (1, 2, 3, 4):
            actions = rows[round_, seat, naive.text(hands[seat - 1])]
            cut = sum(chance for action, chance in actions if action == CUT)
            if generator.random() < cut:
                return hands, round_ - 1, seat
            says.append([(action, chance) for action, chance in actions if action != CUT])
        kept = []
        for seat, actions in zip((1, 2, 3, 4), says, strict=True):
            names, weights = zip(*actions, strict=True)
            (action,) = generator.choices(names, weights)
            keep = () if action == "-" else naive.cards_of(action)
            pile += naive.without(hands[seat - 1], keep)
            kept.append(list(keep))
        for seat in (1, 2, 3, 4):
            while len(kept[seat - 1]) < 4:
                if not stock:
                    stock, pile = pile, []
                    generator.shuffle(stock)
                kept[seat - 1].append(stock.pop())
        hands = [naive.in_order(hand) for hand in kept]
    return hands, rounds, 0


def twin_figures(hands: list[naive.Hand], through: int, cutter: int) -> dict[str, int]:
    """What a hand adds to each figure that the two are compared in."""
    found = {f"through {through}, cut by {cutter}": 1}
    for seat, hand in enumerate(hands, start=1):
        found[f"pares {naive.pairs(hand)[0]} in {seat}"] = 1
        found[f"juego in {seat}"] = int(naive.points(hand) >= 31)
        found[f"31 in {seat}"] = int(naive.points(hand) == 31)
        found[f"kings {hand.count('R')} in {seat}"] = 1
    for lance in ("grande", "chica", "pares"):
        found[f"{lance} won by the mano's pair"] = int(naive.winner(lance, hands) in (1, 3))
    return found


@pytest.mark.parametrize("kings", [8, 4])
def test_a_slow_hand_goes_the_same_way(kings):
    # a policy that says mus more often than the players do, so that later rounds are seen too
    shipped = shipped_policy("players", kings)
    said = shipped.mus.copy()
    said[said == 0] = 0.6
    keep = 0.9 * shipped.keep
    keep[..., 0b0011] += 0.1  # now and then two cards are kept, whatever they are
    policy = Policy("mixed", kings, said, _one_of_a_kind(keep, kings))
    rows, generator = slow_policy(policy), random.Random(7)
    slow_tables, fast_tables = 8_000, 24_000
    slow: Counter[str] = Counter()
    for _ in range(slow_tables):
        slow.update(twin_figures(*slow_hand(rows, kings, 3, generator)))
    fast: Counter[str] = Counter()
    hands = table(kings)
    cards = [naive.cards_of(hand) for hand in hands.hands]
    out, ends = mus.play_tables(hands, policy.compiled, tables=fast_tables, seed=8)
    for four, end in zip(out.tolist(), ends.tolist(), strict=True):
        through = end // 4
        fast.update(twin_figures([cards[row] for row in four], through, 0 if through == 3 else end % 4 + 1))
    assert {name for name in slow if name.startswith("through")} == {
        name for name in fast if name.startswith("through")
    }
    for name in slow.keys() | fast.keys():
        p = (slow[name] + fast[name]) / (slow_tables + fast_tables)
        error = sqrt(p * (1 - p) * (1 / slow_tables + 1 / fast_tables)) or 1.0
        assert abs(slow[name] / slow_tables - fast[name] / fast_tables) < SIGMAS * error, name


def _one_of_a_kind(keep: np.ndarray, kings: int) -> np.ndarray:
    """The chances moved to the subset that stands for its kind, as a policy file would."""
    hands = table(kings)
    deck = mus.deck_of(hands)
    moved = keep.copy()
    two = 0b0011
    for row in range(len(hands)):
        if not deck.options[row, two]:
            same = mus.subset_of(hands, row, mus.cards_of(hands, row)[:2])
            moved[:, :, row, same] += moved[:, :, row, two]
            moved[:, :, row, two] = 0
    return moved


# --- the table by cards drawn ---


def test_the_table_by_cards_drawn_adds_up_to_one_mus():
    policy = shipped_policy("players", 8)
    hands, tables = policy.table, 400_000
    cells, dealt, through = mus.drew_cells(hands, policy.compiled, tables=tables, seed=2)
    assert dealt == tables
    assert cells[..., mus_loops.DEALS].sum() == 4 * through
    # every seat sits once at every table: what one pair wins the other loses
    assert cells[..., mus_loops.STONES_US].sum() == cells[..., mus_loops.STONES_THEM].sum()
    assert 2 * cells[..., mus_loops.GRANDE_WIN].sum() == 4 * through
    # the same mus played by the other loop, with other tables
    first = Policy("first", 8, policy.mus[:1], policy.keep[:1])
    out, ends = mus.play_tables(hands, first.compiled, tables=tables, seed=77)
    after = out[ends == 4]
    share = through / tables
    assert abs(len(after) / tables - share) < SIGMAS * sqrt(2 * share * (1 - share) / tables)
    for seat in range(4):
        counted = cells[seat, :, :, mus_loops.DEALS].sum(axis=1)
        for held in (hands.juego_worth > 0, hands.pares_worth == 3, hands.counts[:, -1] >= 2):
            p = counted[held].sum() / through
            seen = held[after[:, seat]].mean()
            assert abs(seen - p) < SIGMAS * sqrt(p * (1 - p) * (1 / through + 1 / len(after)))
    again = mus.drew_cells(hands, policy.compiled, tables=tables, seed=2, threads=3)[0]
    assert np.array_equal(cells, again)


def test_standing_keeps_every_hand():
    policy = stand(8)
    out, ends = mus.play_tables(policy.table, policy.compiled, tables=2000, seed=1)
    dealt = throwing_all(8, 0)
    before = mus.play_tables(policy.table, dealt.compiled, tables=2000, seed=1)[0]
    assert (ends == 4).all()
    assert np.array_equal(out, before)


def test_a_policy_for_another_deck_is_refused():
    with pytest.raises(UsageError, match="for 4 kings"):
        for_rules(shipped_policy("players", 4), rules("classic"))
