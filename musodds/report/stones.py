"""How the stones of a hand are spread: the chance of each difference, in columns and as a small bar chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from musodds.report.grid import Grid
from musodds.report.screen import Screen
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.odds import Odds

GROUPS = ((-99, -6), (-5, -3), (-2, -1), (0, 0), (1, 2), (3, 5), (6, 99))
"""Differences that share a column, first and last."""

HEIGHT = 4
EIGHTHS = " ▁▂▃▄▅▆▇█"
RAREST = 0.0005


def spread(answer: Odds) -> Mapping[int, float] | None:
    """The probability of each difference in stones; None where no engine counted it."""
    for figures in (answer.exact, answer.simulated):
        if figures is not None and figures.stones.distribution is not None:
            return figures.stones.distribution
    return None


def spread_grid(answer: Odds, words: Words, screen: Screen) -> Grid | None:
    """One row: the share of deals of each group of differences; None where it is not known."""
    known = spread(answer)
    if known is None:
        return None
    most, least = screen.draw("≤"), screen.draw("≥")
    headers = [words.pick("difference", "diferencia")]
    cells = [words.pick("% of deals", "% de repartos")]
    for first, last in GROUPS:
        if first < -90:
            headers.append(f"{most}{last}")
        elif last > 90:
            headers.append(f"{least}{first:+}")
        else:
            headers.append("0" if first == 0 else f"{first:+}..{last:+}")
        share = sum(chance for stones, chance in known.items() if first <= stones <= last)
        cells.append(words.percent(share, 1))
    return Grid(tuple(headers), (tuple(cells),))


def spread_chart(answer: Odds, screen: Screen) -> str:
    """A bar for each difference, on a terminal with room for them; else nothing."""
    known = spread(answer)
    if known is None or not screen.terminal:
        return ""
    shown = [stones for stones, chance in known.items() if chance >= RAREST]
    stones = range(min(*shown, 0), max(*shown, 0) + 1)
    wide = 2 * len(stones)
    if screen.width is not None and wide + 2 > screen.width:
        return ""
    top = max(known.values())
    lines = []
    for row in reversed(range(HEIGHT)):
        bars = [_part(known.get(each, 0.0) / top * HEIGHT - row, screen) for each in stones]
        lines.append("  " + "".join(bar * 2 for bar in bars))
    axis = [" "] * (wide + 4)
    for each in (stones[0], 0, stones[-1]):
        label = f"{each:+}" if each else "0"
        place = 2 + 2 * (each - stones[0])
        axis[place : place + len(label)] = label
    lines.append("".join(axis))
    return "".join(line.rstrip() + "\n" for line in lines)


def _part(level: float, screen: Screen) -> str:
    """How much of a cell a bar fills: eighths, or with ASCII all or nothing."""
    eighths = round(8 * min(1.0, max(0.0, level)))
    if not screen.can_say(EIGHTHS):
        return "#" if eighths >= 4 else " "
    return EIGHTHS[eighths]
