"""How long whole processes take: the help, a warm answer, the first answer ever.

python -m benchmarks.startup [--runs 9] [-o benchmarks/runs/startup.json]
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.saved import save
from musodds.engine.bench import machine

WARM: dict[str, list[str]] = {
    "python alone": [],
    "--help": ["--help"],
    "odds --help": ["odds", "--help"],
    "odds, warm": ["odds", "RR4A", "--quiet"],
    "odds --exact, warm": ["odds", "RR4A", "--exact", "--quiet"],
    "discard, warm": ["discard", "RR54", "--quiet"],
    "rules": ["rules"],
}
COLD: dict[str, list[str]] = {
    "odds, first ever": ["odds", "RR4A", "--quiet"],
    "discard, first ever": ["discard", "RR54", "--quiet"],
}


def process(arguments: list[str], cache: str) -> tuple[float, float] | None:
    """Wall and processor seconds of one process; None if the command fails."""
    command = [sys.executable, *(["-m", "musodds", *arguments] if arguments else ["-c", "pass"])]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    done = subprocess.run(
        command, env=os.environ | {"MUSODDS_CACHE_DIR": cache}, capture_output=True, check=False
    )
    wall, after = perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (wall, cpu) if done.returncode == 0 else None


def measure(name: str, arguments: list[str], caches: list[str]) -> dict[str, Any] | None:
    """Run a command once for each cache folder."""
    found = [process(arguments, cache) for cache in caches]
    times = [one for one in found if one is not None]
    if not times:
        print(f"{name:<22} does not run")
        return None
    walls, cpus = [wall for wall, _ in times], [cpu for _, cpu in times]
    wall, cpu = statistics.median(walls), statistics.median(cpus)
    print(f"{name:<22} {wall:7.3f} s (best {min(walls):.3f}), processor {cpu:7.3f} s", flush=True)
    return {"name": name, "seconds": wall, "best": min(walls), "cpu": cpu, "walls": walls, "cpus": cpus}


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--cold", type=int, default=3, help="how often with an empty cache")
    parser.add_argument("-o", "--output", type=Path)
    chosen = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        warm = os.path.join(folder, "warm")
        for name, arguments in WARM.items():
            if arguments:
                process(arguments, warm)
            results.append(measure(name, arguments, [warm] * chosen.runs))
        for name, arguments in COLD.items():
            empty = [os.path.join(folder, f"{name} {number}") for number in range(chosen.cold)]
            results.append(measure(name, arguments, empty))
    if chosen.output:
        known = [result for result in results if result is not None]
        save(chosen.output, "musodds.startup/1", machine=machine(), results=known)


if __name__ == "__main__":
    main()
