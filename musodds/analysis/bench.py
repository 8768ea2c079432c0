"""How fast musodds is here: what ``musodds bench`` measures, each piece checked against what is known.

The evaluator is checked by the sum of its words over a whole deck, the exact engine by counts of deals, and the
simulator by the exact engine: a rate of wrong answers is worth nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from musodds.analysis.query import Query, query
from musodds.engine import mus
from musodds.engine.bench import Timing, Work, chosen, load, machine, measure
from musodds.engine.counts import Counts
from musodds.engine.evaluate import evaluate
from musodds.engine.exact import enumerate_deals
from musodds.engine.simulate import Run, simulate
from musodds.engine.tables import ALL_DEALS, table
from musodds.engine.whole import Whole, whole_table
from musodds.engine.workers import available_cores
from musodds.errors import MusoddsError, UsageError
from musodds.mus.rules import rules

HAND = "RR4A"
DEALS = 4_000_000
TABLES = 200_000
DISCARD_DEALS = 1_000_000
HANDS = 91_390  # of a deck, its cards told apart
REPEATS = 11  # of all of them: about a million hands
SEED = 1
CONDITIONS: Mapping[str, Mapping[str, str]] = {
    "one known": {"partner": "juego"},
    "two known": {"right": "duples", "left": "R>=2"},
}
"""What the conditional simulations know of the others."""

EVALUATOR_SUMS = {8: 318_445_324_370_557_272, 4: 601_624_318_206_409_176}
"""The sum of the words of all 91,390 hands of each deck; a test adds it up from the rules."""

EXACT_WINS = {
    8: ("RR4A", 34_330_190_442_300, 7_475_923_244_244),
    4: ("R32A", 22_790_950_527_960, 8_685_820_064_088),
}
"""A hand, and the deals in which it wins grande and punto as mano; a test holds them to published odds."""

SIGMAS = 5.0  # a simulated share further from the exact one than this is wrong, not unlucky


@dataclass(frozen=True)
class Bench:
    """What was measured.

    Attributes:
        machine: processor, cores, system, versions.
        load: of the machine before and after; None if it does not say.
        timings: in order.
    """

    machine: Mapping[str, str | int]
    load: tuple[float | None, float | None]
    timings: tuple[Timing, ...]


def bench(
    names: Sequence[str] = (),
    *,
    seconds: float = 1.0,
    repetitions: int = 7,
    threads: int | None = None,
    scale: float = 1.0,
    progress: Callable[[int, int | None], None] | None = None,
) -> Bench:
    """Measure the speed of the engines on this machine.

    Args:
        names: only works whose name begins so, such as ``evaluate``, ``simulate``, ``exact``; none for all.
        seconds: how long to repeat each work at least; repetitions: how often at least.
        threads: the threads of what is measured on many; None uses every core.
        scale: do this share of the usual work in each repetition.
        progress: called with the works done and planned.

    Raises:
        UsageError: for a name that no work has, or a number that cannot be.
        MusoddsError: if a result is wrong.
    """
    if not 0 <= seconds <= 3600:
        raise UsageError(f"seconds {seconds:g}: between 0 and 3600 for each piece of work")
    if not 1 <= repetitions <= 1_000_000:
        raise UsageError(f"repetitions {repetitions}: between 1 and 1,000,000")
    if threads is not None and not 1 <= threads <= 1024:
        raise UsageError(f"threads {threads}: between 1 and 1024")
    if not 0.001 <= scale <= 1000:
        raise UsageError(f"scale {scale:g}: between 0.001 and 1000 of the usual work")
    everything = works(threads or available_cores(), scale)
    for name in names:
        if not chosen(everything, [name]):
            known = ", ".join(dict.fromkeys(work.name.partition(",")[0] for work in everything))
            raise UsageError(f"nothing to measure is called {name!r}; choose from {known}")
    before = load()
    timings = []
    todo = chosen(everything, names)
    for done, work in enumerate(todo):
        if progress is not None:
            progress(done, len(todo))
        timings.append(measure(work, seconds=seconds, repetitions=repetitions))
    return Bench(machine(), (before, load()), tuple(timings))


def works(threads: int, scale: float = 1.0) -> list[Work]:
    """All there is to measure; nothing is computed before a work runs."""
    some = [1] if threads == 1 else [1, threads]
    return [
        *(_evaluator(kings, order, scale) for kings in (8, 4) for order in ("in order", "shuffled")),
        *(_simulator("", {}, number, scale) for number in some),
        *(_simulator(name, known, number, scale) for name, known in CONDITIONS.items() for number in some),
        _tables(scale),
        _exact(8),
        _exact(4),
        *(_whole(8, number) for number in some),
        *(_discard(number, scale) for number in some),
    ]


def every_hand(kings: int) -> NDArray[np.uint8]:
    """uint8 (91390, 4): every hand of a deck with its cards told apart, by class, in order."""
    copies = table(kings).deck.copies
    cards = np.repeat(np.arange(len(copies), dtype=np.uint8), copies)
    hands: NDArray[np.uint8] = cards[np.array(list(combinations(range(len(cards)), 4)))]
    return hands


def _evaluator(kings: int, order: str, scale: float) -> Work:
    repeats = max(1, round(REPEATS * scale))

    def prepare() -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
        cards = np.tile(every_hand(kings), (repeats, 1))
        if order == "shuffled":
            np.random.default_rng(SEED).shuffle(cards)
        return cards, np.empty(len(cards), dtype=np.uint64)

    def run(given: tuple[NDArray[np.uint8], NDArray[np.uint64]]) -> NDArray[np.uint64]:
        cards, words = given
        return evaluate(cards, kings=kings, out=words)

    def check(found: NDArray[np.uint64]) -> None:
        known = repeats * EVALUATOR_SUMS[kings] % 2**64
        _agree(f"evaluate, {kings} kings", int(found.sum(dtype=np.uint64)), known)

    return Work(
        name=f"evaluate, {kings} kings, {order}",
        note="an array of hands, all lances of each",
        unit="hands",
        amount=repeats * HANDS,
        threads=1,
        prepare=prepare,
        run=run,
        digest=lambda found: found.tobytes(),
        check=check,
    )


def _simulator(name: str, known: Mapping[str, str], threads: int, scale: float) -> Work:
    deals = max(1000, round(DEALS * scale))
    told = " and ".join(f"{role} {text}" for role, text in known.items()) or "no condition"

    def prepare() -> Query:
        return query(HAND, **known)

    def run(question: Query) -> Run:
        return simulate(*_asked(question), deals=deals, seed=SEED, threads=threads)

    def check(found: Run) -> None:
        exact = enumerate_deals(*_asked(prepare()))
        for lance, counts in exact.lances.items():
            share = counts.win / exact.deals
            away = abs(found.counts.lances[lance].win - deals * share)
            if away > SIGMAS * (deals * share * (1 - share)) ** 0.5:
                raise MusoddsError(f"bench simulate: {lance} is {away:.0f} deals from the exact count")

    return Work(
        name=f"simulate, {name or 'nothing known'}, {_threads(threads)}",
        note=f"{HAND} as mano, {told}",
        unit="deals",
        amount=deals,
        threads=threads,
        prepare=prepare,
        run=run,
        digest=lambda found: _digest(found.counts),
        check=check,
    )


def _tables(scale: float) -> Work:
    hands = max(1000, round(TABLES * scale))

    def prepare() -> Any:
        from musodds.analysis.discard import policy_for

        return policy_for(rules("classic"), "players", None).compiled

    def run(policy: Any) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
        return mus.play_tables(table(), policy, tables=hands, seed=SEED)

    def check(found: tuple[NDArray[np.uint16], NDArray[np.uint8]]) -> None:
        held = table().counts[found[0]].sum(axis=1)
        if (held > np.array(table().deck.copies)).any():
            raise MusoddsError("bench mus: a table holds more cards of a class than the deck")

    return Work(
        name="mus, 1 thread",
        note="whole tables with the mus: say mus or cut, discard, draw",
        unit="tables",
        amount=hands,
        threads=1,
        prepare=prepare,
        run=run,
        digest=lambda found: found[0].tobytes() + found[1].tobytes(),
        check=check,
    )


def _exact(kings: int) -> Work:
    hand, *wins = EXACT_WINS[kings]

    def prepare() -> Query:
        return query(hand, rules=rules(kings=kings))

    def run(question: Query) -> Counts:
        return enumerate_deals(*_asked(question))

    def check(found: Counts) -> None:
        _agree(f"exact, {kings} kings", found.deals, ALL_DEALS)
        _agree(f"exact, {kings} kings", [found.lances[name].win for name in ("grande", "punto")], wins)

    return Work(
        name=f"exact, {kings} kings",
        note=f"{hand} as mano, every deal counted",
        unit="answers",
        amount=1,
        threads=1,
        prepare=prepare,
        run=run,
        digest=_digest,
        check=check,
    )


def _whole(kings: int, threads: int) -> Work:
    def run(_: None) -> Whole:
        return whole_table(table(kings), threads=threads, keep=False)

    def check(found: Whole) -> None:
        hand, *wins = EXACT_WINS[kings]
        lances = found.counts(found.table.index[hand], 1).lances
        _agree(f"whole table, {kings} kings", [lances[name].win for name in ("grande", "punto")], wins)

    return Work(
        name=f"whole table, {kings} kings, {_threads(threads)}",
        note="every hand in every seat, exact",
        unit="tables",
        amount=1,
        threads=threads,
        prepare=_nothing,
        run=run,
        digest=lambda found: found.figures.tobytes(),
        check=check,
    )


def _discard(threads: int, scale: float) -> Work:
    deals = max(1000, round(DISCARD_DEALS * scale))

    def run(_: None) -> Any:
        from musodds.analysis.discard import discard

        return discard("RR54", deals=deals, seed=SEED, threads=threads)

    def check(found: Any) -> None:
        for option in found.options:
            for lance in option.lances.values():
                if abs(lance.win + lance.lose - lance.played) > 1e-9:
                    raise MusoddsError("bench discard: a lance is neither won nor lost")
        # Two kings kept and two cards drawn from the 36 unseen: three kings or more, by counting.
        kept = next(option for option in found.options if option.keep == "RR")
        _agree("discard", round(kept.draw["R>=3"], 12), round(1 - 30 * 29 / (36 * 35), 12))

    return Work(
        name=f"discard, {_threads(threads)}",
        note="RR54 as mano, all discards on the same deals",
        unit="deals",
        amount=deals,
        threads=threads,
        prepare=_nothing,
        run=run,
        digest=lambda found: repr(found.options).encode(),
        check=check,
    )


def _asked(question: Query) -> tuple[Any, ...]:
    return question.table, question.row, question.seat, question.unseen, question.weights


def _nothing() -> None:
    """For work that needs nothing made before."""


def _digest(counts: Counts) -> bytes:
    return repr((counts.deals, sorted(counts.lances.items()), counts.stones_us, counts.stones_them)).encode()


def _agree(what: str, found: object, known: object) -> None:
    if found != known:
        raise MusoddsError(f"bench {what}: found {found}, but {known} is known to be right")


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"
