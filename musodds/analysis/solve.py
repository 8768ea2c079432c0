"""Policies by self-play: fictitious play over discards, and over the cut where it is free.

In turn every seat is judged against the policy of the others: the compiled loops try all that its hands could
do on tables in which the other three say mus (``engine.mus.learn``). The best action of each hand is averaged
into the policy with weight 1/t, as in fictitious play (Brown 1951); what the actions were worth is remembered
from step to step and forgotten slowly, so that the noise falls while the policy settles.

Cutting plays the hands as they are, on the same tables. Whether to cut or not is then decided by
the one case in which it matters: that the other three say mus.

How good the outcome is, is measured apart, on fresh seeds: for each seat the best deviation against the fixed
policy is sought on one sample and its gain measured on another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import musodds
from musodds.analysis.figures import Z95
from musodds.analysis.policy import HORIZON, PLAYERS_CUT, Policy, cut_rule
from musodds.engine import mus
from musodds.engine.mus_play import KEEP_ALL
from musodds.engine.mus_play import Policy as Compiled
from musodds.engine.tables import Table
from musodds.engine.workers import Workers
from musodds.errors import UsageError
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of
from musodds.mus.seats import SEATS

STEPS = 16
TABLES = 3_000_000
MEMORY = 0.85  # how much of what was learnt is kept from step to step
TEST_TABLES = 4_000_000
SPREAD = 2.0  # stones: about the standard deviation of the difference between two discards of one hand
TREMBLE = 0.02  # chances below this are taken for noise of the averaging

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Gain:
    """What the best deviation of one seat gains over the policy, in stones a hand for its pair.

    Attributes:
        seat: 1 to 4.
        gain: measured on hands that had no part in finding the deviation; below 0 only by noise.
        margin: half its 95 % interval.
    """

    seat: int
    gain: float
    margin: float


@dataclass(frozen=True)
class Solution:
    """A solved policy and how far it is from unbeatable.

    Attributes:
        policy: the policy; its ``making`` records all of this too.
        gains: by seat.
        cuts: by seat, the chance that this seat cuts the first mus.
        through: the chance that the first mus goes through; by round, that this many or more do.
        value: stones a hand for the pair of the mano, with every lance passed.
    """

    policy: Policy
    gains: tuple[Gain, ...]
    cuts: tuple[float, ...]
    through: tuple[float, ...]
    value: float


@dataclass
class _State:
    """Where a run of fictitious play stands."""

    step: int
    mus: NDArray[np.float64]
    keep: NDArray[np.float64]
    sums: NDArray[np.float64]
    visits: NDArray[np.float64]

    def save(self, path: Path, key: str) -> None:
        """Write the state beside and rename, so that the file is whole at any moment."""
        beside = path.with_name(path.name + ".writing")
        with beside.open("wb") as stream:
            np.savez_compressed(
                stream,
                key=np.array(key),
                step=np.array(self.step),
                mus=self.mus,
                keep=self.keep,
                sums=self.sums,
                visits=self.visits,
            )
        beside.replace(path)

    @classmethod
    def load(cls, path: Path, key: str) -> _State:
        """Read a state that was saved for the same run.

        Raises:
            UsageError: if it is of another run or not a state.
        """
        try:
            with np.load(path, allow_pickle=False) as saved:
                if str(saved["key"]) != key:
                    raise UsageError(f"{path}: the state of another run; remove it or name another file")
                return cls(int(saved["step"]), saved["mus"], saved["keep"], saved["sums"], saved["visits"])
        except (OSError, ValueError, KeyError) as error:
            raise UsageError(f"{path}: not the state of a run ({error})") from error


def solve(
    rules: str | Rules = "classic",
    *,
    cuts: str | None = PLAYERS_CUT,
    tables: int = TABLES,
    steps: int = STEPS,
    test_tables: int = TEST_TABLES,
    seed: int = 1,
    threads: int | None = None,
    workers: Workers | None = None,
    state: Path | None = None,
    progress: Progress | None = None,
    **overrides: object,
) -> Solution:
    """Find a policy for all seats, hands and rounds by self-play.

    Args:
        rules: a preset's name or rules; ``overrides`` are single rules.
        cuts: the cut rule, against which only the discards are solved; None solves the cut too.
        tables: tables dealt for each seat in each step.
        steps: steps of fictitious play.
        test_tables: hands for each of the two samples of the evaluation.
        seed: 0 to 2**64 - 1.
        threads: None uses every core; the policy does not depend on it.
        workers: who does the work instead of threads here.
        state: a file to go on from, if it is there, and to save each step to.
        progress: called with what is being done, the parts of it that are done and how many there are.

    Raises:
        UsageError: for rules without a mus, a rule that cannot be, or a state of another run.
    """
    chosen = rules_of(rules, **overrides)
    if chosen.max_mus == 0:
        raise UsageError("these rules have no mus (max_mus 0), so there is no policy to find")
    if tables < 1000 or steps < 1 or test_tables < 1000:
        raise UsageError("a policy needs at least 1 step and 1,000 tables, to find it and to test it")
    key = f"{chosen} {cuts} {tables} {steps} {seed} {musodds.__version__}"
    policy = self_play(
        chosen,
        cuts=cuts,
        tables=tables,
        steps=steps,
        seed=seed,
        threads=threads,
        workers=workers,
        state=state,
        key=key,
        progress=progress,
    )
    return evaluate(
        policy,
        free=cuts is None,
        tables=test_tables,
        seed=seed,
        threads=threads,
        workers=workers,
        progress=progress,
        making={
            "rules": chosen.preset,
            "kings": str(chosen.kings),
            "rounds": str(policy.rounds),
            "cuts": "free" if cuts is None else cuts,
            "seed": str(seed),
            "steps": str(steps),
            "tables": str(tables),
            "memory": str(MEMORY),
            "version": musodds.__version__,
        },
    )


def self_play(
    rules: Rules,
    *,
    cuts: str | None,
    tables: int,
    steps: int,
    seed: int,
    threads: int | None = None,
    workers: Workers | None = None,
    state: Path | None = None,
    key: str = "",
    progress: Progress | None = None,
) -> Policy:
    """The policy that :func:`solve` finds, without its evaluation; ``key`` names the run in the state file."""
    rounds = HORIZON if rules.max_mus is None else rules.max_mus
    hands = Policy("", rules.kings, np.zeros(0), np.zeros(0)).table
    free = cuts is None
    rule = cut_rule(PLAYERS_CUT if cuts is None else cuts, hands)
    run = _State.load(state, key) if state is not None and state.exists() else _begin(hands, rounds, rule)
    payoff = mus.payoffs()
    while run.step < steps:
        for seat in SEATS:
            if progress is not None:
                progress("self-play", 4 * run.step + seat - 1, 4 * steps)
            lessons = mus.learn(
                hands,
                seat,
                _compiled(run.mus, run.keep),
                payoff,
                tables=tables,
                seed=seed,
                first=run.step * tables,
                every_hand=free,
                threads=threads,
                workers=workers,
            )
            run.sums[:, seat - 1] = run.sums[:, seat - 1] * MEMORY + lessons.sums
            run.visits[:, seat - 1] = run.visits[:, seat - 1] * MEMORY + lessons.visits
            _average(run, hands, seat, free)
        run.step += 1
        if state is not None:
            run.save(state, key)
    return _finish(run, "solved" if free else "players", rules.kings)


def _begin(hands: Table, rounds: int, rule: NDArray[np.bool_]) -> _State:
    number = len(hands)
    keep = np.zeros((rounds, 4, number, 16))
    keep[..., 0] = 1.0
    said = np.broadcast_to(~rule, (rounds, 4, number)).astype(np.float64)
    return _State(
        0,
        np.ascontiguousarray(said),
        keep,
        np.zeros((rounds, 4, number, 16)),
        np.zeros((rounds, 4, number)),
    )


def _compiled(said: NDArray[np.float64], keep: NDArray[np.float64]) -> Compiled:
    return Compiled(said, mus.mixed_keep(keep))


def _values(sums: NDArray[np.float64], visits: NDArray[np.float64], hands: Table) -> NDArray[np.float64]:
    """The mean payoff of each subset kept, and in the last place of the hands as they are; -inf if not open."""
    values = sums / np.maximum(visits, 1)[..., None]
    closed = mus.deck_of(hands).options == 0
    closed[:, KEEP_ALL] = False
    return np.where(closed, -np.inf, values)


def _average(run: _State, hands: Table, seat: int, free: bool) -> None:
    """Move a seat's policy towards its best actions, by one over the number of the step."""
    values = _values(run.sums[:, seat - 1], run.visits[:, seat - 1], hands)
    known = run.visits[:, seat - 1] > 0
    best = values[..., :KEEP_ALL].argmax(axis=-1)
    weight = 1.0 / (run.step + 1)
    target = np.eye(16)[best]
    keep = run.keep[:, seat - 1]
    keep[known] += weight * (target[known] - keep[known])
    if free:
        better = np.take_along_axis(values, best[..., None], axis=-1)[..., 0] > values[..., KEEP_ALL]
        said = run.mus[:, seat - 1]
        said[known] += weight * (better[known] - said[known])


def _finish(run: _State, name: str, kings: int) -> Policy:
    """The policy as it is kept: chances to four decimals, noise of the averaging left out."""
    keep = np.where(run.keep < TREMBLE, 0.0, run.keep)
    keep = _to_parts(keep / keep.sum(axis=-1, keepdims=True))
    said = np.rint(run.mus * 10_000) / 10_000
    return Policy(name, kings, said, keep)


def _to_parts(keep: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chances rounded to four decimals that still add to 1: the largest takes the difference."""
    parts = np.rint(keep * 10_000)
    largest = parts.argmax(axis=-1)[..., None]
    rest = 10_000 - parts.sum(axis=-1, keepdims=True)
    np.put_along_axis(parts, largest, np.take_along_axis(parts, largest, axis=-1) + rest, axis=-1)
    return np.asarray(parts / 10_000)


def evaluate(
    policy: Policy,
    *,
    free: bool,
    tables: int = TEST_TABLES,
    seed: int = 1,
    threads: int | None = None,
    workers: Workers | None = None,
    progress: Progress | None = None,
    making: dict[str, str] | None = None,
) -> Solution:
    """How much any one seat could gain over a policy, measured on fresh seeds.

    Args:
        policy: what all four seats do.
        free: whether a deviation may change the cut too, or only the discards.
        tables: hands for each of the two samples.
        seed: the seed of the run that made the policy; the samples use others.
        making: recorded in the solution's policy, with the gains.
    """
    hands = policy.table
    payoff = mus.payoffs()
    gains = []
    cuts: NDArray[np.int64] | None = None
    value = 0.0
    for seat in SEATS:
        if progress is not None:
            progress("evaluation", seat - 1, 4)
        other = best_response(
            policy,
            seat,
            free=free,
            tables=tables,
            seed=_fresh(seed, 1),
            threads=threads,
            workers=workers,
        )
        measured = mus.compare(
            hands,
            seat,
            policy.compiled,
            other,
            payoff,
            tables=tables,
            seed=_fresh(seed, 2),
            threads=threads,
            workers=workers,
        )
        mean = measured.gain / tables
        spread = sqrt(max(measured.square / tables - mean * mean, 0.0) / tables)
        gains.append(Gain(seat, mean, Z95 * spread))
        if seat == 1:
            cuts, value = measured.cuts, measured.value / tables
    assert cuts is not None
    through = tuple(float(cuts[played:].sum()) / tables for played in range(1, len(cuts)))
    recorded = dict(making or policy.making)
    recorded["gains"] = " ".join(f"{gain.seat}:{gain.gain:.5f}+-{gain.margin:.5f}" for gain in gains)
    recorded["through"] = " ".join(f"{share:.5f}" for share in through)
    return Solution(
        policy=Policy(policy.name, policy.kings, policy.mus, policy.keep, recorded),
        gains=tuple(gains),
        cuts=tuple(float(cuts[0, seat - 1]) / tables for seat in SEATS),
        through=through,
        value=value,
    )


def best_response(
    policy: Policy,
    seat: int,
    *,
    free: bool,
    tables: int,
    seed: int,
    threads: int | None = None,
    workers: Workers | None = None,
) -> Compiled:
    """The best that one seat can do against the others' policy, as far as a sample shows it.

    Later rounds first count in what earlier rounds are worth, so the sample is gone over twice: the second
    time with the best later actions found by the first.
    """
    hands = policy.table
    payoff = mus.payoffs()
    said = policy.mus.copy()
    keep = policy.keep.copy()
    for turn in range(2):
        lessons = mus.learn(
            hands,
            seat,
            _compiled(said, keep),
            payoff,
            tables=tables,
            seed=seed,
            first=turn * tables,
            every_hand=free,
            threads=threads,
            workers=workers,
        )
        values = _values(lessons.sums.astype(np.float64), lessons.visits.astype(np.float64), hands)
        known = lessons.visits > 0
        best = values[..., :KEEP_ALL].argmax(axis=-1)
        worth = np.take_along_axis(values, best[..., None], axis=-1)[..., 0]
        # A deviation must stand out of the sample's noise, or the noise would be taken for a gain that it then
        # fails to bring: where it does not, the policy's own actions are at least as good a guess.
        noise = SPREAD / np.sqrt(np.maximum(lessons.visits, 1))
        kept = policy.keep[:, seat - 1]
        own = (np.where(kept > 0, values, 0.0) * kept).sum(axis=-1)
        clear = known & (worth - own > noise)
        keep[:, seat - 1] = np.where(clear[..., None], np.eye(16)[best], kept)
        if free:
            gain = np.where(clear, worth, own) - values[..., KEEP_ALL]
            said[:, seat - 1] = np.where(known & (np.abs(gain) > noise), gain > 0, policy.mus[:, seat - 1])
    return _compiled(said, keep)


def _fresh(seed: int, use: int) -> int:
    """A seed for another use of a run: far from the run's own."""
    return (seed + use * 0x9E3779B97F4A7C15) % 2**64
