"""Policies: cut rules, files, what is refused, and that the shipped ones are as good as they say."""

from __future__ import annotations

import csv
import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from musodds.analysis.policy import PLAYERS_CUT, Policy, cut_rule, drawing, for_rules, stand
from musodds.analysis.policy_file import (
    COLUMNS,
    named_policy,
    read_policy,
    rows_of,
    shipped_policy,
    write_policy,
)
from musodds.analysis.solve import STEPS, TABLES, best_response, evaluate, self_play
from musodds.engine import mus
from musodds.engine.tables import table
from musodds.errors import ConditionError, PolicyError, UsageError
from musodds.mus.cards import deck, parse_hand
from musodds.mus.lances import pares_kind, points
from musodds.mus.rules import rules

SHIPPED = [("players", 8), ("solved", 8), ("players", 4), ("solved", 4)]
MOST_GAIN, MOST_MARGIN = 0.005, 0.003


def same(one: Policy, other: Policy, *, within: float = 0.0) -> bool:
    """Whether two policies do the same wherever they get a word."""
    keeps = one.mus[..., None] * one.keep - other.mus[..., None] * other.keep
    return bool(np.abs(one.mus - other.mus).max() <= within and np.abs(keeps).max() <= within)


# --- cut rules ---


@pytest.mark.parametrize("kings", [8, 4])
def test_the_players_rule_is_what_it_says_hand_by_hand(kings):
    hands = table(kings)
    cards = deck(kings)
    cuts = cut_rule(PLAYERS_CUT, hands)
    for row, text in enumerate(hands.hands):
        hand = parse_hand(text, cards)
        total, kind = points(hand, cards), pares_kind(hand, cards)
        wanted = (
            total == 31
            or kind in ("medias", "duples")
            or hand.count("R") >= 2
            or (kind != "none" and total >= 31)
        )
        assert (cuts[:, row] == wanted).all(), text


def test_a_rule_may_be_for_a_seat():
    hands = table(8)
    everybody = cut_rule("31", hands)
    assert (everybody == (hands.points == 31)).all()
    mixed = cut_rule("postre: R>=2 | pares; 2: 31", hands)
    kings = hands.counts[:, -1]
    assert np.array_equal(mixed[3], (kings >= 2) | (hands.pares_worth > 0))
    assert np.array_equal(mixed[1], hands.points == 31)
    assert np.array_equal(mixed[0], cut_rule(PLAYERS_CUT, hands)[0])
    assert np.array_equal(cut_rule("all: 31; 4: medias", hands)[:3], everybody[:3])


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("any", "cuts with every hand"),
        ("pares | !pares", "cuts with every hand"),
        ("1: any", "cuts with every hand"),
        ("", "empty"),
        (" ; ", "empty"),
        ("31; pares", "each needs its seat"),
        ("1: 31; 1: pares", "two rules"),
        ("5: 31", "5"),
        ("0.5*31 + 0.5*pares", "weights"),
        ("kings", "kings"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(rule, says):
    with pytest.raises(ConditionError, match=re.escape(says)):
        cut_rule(rule, table(8))


# --- files ---


@pytest.fixture(scope="module")
def lines() -> list[tuple[int, int, str, str, float]]:
    """The rows of a shipped policy."""
    return list(rows_of(shipped_policy("players", 8)))


def written(path, lines, making="# kings: 8\n"):
    """A policy file of rows."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(making)
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(lines)
    return path


@pytest.mark.parametrize("name", ["policy.csv", "policy.csv.gz", "policy.parquet"])
@pytest.mark.parametrize(("policy", "kings"), SHIPPED)
def test_a_policy_comes_back_from_its_file(tmp_path, name, policy, kings):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    known = shipped_policy(policy, kings)
    path = tmp_path / name
    write_policy(known, path)
    once = path.read_bytes()
    back = read_policy(path)
    assert same(known, back, within=1e-7)
    assert (back.kings, back.rounds) == (kings, 3)
    assert back.making["gains"] == known.making["gains"]
    write_policy(known, path)
    assert path.read_bytes() == once
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_the_rows_of_a_state_add_to_one_and_a_rule_is_0_or_1(lines):
    total: dict[tuple[int, int, str], float] = {}
    for round_, seat, hand, action, chance in lines:
        total[round_, seat, hand] = total.get((round_, seat, hand), 0.0) + chance
        if action == "cut":
            assert chance == 1
    assert len(total) == 3 * 4 * 330
    assert max(abs(chances - 1) for chances in total.values()) < 1e-6


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda rows: [row for row in rows if row[:3] != (2, 3, "7654")],
            "nothing is said of round 2, seat 3, 7654",
        ),
        (lambda rows: [(*row[:4], 0.9) if row[:3] == (1, 1, "RRRR") else row for row in rows], "add to 0.9"),
        (lambda rows: [(1, 1, "7654", "RR", 1.0), *rows], "cannot keep RR"),
        (lambda rows: [(1, 1, "7654", "7654", 1.0), *rows], "discards one to four"),
        (lambda rows: [(1, 1, "7654", "8", 1.0), *rows], "there is no 8"),
        (lambda rows: [(1, 1, "4567", "-", 1.0), *rows], "is not a hand of the deck"),
        (lambda rows: [(1, 1, "R2A4", "-", 1.0), *rows], "is not a hand of the deck"),
        (lambda rows: [(1, 5, "7654", "-", 1.0), *rows], "seat 5"),
        (lambda rows: [(0, 1, "7654", "-", 1.0), *rows], "rounds go from 1"),
        (lambda rows: [(1, 1, "7654", "-", 1.5), *rows], "not between 0 and 1"),
        (lambda rows: [(1, 1, "7654", "-", float("nan")), *rows], "not between 0 and 1"),
        (lambda rows: [(1, 1, "7654", "-", "often"), *rows], "is not a round, seat, hand"),
        (
            lambda rows: sorted({(*row[:3], "cut", 1.0) for row in rows}),
            "cuts with every hand",
        ),
        (lambda rows: [], "no rows"),
    ],
)
def test_a_file_that_is_no_policy_is_refused_with_the_reason(tmp_path, lines, change, says):
    path = written(tmp_path / "policy.csv", change(lines))
    with pytest.raises(PolicyError, match=re.escape(says)) as refused:
        read_policy(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "four.csv"
    write_policy(shipped_policy("players", 4), path)
    with pytest.raises(PolicyError, match="for 4 kings"):
        named_policy(str(path), 8)
    with pytest.raises(PolicyError, match="columns must be"):
        read_policy(_with(tmp_path / "a.csv", b"hand,action\n"))
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy(_with(tmp_path / "a.csv.gz", b"no gzip"))
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy(_with(tmp_path / "b.csv.gz", gzip.compress(b"round")[:-5]))
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy(_with(tmp_path / "b.csv", b"\xff\xfe"))
    with pytest.raises(PolicyError, match="cannot be read"):
        named_policy(str(tmp_path / "missing.csv"), 8)
    with pytest.raises(PolicyError, match=r"\.csv, \.csv\.gz or \.parquet"):
        named_policy(str(_with(tmp_path / "policy.txt", b"")), 8)
    with pytest.raises(PolicyError, match="choose players, solved, stand"):
        named_policy("everybody", 8)


def _with(path, content: bytes):
    path.write_bytes(content)
    return path


def test_a_policy_for_the_jack_of_coins_plays_it_as_a_jack():
    players = shipped_policy("players", 8)
    served = for_rules(players, rules("classic", real="coins"))
    hands = table(8, "coins")
    assert served.mus.shape == (3, 4, len(hands))
    row, plain = hands.index["RS*75"], players.table.index["RS75"]
    assert np.array_equal(served.keep[:, :, row], players.keep[:, :, plain])


def test_cards_drawn_are_weighed_by_the_policy():
    players = for_rules(shipped_policy("players", 8), rules("classic"))
    hands = players.table
    kept = mus.deck_of(hands).kept
    total = np.zeros((4, len(hands)))
    for number in (1, 2, 3, 4):
        chances, given = drawing(players, hands, {2: number})
        total[1] += chances[1]
        takes = given.keep[0, 1] @ (4 - kept.astype(float))
        assert np.allclose(takes[chances[1] > 0], number)
        assert np.array_equal(chances[[0, 2, 3]], players.mus[0, [0, 2, 3]])
    assert np.allclose(total[1], players.mus[0, 1])


# --- the shipped policies ---


@pytest.mark.parametrize(("name", "kings"), SHIPPED)
def test_shipped_policies_record_how_they_came_about(name, kings):
    policy = shipped_policy(name, kings)
    making = policy.making
    assert making["kings"] == str(kings)
    assert making["cuts"] == ("free" if name == "solved" else PLAYERS_CUT)
    assert {"rules", "seed", "steps", "tables", "version", "gains", "through"} <= set(making)
    gains = re.findall(r"(\d):(-?\d+\.\d+)\+-(\d+\.\d+)", making["gains"])
    assert [int(seat) for seat, _, _ in gains] == [1, 2, 3, 4]
    for _, gain, margin in gains:
        assert float(gain) <= MOST_GAIN
        assert float(margin) <= MOST_MARGIN
    if name == "players":
        never = policy.mus == 0
        assert np.array_equal(never, np.broadcast_to(cut_rule(PLAYERS_CUT, policy.table), never.shape))


def gain_of(policy: Policy, seat: int, *, free: bool, tables: int, seed: int) -> tuple[float, float]:
    """What the best deviation of a seat gains, found on one sample and measured on another; and its error."""
    other = best_response(policy, seat, free=free, tables=tables, seed=seed)
    found = mus.compare(
        policy.table, seat, policy.compiled, other, mus.payoffs(), tables=tables, seed=seed + 1
    )
    mean = found.gain / tables
    return mean, ((found.square / tables - mean * mean) / tables) ** 0.5


def test_nobody_gains_much_against_a_shipped_policy_and_much_against_a_bad_one():
    players = shipped_policy("players", 8)
    gain, error = gain_of(players, 2, free=False, tables=200_000, seed=424242)
    assert gain - 4.5 * error <= MOST_GAIN
    assert error < 0.003
    keep = np.zeros_like(players.keep)
    keep[..., 0] = 1.0
    careless = Policy("throws all", 8, players.mus, keep)
    gain, error = gain_of(careless, 2, free=False, tables=100_000, seed=424242)
    assert gain - 4.5 * error > 0.1


def test_when_everybody_cuts_by_self_play_next_to_no_mus_goes_through():
    for name, low, high in (("players", 0.18, 0.20), ("solved", 0.0005, 0.005)):
        policy = shipped_policy(name, 8)
        ends = mus.play_tables(policy.table, policy.compiled, tables=100_000, seed=99)[1]
        assert low < (ends >= 4).mean() < high
        assert abs((ends >= 4).mean() - float(policy.making["through"].split()[0])) < 0.006


def test_standing_says_mus_and_keeps_everything():
    policy = stand(4)
    assert policy.mus.min() == 1
    assert {row[3] for row in rows_of(policy)} == set(policy.table.hands)
    with pytest.raises(UsageError, match="stand"):
        named_policy("stands", 8)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "kings"), SHIPPED)
def test_shipped_policies_hold_in_every_seat_on_fresh_seeds(name, kings):
    policy = shipped_policy(name, kings)
    found = evaluate(policy, free=name == "solved", tables=4_000_000, seed=987_654_321)
    for gain in found.gains:
        assert gain.margin <= MOST_MARGIN
        assert gain.gain <= MOST_GAIN


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["players", "solved"])
def test_shipped_policies_come_out_again(name):
    shipped = shipped_policy(name, 8)
    made = self_play(
        rules("classic"), cuts=None if name == "solved" else PLAYERS_CUT, tables=TABLES, steps=STEPS, seed=1
    )
    assert same(shipped, made, within=1e-7)


def test_the_readme_says_how_often_a_mus_goes_through():
    text = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    paragraph = text[text.index("**How often a mus goes through.**") :].split("\n\n")[0]
    said = [float(number) for number in re.findall(r"(\d+(?:\.\d+)?) %", paragraph)]
    through = {
        (name, kings): 100 * float(shipped_policy(name, kings).making["through"].split()[0])
        for name, kings in SHIPPED
    }
    ways = table(8).ways / table(8).ways.sum()
    mano = {name: 100 * float(ways @ shipped_policy(name, 8).mus[0, 0]) for name in ("players", "solved")}
    assert said == [
        round(through["players", 8]),
        round(through["players", 4]),
        round(100 * through["players", 8] / mano["players"]),
        round(through["solved", 8], 1),
        round(through["solved", 4], 1),
        round(mano["solved"]),
    ]
