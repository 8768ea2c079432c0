"""What a long run has finished, on disk beside its output, so that an interruption loses nothing.

The file holds one JSON line with the settings, then one for every answer, as they come. A line that a
killed run left unfinished is ignored. It is removed once the output stands in its place.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TextIO

from musodds import __version__
from musodds.batching.questions import Key, Settings
from musodds.engine.jit import source_stamp
from musodds.errors import MusoddsError, UsageError

if TYPE_CHECKING:
    from musodds.batching.answers import Answer

SCHEMA = "musodds.partial/1"


class Ledger:
    """The finished answers of a run."""

    def __init__(self, place: Path | None = None, settings: Settings | None = None) -> None:
        """Start with nothing finished.

        Args:
            place: the file; None keeps nothing.
            settings: what the answers depend on besides their questions.
        """
        self._place = place
        self._head = _head(settings) if settings is not None else {}
        self._answers: dict[Key, Answer] = {}
        self._file: TextIO | None = None
        self._lock = Lock()

    def resume(self) -> int:
        """Take up what an earlier run has left; gives how many answers that are.

        Raises:
            UsageError: if that run had other settings.
            MusoddsError: if the file cannot be read.
        """
        assert self._place is not None
        try:
            stored = self._place.read_bytes()
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise MusoddsError(f"cannot read {str(self._place)!r}: {error.strerror}") from error
        whole = stored[: stored.rfind(b"\n") + 1]  # without a line that the other run could not finish
        lines = [_parsed(line) for line in whole.split(b"\n") if line]
        if not lines:
            return 0
        if lines[0] != self._head:
            raise UsageError(
                f"{str(self._place)!r} is from a run with other settings or another version; give the same, "
                "or leave --resume out to start from the beginning"
            )
        for line in lines[1:]:
            if line is not None:
                self._answers[tuple(line["question"])] = line["error"] or line["answer"]
        with suppress(OSError):
            self._file = self._place.open("r+", encoding="utf-8", newline="\n")
            self._file.truncate(len(whole))
            self._file.seek(len(whole))
        return len(self._answers)

    def get(self, key: Key) -> Answer | None:
        """The answer to a question, if it is there."""
        return self._answers.get(key)

    def add(self, key: Key, answer: Answer) -> None:
        """Keep an answer; a disk that does not take it is no reason to stop."""
        if self._place is None:
            return
        with self._lock:
            if self._file is None:
                self._start()
            self._write(key, answer)

    def close(self, *, done: bool) -> None:
        """End; once the output is done there is nothing to keep."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None
        if done and self._place is not None:
            with suppress(OSError):
                self._place.unlink(missing_ok=True)

    @property
    def kept(self) -> bool:
        """Whether there is anything on disk to resume from."""
        return self._place is not None and self._place.is_file()

    def _start(self) -> None:
        assert self._place is not None
        try:
            self._file = self._place.open("w", encoding="utf-8", newline="\n")
        except OSError:
            self._place = None
            return
        self._line(self._head)

    def _write(self, key: Key, answer: Answer) -> None:
        failed = isinstance(answer, str)
        self._line(
            {"question": key, "answer": None if failed else answer, "error": answer if failed else None}
        )

    def _line(self, content: dict[str, Any]) -> None:
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(content) + "\n")
            self._file.flush()
        except OSError:
            with suppress(OSError):
                self._file.close()
            self._file = None
            self._place = None


def _head(settings: Settings) -> dict[str, Any]:
    run: dict[str, Any] = {"exact": settings.exact}
    if not settings.exact:
        run |= {"deals": settings.most_deals, "margin": settings.margin, "seed": settings.seed}
    if settings.drawn:
        run |= {"drawn_deals": settings.drawn_deals, "seed": settings.seed}
    if settings.advice:
        run |= {"advice_deals": settings.advised_deals, "seed": settings.seed}
    if settings.drawn or settings.advice:
        run |= {"others": _policy(settings.others), "cuts": settings.cuts, "max_mus": settings.rules.max_mus}
    return {"schema": SCHEMA, "version": __version__, "engine": source_stamp(), **run}


def _policy(name: str) -> str:
    """The name of a policy; of a file its content too, which may have changed since."""
    with suppress(OSError):
        return f"{name} {hashlib.sha256(Path(name).read_bytes()).hexdigest()}"
    return name


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
