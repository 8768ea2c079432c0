"""Dealing under weights: three hands in turn, each with the right chance, so that every deal fits.

The tables come from the enumeration. With A(a, b) = the weighted deals that a pair of first and second
hand belongs to, the first hand has chance sum_b A(a, b), the second A(a, b) given a; the third is drawn
given both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from musodds.engine import enumeration, kernels, plans
from musodds.engine.tables import Table
from musodds.errors import ConditionError

FINE_CELLS = 1 << 20  # the third hand's tables are made for every pair if they hold at most so many cells


@dataclass(frozen=True, eq=False)
class Dealer:
    """How deals are drawn: the compiled loops and the arguments they share.

    Attributes:
        simulate: deals and scores a range of deals.
        deal_rows: gives the hands of a range of deals.
        arguments: what both take after the deals and the seed.
    """

    simulate: Callable[..., None]
    deal_rows: Callable[..., None]
    arguments: tuple[Any, ...]


def dealer(table: Table, unseen: NDArray[np.int64], weights: NDArray[np.int64]) -> Dealer:
    """The dealer for weights.

    Args:
        table: the hands of the deck.
        unseen: int64 (k,), cards of each class that may be dealt.
        weights: int64 (3, n), the weight of each hand on the right, as partner, on the left.

    Raises:
        ConditionError: if no deal fits.
    """
    plan = plans.layout(table)
    possible = np.empty(len(table), dtype=np.int64)
    enumeration.ways_of_hands(possible, unseen, plan.classes, plan.held, plans.CHOOSE)
    # The hand of which least is known comes last, since it may be proposed; the one with the fewest
    # hands comes first, since its hands are the rows of the tables.
    share = (weights * possible).sum(axis=1) / np.maximum(weights.max(axis=1), 1)
    roles = np.argsort(share, kind="stable").astype(np.int64)
    ordered = np.ascontiguousarray(weights[roles])
    firsts, seconds, thirds = (
        np.flatnonzero((weight > 0) & (possible > 0)).astype(np.uint16) for weight in ordered
    )
    pairs = np.zeros((len(firsts), len(seconds)))
    proposals = np.zeros((len(firsts), len(thirds)))
    if pairs.size and proposals.size:
        enumeration.pair_weights(
            pairs,
            proposals,
            firsts,
            seconds,
            thirds,
            unseen,
            ordered,
            table.counts,
            plan.classes,
            plan.held,
            plans.CHOOSE,
            plan.subsets,
            plan.subset_classes,
            plan.subset_held,
            plan.subset_size,
        )
    if not pairs.any():
        raise ConditionError("no deal fits all that is known of the hands and the cards together")
    some = pairs.any(axis=1)
    firsts, pairs, proposals = firsts[some], pairs[some], proposals[some]
    fits = np.argwhere(pairs > 0)
    fine = len(fits) * len(thirds) <= FINE_CELLS
    third_row = np.zeros(pairs.shape, dtype=np.uint32)
    if fine:
        third_row[fits[:, 0], fits[:, 1]] = np.arange(len(fits))
        proposals = np.zeros((len(fits), len(thirds)))
        enumeration.third_weights(
            proposals,
            firsts[fits[:, 0]],
            seconds[fits[:, 1]],
            thirds,
            ordered[2],
            unseen,
            table.counts,
            plan.classes,
            plan.held,
            plans.CHOOSE,
        )
    else:
        third_row[:] = np.arange(len(firsts))[:, None]
    hands = np.zeros((3, max(len(firsts), len(seconds), len(thirds))), dtype=np.uint16)
    for place, rows in enumerate((firsts, seconds, thirds)):
        hands[place, : len(rows)] = rows
    return Dealer(
        kernels.simulate_weighted,
        kernels.deal_weighted_rows,
        (
            kernels.Chances(
                roles=roles,
                hands=hands,
                first_alias=_alias(pairs.sum(axis=1)[None, :])[0],
                second_alias=_alias(pairs),
                third_row=third_row,
                third_alias=_alias(proposals),
                fine=fine,
                counts=table.counts,
                classes=plan.classes,
                held=plan.held,
                unseen=unseen,
                kept=_chance_to_miss(),
            ),
        ),
    )


def _alias(weights: NDArray[np.float64]) -> NDArray[np.uint64]:
    """The alias table of every row of weights."""
    alias = np.zeros(weights.shape, dtype=np.uint64)
    kernels.fill_alias(alias, weights.copy())
    return alias


def _chance_to_miss() -> NDArray[np.float64]:
    """float64 (9, 5, 5): the chance that c of n cards, drawn at random, miss b given ones of them."""
    miss = np.zeros((9, 5, 5))
    for n in range(9):
        for b in range(5):
            for c in range(5):
                if b <= n and c <= n:
                    miss[n, b, c] = plans.CHOOSE[n - b, c] / plans.CHOOSE[n, c]
    return miss
