"""Where blocks of work run: on threads here, or wherever the workers that are handed in are.

A job is a function that can be sent to another process (a function of a module, or a frozen dataclass with
``__call__``) and gives a result that depends on its arguments alone. So it does not matter who does which part
of a job, nor how often: whole numbers add up in any order, and what is lost can be done again.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

AHEAD = 4  # parts handed out for each worker, so that none waits and an interruption waits for little


class Pending(Protocol[T_co]):
    """A part of a job that was handed out."""

    def result(self) -> T_co:
        """Wait for the result; raises what the job raised."""

    def cancel(self) -> object:
        """Do not begin with it, if it has not begun."""


class Workers(Protocol):
    """Those who do the parts of a job."""

    @property
    def number(self) -> int:
        """How many parts are worked on at a time."""

    @property
    def grain(self) -> int:
        """How many blocks to hand out as one: more where handing out costs more."""

    def handing_out(self, job: Callable[..., T]) -> AbstractContextManager[Callable[..., Pending[T]]]:
        """Bring the job to the workers; gives a function that hands out a part by its arguments."""


@dataclass(frozen=True)
class Threads:
    """Threads of this process.

    Attributes:
        number: how many.
        grain: blocks handed out as one.
    """

    number: int
    grain: int = 1

    @contextmanager
    def handing_out(self, job: Callable[..., T]) -> Iterator[Callable[..., Pending[T]]]:
        """Start the threads; at the end they finish what they have begun."""
        with ThreadPoolExecutor(self.number) as pool:
            yield partial(pool.submit, job)


def available_cores() -> int:
    """The cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def workers_of(threads: int | None, workers: Workers | None = None) -> Workers:
    """The workers handed in, or else so many threads (None: one for every core)."""
    return workers if workers is not None else Threads(threads or available_cores())


def in_turn(job: Callable[..., T], parts: Iterable[tuple[Any, ...]], workers: Workers) -> Iterator[T]:
    """The results of a job's parts, in their order; only a few parts are under way at a time.

    Args:
        job: see the module.
        parts: the arguments of each part.
        workers: who does them.
    """
    waiting = iter(parts)
    running: deque[Pending[T]] = deque()
    with workers.handing_out(job) as hand_out:
        try:
            while True:
                # workers may come and go, so there may be more under way than there should be now
                for part in islice(waiting, max(AHEAD * workers.number - len(running), 0)):
                    running.append(hand_out(*part))
                if not running:
                    return
                result = running[0].result()
                del running[0]
                yield result
        finally:
            for pending in running:
                pending.cancel()


def blocks(first: int, stop: int, size: int, workers: Workers) -> Iterator[tuple[int, int]]:
    """Blocks of numbers, of a size or as many sizes as the workers take at once: (start, stop) each."""
    step = size * workers.grain
    return ((start, min(start + step, stop)) for start in range(first, stop, step))
