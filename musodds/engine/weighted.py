"""Dealing under weights."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from musodds.engine.tables import Table


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
    raise NotImplementedError
