"""Exact counts: the same query as the simulator's, answered by counting every deal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from musodds.engine import enumeration as kernel
from musodds.engine import plans
from musodds.engine.counts import Counts, LanceCounts
from musodds.engine.plans import LEFT, PARTNER, RIGHT
from musodds.engine.tables import Table
from musodds.errors import ConditionError

MOST_WEIGHT = 40_000
"""The largest weight of a hand; with it every figure of one partner's hand fits in 63 bits."""


def enumerate_deals(
    table: Table,
    row: int,
    seat: int,
    unseen: NDArray[np.int64],
    weights: NDArray[np.int64] | None,
    *,
    unit: int = 1,
) -> Counts:
    """Count all deals of the other three hands.

    Args:
        table: the hands of the deck.
        row: the row of the player's hand.
        seat: the player's seat, 1 to 4.
        unseen: int64 (k,), cards of each class that may be dealt.
        weights: int64 (3, n), the weight of each hand on the right, as partner, on the left, at most
            MOST_WEIGHT; None if all fit.
        unit: the weight of one plain deal.

    Raises:
        ConditionError: if no deal fits the weights, or one of them is negative or too large.
    """
    number = len(table)
    if weights is None:
        weights = np.ones((3, number), dtype=np.int64)
    elif weights.min() < 0 or weights.max() > MOST_WEIGHT:
        wrong = weights.min() if weights.min() < 0 else weights.max()
        raise ConditionError(
            f"a hand has weight {wrong:,}: weights are whole numbers from 0 to {MOST_WEIGHT:,}"
        )
    figures = partner_figures(table, row, seat, unseen, weights)
    # Python's whole numbers from here on: the sums may pass 63 bits where hands are weighted.
    plan = plans.layout(table)
    ways = np.empty(number, dtype=np.int64)
    kernel.ways_of_hands(ways, unseen, plan.classes, plan.held, plans.CHOOSE)
    deals = [int(w) * int(v) for w, v in zip(ways, weights[PARTNER], strict=True)]
    return _counts(table, row, seat, figures, deals, unit)


def partner_figures(
    table: Table, row: int, seat: int, unseen: NDArray[np.int64], weights: NDArray[np.int64]
) -> NDArray[np.int64]:
    """int64 (n, FIGURES): the rivals' deals for every hand of the partner; see ``enumeration``."""
    plan = plans.layout(table)
    out = np.zeros((len(table), kernel.FIGURES), dtype=np.int64)
    right, partner, left = plans.seats_of_roles(seat)
    rivals = np.ascontiguousarray(weights[[RIGHT, LEFT]])
    kernel.enumerate_partner_hands(
        out,
        row,
        np.array([seat, right, partner, left], dtype=np.int64),
        unseen,
        (weights[PARTNER] > 0).astype(np.uint8),
        rivals,
        bool((rivals[0] == rivals[1]).all()),
        table.counts,
        plan.classes,
        plan.held,
        plans.CHOOSE,
        plan.subsets,
        plan.subset_classes,
        plan.subset_held,
        plan.subset_size,
        plans.ordered_strengths(table),
        plan.orders,
        plan.below,
        plan.without,
        table.pares_worth,
        table.juego_worth,
    )
    return out


def _counts(
    table: Table, row: int, seat: int, figures: NDArray[np.int64], deals: list[int], unit: int
) -> Counts:
    """Add up the partner's hands, each with its own ways, into the counts of the query."""

    def total(*columns: tuple[Any, int]) -> int:
        """The sum over the partner's hands of deals x factor x figure, for each (factor, figure)."""
        return sum(
            deal * sum(int(factor[p]) * int(figures[p, figure]) for factor, figure in columns)
            for p, deal in enumerate(deals)
            if deal
        )

    every = np.ones(len(table), dtype=np.int64)
    all_deals = total((every, kernel.ALL))
    if all_deals == 0:
        raise ConditionError("no deal fits all that is known of the hands and the cards together")
    strengths = plans.ordered_strengths(table).astype(np.int64)
    partner = (seat + 1) % 4 + 1
    i_hold = (strengths[:, [row]] > strengths) | ((strengths[:, [row]] == strengths) & (seat < partner))
    i_hold = i_hold.astype(np.int64)

    def open_lance(order: int) -> LanceCounts:
        won = total((every, kernel.WON + order))
        return LanceCounts(
            win=won,
            lose=all_deals - won,
            played=all_deals,
            contested=all_deals,
            win_contested=won,
            mine=total((i_hold[order], kernel.WON + order)),
        )

    def held_lance(order: int, worth: NDArray[np.uint8], rivals_without: int) -> LanceCounts:
        """Pares or juego: played if anybody holds it, contested if both pairs do."""
        we_hold = ((worth > 0) | (worth[row] > 0)).astype(np.int64)
        won = total((we_hold, kernel.WON + order))
        uncontested = total((we_hold, rivals_without))
        played = all_deals - total((1 - we_hold, rivals_without))
        return LanceCounts(
            win=won,
            lose=played - won,
            played=played,
            contested=total((we_hold, kernel.ALL)) - uncontested,
            win_contested=won - uncontested,
            mine=total((i_hold[order], kernel.WON + order)) if worth[row] > 0 else 0,
        )

    pares = held_lance(kernel.PARES, table.pares_worth, kernel.NO_PARES)
    juego = held_lance(kernel.LAST, table.juego_worth, kernel.NO_JUEGO)
    nobody = ((table.juego_worth == 0) & (table.juego_worth[row] == 0)).astype(np.int64)
    won = total((nobody, kernel.WON + kernel.LAST))
    played = total((nobody, kernel.NO_JUEGO))
    punto = LanceCounts(
        win=won,
        lose=played - won,
        played=played,
        contested=played,
        win_contested=won,
        mine=total((nobody * i_hold[kernel.LAST], kernel.WON + kernel.LAST)),
    )
    grande, chica = open_lance(kernel.GRANDE), open_lance(kernel.CHICA)

    def held_stones(order: int, worth: NDArray[np.uint8], rivals: int, rivals_lost: int) -> tuple[int, int]:
        we_hold = ((worth > 0) | (worth[row] > 0)).astype(np.int64)
        ours = (worth.astype(np.int64) + int(worth[row])) * we_hold
        return total((ours, kernel.WON + order)), total((every, rivals), (-we_hold, rivals_lost))

    our_pares, their_pares = held_stones(
        kernel.PARES, table.pares_worth, kernel.PARES_STONES, kernel.PARES_STONES_LOST
    )
    our_juego, their_juego = held_stones(
        kernel.LAST, table.juego_worth, kernel.JUEGO_STONES, kernel.JUEGO_STONES_LOST
    )
    return Counts(
        deals=all_deals,
        lances={"grande": grande, "chica": chica, "pares": pares, "juego": juego, "punto": punto},
        stones_us=grande.win + chica.win + our_pares + our_juego + punto.win,
        stones_them=grande.lose + chica.lose + their_pares + their_juego + punto.lose,
        unit=unit,
    )
