"""How kernels are compiled and cached: the only place that decides.

Kernels release the GIL, so that plain threads run them side by side. Compiled code is kept in a folder
of its own, the first of these that can be written:

1. ``$MUSODDS_CACHE_DIR``, if set;
2. the user's cache folder (``$XDG_CACHE_HOME/musodds``, ``~/.cache/musodds``, ``%LOCALAPPDATA%\\musodds``);
3. ``__pycache__`` beside this file.

If none can be written the kernels are compiled in memory, anew in every process. The folder's name holds a
hash over *all* source files of the engine and over the compiler's version and settings. numba alone notices
only an edit of the very file that a function is in, so after an edit of a function called from another file
its old code would go on running; here any edit leads to a folder that does not exist yet.

``NUMBA_DISABLE_JIT=1`` runs the kernels as plain Python.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config

F = TypeVar("F", bound=Callable[..., Any])

_HERE = Path(__file__).resolve().parent


def kernel(function: F) -> F:
    """Compile a function on first use, without the GIL, and keep the compiled code on disk if possible."""
    compiled: Any = numba.njit(nogil=True, error_model="numpy")(function)
    if not config.DISABLE_JIT:
        _cache_on_disk(compiled, function)
    return cast(F, compiled)


def inlined(function: F) -> F:
    """Compile a function into each of its callers: for the loops in which a call costs a tenth or more."""
    compiled: Any = numba.njit(nogil=True, error_model="numpy", inline="always")(function)
    return cast(F, compiled)


def is_cold(kernel: str = "") -> bool:
    """Whether a first answer must wait for the compiler.

    Args:
        kernel: the name of a kernel; empty asks whether nothing at all has been compiled and kept yet.
    """
    folder = cache_folder()
    name = f"*.{kernel}-*.nbi" if kernel else "*.nbi"
    return not config.DISABLE_JIT and (folder is None or not any(folder.glob(name)))


@cache
def cache_folder() -> Path | None:
    """The folder of the compiled code; None if no place can be written."""
    stamp = source_stamp()[:16]
    for parent in _candidates():
        folder = parent / f"kernels-{stamp}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return folder
    return None


@cache
def source_stamp() -> str:
    """A hash over every source file of the engine, and over what else decides the compiled code."""
    digest = hashlib.sha256()
    for path in sorted(_HERE.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    settings = (numba.__version__, sys.version, config.BOUNDSCHECK, config.OPT, config.DEBUGINFO_DEFAULT)
    digest.update(repr(settings).encode())
    return digest.hexdigest()


def _candidates() -> list[Path]:
    chosen = os.environ.get("MUSODDS_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    places = []
    base = os.environ.get("LOCALAPPDATA") if os.name == "nt" else os.environ.get("XDG_CACHE_HOME")
    if base:
        places.append(Path(base) / "musodds")
    else:
        with suppress(RuntimeError):  # no home folder
            places.append(Path.home() / ".cache" / "musodds")
    return [*places, _HERE / "__pycache__"]


def _cache_on_disk(compiled: Any, function: Callable[..., Any]) -> None:
    """Give a compiled function a cache in our folder; without one it is compiled in each process."""
    folder = cache_folder()
    if folder is None:
        return
    try:
        from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
    except ImportError:  # numba moved its internals: correct without a cache, only slower to start
        return

    class Locator(_CacheLocator):  # type: ignore[misc]
        """Point numba at our folder, with our stamp."""

        def get_cache_path(self) -> str:
            return str(folder)

        def get_source_stamp(self) -> str:
            return source_stamp()

        def get_disambiguator(self) -> str:
            return str(function.__code__.co_firstlineno)

        @classmethod
        def from_function(cls, py_func: object, py_file: str) -> Locator:
            return cls()

    class Implementation(CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (Locator,)

    class KernelCache(FunctionCache):  # type: ignore[misc]
        _impl_class = Implementation

    compiled._cache = KernelCache(function)
