"""The arrows between the rooms, read from the source, and what loading a room costs."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import musodds

PACKAGE = Path(musodds.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

# What each room may import besides itself: cli -> report, batching, analysis -> engine -> mus -> errors.
BELOW = {
    "errors": set(),
    "mus": {"errors"},
    "engine": {"errors", "mus"},
    "analysis": {"errors", "mus", "engine"},
    "report": {"errors", "mus", "engine", "analysis"},
    "batching": {"errors", "mus", "engine", "analysis", "report"},
    "cli": {"errors", "mus", "engine", "analysis", "report", "batching"},
}
HEAVY = {"numpy", "numba", "pandas", "pyarrow", "matplotlib", "llvmlite", "distributed", "dask"}
# Who may import what heavy library; matplotlib and pyarrow only where pictures and Parquet are made (policies
# are files of the analysis).
MAY = {
    "errors": set(),
    "mus": set(),
    "engine": {"numpy", "numba", "llvmlite"},
    "analysis": {"numpy", "pyarrow", "distributed"},
    "report": {"numpy", "matplotlib", "pyarrow"},
    "batching": {"numpy", "pandas", "pyarrow"},
    "cli": {"numpy", "numba"},
}


def room_of(path: Path) -> str:
    """The room a file stands in: a folder of the package, or a file at its top."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(path: Path) -> list[tuple[str, int]]:
    """Every module that a file imports anywhere, also inside functions, with its line; type hints aside."""
    found = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    package = ("musodds", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            found += [(name.name, node.lineno) for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            base = ".".join(part for part in (start, node.module) if part)
            found.append((base, node.lineno))
            if base == "musodds":
                found += [(f"musodds.{name.name}", node.lineno) for name in node.names]
    return found


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def test_every_room_is_known():
    rooms = {room_of(path) for path in FILES} - {"__init__", "__main__"}
    assert rooms <= set(BELOW)
    assert {"errors", "mus", "engine", "analysis", "report", "cli"} <= rooms


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_arrows_run_one_way(path):
    room = room_of(path)
    if room in ("__init__", "__main__"):
        return
    for module, line in imports(path):
        parts = module.split(".")
        if parts[0] == "musodds" and len(parts) > 1 and not parts[1].startswith("__"):
            assert parts[1] == room or parts[1] in BELOW[room], f"{name_of(path)}:{line} imports {module}"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_heavy_libraries_stay_in_their_rooms(path):
    for module, line in imports(path):
        library = module.split(".")[0]
        if library in HEAVY:
            allowed = MAY.get(room_of(path), set())
            assert library in allowed, f"{name_of(path)}:{line} imports {module}"


@pytest.mark.parametrize("path", [path for path in FILES if room_of(path) == "engine"], ids=name_of)
def test_kernels_are_compiled_in_one_way_only(path):
    if path.name == "jit.py":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for decorator in getattr(node, "decorator_list", []):
            spelled = ast.unparse(decorator)
            assert "numba." not in spelled, f"{name_of(path)}:{decorator.lineno}: {spelled}"
            assert not spelled.startswith("njit"), f"{name_of(path)}:{decorator.lineno}: {spelled}"


@pytest.mark.parametrize("path", [path for path in FILES if room_of(path) == "engine"], ids=name_of)
def test_kernels_use_no_hidden_state_and_no_loose_arithmetic(path):
    code = ast.unparse(ast.parse(path.read_text(encoding="utf-8")))
    assert "np.random" not in code
    assert "fastmath=True" not in code


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_stay_small(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 600


LIGHT = {
    "import": "import musodds; assert musodds.__version__",
    "dir": "import musodds; dir(musodds)",
    "rules": "import musodds; musodds.rules('euskal')",
    "help": "from musodds.cli.app import main; sys.argv = ['musodds', '--help']; main()",
    "version": "from musodds.cli.app import main; sys.argv = ['musodds', '--version']; main()",
    "odds --help": "from musodds.cli.app import main; sys.argv = ['musodds', 'odds', '--help']; main()",
}
LOADED = """
import json, sys
try:
    {code}
except SystemExit as end:
    assert not end.code, end.code
finally:
    print()
    print(json.dumps(sorted({{name.split(".")[0] for name in sys.modules}})))
"""


@pytest.mark.parametrize("what", LIGHT)
def test_the_light_ways_in_load_nothing_heavy(what, python):
    shown = python(LOADED.format(code=LIGHT[what])).stdout
    loaded = set(json.loads(shown.splitlines()[-1]))
    assert "musodds" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize("name", musodds.__all__)
def test_every_public_name_loads(name):
    assert getattr(musodds, name) is not None
    assert name in dir(musodds)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'poker'"):
        _ = musodds.poker
