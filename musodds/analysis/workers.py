"""Work on more than one machine: the workers of a Dask cluster.

A job is packed once and unpacked once on every worker that takes part; its parts follow. Both are tasks that
the cluster can do again, so a worker that dies costs time and nothing else. What a worker gives depends on
the job and the part alone, as long as it runs the same musodds, which is looked at before it starts.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import musodds
from musodds.engine.workers import Pending, Workers
from musodds.errors import MusoddsError

T = TypeVar("T")

PATIENCE = 15.0  # seconds to wait for the cluster and its first worker
RETRIES = (
    3  # for what goes wrong on a worker that lives on, such as a full disk; dead ones are replaced anyway
)
FRESH = 2.0  # seconds for which the number of workers is taken to be what it was
GRAIN = 8  # blocks of some hundredths of a second as one: handing out a part costs a thousandth or two


class Cluster:
    """The workers of a Dask cluster.

    Attributes:
        grain: blocks handed out as one.
    """

    def __init__(self, client: Any, *, grain: int = GRAIN) -> None:
        """Use a connection, a ``distributed.Client``."""
        self.client = client
        self.grain = grain
        self._number = 1
        self._counted: float | None = None

    @property
    def number(self) -> int:
        """How many parts are worked on at a time, as of some seconds ago: workers may come and go."""
        now = time.monotonic()
        if self._counted is None or now - self._counted > FRESH:
            with _explained():
                self._number = max(1, sum(int(number) for number in self.client.nthreads().values()))
            self._counted = now
        return self._number

    @contextmanager
    def handing_out(self, job: Callable[..., T]) -> Iterator[Callable[..., Pending[T]]]:
        """Bring a job to the cluster."""
        packed = pickle.dumps(job)
        # Not scattered: what is scattered to a worker is lost with it, what a task gives is made again.
        brought = self._submit(_unpacked, packed, stamp())
        try:
            yield lambda *part: _Part(self._submit(_done, brought, *part))
        finally:
            brought.cancel()

    def _submit(self, function: Callable[..., object], *arguments: object) -> Any:
        with _explained():
            return self.client.submit(function, *arguments, pure=False, retries=RETRIES)


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of a job on the cluster."""

    future: Any

    def result(self) -> Any:
        """Wait for the result."""
        with _explained():
            return self.future.result()

    def cancel(self) -> object:
        """Tell the cluster to leave it."""
        with suppress(Exception):  # a cluster that has gone does not work on it either
            self.future.cancel()
        return None


@contextmanager
def workers_at(address: str | None) -> Iterator[Workers | None]:
    """The workers of the cluster at an address such as ``tcp://192.168.1.5:8786``; None for no address.

    Raises:
        MusoddsError: if there is no cluster, it has no workers, or they run another musodds.
    """
    if address is None:
        yield None
        return
    try:
        import distributed
    except ImportError as error:
        raise MusoddsError("a cluster needs Dask; install it with: pip install 'musodds[cluster]'") from error
    client: Any = None
    try:
        try:
            connect: Any = distributed.Client
            client = connect(address, timeout=PATIENCE, set_as_default=False)
            client.wait_for_workers(1, timeout=PATIENCE)
            stamps = client.run(stamp)
        except Exception as error:
            raise MusoddsError(
                f"cluster {address!r}: {_reason(error)}; give the address of a Dask scheduler whose workers have "
                "musodds installed, as in tcp://192.168.1.5:8786"
            ) from error
        for worker, other in stamps.items():
            _check_stamp(other, f"the worker {worker}")
        with _without_chatter():
            yield Cluster(client)
    finally:
        if client is not None:
            with suppress(Exception):
                client.close()


@contextmanager
def _without_chatter() -> Iterator[None]:
    """Leave out what Dask logs of workers that die: their work is done again, so it is no news."""
    log = logging.getLogger("distributed.client")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


@cache
def stamp() -> str:
    """The version of this musodds and a hash over its source and its policies, which decide the answers."""
    package = Path(musodds.__file__).parent
    digest = hashlib.sha256()
    for pattern in ("*.py", "*.csv.gz"):
        for path in sorted(package.rglob(pattern)):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{musodds.__version__} {digest.hexdigest()[:16]}"


def _check_stamp(other: str, who: str) -> None:
    if other != stamp():
        raise MusoddsError(
            f"{who} runs musodds {other}, and this is {stamp()}: install the same on all machines"
        )


def _unpacked(packed: bytes, theirs: str) -> Any:
    """On a worker: the job, for its parts."""
    if theirs != stamp():
        raise MusoddsError(
            f"a worker runs musodds {stamp()}, and this is {theirs}: install the same on all machines"
        )
    return pickle.loads(packed)


def _done(job: Callable[..., T], *part: object) -> T:
    """On a worker: a part of a job."""
    return job(*part)


@contextmanager
def _explained() -> Iterator[None]:
    """Say in the project's own words what went wrong with a cluster."""
    try:
        yield
    except (MusoddsError, MemoryError):
        raise
    except Exception as error:
        raise MusoddsError(f"the cluster could not finish the work: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
