"""The simulator against exact chances, and against itself on other threads, blocks and machines."""

from __future__ import annotations

import itertools
from collections import Counter
from concurrent.futures import wait
from dataclasses import asdict
from math import sqrt
from statistics import fmean, stdev

import naive
import numpy as np
import pytest

import musodds
from musodds.analysis.figures import Figures, wilson
from musodds.analysis.query import Query, query
from musodds.engine import simulate as simulator
from musodds.engine.counts import Counts
from musodds.engine.exact import enumerate_deals
from musodds.engine.simulate import deal_hands, simulate
from musodds.errors import ConditionError, UsageError
from musodds.mus.lances import LANCES

SEEDS = (0, 1, 2**32 - 1, 2**32, 2**64 - 1)


def run(question: Query, deals: int, seed: int, threads: int = 1, weights=None) -> Counts:
    """The counts of a simulation."""
    done = simulate(
        question.table,
        question.row,
        question.seat,
        question.unseen,
        weights,
        deals=deals,
        seed=seed,
        threads=threads,
    )
    assert not done.partial
    return done.counts


# --- z-scores against the figures computed elsewhere ---

PLAIN = {name: (name, "win") for name in LANCES} | {f"i_{name}": (name, "mine") for name in LANCES}
PLAIN |= {"pares_both": ("pares", "contested"), "juego_both": ("juego", "contested")}
PLAIN |= {"juego_none": ("punto", "played")}
PLAIN |= {"pares_win_both": ("pares", "win_contested"), "juego_win_both": ("juego", "win_contested")}
BATCHES, BATCH = 40, 5_000


def situations(data) -> list[tuple[Query, dict[str, float]]]:
    """The hands and seats of the printed figures: 48 with eight kings, 8 with four, 4 with a real."""
    found = []
    for name, kings in (("exact_8.csv", 8), ("exact_4.csv", 4), ("real.csv", 8)):
        for row in data(name):
            rules = musodds.rules(kings=kings, real=row.pop("real", "off"))
            hand = row.pop("hand").replace("O", "S*")
            question = query(hand, int(row.pop("seat")) + 1, rules=rules)
            found.append((question, {column: float(figure) for column, figure in row.items()}))
    return found


@pytest.fixture(scope="module")
def scores(data) -> dict[str, list[float]]:
    """z-scores by column, one for each situation whose figure is not almost certain.

    Within a column they are independent of each other: each situation has seeds of its own. Probabilities
    are judged by their binomial error, stones by the spread of the batches' means.
    """
    found: dict[str, list[float]] = {}
    for number, (question, figures) in enumerate(situations(data)):
        batches = [run(question, BATCH, seed=1000 * number + batch) for batch in range(BATCHES)]
        deals = BATCH * BATCHES
        for column, (lance, name) in PLAIN.items():
            seen = sum(getattr(batch.lances[lance], name) for batch in batches)
            p = figures[column]
            if p in (0, 1):
                assert seen == p * deals, (question.hand_text, question.seat, column)
            elif deals * p * (1 - p) >= 50:
                z = (seen - deals * p) / sqrt(deals * p * (1 - p))
                found.setdefault(column, []).append(z)
        for column in ("stones_us", "stones_them"):
            means = [getattr(batch, column) / BATCH for batch in batches]
            z = (fmean(means) - figures[column]) / (stdev(means) / sqrt(BATCHES))
            found.setdefault(column, []).append(z)
        differences = sum((Counter(batch.difference) for batch in batches), Counter())
        mean = figures["stones_us"] - figures["stones_them"]
        spread = sum(times * (stones - mean) ** 2 for stones, times in differences.items()) / deals
        seen = sum(times * stones for stones, times in differences.items()) / deals
        found.setdefault("difference", []).append((seen - mean) / sqrt(spread / deals))
    return found


def test_scores_cover_enough(scores, data):
    assert len(situations(data)) == 60
    assert set(scores) == {*PLAIN, "stones_us", "stones_them", "difference"}
    for column in ("grande", "chica", "pares", "juego", "stones_us", "stones_them", "difference"):
        assert len(scores[column]) >= 40, column


@pytest.mark.parametrize("column", [*PLAIN, "stones_us", "stones_them", "difference"])
def test_every_figure_errs_as_chance_does(scores, column):
    z = scores[column]
    assert max(map(abs, z)) < 4.5
    assert abs(fmean(z)) < 4.5 / sqrt(len(z))
    # The sum of n squares of normal deviates is χ² with n degrees of freedom (Wilson and Hilferty).
    square, spread = sum(each * each for each in z) / len(z), 2 / (9 * len(z))
    assert abs((square ** (1 / 3) - (1 - spread)) / sqrt(spread)) < 4.5


def test_all_scores_together_have_the_tails_of_a_normal_law(scores):
    z = [each for column in scores.values() for each in column]
    assert len(z) > 500
    # Columns of one situation go together, so the effective number is far below; these bounds allow for a
    # tenth of it.
    for limit, share in ((1, 0.3173), (2, 0.0455), (3, 0.0027)):
        beyond = sum(abs(each) > limit for each in z) / len(z)
        assert abs(beyond - share) < 4 * sqrt(share * (1 - share) / (len(z) / 10))


# --- the counts depend on the question, the seed and the number of deals only ---


def test_threads_change_nothing():
    question = query("RCSA", 2)
    deals = 1_500_007
    one = run(question, deals, 7, threads=1)
    for threads in (2, 3, 7):
        assert run(question, deals, 7, threads=threads) == one


def test_threads_change_nothing_under_weights():
    question = query("RCSA", 2)
    weights = np.random.default_rng(1).integers(0, 3, size=(3, len(question.table)), dtype=np.int64)
    one = run(question, 300_007, 7, threads=1, weights=weights)
    for threads in (2, 3, 7):
        assert run(question, 300_007, 7, threads=threads, weights=weights) == one


@pytest.mark.kernels
@pytest.mark.parametrize("deals", [1, 2, 3, 255, 256, 257, 1021])
@pytest.mark.parametrize(("hand", "kings"), [("RR4A", 8), ("RCSA", 8), ("3322", 4)])
def test_a_simulation_counts_exactly_the_hands_it_deals(deals, hand, kings):
    question = query(hand, 3, rules=musodds.rules(kings=kings))
    counts = run(question, deals, seed=9)
    hands = deal_hands(question.table, question.unseen, deals, 9)
    mine = naive.cards_of(question.hand_text)
    tables = [
        (naive.seated(mine, *(naive.cards_of(question.table.hands[row]) for row in rows), question.seat), 1)
        for rows in hands
    ]
    expected = naive.add_up(tables, question.seat)
    assert counts.deals == deals == expected["deals", ""]
    for lance in LANCES:
        for name, number in asdict(counts.lances[lance]).items():
            assert number == expected[lance, name], (lance, name)
    assert (counts.stones_us, counts.stones_them) == (expected["stones", "us"], expected["stones", "them"])


@pytest.mark.kernels
@pytest.mark.parametrize("seat", [1, 2, 3, 4])
@pytest.mark.parametrize("real", ["off", "ten", "jack", "coins"])
def test_every_seat_and_real_counts_as_the_slow_twin(seat, real):
    question = query("S*777", seat, rules=musodds.rules(real=real))
    counts = run(question, 500, seed=seat)
    mine = naive.cards_of("S*777" if real == "coins" else "S777")
    tables = []
    for rows in deal_hands(question.table, question.unseen, 500, seat):
        others = [naive.cards_of(question.table.hands[row]) for row in rows]
        tables.append((naive.seated(mine, *others, seat), 1))
    expected = naive.add_up(tables, seat, real)
    for lance in LANCES:
        assert asdict(counts.lances[lance]) == {name: expected[lance, name] for name in naive.FIGURES}
    assert (counts.stones_us, counts.stones_them) == (expected["stones", "us"], expected["stones", "them"])


def test_a_longer_run_starts_with_the_shorter_one():
    question = query("RC75", 4)
    whole = deal_hands(question.table, question.unseen, 10_000, 3)
    assert (deal_hands(question.table, question.unseen, 1234, 3) == whole[:1234]).all()
    assert (deal_hands(question.table, question.unseen, 1000, 3, first=777) == whole[777:1777]).all()


@pytest.mark.parametrize("deals", [1, 1000, (1 << 18) - 1, (1 << 18) + 1, 1_000_003])
def test_counts_add_up_for_any_number_of_deals(deals):
    counts = run(query("RC75", 4), deals, 2, threads=2)
    assert counts.deals == deals
    assert sum(counts.difference.values()) == deals
    assert sum(stones * times for stones, times in counts.difference.items()) == (
        counts.stones_us - counts.stones_them
    )
    for name, lance in counts.lances.items():
        assert lance.win + lance.lose == lance.played
        assert 0 <= lance.mine <= lance.win
        assert 0 <= lance.win_contested <= min(lance.win, lance.contested)
        assert lance.played == deals or name not in ("grande", "chica")
    assert counts.lances["juego"].played + counts.lances["punto"].played == deals


def test_every_seed_works_and_all_differ():
    question = query("RR4A")
    found = [run(question, 100_000, seed) for seed in SEEDS]
    assert all(run(question, 100_000, seed) == counts for seed, counts in zip(SEEDS, found, strict=True))
    for place, counts in enumerate(found):
        assert counts not in found[:place]


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range_is_refused(seed):
    with pytest.raises(UsageError, match=str(seed)):
        musodds.odds("RR4A", seed=seed, deals=10)


@pytest.mark.parametrize(
    "setting", [{"deals": 0}, {"deals": -5}, {"threads": 0}, {"margin": 0}, {"margin": -1}]
)
def test_a_run_that_cannot_be_is_refused(setting):
    with pytest.raises(UsageError):
        musodds.odds("RR4A", exact=False, **setting)
    with pytest.raises(UsageError, match="nothing to do"):
        musodds.odds("RR4A", exact=False, simulate=False)


def test_the_hash_seed_changes_nothing(python):
    code = "import musodds; print(musodds.odds('RCSA', 3, deals=50_001, seed=7).simulated)"
    here = musodds.odds("RCSA", 3, deals=50_001, seed=7).simulated
    assert {python(code, PYTHONHASHSEED=seed).stdout for seed in ("0", "2")} == {f"{here}\n"}


# --- runs that stop by themselves ---


def half_widths(figures: Figures) -> list[float]:
    """Half the width of every lance's interval, in percentage points."""
    return [(lance.win_high - lance.win_low) / 2 * 100 for lance in figures.lances.values()]


@pytest.mark.parametrize("margin", [1, 0.2])
@pytest.mark.parametrize(("hand", "seat"), [("RCSA", 2), ("RRRR", 1), ("RR4A", 4)])
def test_a_run_to_a_margin_stops_when_it_is_reached(hand, seat, margin):
    figures = musodds.odds(hand, seat, margin=margin, exact=False, threads=2).simulated
    assert max(half_widths(figures)) <= margin
    # The worst lance is at p = 1/2, where 95 % is 0.98 over the root of the deals; no run needs twice that,
    # unless it is shorter than the first look.
    assert 0 < figures.deals <= max(2 * (98 / margin) ** 2, 20_000)
    again = musodds.odds(hand, seat, margin=margin, exact=False, threads=1).simulated
    assert again == figures


def test_a_certain_lance_does_not_keep_a_run_going():
    figures = musodds.odds("RRRR", "mano", margin=0.1, exact=False).simulated
    grande = figures.lances["grande"]
    assert grande.win == grande.win_high == 1
    assert 0.99 < grande.win_low < 1
    assert max(half_widths(figures)) <= 0.1
    assert figures.deals < 2_000_000


def test_deals_are_the_most_that_a_run_to_a_margin_makes():
    figures = musodds.odds("RCSA", margin=0.01, deals=123_457, exact=False).simulated
    assert figures.deals == 123_457
    assert max(half_widths(figures)) > 0.01


def test_progress_is_told_and_ends_at_the_end():
    told: list[tuple[int, int | None]] = []
    musodds.odds("RR4A", deals=700_001, exact=False, progress=lambda *step: told.append(step))
    done = [step[0] for step in told]
    assert done == sorted(done)
    assert told[-1] == (700_001, 700_001)


# --- weights ---

FEW = ("SS54", "RRRRAAAACCC7776665RRRA4S")  # leaves twelve cards, so that every deal can be listed


def few() -> tuple[Query, list[str]]:
    question = query(FEW[0], 2, seen=FEW[1])
    gone = naive.cards_of(question.hand_text) + naive.cards_of(question.seen_text)
    return question, naive.without(naive.deck(), gone)


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_deals_come_as_often_as_they_weigh(seed):
    question, unseen = few()
    mine = naive.cards_of(question.hand_text)
    size = (3, len(question.table))
    weights = None if seed is None else np.random.default_rng(seed).integers(0, 6, size=size, dtype=np.int64)
    tables = (
        None
        if seed is None
        else [dict(zip(question.table.hands, row.tolist(), strict=True)) for row in weights]
    )
    chance: Counter[tuple[int, ...]] = Counter()
    for hands, weight in naive.all_deals(mine, unseen, 1, tables):
        chance[tuple(question.table.index[naive.text(hand)] for hand in hands[1:])] += weight
    total = chance.total()
    deals = 200_000
    rows = deal_hands(question.table, question.unseen, deals, 5, weights=weights)
    seen = Counter(map(tuple, rows.tolist()))
    assert set(seen) <= {three for three, weight in chance.items() if weight}, "only deals that fit"
    common = [three for three, weight in chance.items() if weight * deals >= 10 * total]
    assert len(common) > 50
    observed = [seen[three] for three in common]
    expected = [chance[three] * deals / total for three in common]
    # All the rare ones together; 20 on both sides keep an empty rest from being judged.
    z = naive.chi_square_z([*observed, deals - sum(observed) + 20], [*expected, deals - sum(expected) + 20])
    assert abs(z) < 4.5


@pytest.mark.parametrize("seat", [1, 2, 3, 4])
def test_under_weights_every_figure_errs_as_chance_does(seat):
    question = query("RC75", seat)
    generator = np.random.default_rng(seat)
    weights = generator.integers(0, 3, size=(3, len(question.table)), dtype=np.int64)
    weights *= generator.random(weights.shape) < 0.3  # seldom fitting, as conditions are
    exact = enumerate_deals(question.table, question.row, seat, question.unseen, weights)
    deals = 200_000
    counts = run(question, deals, seed=seat, threads=2, weights=weights)
    assert counts.deals == deals
    for lance in LANCES:
        for name, number in asdict(exact.lances[lance]).items():
            p = number / exact.deals
            seen = getattr(counts.lances[lance], name)
            if p in (0, 1):
                assert seen == p * deals
            else:
                assert abs(seen - deals * p) < 4.5 * sqrt(deals * p * (1 - p)) + 1, (lance, name)


@pytest.mark.parametrize("role", [0, 1, 2])
def test_a_condition_that_nothing_meets_is_an_error(role):
    question = query("RR4A")
    weights = np.ones((3, len(question.table)), dtype=np.int64)
    weights[role] = 0
    with pytest.raises(ConditionError):
        run(question, 1000, 1, weights=weights)


def test_hands_that_need_the_same_cards_are_an_error():
    question = query("RR4A")
    weights = np.zeros((3, len(question.table)), dtype=np.int64)
    weights[:, question.table.index["7777"]] = 1
    with pytest.raises(ConditionError):
        run(question, 1000, 1, weights=weights)


def test_a_rare_deal_is_found():
    """Three hands known but for one card: a dealer that waits for them to come by would wait for ever."""
    question = query("RR4A")
    weights = np.zeros((3, len(question.table)), dtype=np.int64)
    for role, hands in enumerate((["7654", "7655"], ["SS54"], ["CC77"])):
        weights[role, [question.table.index[hand] for hand in hands]] = 1
    exact = enumerate_deals(question.table, question.row, 1, question.unseen, weights)
    assert exact.deals < 10**6
    counts = run(question, 10_000, 1, weights=weights)
    for lance in LANCES:
        p = exact.lances[lance].win / exact.deals
        low, high = wilson(counts.lances[lance].win, counts.deals)
        slack = 1.5 * (high - low)
        assert low - slack <= p <= high + slack


# --- interrupted ---


@pytest.mark.parametrize("threads", [1, 3])
def test_an_interrupted_run_keeps_what_is_finished(threads, monkeypatch):
    question = query("RR4A")
    waited = itertools.count(1)

    def wait_until_interrupted(running, **options):
        if next(waited) == 4:
            raise KeyboardInterrupt
        return wait(running, **options)

    monkeypatch.setattr("musodds.engine.simulate.wait", wait_until_interrupted)
    done = simulate(
        question.table,
        question.row,
        question.seat,
        question.unseen,
        None,
        deals=10**12,
        seed=4,
        threads=threads,
    )
    monkeypatch.undo()
    assert done.partial
    assert 0 < done.counts.deals < 10**12
    for lance in done.counts.lances.values():
        assert lance.win + lance.lose == lance.played
    if threads == 1:
        assert done.counts == run(question, done.counts.deals, 4), "the first deals, none missing"


class Once:
    """Raises KeyboardInterrupt once, the n-th time it is called; before or after what it stands for."""

    def __init__(self, real, n, *, after=False):
        self.real, self.left, self.after = real, n, after

    def __call__(self, *arguments, **options):
        self.left -= 1
        if self.left == 0 and not self.after:
            raise KeyboardInterrupt
        found = self.real(*arguments, **options)
        if self.left == 0:
            raise KeyboardInterrupt
        return found


def interrupted(monkeypatch, name, n, *, after=False, **options):
    """A run of eight blocks on one thread in which a function of the simulator is interrupted."""
    question = query("RR4A")
    owner = simulator._Blocks if name in ("_count", "stop", "run") else simulator
    owner = simulator.Tally if name == "plus" else owner
    once = Once(getattr(owner, name), n, after=after)
    # A function, so that as a method it is given its object.
    monkeypatch.setattr(owner, name, lambda *given, **more: once(*given, **more))
    done = simulate(
        question.table,
        question.row,
        question.seat,
        question.unseen,
        None,
        deals=8 * simulator.BLOCK,
        seed=4,
        threads=1,
        **options,
    )
    monkeypatch.undo()
    assert once.left <= 0, "never came so far"
    return done


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("name", "n"), [("plus", 1), ("plus", 3), ("_count", 1), ("_count", 3), ("wait", 2)])
def test_no_block_is_lost_or_counted_twice_wherever_a_run_is_interrupted(monkeypatch, name, n, after):
    done = interrupted(monkeypatch, name, n, after=after)
    assert done.partial
    assert done.counts.deals % simulator.BLOCK == 0
    assert done.counts == run(query("RR4A"), done.counts.deals, 4), "the first blocks, each once"


def test_an_interruption_while_an_interrupted_run_is_put_together(monkeypatch):
    def stop(done, planned):
        raise KeyboardInterrupt

    for after in (False, True):
        for name in ("stop", "read_outcomes"):
            done = interrupted(monkeypatch, name, 1, after=after, progress=stop)
            assert done.partial
            assert done.counts == run(query("RR4A"), done.counts.deals, 4)


def test_an_interruption_of_the_callers_own_functions_keeps_the_run():
    question = query("RR4A")

    def stop(*_):
        raise KeyboardInterrupt

    for functions in ({"progress": stop}, {"enough": stop}):
        done = simulate(
            question.table,
            question.row,
            question.seat,
            question.unseen,
            None,
            deals=10**9,
            seed=4,
            threads=2,
            **functions,
        )
        assert done.partial
        assert 0 < done.counts.deals < 10**7
        for lance in done.counts.lances.values():
            assert lance.win + lance.lose == lance.played


def test_an_interruption_before_the_first_block_leaves_nothing_to_keep(monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        interrupted(monkeypatch, "run", 1)
