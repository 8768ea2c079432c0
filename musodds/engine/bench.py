"""Measuring: a piece of work timed often enough to say how fast it is, and checked so that it was done.

The work is repeated until both a number of repetitions and a time are reached. The first call is kept apart: it
compiles, or reads compiled code from the disk, and fills caches. Every repetition must give the same digest.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from time import perf_counter, process_time
from typing import Any

from musodds.engine.jit import is_cold
from musodds.engine.workers import available_cores
from musodds.errors import MusoddsError


@dataclass(frozen=True, eq=False)
class Work:
    """Something to measure.

    Attributes:
        name: what it is called; note: what exactly is done.
        unit: what it makes, as in ``hands``; amount: how many of them one call makes.
        threads: how many threads it uses.
        prepare: makes what ``run`` is given, before any clock; run: does the work.
        digest: bytes that stand for all of a result.
        check: raises if a result is not what is known to be right.
    """

    name: str
    note: str
    unit: str
    amount: int
    threads: int
    prepare: Callable[[], Any]
    run: Callable[[Any], Any]
    digest: Callable[[Any], bytes]
    check: Callable[[Any], None]


@dataclass(frozen=True)
class Timing:
    """How fast a piece of work is.

    Attributes:
        name, note, unit, amount, threads: those of the work.
        first: seconds of the first call; cold: whether it had to compile everything.
        seconds: the wall time of each repetition, in order; cpu: the processor time of each, all threads.
        checksum: CRC-32 of the digest, the same in every repetition, in hexadecimal digits.
    """

    name: str
    note: str
    unit: str
    amount: int
    threads: int
    first: float
    cold: bool
    seconds: tuple[float, ...]
    cpu: tuple[float, ...]
    checksum: str

    @property
    def median(self) -> float:
        """The median of the seconds."""
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        """The least of the seconds."""
        return min(self.seconds)

    @property
    def spread(self) -> float:
        """Half the distance of the quartiles over the median, 0 for a steady machine."""
        if len(self.seconds) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return (high - low) / 2 / self.median

    @property
    def rate(self) -> float:
        """Units a second at the median."""
        return self.amount / self.median

    @property
    def cpu_rate(self) -> float:
        """Units a second of one processor, at the median: what a busy machine does not change."""
        return self.amount / max(statistics.median(self.cpu), 1e-9)

    @property
    def best_rate(self) -> float:
        """Units a second in the fastest repetition."""
        return self.amount / self.best


def measure(work: Work, *, seconds: float, repetitions: int) -> Timing:
    """Time a piece of work.

    Args:
        work: what to do.
        seconds: go on for at least so long. repetitions: and at least so often.

    Raises:
        MusoddsError: if a repetition gives another result than the one before, or a wrong one.
    """
    given = work.prepare()
    cold = is_cold()
    start = perf_counter()
    result = work.run(given)
    first = perf_counter() - start
    work.check(result)
    digest = work.digest(result)
    walls: list[float] = []
    cpus: list[float] = []
    begin = perf_counter()
    while len(walls) < repetitions or perf_counter() - begin < seconds:
        cpu, wall = process_time(), perf_counter()
        result = work.run(given)
        walls.append(perf_counter() - wall)
        cpus.append(process_time() - cpu)
        if work.digest(result) != digest:
            raise MusoddsError(f"bench {work.name}: two runs of the same work differ; please report this")
    return Timing(
        work.name,
        work.note,
        work.unit,
        work.amount,
        work.threads,
        first,
        cold,
        tuple(walls),
        tuple(cpus),
        f"{zlib.crc32(digest):08x}",
    )


def machine() -> Mapping[str, str | int]:
    """What was measured on: processor, cores, system, versions."""
    return {
        "processor": _processor(),
        "cores": available_cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "llvmlite")},
    }


def load() -> float | None:
    """Processes that wanted to run in the last minute, if the system says: above 0 others are at work."""
    try:
        return round(os.getloadavg()[0], 2)
    except (AttributeError, OSError):
        return None


def chosen(works: Sequence[Work], names: Sequence[str]) -> list[Work]:
    """The works whose name begins with one of the names; all if none is given."""
    return [work for work in works if not names or any(work.name.startswith(name) for name in names)]


def _processor() -> str:
    if sys.platform == "linux":
        try:
            with open("/proc/cpuinfo", encoding="utf-8") as lines:
                for line in lines:
                    if line.startswith("model name"):
                        return line.partition(":")[2].strip()
        except OSError:
            pass
    return platform.processor() or platform.machine()
