"""What is known of another hand, as a weight for every hand of the deck."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from musodds.engine.tables import Table
from musodds.errors import ConditionError


@dataclass(frozen=True)
class Condition:
    """A condition on one hand.

    Attributes:
        text: the canonical text, which reads back as the same condition.
        weights: int64 (n,), the weight of every hand of the table; 0 excludes it.
        unit: the weight that stands for "fits"; weights are fractions of it (1 unless weighted).
    """

    text: str
    weights: NDArray[np.int64] = field(compare=False, repr=False)
    unit: int = 1


def parse_condition(text: str, table: Table) -> Condition:
    """Read a condition."""
    raise ConditionError(f"{text!r}: conditions are not read yet")
