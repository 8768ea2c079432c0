"""What an outcome's index says: who takes each lance and what the hands are worth; see ``kernels.score``.

Here the player's own pares and juego count in the index.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Some outcomes, each with how often it came about.

    Attributes:
        number: int64 (m,), how often.
        grande, chica, pares, last: bool (m,), won by us; ``last`` is juego or punto. Where nobody has pares
            ``pares`` says nothing.
        our_pares, their_pares, our_juego, their_juego: int64 (m,), stones of the two hands of a pair.
    """

    number: NDArray[np.int64]
    grande: NDArray[np.bool_]
    chica: NDArray[np.bool_]
    pares: NDArray[np.bool_]
    last: NDArray[np.bool_]
    our_pares: NDArray[np.int64]
    their_pares: NDArray[np.int64]
    our_juego: NDArray[np.int64]
    their_juego: NDArray[np.int64]

    @property
    def punto(self) -> NDArray[np.bool_]:
        """bool (m,): nobody has juego."""
        return np.asarray((self.our_juego == 0) & (self.their_juego == 0))

    def where(self, which: NDArray[np.bool_]) -> Outcomes:
        """Only some of the outcomes."""
        return Outcomes(**{name: values[which] for name, values in vars(self).items()})

    def contested(self, lance: str) -> NDArray[np.bool_]:
        """bool (m,): there is betting on a lance."""
        if lance == "pares":
            return np.asarray((self.our_pares > 0) & (self.their_pares > 0))
        if lance == "juego":
            return np.asarray((self.our_juego > 0) & (self.their_juego > 0))
        return self.punto if lance == "punto" else np.ones(len(self.number), dtype=bool)

    def won(self, lance: str) -> NDArray[np.bool_]:
        """bool (m,): we take the lance, where it is played."""
        return self.last if lance in ("juego", "punto") else np.asarray(getattr(self, lance), dtype=np.bool_)


def read(counts: NDArray[np.int64], own_pares: int = 0, own_juego: int = 0) -> Outcomes:
    """The outcomes that came about.

    Args:
        counts: int64 (OUTCOMES,), how often each index came about.
        own_pares, own_juego: stones of the player's own hand where the index leaves them out.
    """
    index = np.flatnonzero(counts)
    return Outcomes(
        number=counts[index],
        grande=index >> 3 & 1 == 1,
        chica=index >> 2 & 1 == 1,
        pares=index >> 1 & 1 == 1,
        last=index & 1 == 1,
        our_pares=(index >> 4 & 7) + own_pares,
        our_juego=(index >> 7 & 7) + own_juego,
        their_pares=index >> 10 & 7,
        their_juego=index >> 13 & 7,
    )
