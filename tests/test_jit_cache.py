"""The compiled code is kept where it can be, never needed, and never stale."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import musodds

PACKAGE = Path(musodds.__file__).parent

# A kernel in one file that calls a kernel of another: what numba's own cache does not look at.
CALLER = '''
"""A kernel that calls a kernel in another file."""

from musodds.engine.jit import kernel
from musodds.engine.kernels import philox


@kernel
def caller(counter):
    return philox(counter, counter, counter, counter, counter, counter)[0]
'''
RUN = """
import numpy as np
from musodds.engine import jit, caller
print(int(caller.caller(np.uint64(5))))
print(sum(caller.caller.stats.cache_hits.values()))
print(jit.cache_folder())
"""


@pytest.fixture
def install(tmp_path):
    """An installed copy of the package, with one more engine file."""
    site = tmp_path / "site"
    shutil.copytree(PACKAGE, site / "musodds", ignore=shutil.ignore_patterns("__pycache__"))
    (site / "musodds" / "engine" / "caller.py").write_text(CALLER, encoding="utf-8")
    return site


def environment(site: Path, **changes: str) -> dict[str, str]:
    """The environment of a process that runs the copy; all places for caches as the test says."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MUSODDS_CACHE_DIR", "NUMBA_CACHE_DIR")
    }
    # No byte code: it is renewed by the time of an edit alone, and the test edits within a moment.
    return (
        kept | {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_DISABLE_JIT": "0"} | changes
    )


def start(code: str, site: Path, **changes: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code],
        env=environment(site, **changes),
        cwd=site,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert not err
    return out.splitlines()


def run(code: str, site: Path, **changes: str) -> list[str]:
    return finish(start(code, site, **changes))


def test_after_an_edit_of_one_engine_file_no_stale_code_runs(install, tmp_path):
    cache = {"MUSODDS_CACHE_DIR": str(tmp_path / "cache")}
    first, hits, folder = run(RUN, install, **cache)
    assert hits == "0"
    again, hits, same_folder = run(RUN, install, **cache)
    assert (again, hits, same_folder) == (first, "1", folder), "unchanged code comes from the cache"

    edited = install / "musodds" / "engine" / "kernels.py"
    before = edited.stat()
    text = edited.read_text(encoding="utf-8")
    assert text.count("0x9E3779B9") == 1, "a constant of the generator"
    edited.write_text(text.replace("0x9E3779B9", "0x9E3779BB"), encoding="utf-8")
    os.utime(edited, ns=(before.st_atime_ns, before.st_mtime_ns))  # as a wheel with fixed times does
    assert edited.stat().st_size == before.st_size

    upgraded, hits, new_folder = run(RUN, install, **cache)
    assert upgraded != first
    assert hits == "0"
    assert new_folder != folder

    edited.write_text(text, encoding="utf-8")
    back, hits, old_folder = run(RUN, install, **cache)
    assert (back, hits, old_folder) == (first, "1", folder), "the old version finds its own code again"


def test_two_first_runs_at_once_both_answer(install, tmp_path):
    cache = {"MUSODDS_CACHE_DIR": str(tmp_path / "cache")}
    both = [start(RUN, install, **cache) for _ in range(2)]
    (one, _, folder), (other, _, same_folder) = (finish(process) for process in both)
    assert one == other
    assert folder == same_folder
    again, hits, _ = run(RUN, install, **cache)
    assert (again, hits) == (one, "1")


def without_a_writable_place(install: Path) -> dict[str, str]:
    """Places for caches in which no folder can be made, even by root: a file stands in the way."""
    obstacle = install / "obstacle"
    obstacle.write_text("a file, not a folder", encoding="utf-8")
    (install / "musodds" / "engine" / "__pycache__").write_text("a file, not a folder", encoding="utf-8")
    places = ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "USERPROFILE")
    return {name: str(obstacle / "x") for name in places}


@pytest.mark.parametrize("chosen", [False, True])
def test_a_read_only_install_compiles_in_memory(install, chosen):
    places = without_a_writable_place(install)
    if chosen:
        places["MUSODDS_CACHE_DIR"] = places["HOME"]
    files = sorted(install.rglob("*"))
    number, hits, folder = run(RUN, install, **places)
    assert (hits, folder) == ("0", "None")
    assert number == run(RUN, install, MUSODDS_CACHE_DIR=str(install / "cache"))[0]
    made = [path for path in sorted(install.rglob("*")) if install / "cache" not in (path, *path.parents)]
    assert made == files, "nothing is written into the install"


def test_a_read_only_install_answers(install):
    code = "import musodds; print(musodds.odds('RR4A', deals=1000, seed=3).simulated.lances)"
    (answer,) = run(code, install, **without_a_writable_place(install))
    assert answer == str(musodds.odds("RR4A", deals=1000, seed=3).simulated.lances)


def test_the_cache_goes_to_the_users_folder_and_else_beside_the_code(install, tmp_path):
    show = "from musodds.engine import jit; print(jit.cache_folder())"
    user = {"XDG_CACHE_HOME": str(tmp_path / "user"), "LOCALAPPDATA": str(tmp_path / "user")}
    assert Path(run(show, install, **user)[0]).parent == tmp_path / "user" / "musodds"
    places = without_a_writable_place(install)
    beside = install / "musodds" / "engine" / "__pycache__"
    beside.unlink()
    assert Path(run(show, install, **places)[0]).parent == beside
