"""The array evaluator against the tables and the slow rules, and what ``musodds bench`` says."""

from __future__ import annotations

import csv
import importlib
import io
import json
from itertools import combinations
from pathlib import Path

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from musodds.analysis import bench as bench_
from musodds.analysis.bench import bench
from musodds.cli.app import main
from musodds.engine import kernels, plans
from musodds.engine.bench import Work, measure
from musodds.engine.evaluate import evaluate, evaluate_keys, keys_of, read_words
from musodds.engine.tables import ALL_DEALS, table
from musodds.errors import CardError, MusoddsError, SeatError, UsageError
from musodds.report.bench import bench_markdown, duration, rate
from musodds.report.text import Words

ROOT = Path(__file__).parent.parent
DECKS = [(8, "off"), (4, "off"), (8, "ten"), (8, "coins"), (4, "coins")]


def some_hands(kings: int, real: str, number: int, seed: int) -> np.ndarray:
    """uint8 (number, 4): hands dealt from a deck, by class."""
    copies = table(kings, real).deck.copies
    cards = np.repeat(np.arange(len(copies), dtype=np.uint8), copies)
    places = np.argsort(np.random.default_rng(seed).random((number, 40)), axis=1)[:, :4]
    return cards[places]


@pytest.mark.kernels
@pytest.mark.parametrize(("kings", "real"), DECKS)
def test_every_hand_of_a_table_gets_the_strengths_of_its_row(kings, real):
    hands = table(kings, real)
    rows = [np.repeat(np.arange(len(held)), held) for held in hands.counts]
    cards = np.array(rows, dtype=np.uint8)[:, ::-1]
    found = read_words(evaluate(cards, kings=kings, real=real))
    for name in ("grande", "chica", "pares"):
        assert (getattr(found, name) == getattr(hands, name)).all()
    assert (found.last == plans.ordered_strengths(hands)[3]).all()
    for seat in (1, 2, 3, 4):
        words = evaluate(cards, kings=kings, real=real, seat=seat)
        assert (words == plans.strength_words(hands)[seat - 1]).all()


@pytest.mark.parametrize("kings", [8, 4])
def test_hands_compare_as_the_slow_rules_say(kings):
    names = table(kings).deck.classes
    cards = some_hands(kings, "off", 2000, seed=5)
    words = read_words(evaluate(cards, kings=kings))
    hands = [tuple(names[card] for card in hand) for hand in cards]
    slow = {
        "grande": naive.compare_grande,
        "chica": naive.compare_chica,
        "pares": naive.compare_pares,
    }
    for name, compare in slow.items():
        strength = getattr(words, name).astype(int)
        for i in range(0, len(hands), 2):
            said = np.sign(strength[i] - strength[i + 1])
            assert said == np.sign(compare(hands[i], hands[i + 1])), (name, hands[i], hands[i + 1])


def test_one_subtraction_compares_two_hands_in_every_lance():
    words = evaluate(some_hands(8, "off", 4000, seed=2))
    one, other = words[::2], words[1::2]
    over = (one | kernels.GUARDS) - other
    a, b = read_words(one), read_words(other)
    for guard, name in (
        (kernels.GRANDE_GUARD, "grande"),
        (kernels.CHICA_GUARD, "chica"),
        (kernels.PARES_GUARD, "pares"),
        (kernels.JUEGO_GUARD, "last"),
    ):
        assert ((over >> guard & np.uint64(1)).astype(bool) == (getattr(a, name) >= getattr(b, name))).all()


@given(st.permutations(range(4)), st.integers(0, 2**32 - 1))
def test_the_order_of_cards_the_layout_and_the_packing_do_not_matter(order, seed):
    cards = some_hands(8, "off", 9, seed)
    words = evaluate(cards)
    assert (evaluate(np.ascontiguousarray(cards[:, order])) == words).all()
    assert (evaluate(np.asfortranarray(cards)) == words).all()
    assert (evaluate_keys(keys_of(cards)) == words).all()
    shifted = np.frombuffer(b"\0" + cards.tobytes(), dtype=np.uint8)[1:].reshape(-1, 4)
    assert (evaluate(shifted) == words).all()
    out = np.zeros(9, dtype=np.uint64)
    assert evaluate(cards, out=out) is out
    assert (out == words).all()


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("hand", "real"), [([0, 0, 0, 8], "off"), ([255, 255, 255, 255], "off"), ([8, 9, 9, 255], "coins")]
)
def test_a_card_that_does_not_exist_is_named(hand, real):
    cards = np.array([[0, 1, 2, 3], hand], dtype=np.uint8)
    with pytest.raises(CardError, match=r"row 1, cards \["):
        evaluate(cards, real=real)


def test_no_byte_passes_for_a_card():
    """Any four bytes of which one is no class are refused, however their keys add up."""
    generator = np.random.default_rng(3)
    for kings, classes in ((8, 8), (4, 10)):
        good = generator.integers(0, classes, (256, 4), dtype=np.uint8)
        for hand in range(classes, 256):
            bad = good.copy()
            bad[hand, generator.integers(4)] = hand
            with pytest.raises(CardError, match=f"row {hand},"):
                evaluate(bad, kings=kings)


def test_two_jacks_of_coins_and_arrays_of_another_kind_are_refused():
    with pytest.raises(CardError, match="no more of one than the deck has"):
        evaluate(np.array([[6, 6, 0, 0]], dtype=np.uint8), real="coins")
    for cards in (np.zeros((3, 4), np.int64), np.zeros((4, 3), np.uint8), np.zeros(4, np.uint8)):
        with pytest.raises(CardError, match="uint8"):
            evaluate(cards)
    with pytest.raises(CardError, match="out of shape"):
        evaluate(np.zeros((3, 4), np.uint8), out=np.zeros(2, np.uint64))
    no_hand = min(set(range(100)) - set(keys_of(bench_.every_hand(8)).tolist()))
    for key in (no_hand, 2**16 - 1):
        with pytest.raises(CardError, match=f"row 1, key {key}:"):
            evaluate_keys(np.array([0, key], dtype=np.uint16))
    with pytest.raises(CardError, match="uint16"):
        evaluate_keys(np.zeros(3, np.int64))
    with pytest.raises(CardError, match="class 9"):
        keys_of(np.array([[9, 0, 0, 0]], dtype=np.uint8))
    with pytest.raises(SeatError, match="seat 5"):
        evaluate(np.zeros((1, 4), np.uint8), seat=5)
    assert len(evaluate(np.zeros((0, 4), np.uint8))) == 0


@pytest.mark.parametrize("kings", [8, 4])
def test_the_known_sum_of_the_evaluator_is_the_sum_over_the_deck(kings):
    """Added up from the table of hands and their ways, in Python's whole numbers."""
    hands = table(kings)
    words = plans.strength_words(hands)[3]
    assert hands.ways.sum() == bench_.HANDS
    total = sum(int(ways) * int(word) for ways, word in zip(hands.ways, words, strict=True))
    assert total % 2**64 == bench_.EVALUATOR_SUMS[kings]
    every = bench_.every_hand(kings)
    assert every.shape == (bench_.HANDS, 4)
    assert (np.bincount(every.ravel()) == np.array(hands.deck.copies) * bench_.HANDS * 4 // 40).all()


def test_the_known_counts_of_the_exact_engine_are_the_published_ones(data):
    for kings, (hand, grande, punto) in bench_.EXACT_WINS.items():
        row = next(row for row in data(f"exact_{kings}.csv") if (row["hand"], row["seat"]) == (hand, "0"))
        assert grande / ALL_DEALS == pytest.approx(float(row["grande"]), abs=1e-11)
        assert punto / ALL_DEALS == pytest.approx(float(row["punto"]), abs=1e-11)


def test_a_measurement_says_what_was_done():
    found = bench(["evaluate, 8", "simulate", "exact, 8"], seconds=0, repetitions=3, threads=2, scale=0.01)
    names = [timing.name for timing in found.timings]
    assert len(names) == len(set(names)) == 2 + 6 + 1
    for timing in found.timings:
        assert len(timing.seconds) == len(timing.cpu) == 3
        assert 0 < timing.best <= timing.median <= max(timing.seconds)
        assert timing.rate == pytest.approx(timing.amount / timing.median)
        assert timing.cpu_rate > 0
    # The same deals on one thread and on two.
    sums = [timing.checksum for timing in found.timings if timing.name.startswith("simulate")]
    assert sums[0::2] == sums[1::2]
    assert len(set(sums)) == 3
    assert found.machine["numba"]


def test_wrong_and_wavering_work_is_not_timed():
    def work(results, known):
        left = iter(results)

        def check(found):
            if found != known:
                raise MusoddsError("wrong")

        return Work("w", "", "things", 1, 1, lambda: None, lambda _: next(left), lambda x: bytes([x]), check)

    assert len(measure(work([1, 1, 1], 1), seconds=0, repetitions=2).seconds) == 2
    with pytest.raises(MusoddsError, match="wrong"):
        measure(work([1, 1, 1], 2), seconds=0, repetitions=2)
    with pytest.raises(MusoddsError, match="differ"):
        measure(work([1, 1, 2], 1), seconds=0, repetitions=2)


@pytest.mark.parametrize(
    ("work", "name", "wrong"),
    [(0, "EVALUATOR_SUMS", {8: 1, 4: 1}), (-1, "EXACT_WINS", {8: ("RR4A", 1, 1), 4: ("R32A", 1, 1)})],
)
def test_a_wrong_answer_stops_the_bench(monkeypatch, work, name, wrong):
    monkeypatch.setattr(bench_, name, wrong)
    with pytest.raises(MusoddsError, match="is known to be right"):
        bench([("evaluate", "exact")[work]], seconds=0, repetitions=1, scale=0.01)


def test_the_command_writes_every_format(capsys):
    quick = ["bench", "evaluate, 8", "exact, 8", "--seconds", "0", "--runs", "2", "--scale", "0.1", "--quiet"]
    assert main(quick) == 0
    text = capsys.readouterr().out
    assert "evaluate, 8 kings, shuffled" in text
    assert "hands" in text
    assert "numba" in text
    assert main([*quick, "--format", "json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert whole["schema"] == "musodds.bench/1"
    assert [result["unit"] for result in whole["results"]] == ["hands", "hands", "answers"]
    assert all(len(result["seconds"]) == result["runs"] == 2 for result in whole["results"])
    assert main([*quick, "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [int(row["amount"]) for row in rows] == [91_390, 91_390, 1]
    assert main([*quick, "--format", "markdown", "--lang", "es"]) == 0
    assert "| exact, 8 kings |" in capsys.readouterr().out


def test_what_cannot_be_measured_is_refused(capsys):
    for wrong in (["chess"], ["--runs", "0"], ["--scale", "0"], ["--seconds", "-1"], ["--threads", "0"]):
        assert main(["bench", *wrong]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert wrong[-1] in said.err
    with pytest.raises(UsageError, match="evaluate, simulate"):
        bench(["chess"])


@pytest.mark.parametrize(
    ("value", "said"),
    [(2.114e9, "2.11 G"), (149.2e6, "149 M"), (19_240, "19.2 k"), (3.5, "3.50 "), (0.25, "0.25 ")],
)
def test_rates_keep_three_digits(value, said):
    assert rate(value, Words()) == said


@pytest.mark.parametrize(("value", "said"), [(0.000481, "0.48 ms"), (0.0269, "26.9 ms"), (1.519, "1.52 s")])
def test_times_keep_three_digits(value, said):
    assert duration(value, Words()) == said


def test_markdown_has_one_line_for_each_work():
    found = bench(["exact, 8"], seconds=0, repetitions=1)
    lines = bench_markdown(found, Words()).splitlines()
    assert sum(line.startswith("| exact") for line in lines) == 1


@pytest.fixture
def speed_table(monkeypatch):
    """The script that writes the tables of speed."""
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.speed_table")


@pytest.mark.parametrize("page", ["README.md", "benchmarks/README.md"])
def test_the_tables_of_speed_are_what_the_saved_runs_say(speed_table, page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert text.count("from benchmarks/runs -->") >= 2
    assert speed_table.renewed(text) == text


def test_another_run_would_write_another_table(speed_table, monkeypatch):
    run = json.loads((ROOT / "benchmarks" / "runs" / "bench.json").read_text(encoding="utf-8"))
    run["results"][0]["rate"] *= 2
    monkeypatch.setattr(speed_table, "read", lambda name: run)
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    block = "<!-- engines from benchmarks/runs -->\n"
    assert block in page
    block += "<!-- end of engines -->"
    assert f"| {speed_table.rate(run['results'][0]['rate'])} hands/s |" in speed_table.renewed(block)


def test_the_saved_peers_were_beaten_as_the_pages_say():
    results = json.loads((ROOT / "benchmarks" / "runs" / "peers.json").read_text(encoding="utf-8"))["results"]
    for race, library, at_least in (
        ("evaluate", "", 30),
        ("heads-up", "eval7", 2),
        ("four players", "poker_", 40),
    ):
        others = [
            result["ratio"]
            for result in results
            if result["race"] == race
            and "musodds" not in result["name"]
            and result["name"].startswith(library)
        ]
        assert others
        assert min(others) >= at_least


def test_all_hands_of_a_deck_are_all_different():
    assert len(list(combinations(range(40), 4))) == bench_.HANDS
