"""Compile everything once, so that no later answer waits for the compiler."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from musodds.engine import mus
from musodds.engine.exact import enumerate_deals
from musodds.engine.jit import is_cold
from musodds.engine.mus_play import Policy
from musodds.engine.simulate import deal_hands, simulate
from musodds.engine.tables import table
from musodds.engine.whole import count_groups, pairs_of


def warmup() -> list[tuple[str, float]]:
    """Run every kernel once on next to nothing.

    Returns:
        The name of each part and the seconds it took; hundredths where the compiled code was there already.
    """
    return [(name, _seconds(part)) for name, part in PARTS]


def is_warm() -> bool:
    """Whether all parts have been compiled already: the kernel that comes last is there."""
    return not is_cold("fill_drew_table")


def _seconds(part: Callable[[], object]) -> float:
    start = perf_counter()
    part()
    return perf_counter() - start


def _simulate(weighted: bool) -> None:
    hands = table()
    unseen = hands.copies - hands.counts[0]
    weights = np.ones((3, len(hands)), dtype=np.int64) if weighted else None
    simulate(hands, 0, 1, unseen, weights, deals=1, seed=0, threads=1)
    deal_hands(hands, unseen, 1, 0, weights)


def _enumerate() -> None:
    hands = table()
    enumerate_deals(hands, 0, 1, hands.copies - hands.counts[0], None)


def _count_whole() -> None:
    hands = table()
    count_groups(hands, pairs_of(hands), stop=1, threads=1)


def _judge() -> None:
    hands = table()
    plain = np.ones((3, len(hands)), dtype=np.int64)
    weighted = plain.copy()
    weighted[:, 0] = 2
    no_cards = np.zeros_like(hands.copies)
    for weights in (plain, weighted):
        asked = mus.Asked(hands, 0, 1, hands.copies - hands.counts[0], no_cards, weights)
        mus.judge(asked, _always_mus(), mus.payoffs(), round_=1, deals=1, seed=0, threads=1)
        mus.count_after_mus(asked, _always_mus(), rounds=1, deals=1, seed=0, threads=1)


def _self_play() -> None:
    hands, policy = table(), _always_mus()
    mus.learn(hands, 1, policy, mus.payoffs(), tables=1, seed=0, threads=1)
    mus.compare(hands, 1, policy, policy, mus.payoffs(), tables=1, seed=0, threads=1)
    mus.tally_tables(hands, policy, tables=1, seed=0, threads=1)
    mus.drew_cells(hands, policy, tables=1, seed=0, threads=1)


def _always_mus() -> Policy:
    """Everybody says mus, throws all four cards, and plays."""
    number = len(table())
    return Policy(np.ones((1, 4, number)), mus.pure_keep(np.zeros((1, 4, number), dtype=np.int64)))


PARTS: tuple[tuple[str, Callable[[], object]], ...] = (
    ("simulation", lambda: _simulate(weighted=False)),
    ("simulation under conditions", lambda: _simulate(weighted=True)),
    ("exact count", _enumerate),
    ("the whole table", _count_whole),
    ("discards", _judge),
    ("self-play", _self_play),
)
