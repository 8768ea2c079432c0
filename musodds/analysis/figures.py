"""Counts of deals turned into probabilities and stones, with their margins; and what a run may be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

from musodds.engine.counts import Counts, LanceCounts
from musodds.errors import UsageError
from musodds.mus.lances import LANCES

DEALS = 1_000_000
SEED = 1
SEEDS = 2**64
MAX_DEALS = 10**15
Z95 = 1.959963984540054  # two-sided 95 % of the normal distribution


@dataclass(frozen=True)
class LanceOdds:
    """One lance, seen by the pair of the player asked about ("we"). Probabilities are 0 to 1.

    Attributes:
        win, lose: our pair, their pair takes the lance; ``win + lose = played``.
        played: the lance is played (pares: somebody has pares; punto: nobody has juego).
        contested: both pairs hold it, so there is betting.
        win_if_contested: win and contested, over contested; None if contested never happens.
        mine: the player asked about holds the winning hand.
        win_low, win_high: 95 % interval of ``win``; None for exact figures.
        counts: the whole numbers of deals behind the figures.
    """

    win: float
    lose: float
    played: float
    contested: float
    win_if_contested: float | None
    mine: float
    win_low: float | None
    win_high: float | None
    counts: LanceCounts


@dataclass(frozen=True)
class Stones:
    """Expected stones of the hand if every lance is passed.

    Attributes:
        us, them: what each pair scores.
        difference: ``us - them``.
        margin: half the 95 % interval of the difference; None for exact figures.
        distribution: the probability of each difference; None where it is not known.
    """

    us: float
    them: float
    difference: float
    margin: float | None
    distribution: Mapping[int, float] | None


@dataclass(frozen=True)
class Figures:
    """Everything that one engine says about a query.

    Attributes:
        deals: deals simulated, or all deals that fit (with weighted conditions, their total weight).
        seed: the seed of the simulation; None for exact figures.
        partial: whether the run was interrupted before all deals were done.
        lances: the odds by lance: grande, chica, pares, juego, punto.
        stones: expected stones.
    """

    deals: float | int
    seed: int | None
    partial: bool
    lances: Mapping[str, LanceOdds]
    stones: Stones


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """95 % interval of a probability after ``successes`` in ``trials`` (Wilson 1927).

    It has width at 0 and at 1 and never leaves [0, 1].
    """
    share = successes / trials
    z2 = Z95 * Z95
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z95 / (1 + z2 / trials) * sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return low, high


def figures(counts: Counts, *, seed: int | None, partial: bool = False) -> Figures:
    """Turn an engine's counts into probabilities; with a seed also into margins."""
    deals = counts.deals
    lances = {}
    for name in LANCES:
        lance = counts.lances[name]
        low, high = wilson(lance.win, deals) if seed is not None else (None, None)
        lances[name] = LanceOdds(
            win=lance.win / deals,
            lose=lance.lose / deals,
            played=lance.played / deals,
            contested=lance.contested / deals,
            win_if_contested=lance.win_contested / lance.contested if lance.contested else None,
            mine=lance.mine / deals,
            win_low=low,
            win_high=high,
            counts=lance,
        )
    return Figures(
        deals=deals if counts.unit == 1 else deals / counts.unit,
        seed=seed,
        partial=partial,
        lances=lances,
        stones=_stones(counts, with_margin=seed is not None),
    )


def _stones(counts: Counts, *, with_margin: bool) -> Stones:
    deals = counts.deals
    difference = (counts.stones_us - counts.stones_them) / deals
    margin = None
    distribution = None
    if counts.difference is not None:
        distribution = {stones: number / deals for stones, number in sorted(counts.difference.items())}
        if with_margin:
            spread = sum(p * (stones - difference) ** 2 for stones, p in distribution.items())
            margin = Z95 * sqrt(spread / deals)
    return Stones(
        us=counts.stones_us / deals,
        them=counts.stones_them / deals,
        difference=difference,
        margin=margin,
        distribution=distribution,
    )


def half_width(successes: int, trials: int) -> float:
    """Half of the 95 % interval of a probability."""
    low, high = wilson(successes, trials)
    return (high - low) / 2


def check_run(*, deals: int | None, margin: float | None, seed: int, threads: int | None) -> None:
    """Refuse run settings that cannot be.

    Raises:
        UsageError: naming the setting and its range.
    """
    if deals is not None and not 1 <= deals <= MAX_DEALS:
        raise UsageError(f"deals {deals}: simulate at least 1 deal and at most {MAX_DEALS:,}")
    if margin is not None and not 0.0001 <= margin <= 50:
        raise UsageError(f"margin {margin:g}: between 0.0001 and 50 percentage points")
    if not 0 <= seed < SEEDS:
        raise UsageError(f"seed {seed}: a whole number from 0 to {SEEDS - 1}")
    if threads is not None and not 1 <= threads <= 1024:
        raise UsageError(f"threads {threads}: between 1 and 1024")
