"""Write the README's speed table, and the one of benchmarks/README.md, from the saved runs.

    python -m benchmarks.speed_table          rewrite both in place
    python -m benchmarks.speed_table --check  only say whether they are up to date; exit code 1 if not

A table stands between ``<!-- NAME from benchmarks/runs -->`` and ``<!-- end of NAME -->``. A test checks that they
are what the runs say. The runs come from ``musodds bench --format json -o benchmarks/runs/bench.json``,
``benchmarks.peers``, ``benchmarks.growth`` and ``benchmarks.startup``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.saved import read

ROOT = Path(__file__).resolve().parent.parent
FILES = (ROOT / "README.md", ROOT / "benchmarks" / "README.md")
_BLOCK = re.compile(r"(<!-- (\w+) from benchmarks/runs -->\n).*?(<!-- end of \2 -->)", re.DOTALL)


def rate(value: float) -> str:
    """Three digits and M or thousands: ``2,080 M``, ``136 M``, ``18.9 M``, ``125,000``."""
    if value >= 1e8:
        return f"{value / 1e6:,.0f} M"
    if value >= 1e6:
        return f"{value / 1e6:.1f} M"
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 100 else f"{value:.3g}"


def seconds(value: float) -> str:
    """A time: ``14.8 ms``, ``1.52 s``."""
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.3g} ms"


def times(value: float) -> str:
    """A ratio: ``149×``, ``7.2×``, ``80,000×``."""
    return f"{value:,.0f}×" if value >= 20 else f"{value:.2g}×"


def engine_table() -> str:
    """What each engine does in a second, from the saved bench."""
    run = read("bench")
    seen = run["machine"]
    lines = [
        f"{seen['processor']}, {seen['cores']} cores, Python {seen['python']}, numba {seen['numba']}.\n",
        "| what | median | by processor time | spread | first call |",
        "|---|---:|---:|---:|---:|",
    ]
    for result in run["results"]:
        one = result["amount"] == 1
        median = seconds(result["median"]) if one else f"{rate(result['rate'])} {result['unit']}/s"
        cpu = seconds(1 / result["cpu_rate"]) if one else f"{rate(result['cpu_rate'])} {result['unit']}/s"
        spread = f"± {100 * result['spread']:.1f} %"
        lines.append(f"| {result['name']} | {median} | {cpu} | {spread} | {seconds(result['first'])} |")
    return "\n".join(lines) + "\n"


def peers_table(long: bool = False) -> str:
    """musodds beside the poker libraries, from the saved run."""
    run = read("peers")
    head = "| race | library | a second, one core | musodds is | its work |"
    lines = [head, "|---|---|---:|---:|---|"]
    for result in run["results"]:
        ours = result["name"].startswith("musodds")
        told = result["like"] if ours or not result["unlike"] else result["unlike"]
        if long and not ours:
            told = f"like: {result['like']}; unlike: {result['unlike'] or 'nothing'}"
        ratio = "" if ours else times(result["ratio"])
        name = f"{result['name']} {result['version']}"
        lines.append(f"| {result['race']} | {name} | {rate(result['rate'])} | {ratio} | {told} |")
    return "\n".join(lines) + "\n"


def growth_table() -> str:
    """Time against deals, threads, conditions and rows."""
    run = read("growth")
    deals, rows = run["deals"], run.get("rows")
    lines = [
        "| deals, one thread | seconds | ns of processor a deal | most memory |",
        "|---:|---:|---:|---:|",
    ]
    for point in deals["points"]:
        each = point["cpu"] / point["deals"] * 1e9
        held = f"{point['memory'] / 2**20:.0f} MiB"
        lines.append(f"| {point['deals']:,} | {point['seconds']:.4g} | {each:.2f} | {held} |")
    lines += [
        f"\nFitted: {deals['fixed'] * 1e3:.2f} ms and {deals['each'] * 1e9:.2f} ns a deal.\n",
        "| threads | deals a second | gain | control |",
        "|---:|---:|---:|---:|",
    ]
    first = run["threads"][0]
    for point in run["threads"]:
        gain = first["seconds"] / point["seconds"]
        control = first["control_seconds"] / point["control_seconds"]
        per_second = rate(20_000_000 / point["seconds"])
        lines.append(f"| {point['threads']} | {per_second} | {gain:.2f}× | {control:.2f}× |")
    lines += ["\n| known of the others | once | a deal |", "|---|---:|---:|"]
    lines += [
        f"| {point['known']} | {point['fixed'] * 1e3:.1f} ms | {point['each'] * 1e9:.1f} ns |"
        for point in run["conditions"]
    ]
    if rows:
        lines += ["\n| rows of a file | seconds |", "|---:|---:|"]
        lines += [f"| {point['rows']:,} | {point['seconds']:.3g} |" for point in rows["points"]]
        lines.append(f"\nFitted: {rows['fixed'] * 1e3:.0f} ms and {rows['each'] * 1e6:.2f} µs a row.")
    return "\n".join(lines) + "\n"


def startup_table() -> str:
    """Whole processes."""
    lines = ["| process | median | best | processor |", "|---|---:|---:|---:|"]
    for result in read("startup")["results"]:
        shown = " | ".join(f"{result[name]:.2f} s" for name in ("seconds", "best", "cpu"))
        lines.append(f"| {result['name']} | {shown} |")
    return "\n".join(lines) + "\n"


def targets_table() -> str:
    """What was to be reached, and what is."""
    bench = {result["name"]: result for result in read("bench")["results"]}
    starts = {result["name"]: result for result in read("startup")["results"]}
    rows = read("growth").get("rows", {"points": []})["points"]
    ratios = {(result["race"], result["name"].partition(" ")[0]): [] for result in read("peers")["results"]}
    for result in read("peers")["results"]:
        ratios[result["race"], result["name"].partition(" ")[0]].append(result["ratio"])
    fastest_peer = min(
        min(found) for (race, name), found in ratios.items() if race == "evaluate" and name != "musodds"
    )
    lines = ["| what | to reach | measured | |", "|---|---:|---:|---|"]

    def by_processor(name: str) -> float | None:
        return 1 / float(bench[name]["cpu_rate"]) if name in bench else None

    def line(what: str, aim: float, found: float | None, show: Callable[[float], str], more: bool) -> None:
        if found is None:
            lines.append(f"| {what} | {show(aim)} | not measured yet | |")
            return
        by = found / aim if more else aim / found
        verdict = f"reached, {by:.2g} times over" if by >= 1 else f"not reached: {1 / by:.2g} times short"
        lines.append(f"| {what} | {show(aim)} | {show(found)} | {verdict} |")

    def at(table: dict[str, Any], name: str, field: str) -> float | None:
        return float(table[name][field]) if name in table else None

    simulate = "simulate, nothing known, 1 thread"
    line("deals a second, one core", 20e6, at(bench, simulate, "cpu_rate"), rate, True)
    line("the same beside eval7's compiled heads-up loop", 2, min(ratios["heads-up", "eval7"]), times, True)
    line("hands a second, one core", 2e8, at(bench, "evaluate, 8 kings, shuffled", "cpu_rate"), rate, True)
    line("the same beside the fastest evaluator called from Python", 30, fastest_peer, times, True)
    line("exact, one hand, eight kings, one core", 0.05, by_processor("exact, 8 kings"), seconds, False)
    line("exact, one hand, four kings, one core", 0.5, by_processor("exact, 4 kings"), seconds, False)
    whole = by_processor("whole table, 8 kings, 1 thread")
    line("whole exact table, eight kings, one core", 30, whole, seconds, False)
    line(
        "`discard`, whole process, warm, a million deals",
        1.5,
        at(starts, "discard, warm", "seconds"),
        seconds,
        False,
    )
    line("`--help`, whole process", 0.2, at(starts, "--help", "seconds"), seconds, False)
    line("`odds`, whole process, warm", 1.0, at(starts, "odds, warm", "seconds"), seconds, False)
    line("`odds`, whole process, first ever", 8.0, at(starts, "odds, first ever", "seconds"), seconds, False)
    million = next((point["seconds"] for point in rows if point["rows"] == 1_000_000), None)
    line("batch, a million rows", 5.0, million, seconds, False)
    return "\n".join(lines) + "\n"


TABLES: dict[str, Callable[[], str]] = {
    "engines": engine_table,
    "peers": peers_table,
    "likeness": lambda: peers_table(long=True),
    "growth": growth_table,
    "startup": startup_table,
    "targets": targets_table,
}


def renewed(text: str) -> str:
    """A page with every table as the saved runs have it."""
    return _BLOCK.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", text)


def main() -> int:
    """Renew the pages, or check them."""
    stale = []
    for path in FILES:
        old = path.read_text(encoding="utf-8")
        new = renewed(old)
        if new != old:
            stale.append(path.name)
            if sys.argv[1:] != ["--check"]:
                path.write_text(new, encoding="utf-8")
    print(f"renewed: {', '.join(stale)}" if stale else "up to date")
    return 1 if stale and sys.argv[1:] == ["--check"] else 0


if __name__ == "__main__":
    sys.exit(main())
