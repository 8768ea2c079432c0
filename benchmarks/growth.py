"""How time and memory grow: with deals, threads, conditions and rows; the cost of a deal and the fixed cost.

    python -m benchmarks.growth [--most 1e8] [-o benchmarks/runs/growth.json]

Each line is fitted by seconds = fixed + each x number, by least squares of relative errors. What two threads gain
stands beside a control: the same loop in two threads of a kernel that touches no memory, which is all that the
second core of this machine is worth.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.saved import save
from musodds.analysis.query import Query, query
from musodds.engine import kernels
from musodds.engine.bench import machine
from musodds.engine.simulate import available_cores, simulate

CONDITIONS = {
    "none": {},
    "partner juego": {"partner": "juego"},
    "right duples": {"right": "duples"},
    "right and left pares": {"right": "pares", "left": "pares"},
    "right duples, left R>=2": {"right": "duples", "left": "R>=2"},
    "all three": {"right": "pares", "partner": "juego", "left": "R>=1"},
}


def run(question: Query, deals: int, threads: int) -> None:
    """Simulate."""
    simulate(
        *(question.table, question.row, question.seat, question.unseen, question.weights),
        deals=deals,
        seed=1,
        threads=threads,
    )


def fastest(work: Callable[[], object], seconds: float = 0.5, least: int = 3) -> tuple[float, float]:
    """The least wall time and the least processor time of several runs."""
    walls, cpus, begin = [], [], perf_counter()
    while len(walls) < least or perf_counter() - begin < seconds:
        cpu, wall = process_time(), perf_counter()
        work()
        walls.append(perf_counter() - wall)
        cpus.append(process_time() - cpu)
        if walls[-1] > 5 * seconds:
            break
    return min(walls), min(cpus)


def fit(numbers: Sequence[int], seconds: Sequence[float]) -> tuple[float, float]:
    """Fixed and each, so that fixed + each x number is near the seconds, relative to them."""
    weight = 1 / np.array(seconds)
    columns = np.stack([weight, np.array(numbers) * weight], axis=1)
    (fixed, each), *_ = np.linalg.lstsq(columns, np.ones(len(seconds)), rcond=None)
    return float(fixed), float(each)


def memory() -> int:
    """The most memory that the process has held, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def by_deals(most: int) -> dict[str, Any]:
    """One thread, nothing known, from a thousand deals up."""
    question = query("RR4A")
    run(question, 1000, 1)
    numbers = [10**power for power in range(3, 13) if 10**power <= most]
    points = []
    for number in numbers:
        wall, cpu = fastest(partial(run, question, number, 1))
        points.append({"deals": number, "seconds": wall, "cpu": cpu, "memory": memory()})
        print(
            f"{number:>14,} deals {wall:10.4f} s  {cpu / number * 1e9:8.2f} ns of processor a deal",
            flush=True,
        )
    fixed, each = fit(numbers, [point["cpu"] for point in points])
    print(f"fitted: {fixed * 1e3:.3f} ms + {each * 1e9:.2f} ns a deal; memory {memory() / 2**20:.0f} MiB")
    return {"points": points, "fixed": fixed, "each": each}


def by_threads(deals: int) -> list[dict[str, Any]]:
    """The same deals on more threads, in turn with a control that shares nothing and needs no memory."""
    question = query("RR4A")

    def control(threads: int) -> None:
        def fill(number: int) -> None:
            words = np.empty((4, 1 << 14), dtype=np.uint32)
            for first in range(number):
                kernels.random_words(words, first << 14, 0, np.uint64(1))

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, [6000 // threads] * threads))

    numbers = list(dict.fromkeys((1, 2, 4, available_cores())))
    walls: dict[int, list[float]] = {threads: [] for threads in numbers}
    even: dict[int, list[float]] = {threads: [] for threads in numbers}
    for _ in range(11):
        for threads in numbers:
            start = perf_counter()
            run(question, deals, threads)
            middle = perf_counter()
            control(threads)
            walls[threads].append(middle - start)
            even[threads].append(perf_counter() - middle)
    points: list[dict[str, Any]] = []
    for threads in numbers:
        best, plain = min(walls[threads]), min(even[threads])
        points.append({"threads": threads, "seconds": best, "control_seconds": plain})
        gain, worth = points[0]["seconds"] / best, points[0]["control_seconds"] / plain
        print(f"{threads} threads: {deals / best / 1e6:.1f} M deals/s, {gain:.2f} x; control {worth:.2f} x")
    return points


def by_conditions(deals: int) -> list[dict[str, Any]]:
    """One thread under conditions: the cost of a deal and of the tables made before."""
    points = []
    for name, known in CONDITIONS.items():
        question = query("RR4A", **known)
        run(question, 1000, 1)
        numbers = [1000, deals // 10, deals]
        seconds = [fastest(partial(run, question, number, 1))[1] for number in numbers]
        fixed, each = fit(numbers, seconds)
        points.append({"known": name, "fixed": fixed, "each": each, "deals": numbers, "cpu": seconds})
        print(f"{name:<26} {fixed * 1e3:8.2f} ms + {each * 1e9:6.2f} ns a deal")
    return points


def by_rows(most: int) -> dict[str, Any]:
    """Files of hands: exact answers of random rows, written and read as the batch command does."""
    from musodds.cli.app import main
    from musodds.engine.tables import table

    hands = table().hands
    generator = np.random.default_rng(1)
    points = []
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "in.csv"), os.path.join(folder, "out.csv")
        for power in range(2, 8):
            number = 10**power
            if number > most:
                break
            rows = zip(
                generator.integers(len(hands), size=number), generator.integers(1, 5, number), strict=True
            )
            lines = "".join(f"{hands[hand]},{seat}\n" for hand, seat in rows)
            Path(source).write_text("hand,seat\n" + lines, encoding="utf-8")

            def answer() -> None:
                Path(target).unlink(missing_ok=True)
                if main(["batch", source, "-o", target, "--quiet"]):
                    raise RuntimeError("batch failed")

            answer()
            wall, cpu = fastest(answer)
            points.append({"rows": number, "seconds": wall, "cpu": cpu})
            print(f"{number:>14,} rows {wall:10.4f} s", flush=True)
    fixed, each = fit([point["rows"] for point in points], [point["seconds"] for point in points])
    print(f"fitted: {fixed * 1e3:.1f} ms + {each * 1e6:.3f} us a row")
    return {"points": points, "fixed": fixed, "each": each}


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=float, default=1e9, help="the most deals")
    parser.add_argument("--rows", type=float, default=1e6, help="the most rows; 0 leaves files out")
    parser.add_argument("-o", "--output", type=Path)
    chosen = parser.parse_args()
    found: dict[str, Any] = {"deals": by_deals(int(chosen.most))}
    found["threads"] = by_threads(20_000_000)
    found["conditions"] = by_conditions(2_000_000)
    if chosen.rows >= 100:
        found["rows"] = by_rows(int(chosen.rows))
    if chosen.output:
        save(chosen.output, "musodds.growth/1", machine=machine(), **found)


if __name__ == "__main__":
    main()
