"""Where answers go: to stdout in characters it can say, or to a file, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from pathlib import Path
from typing import TextIO

from musodds.errors import MusoddsError, UsageError
from musodds.report.screen import PAPER, Screen

STDOUT = "-"


def screen_for(output: str) -> Screen:
    """What the answer is drawn for: the terminal or pipe behind stdout, or a file."""
    if output != STDOUT or sys.stdout is None:
        return PAPER
    terminal = sys.stdout.isatty()
    # A pipe has no width, unless the reader says one.
    width = None
    if terminal or os.environ.get("COLUMNS", "").isdecimal():
        width = max(shutil.get_terminal_size().columns, 1)
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM", "") in ("dumb", "unknown")
    styled = terminal and not plain
    return Screen(width, terminal, styled, sys.stdout.encoding or "ascii")


def check_output(output: str) -> None:
    """Refuse a place that cannot be written before any work is done for it.

    Raises:
        UsageError: for an empty name or a directory.
        MusoddsError: if there is no such directory to write in.
    """
    if output == STDOUT:
        return
    if not output:
        raise UsageError("the output has no name; give a file, or - for stdout")
    path = Path(output)
    if path.is_dir():
        raise UsageError(f"{output!r} is a directory; give the name of a file in it")
    if not path.parent.is_dir():
        raise MusoddsError(f"cannot write {output!r}: there is no directory {str(path.parent)!r}")


def emit(text: str, output: str) -> None:
    """Write an answer.

    Args:
        text: the whole answer.
        output: a file, or ``-`` for stdout.

    A reader of stdout who has gone, as ``head`` does, has read enough: that is no error.

    Raises:
        MusoddsError: if it cannot be written.
    """
    if output != STDOUT:
        write_whole(output, text.encode())
        return
    if sys.stdout is None:
        raise MusoddsError("cannot write the answer: stdout is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        let_go(sys.stdout)
    except OSError as error:
        let_go(sys.stdout)
        raise MusoddsError(f"cannot write the answer: {error.strerror}") from error


def emit_bytes(content: bytes, output: str) -> None:
    """Write an answer that is no text, as ``emit`` does.

    Raises:
        MusoddsError: if it cannot be written.
    """
    if output != STDOUT:
        write_whole(output, content)
        return
    if sys.stdout is None:
        raise MusoddsError("cannot write the answer: stdout is closed")
    try:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    except BrokenPipeError:
        let_go(sys.stdout)
    except OSError as error:
        let_go(sys.stdout)
        raise MusoddsError(f"cannot write the answer: {error.strerror}") from error


def write_whole(output: str, content: bytes) -> None:
    """Write a file beside its place and rename it there, so that it is whole or as it was.

    Devices and pipes, which cannot be replaced, are written to directly.

    Raises:
        MusoddsError: if it cannot be written.
    """
    check_output(output)
    path = Path(output)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        path = path.resolve()  # a link stays a link
        beside = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            beside.write_bytes(content)
            if path.exists():
                shutil.copymode(path, beside)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise MusoddsError(f"cannot write {output!r}: {error.strerror}") from error


def let_go(stream: TextIO | None) -> None:
    """Point a stream at nothing, so that closing it at exit cannot fail again."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())  # type: ignore[union-attr]
        os.close(nothing)
