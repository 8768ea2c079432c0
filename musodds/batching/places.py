"""Where files are: read whole, written whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from musodds.errors import MusoddsError, UsageError

STDIO = "-"


def read_whole(place: str) -> bytes:
    """The content of a file, or of stdin for ``-``.

    Raises:
        UsageError: if there is no such file.
        MusoddsError: if it cannot be read.
    """
    if place == STDIO:
        if sys.stdin is None:
            raise MusoddsError("cannot read the questions: stdin is closed")
        return sys.stdin.buffer.read()
    try:
        return Path(place).read_bytes()
    except FileNotFoundError:
        raise UsageError(f"cannot read {place!r}: there is no such file") from None
    except OSError as error:
        raise MusoddsError(f"cannot read {place!r}: {error.strerror}") from error


def check_places(source: str, output: str) -> None:
    """Refuse an output that cannot be, before any work is done for it.

    Raises:
        UsageError: if it has no name, is a directory, or is the input.
        MusoddsError: if its folder is not there or cannot be written.
    """
    if output == STDIO:
        return
    if not output:
        raise UsageError("the output has no name; give a file, or - for stdout")
    path = Path(output)
    if path.is_dir():
        raise UsageError(f"{output!r} is a directory; give the name of a file in it")
    if not path.parent.is_dir():
        raise MusoddsError(f"cannot write {output!r}: there is no directory {str(path.parent)!r}")
    if path.exists() and not path.is_file():
        return  # a device or a pipe
    if source != STDIO and path.exists() and Path(source).exists() and path.samefile(source):
        raise UsageError(f"{output!r} is the input itself, which would be lost; give another name")
    folder = path.resolve().parent
    if not os.access(folder, os.W_OK | os.X_OK):
        raise MusoddsError(f"cannot write {output!r}: the directory {str(folder)!r} may not be written")


def partial_place(output: str) -> Path | None:
    """Where a run leaves what it has finished: beside a file; nowhere for stdout, devices and pipes."""
    path = Path(output)
    if output == STDIO or (path.exists() and not path.is_file()):
        return None
    path = path.resolve()
    return path.with_name(path.name + ".partial.jsonl")


def remove_leftovers(output: str) -> None:
    """Remove what killed runs left of this output, half written."""
    path = Path(output).resolve()
    for left in path.parent.glob(f".{_literal(path.name)}.*.part"):
        with suppress(OSError):
            left.unlink()


@contextmanager
def writing(output: str) -> Iterator[BinaryIO]:
    """A stream to write a file with; the file appears under its name once it is whole.

    ``-`` is stdout. Devices and pipes, which cannot be replaced, are written to directly.

    Raises:
        BrokenPipeError: if the reader of stdout has gone.
        MusoddsError: if it cannot be written.
    """
    path = Path(output)
    try:
        if output == STDIO:
            if sys.stdout is None:
                raise MusoddsError("cannot write the answer: stdout is closed")
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
            return
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                yield stream
            return
        path = path.resolve()  # a link stays a link
        beside = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            with beside.open("wb") as stream:
                yield stream
            if path.exists():
                shutil.copymode(path, beside)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        place = "the answer" if output == STDIO else repr(output)
        raise MusoddsError(f"cannot write {place}: {error.strerror or error}") from error


def _literal(name: str) -> str:
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)
