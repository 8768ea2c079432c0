"""The chance to win the game from a score: its symmetries, and a million whole games played out beside it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import musodds
from musodds.analysis.discard import policy_for
from musodds.analysis.race import Board, after, board, finished_hands, sequences
from musodds.engine import mus
from musodds.engine.tables import table
from musodds.errors import ConditionError, RecordError, UsageError
from musodds.mus.bets import parse_record
from musodds.mus.cards import parse_hand
from musodds.mus.count import settle
from musodds.mus.lances import LANCES
from musodds.mus.rules import Rules, rules

# ten scores: even and uneven, far out and close, at each of which the mano is drawn
SCORES = ((0, 0), (0, 15), (12, 5), (20, 20), (22, 27), (26, 18), (28, 29), (25, 28), (29, 29), (27, 24))


@cache
def known(kings: int = 8, play: str = "passed", target: int = 40) -> Board:
    return board(rules("classic", kings=kings, target=target), play=play)


@pytest.mark.parametrize("kings", [8, 4])
@pytest.mark.parametrize("target", [30, 35, 40])
def test_the_average_over_the_mano_is_even_at_an_even_score(kings: int, target: int) -> None:
    found = musodds.race("0-0", kings=kings, target=target)
    assert found.win == pytest.approx(0.5, abs=1e-12)
    assert found.margin == pytest.approx(0, abs=1e-12)
    assert found.win == (found.win_with_mano + found.win_without_mano) / 2
    assert found.board.rules.target == target


@pytest.mark.parametrize("play", ["passed", "envido"])
@pytest.mark.parametrize("kings", [8, 4])
def test_a_stone_more_never_hurts_and_a_stone_of_theirs_never_helps(kings: int, play: str) -> None:
    win = known(kings, play).win
    assert (np.diff(win, axis=0) >= -1e-12).all()
    assert (np.diff(win, axis=1) <= 1e-12).all()
    assert win.min() > 0
    assert win.max() < 1


@pytest.mark.parametrize("play", ["passed", "envido"])
def test_us_and_them_mirrored_add_to_one(play: str) -> None:
    found = known(play=play)
    for us, them in ((0, 0), (7, 31), (39, 38), (12, 12), (39, 0)):
        for mano, other in (("us", "them"), ("them", "us")):
            together = found.chance(us, them, mano) + found.chance(them, us, other)
            assert together == pytest.approx(1, abs=1e-12)


def test_the_mano_is_worth_something_at_an_even_score() -> None:
    for play in ("passed", "envido"):
        found = known(play=play)
        for stones in (0, 10, 20, 30):
            assert found.chance(stones, stones, "us") > 0.5 + found.margin(stones, stones, "us")


def test_a_score_at_the_target_is_a_game_won() -> None:
    assert known().chance(40, 39, "us") == 1.0
    assert known().chance(39, 40, "us") == 0.0


def test_one_stone_from_home_on_both_sides_is_a_matter_of_grande() -> None:
    hands = finished_hands(rules())
    grande = hands.number[hands.grande].sum() / hands.number.sum()
    assert known().chance(39, 39, "us") == pytest.approx(grande, abs=1e-12)


# --- the sequences of stones, against the settling of whole hands ---


@pytest.mark.parametrize("preset", ["classic", "classic-4", "four-swaps", "euskal"])
@pytest.mark.parametrize("play", ["passed", "envido"])
def test_the_sequences_are_those_of_hands_settled_one_by_one(preset: str, play: str) -> None:
    chosen = rules(preset)
    lines = table(chosen.kings)
    hands = mus.play_tables(lines, policy_for(chosen, "players", None).compiled, tables=400, seed=7)[0]
    told, chances = sequences(finished_hands(chosen), play)
    assert chances.sum() == pytest.approx(1)
    assert chances.min() > 0
    kept = {tuple(row) for row in told.tolist()}
    for rows in hands.tolist():
        assert settled_steps([lines.hands[row] for row in rows], chosen, play) in kept


def settled_steps(hands: list[str], chosen: Rules, play: str) -> tuple[int, ...]:
    """What a hand pays by the slow settlement: grande, chica, pares, and juego or punto, above 0 for seats 1, 3."""
    cards = [parse_hand(hand, chosen.deck) for hand in hands]
    passed = settle(cards, chosen)
    record = ",".join(
        f"{result.lance}=2" for result in passed.lances if result.contested and play == "envido"
    )
    steps = dict.fromkeys(LANCES, 0)
    for entry in settle(cards, chosen, parse_record(record)).entries:
        steps[entry.lance] += entry.stones if entry.pair == "us" else -entry.stones
    return (steps["grande"], steps["chica"], steps["pares"], steps["juego"] or steps["punto"])


@pytest.mark.parametrize("play", ["passed", "envido"])
@pytest.mark.parametrize("kings", [8, 4])
def test_fast_twins_of_the_settlement_agree_with_it(kings: int, play: str) -> None:
    chosen = rules("classic", kings=kings)
    lines = table(kings)
    hands = dealt(kings, 300, seed=3)
    for rows, steps in zip(hands.tolist(), paid_by(hands, kings, play).tolist(), strict=True):
        assert tuple(steps) == settled_steps([lines.hands[row] for row in rows], chosen, play)


# --- whole games ---


def dealt(kings: int, number: int, seed: int) -> np.ndarray:
    """int (number, 4): hands as the mus leaves them."""
    policy = policy_for(rules("classic", kings=kings), "players", None).compiled
    return mus.play_tables(table(kings), policy, tables=number, seed=seed)[0].astype(np.int64)


def paid_by(hands: np.ndarray, kings: int, play: str) -> np.ndarray:
    """int (number, 4): stones in the order of the count; a twin of the settlement, written for arrays."""
    lines = table(kings)
    bet = 2 if play == "envido" else 0

    def lance(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        strength = getattr(lines, name)[hands].astype(np.int64)
        first = strength.argmax(axis=1)  # of equal hands the first to speak
        return np.where(first % 2 == 0, 1, -1), strength[:, ::2].max(axis=1), strength[:, 1::2].max(axis=1)

    def held(name: str) -> np.ndarray:
        sign, ours, theirs = lance(name)
        worth = getattr(lines, f"{name}_worth")[hands].astype(np.int64)
        stones = np.where(sign > 0, worth[:, 0] + worth[:, 2], worth[:, 1] + worth[:, 3])
        return sign * (stones + bet * ((ours > 0) & (theirs > 0)))

    juego = held("juego")
    nobody = (lines.juego_worth[hands] == 0).all(axis=1)
    last = np.where(nobody, lance("punto")[0] * (1 + bet), juego)
    return np.stack(
        [lance("grande")[0] * (bet or 1), lance("chica")[0] * (bet or 1), held("pares"), last], axis=1
    )


def games_won(paid: np.ndarray, us: int, them: int, target: int, games: int, seed: int) -> float:
    """The share of games that we win, each hand drawn from hands that were played; the mano is drawn by lot."""
    random = np.random.default_rng(seed)
    score = np.tile(np.array([us, them]), (games, 1))
    mano = random.integers(0, 2, games)
    won = 0
    while len(score):
        steps = paid[random.integers(0, len(paid), len(score))]
        over = np.zeros(len(score), dtype=bool)
        rows = np.arange(len(score))
        for place in range(4):
            to = np.where(steps[:, place] > 0, mano, 1 - mano)
            score[rows, to] += np.where(over, 0, np.abs(steps[:, place]))
            over |= (score >= target).any(axis=1)
        won += int((score[over, 0] >= target).sum())
        score, mano = score[~over], 1 - mano[~over]
    return won / games


def check_games(kings: int, play: str, target: int, games: int) -> None:
    hands = 4 * games
    paid = paid_by(dealt(kings, hands, seed=11), kings, play)
    found = known(kings, play, target)
    # half of the scores as they are, half as far from the target as they are from 30
    scores = [(us + far, them + far) for (us, them), far in zip(SCORES, [0, target - 30] * 5, strict=True)]
    for number, (us, them) in enumerate(scores):
        exact = (found.chance(us, them, "us") + found.chance(us, them, "them")) / 2
        won = games_won(paid, us, them, target, games, seed=number)
        # the games, the hands they draw from, and the hands of the table each have their own error
        drawn = found.margin(us, them, None) / 1.96
        error = np.sqrt(exact * (1 - exact) / games + drawn**2 * (1 + found.hands / hands))
        assert abs(won - exact) < 4.5 * error, (us, them, won, exact, error)


@pytest.mark.parametrize(
    ("kings", "play", "target"),
    [(8, "passed", 40), (8, "envido", 30), (4, "passed", 30), (4, "envido", 40)],
)
def test_whole_games_agree_at_ten_scores(kings: int, play: str, target: int) -> None:
    check_games(kings, play, target, 60_000)


@pytest.mark.exhaustive
@pytest.mark.parametrize("target", [30, 40])
@pytest.mark.parametrize("play", ["passed", "envido"])
@pytest.mark.parametrize("kings", [8, 4])
def test_a_million_whole_games_agree_at_ten_scores(kings: int, play: str, target: int) -> None:
    check_games(kings, play, target, 1_000_000)


# --- the margin, the count ---


def test_the_margin_is_that_of_other_simulations() -> None:
    lines, policy = table(8), policy_for(rules(), "players", None).compiled
    from musodds.analysis import race as module
    from musodds.engine import outcomes

    wins, margins = [], []
    for seed in range(24):
        counts = mus.tally_tables(lines, policy, tables=1 << 14, seed=seed)
        paid, chances = sequences(outcomes.read(counts), "passed")
        win = module._settle(paid, chances, 40)
        one = Board(rules(), "players", "passed", None, win, paid, chances, 1 << 14)
        wins.append(one.chance(33, 34, "us"))
        margins.append(one.margin(33, 34, "us"))
    ratio = np.std(wins, ddof=1) / (np.mean(margins) / 1.96)
    # the spread of 24 values is known to a factor of 1 +- 4.5 / sqrt(48)
    assert 0.35 < ratio < 1.65
    assert np.ptp(margins) < 0.2 * np.mean(margins)


def test_the_first_to_the_target_in_the_order_of_the_count_wins() -> None:
    ours = np.array([[1, 0, 0, 0], [0, 0, 0, 3], [1, 0, 2, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    theirs = np.array([[0, 1, 0, 0], [1, 1, 0, 0], [0, 1, 0, 3], [2, 0, 0, 0], [1, 0, 1, 1]])
    win = np.full((40, 40), 0.25)
    found = after(ours, theirs, 39, 38, 40, win)
    assert found.tolist() == [1.0, 0.0, 1.0, 0.0, 0.0]
    assert after(ours, theirs, 0, 0, 40, win).tolist() == [0.75] * 5
    assert after(ours, theirs, 0, 0, 40, win, next_mano="us").tolist() == [0.25] * 5
    many = after(ours, theirs, np.array([39, 0]), np.array([38, 0]), 40, win)
    assert many.tolist() == [[1.0, 0.0, 1.0, 0.0, 0.0], [0.75] * 5]


# --- asking ---


def test_it_is_kept_by_rules_and_policy(tmp_path, python) -> None:
    code = """
import os, sys, musodds
from musodds.analysis import race
race.TABLES = 1 << 12
from musodds.mus.rules import rules
from pathlib import Path
folder = Path(os.environ["MUSODDS_CACHE_DIR"])
def files(): return len(list(folder.glob("hands-*.npy")))
race.finished_hands(rules()); assert files() == 1
first = race.finished_hands(rules(target=30)).number; assert files() == 1
race.finished_hands(rules(), others="solved"); assert files() == 2
race.finished_hands(rules(real="jack")); assert files() == 3
race.finished_hands(rules(max_mus=1)); assert files() == 4
for file in folder.glob("hands-*.npy"): file.write_bytes(b"broken")
again = race.finished_hands(rules()).number; assert (again == first).all()
race.finished_hands(rules(max_mus=0)); assert files() == 5
print("done")
"""
    assert python(code, MUSODDS_CACHE_DIR=str(tmp_path)).stdout == "done\n"


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RecordError, match="the game to 40 is over"):
        musodds.race("41-20")
    with pytest.raises(RecordError, match="US-THEM"):
        musodds.race("a-b")
    with pytest.raises(RecordError, match="up to 200"):
        musodds.race("0-0", target=201)
    with pytest.raises(UsageError, match="choose us or them"):
        musodds.race("0-0", mano="postre")
    with pytest.raises(UsageError, match="choose one of passed, envido"):
        musodds.race("0-0", play="wild")
    with pytest.raises(ConditionError, match="no mus would ever go through"):
        musodds.race("0-0", cuts="any")
