"""What both engines give back: whole numbers of deals, by lance, and the stones they pay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class LanceCounts:
    """Deals of one lance, seen by the pair of the player asked about.

    Attributes:
        win, lose: deals in which our pair, their pair takes the lance.
        played: deals in which it is played; ``win + lose = played``.
        contested: deals in which both pairs hold it.
        win_contested: deals that are both won and contested.
        mine: deals in which the player asked about holds the winning hand.
    """

    win: int
    lose: int
    played: int
    contested: int
    win_contested: int
    mine: int


@dataclass(frozen=True)
class Counts:
    """The counts of a query.

    Attributes:
        deals: deals counted, each with its weight (see ``unit``).
        lances: the counts of grande, chica, pares, juego and punto.
        stones_us, stones_them: the sum over all deals of the stones paid with every lance passed.
        difference: deals by stones difference (ours minus theirs); None if not counted.
        unit: the weight of one plain deal; above 1 only for weighted conditions.
    """

    deals: int
    lances: Mapping[str, LanceCounts]
    stones_us: int
    stones_them: int
    difference: Mapping[int, int] | None = None
    unit: int = 1
