"""The chance to win the game from a score.

A hand is played in a named way: the cards are those that a policy leaves after the mus, and the lances are all
``passed``, or every contested one is bet 2 and accepted (``envido``). What a hand pays is kept as a sequence in
counting order (grande, chica, pares, juego or punto), for the first pair to reach the target wins and the rest
is not counted. Then the mano moves to the other pair. With V(a, b) the chance of the pair that has the mano,

    V(a, b) = sum over sequences of chance x (1 if it wins, 0 if it loses, else 1 - V(b', a')),

which is settled from the end backwards, since every hand pays at least one stone.

The chances of the sequences are simulated, so V has a margin. To the first order, an error e in the chances
moves V at a score by the sum of n(s) x e(x) x value(s, x) over scores s and sequences x, where n(s) is how often
the game is expected to come to s, negative where the other pair has the mano there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from math import sqrt
from os import getpid
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from musodds.analysis.discard import policy_for
from musodds.analysis.figures import Z95
from musodds.engine import mus, outcomes
from musodds.engine.jit import cache_folder, source_stamp
from musodds.engine.outcomes import Outcomes
from musodds.engine.tables import table
from musodds.errors import RecordError, UsageError
from musodds.mus.bets import parse_score
from musodds.mus.rules import Rules
from musodds.mus.rules import rules as rules_of

PLAYS = ("passed", "envido")
TABLES = 1 << 22
SEED = 20_26
ENVIDO = 2
MOST_TARGET = 200

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, eq=False)
class Board:
    """The chance to win from every score, for the pair that has the mano.

    Attributes:
        rules: the table's rules; others: the policy of the mus; play: the way the lances are played.
        cuts: another cut rule for the players; None if it is theirs.
        win: float64 (target, target), by the stones of the pair with the mano and of the other.
        paid: int64 (m, 4), what hands pay in counting order; chances: float64 (m,), how often.
        hands: how many hands were simulated.
    """

    rules: Rules
    others: str
    play: str
    cuts: str | None
    win: NDArray[np.float64]
    paid: NDArray[np.int64]
    chances: NDArray[np.float64]
    hands: int

    def chance(self, us: int, them: int, mano: str) -> float:
        """The chance that "we" win the game; ``mano`` is ``us`` or ``them``. A score at the target is a win."""
        if us >= self.rules.target:
            return 1.0
        if them >= self.rules.target:
            return 0.0
        return float(self.win[us, them]) if mano == "us" else 1.0 - float(self.win[them, us])

    def margin(self, us: int, them: int, mano: str | None) -> float:
        """Half the 95 % interval of a chance, for the hands are simulated; see the top of the module."""
        visits = np.zeros_like(self.win)
        if mano != "them":
            visits[us, them] += 1.0 if mano else 0.5
        if mano != "us":
            visits[them, us] -= 1.0 if mano else 0.5
        ours, theirs = np.maximum(self.paid, 0), np.maximum(-self.paid, 0)
        our_sum, their_sum = ours.sum(axis=1), theirs.sum(axis=1)
        target = self.rules.target
        moved = np.zeros(len(self.paid))
        for a, b in _from_low(target):
            a, b = a[visits[a, b] != 0], b[visits[a, b] != 0]
            if not len(a):
                continue
            here = visits[a, b]
            moved += here @ after(ours, theirs, a, b, target, self.win)
            next_a, next_b = np.add.outer(b, their_sum), np.add.outer(a, our_sum)
            on = (next_a < target) & (next_b < target)
            np.subtract.at(visits, (next_a[on], next_b[on]), np.outer(here, self.chances)[on])
        mean = float(self.chances @ moved)
        return Z95 * sqrt(float(self.chances @ (moved - mean) ** 2) / self.hands)


@dataclass(frozen=True)
class Race:
    """The chance to win the game from one score.

    Attributes:
        us, them: stones.
        mano: which pair has the mano in the next hand, ``us`` or ``them``; None averages over both.
        win: our chance; margin: half its 95 % interval.
        win_with_mano, win_without_mano: our chance if we have the mano, if they have it.
        board: the chances from every score.
    """

    us: int
    them: int
    mano: str | None
    win: float
    margin: float
    win_with_mano: float
    win_without_mano: float
    board: Board


def race(
    score: str = "0-0",
    *,
    rules: str | Rules = "classic",
    mano: str | None = None,
    others: str = "players",
    cuts: str | None = None,
    play: str = "passed",
    threads: int | None = None,
    progress: Progress | None = None,
    **overrides: object,
) -> Race:
    """The chance to win the game from a score.

    Args:
        score: our stones and theirs, as in ``"36-30"``.
        rules: a preset's name or ``Rules``; ``overrides`` are single rules, such as ``target=30``.
        mano: ``us`` or ``them`` has the mano in the next hand; None averages over both.
        others: the policy of all four in the mus; ``cuts``: another cut rule for the players.
        play: ``passed`` or ``envido``.
        threads, progress: for the hands that are simulated the first time.

    Raises:
        UsageError: for a score that cannot be, or a way of playing that does not exist.
    """
    chosen = rules_of(rules, **overrides)
    us, them = parse_score(score, chosen.target)
    if mano not in (None, "us", "them"):
        raise UsageError(f"mano {mano!r}: choose us or them")
    known = board(chosen, others=others, cuts=cuts, play=play, threads=threads, progress=progress)
    ours, theirs = known.chance(us, them, "us"), known.chance(us, them, "them")
    win = {"us": ours, "them": theirs, None: (ours + theirs) / 2}[mano]
    return Race(us, them, mano, win, known.margin(us, them, mano), ours, theirs, known)


def board(
    rules: Rules,
    *,
    others: str = "players",
    cuts: str | None = None,
    play: str = "passed",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Board:
    """The chances from every score.

    Raises:
        UsageError: for a way of playing that does not exist, or a target too far for a table.
    """
    if play not in PLAYS:
        raise UsageError(f"play {play!r}: choose one of {', '.join(PLAYS)}")
    if rules.target > MOST_TARGET:
        raise RecordError(f"target {rules.target}: a board goes up to {MOST_TARGET} stones")
    found = finished_hands(rules, others=others, cuts=cuts, threads=threads, progress=progress)
    paid, chances = sequences(found, play)
    win = _settle(paid, chances, rules.target)
    return Board(rules, others, play, cuts, win, paid, chances, int(found.number.sum()))


def finished_hands(
    rules: Rules,
    *,
    others: str = "players",
    cuts: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Outcomes:
    """How hands end after the mus, seen from the mano; simulated once and kept for the next time.

    Kept by everything that decides it: the engine's source, the deck, the *real*, and the policy itself.
    """
    if rules.max_mus == 0:
        # no mus at all: everybody plays what was dealt, whatever the policy
        rules, others, cuts = replace(rules, max_mus=None), "stand", None
    policy = policy_for(rules, others, cuts, threads)
    compiled = policy.compiled
    digest = hashlib.sha256(source_stamp().encode())
    digest.update(f"{rules.kings} {rules.real} {TABLES} {SEED}".encode())
    digest.update(compiled.mus.tobytes() + compiled.keep.tobytes())
    folder = cache_folder()
    path = None if folder is None else folder.parent / f"hands-{digest.hexdigest()[:16]}.npy"
    counts = _kept(path)
    if counts is None:
        counts = mus.tally_tables(
            table(rules.kings, rules.real),
            compiled,
            tables=TABLES,
            seed=SEED,
            threads=threads,
            progress=progress,
        )
        _keep(path, counts)
    return outcomes.read(counts)


def _kept(path: Path | None) -> NDArray[np.int64] | None:
    """Counts that were kept; None if there are none or they are damaged."""
    if path is None:
        return None
    try:
        counts = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    whole = counts.shape == (1 << 16,) and counts.dtype == np.int64 and int(counts.sum()) == TABLES
    return counts if whole else None


def _keep(path: Path | None, counts: NDArray[np.int64]) -> None:
    if path is None:
        return
    data = BytesIO()
    np.save(data, counts)
    beside = path.with_name(f"{path.name}.{getpid()}")
    with suppress(OSError):
        beside.write_bytes(data.getvalue())
        beside.replace(path)


def sequences(found: Outcomes, play: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """What hands pay in counting order, and how often.

    Returns:
        int64 (m, 4), stones of grande, chica, pares, and juego or punto, above 0 for us and below for them; and
        float64 (m,), the chances, which add to 1.
    """
    bet = 0 if play == "passed" else ENVIDO
    first = bet or 1
    pares = np.where(found.pares, found.our_pares, -found.their_pares)
    pares = pares + bet * np.where(found.contested("pares"), np.sign(pares), 0)
    juego = np.where(found.last, found.our_juego, -found.their_juego)
    juego = juego + bet * np.where(found.contested("juego"), np.sign(juego), 0)
    last = np.where(found.punto, np.where(found.last, 1, -1) * (1 + bet), juego)
    paid = np.stack(
        [np.where(found.grande, first, -first), np.where(found.chica, first, -first), pares, last], axis=1
    )
    distinct, which = np.unique(paid, axis=0, return_inverse=True)
    chances = np.bincount(which.ravel(), weights=found.number.astype(np.float64))
    return distinct, chances / chances.sum()


def _settle(paid: NDArray[np.int64], chances: NDArray[np.float64], target: int) -> NDArray[np.float64]:
    """float64 (target, target): V(a, b), from the highest scores down."""
    win = np.zeros((target, target))
    ours, theirs = np.maximum(paid, 0), np.maximum(-paid, 0)
    for a, b in reversed(list(_from_low(target))):
        win[a, b] = after(ours, theirs, a, b, target, win) @ chances
    return win


def _from_low(target: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The scores in play, those with the same stones in all together, from the fewest up."""
    for total in range(2 * target - 1):
        a = np.arange(max(0, total - target + 1), min(target - 1, total) + 1, dtype=np.int64)
        yield a, total - a


def after(
    ours: NDArray[np.int64],
    theirs: NDArray[np.int64],
    us: int | NDArray[np.int64],
    them: int | NDArray[np.int64],
    target: int,
    win: NDArray[np.float64],
    *,
    next_mano: str = "them",
) -> NDArray[np.float64]:
    """float64 (..., m): our chance to win the game after each way of counting a hand.

    Args:
        ours, theirs: int64 (m, c), stones paid in counting order; one step pays one pair only.
        us, them: the score before the count, or int64 (...,), several.
        target: stones that win.
        win: V, the chances of the pair with the mano; read above the score only.
        next_mano: which pair has the mano in the next hand.
    """
    us_after, them_after = np.asarray(us)[..., None], np.asarray(them)[..., None]
    we_win = they_win = np.zeros((*us_after.shape[:-1], len(ours)), dtype=np.bool_)
    for our_step, their_step in zip(ours.T, theirs.T, strict=True):
        us_after, them_after = us_after + our_step, them_after + their_step
        we_are, they_are = us_after >= target, them_after >= target
        # whoever is out at a step at which the others are not is out first
        we_win, they_win = we_win | (we_are & ~they_are), they_win | (they_are & ~we_are)
    a = np.minimum(us_after, target - 1)
    b = np.minimum(them_after, target - 1)
    goes_on = win[a, b] if next_mano == "us" else 1.0 - win[b, a]
    return np.asarray(np.where(we_win, 1.0, np.where(they_win, 0.0, goes_on)))
