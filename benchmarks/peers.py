"""musodds beside the poker libraries that Python can call, in one run and in turn.

    python -m benchmarks.peers [--rounds 9] [-o benchmarks/runs/peers.json]

Nobody else computes Mus, so this is the nearest like work: evaluating hands, and simulating deals. Each
contender says what is like and what is not. Install the others with ``pip install --group peers`` (any that is
missing is left out and said to be). All run on one core, alternating, and processor time is counted, so that a busy
machine slows all alike.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.saved import save
from musodds.analysis.bench import every_hand
from musodds.analysis.query import query
from musodds.engine.bench import machine
from musodds.engine.evaluate import evaluate, evaluate_keys, keys_of
from musodds.engine.simulate import simulate

RANKS, SUITS = "23456789TJQKA", "cdhs"
POKER_DECK = [rank + suit for rank in RANKS for suit in SUITS]
ENOUGH = 0.15  # seconds of a turn at least


@dataclass(frozen=True)
class Contender:
    """One library at one kind of work.

    Attributes:
        race: ``evaluate``, ``heads-up`` or ``four players``.
        name: the library, and what of it; package: whose version is told.
        like: what is like our work; unlike: what is not.
        run: does the work ``amount`` times.
    """

    race: str
    name: str
    package: str
    like: str
    unlike: str
    amount: int
    run: Callable[[], object]


def ours() -> Iterator[Contender]:
    """musodds in all races."""
    cards = np.tile(every_hand(8), (11, 1))
    np.random.default_rng(1).shuffle(cards)
    keys = keys_of(cards)
    words = np.empty(len(cards), dtype=np.uint64)
    what = "four cards of 40, the strengths of all lances in one word"
    yield Contender(
        "evaluate", "musodds evaluate", "musodds", what, "", len(cards), lambda: evaluate(cards, out=words)
    )
    yield Contender(
        *("evaluate", "musodds evaluate_keys", "musodds"),
        *(what, "hands already packed in two bytes", len(keys)),
        lambda: evaluate_keys(keys, out=words),
    )
    question = query("RR4A")
    deals = 4_000_000
    for race in ("heads-up", "four players"):
        yield Contender(
            *(race, "musodds simulate", "musodds"),
            "one hand known, three dealt at random, five lances scored for two pairs, stones counted",
            *("", deals),
            lambda: simulate(
                *(question.table, question.row, 1, question.unseen, None), deals=deals, seed=1, threads=1
            ),
        )


def eval7_() -> Iterator[Contender]:
    """eval7: C behind Cython, and a compiled Monte Carlo loop."""
    import eval7
    from eval7.equity import py_hand_vs_range_monte_carlo

    hands = [[eval7.Card(card) for card in hand] for hand in poker_hands(5, 20_000)]
    one = eval7.evaluate
    yield Contender(
        *("evaluate", "eval7.evaluate", "eval7", "a hand to one number", "five cards of 52; a call each"),
        *(len(hands), lambda: [one(hand) for hand in hands]),
    )
    hero = [eval7.Card("Ah"), eval7.Card("Kh")]
    villain = [((eval7.Card("Qs"), eval7.Card("Qd")), 1.0)]
    trials = 2_000_000
    yield Contender(
        *("heads-up", "eval7 py_hand_vs_range_monte_carlo", "eval7"),
        "a known hand, random cards, a compiled loop without Python",
        "one rival whose two cards are known: five cards dealt, two seven-card hands scored, one winner",
        *(trials, lambda: py_hand_vs_range_monte_carlo(hero, villain, [], trials)),
    )
    wide = eval7.HandRange("22+,A2s+,K2s+,Q2s+,J2s+,A2o+,K2o+,Q2o+,J2o+")
    yield Contender(
        *("heads-up", "eval7 py_hand_vs_range_monte_carlo, a range", "eval7"),
        "a known hand against an unknown one, a compiled loop without Python",
        "one rival: a hand of a range, five cards dealt, two hands scored, one winner",
        *(trials, lambda: py_hand_vs_range_monte_carlo(hero, wide, [], trials)),
    )


def phevaluator_() -> Iterator[Contender]:
    """phevaluator: a perfect hash in C."""
    import phevaluator

    hands = [[POKER_DECK.index(card) for card in hand] for hand in poker_hands(5, 20_000)]
    many = phevaluator.evaluate_cards
    yield Contender(
        *("evaluate", "phevaluator.evaluate_cards", "phevaluator", "a hand to one number"),
        *("five cards of 52; a call each", len(hands), lambda: [many(*hand) for hand in hands]),
    )
    from phevaluator import _pheval

    inner = _pheval.evaluate_5cards
    yield Contender(
        *("evaluate", "phevaluator's inner evaluate_5cards", "phevaluator", "a hand to one number"),
        "five cards of 52; a call each, past the public function",
        *(len(hands), lambda: [inner(*hand) for hand in hands]),
    )


def pkrbot_() -> Iterator[Contender]:
    """pkrbot: Cython."""
    import pkrbot

    hands = [[pkrbot.Card(card) for card in hand] for hand in poker_hands(5, 20_000)]
    one = pkrbot.evaluate
    yield Contender(
        *("evaluate", "pkrbot.evaluate", "pkrbot", "a hand to one number", "five cards of 52; a call each"),
        *(len(hands), lambda: [one(hand) for hand in hands]),
    )


def treys_() -> Iterator[Contender]:
    """treys: plain Python."""
    import treys

    hands = [[treys.Card.new(card) for card in hand] for hand in poker_hands(5, 2_000)]
    one = treys.Evaluator().evaluate
    empty: list[int] = []
    yield Contender(
        *("evaluate", "treys.Evaluator.evaluate", "treys", "a hand to one number"),
        "five cards of 52; plain Python",
        *(len(hands), lambda: [one(hand, empty) for hand in hands]),
    )


def pokerkit_() -> Iterator[Contender]:
    """pokerkit: plain Python, made for correctness."""
    import pokerkit

    texts = ["".join(hand) for hand in poker_hands(5, 300)]
    yield Contender(
        *("evaluate", "pokerkit.StandardHighHand", "pokerkit", "a hand that can be compared"),
        "five cards of 52, read from text; plain Python",
        *(len(texts), lambda: [pokerkit.StandardHighHand(text) for text in texts]),
    )
    known = [pokerkit.parse_range(hand) for hand in ("AhKh", "QsQd", "9c8c", "2h2d")]
    yield Contender(
        *("four players", "pokerkit.calculate_equities", "pokerkit", "four hands, random cards"),
        "all four hands known, five cards dealt, four seven-card hands scored, one winner; plain Python",
        50,
        lambda: pokerkit.calculate_equities(
            *(known, (), 2, 5, pokerkit.Deck.STANDARD, (pokerkit.StandardHighHand,)), sample_count=50
        ),
    )


def poker_equity_() -> Iterator[Contender]:
    """poker-equity: Rust."""
    import poker_equity

    texts = ["".join(hand) for hand in poker_hands(5, 20_000)]
    yield Contender(
        *("evaluate", "poker_equity.score_batch", "poker-equity", "a batch of hands in one call"),
        "five cards of 52, read from text",
        *(len(texts), lambda: poker_equity.score_batch("high", texts)),
    )
    samples = 300_000

    def race(variant: str, others: int, unknown: str) -> Callable[[], object]:
        hands = ["AhKh", *[unknown] * others]
        return lambda: poker_equity.chunk_from_text(variant, hands, samples=samples, seed=1, threads=1)

    yield Contender(
        *(
            "heads-up",
            "poker_equity.chunk_from_text, hold'em",
            "poker-equity",
            "one hand known, one at random",
        ),
        *("seven cards dealt, two seven-card hands scored, one winner", samples, race("holdem", 1, "**")),
    )
    yield Contender(
        *("four players", "poker_equity.chunk_from_text, hold'em", "poker-equity"),
        "one hand known, three at random",
        *("eleven cards dealt, four seven-card hands scored, one winner", samples, race("holdem", 3, "**")),
    )


LIBRARIES: dict[str, Callable[[], Iterator[Contender]]] = {
    "musodds": ours,
    "eval7": eval7_,
    "phevaluator": phevaluator_,
    "pkrbot": pkrbot_,
    "treys": treys_,
    "pokerkit": pokerkit_,
    "poker-equity": poker_equity_,
}


def poker_hands(cards: int, number: int) -> list[list[str]]:
    """Hands dealt from 52 cards, always the same."""
    generator = random.Random(1)
    return [generator.sample(POKER_DECK, cards) for _ in range(number)]


def enter() -> tuple[list[Contender], dict[str, str]]:
    """All contenders that are installed, and the libraries that are not, with the reason."""
    found: list[Contender] = []
    missing: dict[str, str] = {}
    for name, library in LIBRARIES.items():
        try:
            found += list(library())
        except (ImportError, AttributeError) as error:
            missing[name] = str(error)
    return found, missing


def race(contenders: list[Contender], rounds: int) -> list[dict[str, Any]]:
    """Let all run in turn, several times; units a processor second and a wall second, of each round."""
    repeats = []
    for contender in contenders:
        contender.run()
        start = process_time()
        contender.run()
        repeats.append(max(1, round(ENOUGH / max(process_time() - start, 1e-6))))
    rates: list[list[float]] = [[] for _ in contenders]
    walls: list[list[float]] = [[] for _ in contenders]
    for _ in range(rounds):
        for contender, often, cpu_rates, wall_rates in zip(contenders, repeats, rates, walls, strict=True):
            cpu, wall = process_time(), perf_counter()
            for _ in range(often):
                contender.run()
            cpu_rates.append(contender.amount * often / (process_time() - cpu))
            wall_rates.append(contender.amount * often / (perf_counter() - wall))
    return [
        {
            "race": contender.race,
            "name": contender.name,
            "version": _version(contender.package),
            "like": contender.like,
            "unlike": contender.unlike,
            "rate": statistics.median(rate),
            "rates": rate,
            "wall_rates": wall,
        }
        for contender, rate, wall in zip(contenders, rates, walls, strict=True)
    ]


def with_ratios(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How many times as fast the first of each race is, by the median of the rounds' own ratios."""
    first: dict[str, dict[str, Any]] = {}
    for result in results:
        best = first.setdefault(result["race"], result)
        each = [mine / other for mine, other in zip(best["rates"], result["rates"], strict=True)]
        result["ratio"] = statistics.median(each)
    return results


def _version(package: str) -> str:
    if package == "musodds":
        from musodds import __version__

        return __version__
    return version(package)


def main() -> None:
    """Run the races, print them, save them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("-o", "--output", type=Path)
    chosen = parser.parse_args()
    contenders, missing = enter()
    results = with_ratios(race(contenders, chosen.rounds))
    for name in dict.fromkeys(result["race"] for result in results):
        print(f"\n{name}")
        for result in results:
            if result["race"] == name:
                shown = f"{result['rate']:>16,.0f} a second   1 / {result['ratio']:<9,.3g}"
                print(f"  {shown} {result['name']} {result['version']}")
                print(f"  {'':>42} {result['like']}" + (f"; but {result['unlike']}" * bool(result["unlike"])))
    for name, reason in missing.items():
        print(f"\n{name} was left out: {reason}")
    if chosen.output:
        save(chosen.output, "musodds.peers/1", machine=machine(), results=results, missing=missing)


if __name__ == "__main__":
    main()
