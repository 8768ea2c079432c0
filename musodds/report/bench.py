"""What ``musodds bench`` measured, as a table, JSON, CSV or Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from musodds.report.csv_ import write
from musodds.report.grid import Grid, draw, markdown
from musodds.report.json_ import document
from musodds.report.screen import PAPER, Screen
from musodds.report.table import sheet
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.bench import Bench
    from musodds.engine.bench import Timing

SCHEMA = "musodds.bench/1"
COLUMNS = (
    *(
        "name",
        "unit",
        "amount",
        "threads",
        "runs",
        "rate",
        "best_rate",
        "cpu_rate",
        "median",
        "best",
        "spread",
    ),
    *("cpu", "first", "cold", "checksum"),
)
_SCALES = ((1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, " "))


def bench_json(found: Bench) -> str:
    """Everything measured: seconds, rates in units a second, every repetition."""
    return document(
        SCHEMA,
        machine={**found.machine, "load_before": found.load[0], "load_after": found.load[1]},
        results=[bench_object(timing) for timing in found.timings],
    )


def bench_object(timing: Timing) -> dict[str, Any]:
    """One piece of work."""
    return {
        **dict(zip(COLUMNS, _values(timing), strict=True)),
        "note": timing.note,
        "seconds": [round(one, 9) for one in timing.seconds],
        "cpu_seconds": [round(one, 9) for one in timing.cpu],
    }


def bench_csv(found: Bench) -> str:
    """One row for each piece of work."""
    return write(COLUMNS, (_values(timing) for timing in found.timings))


def bench_table(found: Bench, words: Words, screen: Screen = PAPER) -> str:
    """The table for people."""
    return screen.spell(sheet(_head(found, words), draw(_grid(found, words), screen), _foot(words), screen))


def bench_markdown(found: Bench, words: Words, screen: Screen = PAPER) -> str:
    """The same as Markdown."""
    head, foot = "".join(f"{line}  \n" for line in _head(found, words)), "\n".join(_foot(words))
    return screen.spell(f"{head}\n{markdown(_grid(found, words))}\n{foot}\n")


def rate(value: float, words: Words) -> str:
    """Units a second, in three or four digits: ``2.11 G``, ``149 M``, ``19.2``."""
    scale, letter = next(((s, name) for s, name in _SCALES if value >= s), _SCALES[-1])
    shown = value / scale
    return words.number(shown, 0 if shown >= 100 else 1 if shown >= 10 else 2) + letter


def duration(seconds: float, words: Words) -> str:
    """A time with its unit: ``0.48 ms``, ``26.9 ms``, ``1.52 s``."""
    shown, unit = (seconds, " s") if seconds >= 1 else (seconds * 1000, " ms")
    return words.number(shown, 0 if shown >= 100 else 1 if shown >= 10 else 2) + unit


def _values(timing: Timing) -> list[Any]:
    return [
        *(timing.name, timing.unit, timing.amount, timing.threads, len(timing.seconds)),
        *(timing.rate, timing.best_rate, timing.cpu_rate, timing.median, timing.best, timing.spread),
        *(min(timing.cpu), timing.first, timing.cold, timing.checksum),
    ]


def _head(found: Bench, words: Words) -> list[str]:
    seen = found.machine
    cores = words.pick("{} cores", "{} núcleos").format(seen["cores"])
    lines = [
        f"{seen['processor']} · {cores} · {seen['system']}",
        f"Python {seen['python']}, numpy {seen['numpy']}, numba {seen['numba']}",
    ]
    before, after = found.load
    if before is not None and after is not None:
        text = words.pick("load {} before, {} after", "carga {} antes, {} después")
        lines.append(text.format(words.number(before, 2), words.number(after, 2)))
    return lines


def _grid(found: Bench, words: Words) -> Grid:
    headers = (
        words.pick("what", "qué"),
        words.pick("median\na second", "mediana\npor segundo"),
        words.pick("a processor\nsecond", "por segundo\nde procesador"),
        words.pick("spread", "dispersión"),
        words.pick("one run", "una vez"),
        words.pick("runs", "veces"),
        words.pick("first\ncall", "primera\nvez"),
        words.pick("checksum", "suma"),
    )
    return Grid(headers, tuple(_rows(found, words)), words=1)


def _rows(found: Bench, words: Words) -> Iterator[tuple[str, ...]]:
    for timing in found.timings:
        yield (
            timing.name,
            f"{rate(timing.rate, words)}{timing.unit}",
            f"{rate(timing.cpu_rate, words)}{timing.unit}",
            f"± {words.percent(timing.spread, 1)} %",
            duration(timing.median, words),
            str(len(timing.seconds)),
            duration(timing.first, words),
            timing.checksum,
        )


def _foot(words: Words) -> list[str]:
    return [
        words.pick(
            "The first call compiles or reads compiled code, and is not among the runs. "
            "Every run gave the same result, and it agrees with what is known.",
            "La primera vez compila o lee lo compilado y no cuenta entre las demás. "
            "Todas dieron el mismo resultado, y concuerda con lo conocido.",
        )
    ]
