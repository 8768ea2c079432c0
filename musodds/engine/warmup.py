"""Compile everything once, so that no later answer waits for the compiler."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from musodds.engine.exact import enumerate_deals
from musodds.engine.simulate import deal_hands, simulate
from musodds.engine.tables import table


def warmup() -> list[tuple[str, float]]:
    """Run every kernel once on next to nothing.

    Returns:
        The name of each part and the seconds it took; hundredths where the compiled code was there already.
    """
    return [(name, _seconds(part)) for name, part in PARTS]


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


PARTS: tuple[tuple[str, Callable[[], object]], ...] = (
    ("simulation", lambda: _simulate(weighted=False)),
    ("simulation under conditions", lambda: _simulate(weighted=True)),
    ("exact count", _enumerate),
)
