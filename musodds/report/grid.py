"""A table of words and numbers, drawn for a terminal, for a pipe, or as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from musodds.report.screen import Screen

BAR_LENGTHS = (8, 20)
"""The shortest bar worth drawing and the longest, in columns."""


@dataclass(frozen=True)
class Grid:
    """A table: headers (``\\n`` breaks a header into lines) and rows of as many cells.

    Attributes:
        headers: one per column.
        rows: the cells; numbers are already written.
        words: how many leading columns are words, to the left; the others are numbers, to the right.
        bars: a share of 1 for each row, drawn as a bar on a terminal; None draws none.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    bars: tuple[float | None, ...] | None = None


def draw(grid: Grid, screen: Screen) -> str:
    """The table as text for a screen.

    Where the columns do not fit, each row becomes a short list: numbers are never cut.
    """
    widths = _widths(grid)
    for gap in (3, 2, 1) if screen.terminal else (2, 1):
        total = sum(widths) + gap * (len(widths) - 1)
        if screen.width is None or total <= screen.width:
            lines = [_line(header, grid, widths, gap) for header in _header_lines(grid)]
            rows = [_line(row, grid, widths, gap) for row in grid.rows]
            bars = _bars(grid, screen, (screen.width or 0) - total - gap)
            if screen.styled:
                return _styled(lines, rows, bars, gap, screen)
            rows = [f"{row}{' ' * gap}{bar}" for row, bar in zip(rows, bars, strict=True)]
            return "".join(line.rstrip() + "\n" for line in (*lines, *rows))
    return _folded(grid)


def markdown(grid: Grid) -> str:
    """The table as Markdown."""
    lines = [[header.replace("\n", " ") for header in grid.headers]]
    lines.append(["---" if i < grid.words else "---:" for i in range(len(grid.headers))])
    lines += [[_markdown_cell(cell) for cell in row] for row in grid.rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _markdown_cell(cell: str) -> str:
    text = " ".join(cell.split())
    for special in "\\|<>*_":
        text = text.replace(special, "\\" + special)
    return text


def _widths(grid: Grid) -> list[int]:
    cells = zip(*(grid.headers, *grid.rows), strict=True)
    return [max(len(line) for cell in column for line in (cell.split("\n") or [""])) for column in cells]


def _header_lines(grid: Grid) -> list[list[str]]:
    """The headers line by line; short ones stand on the last line."""
    split = [header.split("\n") for header in grid.headers]
    height = max(len(lines) for lines in split)
    padded = [[""] * (height - len(lines)) + lines for lines in split]
    return [list(line) for line in zip(*padded, strict=True)]


def _line(cells: Sequence[str], grid: Grid, widths: list[int], gap: int) -> str:
    aligned = [
        cell.ljust(width) if i < grid.words else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return (" " * gap).join(aligned)


def _bars(grid: Grid, screen: Screen, room: int) -> list[str]:
    shortest, longest = BAR_LENGTHS
    if grid.bars is None or not screen.terminal or room < shortest:
        return [""] * len(grid.rows)
    return [screen.draw("█") * round(min(longest, room) * (share or 0.0)) for share in grid.bars]


def _styled(lines: list[str], rows: list[str], bars: list[str], gap: int, screen: Screen) -> str:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, gap, 0, 0))
    for line in lines:
        table.add_row(Text(screen.spell(line), style="bold"), "")
    for row, bar in zip(rows, bars, strict=True):
        table.add_row(Text(screen.spell(row)), Text(bar, style="cyan"))
    buffer = StringIO()
    Console(file=buffer, force_terminal=True, width=screen.width).print(table)
    return "".join(line.rstrip() + "\n" for line in buffer.getvalue().splitlines())


def _folded(grid: Grid) -> str:
    headers = [header.replace("\n", " ") for header in grid.headers]
    width = max(len(header) for header in headers[1:])
    text = []
    for row in grid.rows:
        text.append(row[0] + "\n")
        for header, cell in zip(headers[1:], row[1:], strict=True):
            if cell.strip():
                text.append(f"  {header.ljust(width)}  {cell.strip()}\n")
    return "".join(text)
