"""What is said on stderr while a command works: progress, and that a first run compiles."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0  # seconds of silence before progress is shown


def note(text: str, *, quiet: bool) -> None:
    """One line on stderr, unless quiet."""
    if not quiet and sys.stderr is not None:
        print(f"musodds: {text}", file=sys.stderr, flush=True)


def note_if_cold(kernel: str = "", *, quiet: bool) -> None:
    """Say that this run has to compile, if it does; with a name, if that kernel has not been compiled yet."""
    from musodds.engine.jit import is_cold

    if is_cold(kernel):
        note("compiling the engine; only the first run does this", quiet=quiet)


class Working:
    """Progress on stderr, for work that takes over a second and a terminal that shows it.

    Used as a context manager; calling it reports the deals done and planned (None if not known).
    """

    def __init__(self, label: str, *, quiet: bool) -> None:
        """Start the clock; nothing is shown yet."""
        self._label = label
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._start = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the progress off the screen."""
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, done: int, planned: int | None) -> None:
        """Report deals."""
        if not self._shown or time.monotonic() - self._start < PATIENCE:
            return
        if self._progress is None:
            self._begin()
        assert self._progress is not None
        assert self._task is not None
        self._progress.update(self._task, completed=done, total=planned)

    def stage(self, label: str, done: int, planned: int) -> None:
        """Report what is being done now and how far it is."""
        self._label = label
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, description=label)
        self(done, planned)

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:,.0f}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(self._label, total=None)
        self._progress.start()
