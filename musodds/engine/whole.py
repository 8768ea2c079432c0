"""The whole exact table: every hand in every seat, counted at once and kept on disk.

The table of a deck takes a second or some to count and is the same for ever, so it is kept beside the
compiled kernels, under a name that holds a hash of the hands and of the engine's source (``jit``). A file
that is damaged or cannot be written costs nothing but the time to count again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from musodds.engine import enumeration_all as kernel
from musodds.engine import plans
from musodds.engine.counts import Counts, LanceCounts
from musodds.engine.jit import cache_folder
from musodds.engine.tables import ALL_DEALS, Table
from musodds.engine.workers import Workers, blocks, in_turn, workers_of
from musodds.mus.lances import LANCES

GROUPS = 128  # groups of pairs per task: some hundredths of a second, so that an interruption is answered


@dataclass(frozen=True, eq=False)
class Whole:
    """The exact counts of every hand in every seat, with nothing known of the others.

    Attributes:
        table: the hands of the deck.
        figures: int64 (n, 4, FIGURES), by row of the table and seat 1 to 4; see ``enumeration_all``.
    """

    table: Table
    figures: NDArray[np.int64]

    def counts(self, row: int, seat: int) -> Counts:
        """The counts of one hand in one seat (1 to 4); the same as ``exact.enumerate_deals`` gives."""
        found = [int(figure) for figure in self.figures[row, seat - 1]]
        lances = {
            name: LanceCounts(*found[1 + i * kernel.LANCE : 1 + (i + 1) * kernel.LANCE])
            for i, name in enumerate(LANCES)
        }
        return Counts(
            deals=found[kernel.DEALS],
            lances=lances,
            stones_us=found[kernel.STONES_US],
            stones_them=found[kernel.STONES_THEM],
        )


@dataclass(frozen=True, eq=False)
class Pairs:
    """Every two hands that the deck can hold at once, grouped by the eight cards they hold together.

    Attributes:
        starts: int64 (groups + 1,), where each group starts.
        firsts, seconds: uint16 (pairs,), rows of the table, ``firsts <= seconds``.
    """

    starts: NDArray[np.int64]
    firsts: NDArray[np.uint16]
    seconds: NDArray[np.uint16]

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.starts) - 1


def pairs_of(table: Table) -> Pairs:
    """Group the pairs of hands of a deck."""
    firsts, seconds = np.triu_indices(len(table))
    together = table.counts[firsts] + table.counts[seconds]
    possible = (together <= table.copies).all(axis=1)
    firsts, seconds, together = firsts[possible], seconds[possible], together[possible]
    digits = 9 ** np.arange(together.shape[1], dtype=np.int64)
    keys = together @ digits
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    return Pairs(
        starts=np.append(starts, len(order)).astype(np.int64),
        firsts=firsts[order].astype(np.uint16),
        seconds=seconds[order].astype(np.uint16),
    )


def whole_table(
    table: Table,
    *,
    threads: int | None = None,
    workers: Workers | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    keep: bool = True,
) -> Whole:
    """The whole exact table of a deck, from the disk if it is there.

    Args:
        table: the hands of the deck.
        threads: None uses every core; the counts do not depend on it.
        workers: who counts instead of threads here.
        progress: called with the work done and planned, in no particular unit.
        keep: whether to look on the disk and to leave the table there.
    """
    place = _place(table) if keep else None
    figures = _read(place, table) if place is not None else None
    if figures is None:
        figures = count_groups(table, pairs_of(table), threads=threads, workers=workers, progress=progress)
        assert (figures[:, :, kernel.DEALS] == ALL_DEALS).all()
        if place is not None:
            _write(place, figures)
    return Whole(table, figures)


def kept_table(table: Table) -> Whole | None:
    """The whole exact table if it is on the disk; None if it would have to be counted."""
    place = _place(table)
    figures = _read(place, table) if place is not None else None
    return None if figures is None else Whole(table, figures)


def count_groups(
    table: Table,
    pairs: Pairs,
    *,
    first: int = 0,
    stop: int | None = None,
    threads: int | None = None,
    workers: Workers | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> NDArray[np.int64]:
    """int64 (n, 4, FIGURES): count the deals of some groups of pairs; over all groups that is the table."""
    last = pairs.groups if stop is None else stop
    total = np.zeros((len(table), 4, kernel.FIGURES), dtype=np.int64)
    chosen = workers_of(threads, workers)
    parts = list(blocks(first, last, GROUPS, chosen))
    for (_, end), part in zip(parts, in_turn(_Counting(table, pairs), parts, chosen), strict=True):
        total += part
        if progress is not None:
            progress(end - first, last - first)
    return total


@dataclass(frozen=True, eq=False)
class _Counting:
    """Counts some groups of pairs."""

    table: Table
    pairs: Pairs

    def __call__(self, first: int, stop: int) -> NDArray[np.int64]:
        return _count_block(self.table, self.pairs, first, stop)


def _count_block(table: Table, pairs: Pairs, first: int, stop: int) -> NDArray[np.int64]:
    plan = plans.layout(table)
    strengths = plans.ordered_strengths(table)
    out = np.zeros((len(table), 4, kernel.FIGURES), dtype=np.int64)
    kernel.enumerate_rests(
        out,
        pairs.starts,
        first,
        stop,
        pairs.firsts,
        pairs.seconds,
        table.copies,
        table.counts,
        plan.classes,
        plan.held,
        plans.CHOOSE,
        plan.subsets,
        plan.subset_classes,
        plan.subset_held,
        plan.subset_size,
        strengths,
        plan.orders,
        plan.below,
        np.array([1, int(table.punto.max()) + 1], dtype=np.int64),
        table.pares_worth,
        table.juego_worth,
    )
    return out


def _place(table: Table) -> Path | None:
    """The file of a table; its name holds a hash of the hands, the folder's one of the engine's source."""
    folder = cache_folder()
    if folder is None:
        return None
    digest = hashlib.sha256()
    for part in (table.counts, table.copies, table.strengths, table.pares_worth, table.juego_worth):
        digest.update(repr((part.shape, part.dtype.str)).encode() + part.tobytes())
    return folder / f"whole-{digest.hexdigest()[:16]}.bin"


def _read(place: Path, table: Table) -> NDArray[np.int64] | None:
    """The figures in a file; None if it is not there or not whole."""
    try:
        stored = place.read_bytes()
    except OSError:
        return None
    shape = (len(table), 4, kernel.FIGURES)
    check, content = stored[:32], stored[32:]
    if len(content) != 8 * int(np.prod(shape)) or hashlib.sha256(content).digest() != check:
        return None
    return np.frombuffer(content, dtype="<i8").reshape(shape).astype(np.int64)


def _write(place: Path, figures: NDArray[np.int64]) -> None:
    """Leave the figures in a file, whole or not at all; a disk that will not take them is no error."""
    content = figures.astype("<i8").tobytes()
    beside = place.with_name(f"{place.name}.{os.getpid()}.part")
    with suppress(OSError):
        try:
            beside.write_bytes(hashlib.sha256(content).digest() + content)
            beside.replace(place)
        finally:
            beside.unlink(missing_ok=True)
