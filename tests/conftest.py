"""What all tests share: fixed examples from hypothesis, and the long checks only on request."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

DATA = Path(__file__).parent / "data"

# The same examples on every machine and in every run; no test may fail by chance or by a slow machine.
settings.register_profile("musodds", derandomize=True, deadline=None, max_examples=100)
settings.load_profile("musodds")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the exhaustive checks, and those that need a browser, unless ``-m`` names them."""
    asked = [name for name in ("exhaustive", "browser") if name not in config.option.markexpr]
    left_out = [item for item in items if any(item.get_closest_marker(name) for name in asked)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def read_rows(name: str) -> list[dict[str, str]]:
    """The rows of a file in ``tests/data``."""
    with (DATA / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="session")
def data() -> Callable[[str], list[dict[str, str]]]:
    """Reads a CSV file of ``tests/data`` as a list of rows."""
    return read_rows


@pytest.fixture(scope="session")
def compiled() -> None:
    """Everything is compiled, so that a command has nothing to say on stderr about it."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
        from musodds.engine.warmup import warmup

        warmup()


@pytest.fixture(autouse=True)
def commands_are_compiled(request: pytest.FixtureRequest) -> None:
    """Tests of commands, which pin stderr too, run on compiled code whatever ran before them."""
    if request.path.name.startswith(("test_cli_", "test_table")):
        request.getfixturevalue("compiled")


@pytest.fixture
def python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs Python code in a process of its own: ``python("print(1)", PYTHONHASHSEED="2")``."""

    def run(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=300,
            check=True,
        )

    return run
