"""Self-play from nothing: it runs, it learns, it goes on where it stopped, and it does not depend on threads."""

from __future__ import annotations

import numpy as np
import pytest

import musodds
from musodds.analysis import solve as solver
from musodds.analysis.policy import PLAYERS_CUT, Policy, cut_rule
from musodds.analysis.policy_file import read_policy, write_policy
from musodds.analysis.quick import quick_players
from musodds.analysis.solve import evaluate, self_play, solve
from musodds.engine import mus
from musodds.engine.tables import table
from musodds.errors import UsageError
from musodds.mus.rules import rules

FEW = {"tables": 40_000, "steps": 3}


def equal(one: Policy, other: Policy) -> bool:
    """Whether two policies are the same numbers."""
    return np.array_equal(one.mus, other.mus) and np.array_equal(one.keep, other.keep)


@pytest.fixture(scope="module")
def found() -> solver.Solution:
    """A small solution against the players' rule."""
    return solve("classic", **FEW, test_tables=60_000, seed=5)


def test_a_policy_is_found_and_its_worth_told(found):
    policy = found.policy
    assert policy.name == "players"
    assert policy.mus.shape == (3, 4, 330)
    assert np.array_equal(policy.mus[0] == 0, cut_rule(PLAYERS_CUT, table(8)))
    assert np.allclose(policy.keep.sum(axis=-1), 1)
    # never a discard that the hand does not have, never all four kept
    closed = mus.deck_of(table(8)).options == 0
    assert not policy.keep[np.broadcast_to(closed, policy.keep.shape)].any()
    assert [gain.seat for gain in found.gains] == [1, 2, 3, 4]
    assert all(gain.margin > 0 for gain in found.gains)
    assert sum(found.cuts) + found.through[0] == pytest.approx(1, abs=1e-12)
    assert list(found.through) == sorted(found.through, reverse=True)
    assert 0.15 < found.through[0] < 0.23
    making = policy.making
    assert (making["rules"], making["cuts"], making["seed"]) == ("classic", PLAYERS_CUT, "5")
    assert making["tables"] == "40000"
    assert making["gains"].startswith("1:")


def test_even_a_little_self_play_beats_throwing_everything(found):
    keep = np.zeros_like(found.policy.keep)
    keep[..., 0] = 1.0
    for seat in (1, 4):
        mixed = keep.copy()
        mixed[:, seat - 1] = found.policy.keep[:, seat - 1]
        careless = Policy("", 8, found.policy.mus, keep)
        better = Policy("", 8, found.policy.mus, mixed)
        gain = mus.compare(
            table(8), seat, careless.compiled, better.compiled, mus.payoffs(), tables=100_000, seed=3
        )
        mean = gain.gain / gain.tables
        assert mean > 4.5 * ((gain.square / gain.tables - mean * mean) / gain.tables) ** 0.5


def test_a_run_goes_on_where_it_stopped(tmp_path):
    state = tmp_path / "state.npz"
    whole = self_play(rules("classic"), cuts=PLAYERS_CUT, **FEW, seed=6)
    stopped: list[int] = []

    def stop(_what: str, done: int, _planned: int) -> None:
        stopped.append(done)
        if done == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve("classic", **FEW, seed=6, state=state, progress=stop)
    assert state.exists()
    seen: list[int] = []
    again = solve(
        "classic",
        **FEW,
        test_tables=1000,
        seed=6,
        state=state,
        progress=lambda *report: seen.append(report[1]),
    )
    assert seen[0] == 8  # two of three steps were kept
    assert equal(whole, again.policy)
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.npz"]
    with pytest.raises(UsageError, match="another run"):
        solve("classic", **FEW, seed=7, state=state)
    state.write_bytes(b"not a state")
    with pytest.raises(UsageError, match="not the state of a run"):
        solve("classic", **FEW, seed=6, state=state)


def test_any_number_of_threads_finds_the_same_policy(found):
    policies = [
        self_play(rules("classic"), cuts=PLAYERS_CUT, **FEW, seed=5, threads=threads) for threads in (1, 3)
    ]
    assert equal(policies[0], policies[1])
    assert equal(policies[0], found.policy)
    first = evaluate(found.policy, free=False, tables=20_000, seed=5, threads=1)
    assert first.gains == evaluate(found.policy, free=False, tables=20_000, seed=5, threads=3).gains


def test_free_cuts_rules_and_decks(tmp_path):
    free = solve("euskal", cuts=None, max_mus=2, tables=20_000, steps=2, test_tables=20_000, seed=1)
    assert (free.policy.name, free.policy.kings, free.policy.rounds) == ("solved", 4, 2)
    assert 0 < free.policy.mus.mean() < 1
    assert free.policy.making["cuts"] == "free"
    path = tmp_path / "mine.csv"
    write_policy(free.policy, path)
    back = read_policy(path)
    assert np.allclose(back.mus, free.policy.mus, atol=1e-7)
    advice = musodds.discard("RR32", kings=4, max_mus=2, others=str(path), deals=2000)
    assert advice.others == str(path)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"max_mus": 0}, "no mus"),
        ({"tables": 10}, "at least 1 step and 1,000"),
        ({"steps": 0}, "at least 1 step"),
        ({"test_tables": 1}, "at least 1 step"),
        ({"cuts": "any"}, "cuts with every hand"),
        ({"cuts": "nonsense"}, "nonsense"),
    ],
)
def test_runs_that_cannot_be_are_refused(options, says):
    with pytest.raises(UsageError, match=says):
        solve("classic", **options)


def test_another_cut_rule_is_solved_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("musodds.analysis.quick.TABLES", 5000)
    monkeypatch.setattr("musodds.analysis.quick.STEPS", 1)
    monkeypatch.setattr("musodds.analysis.quick.cache_folder", lambda: tmp_path / "kernels")
    quick_players.cache_clear()
    first = quick_players("31", 8)
    assert np.array_equal(first.mus[0] == 0, cut_rule("31", table(8)))
    (kept,) = tmp_path.glob("players-8-*.csv.gz")
    monkeypatch.setattr("musodds.analysis.quick.self_play", lambda *_, **__: pytest.fail("solved twice"))
    quick_players.cache_clear()
    again = quick_players("31", 8)
    assert np.allclose(first.mus, again.mus, atol=1e-7)
    kept.write_bytes(b"damaged")
    monkeypatch.setattr("musodds.analysis.quick.self_play", lambda *_, **__: first)
    quick_players.cache_clear()
    assert equal(quick_players("31", 8), first)
    quick_players.cache_clear()
