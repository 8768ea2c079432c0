"""A table of words and numbers, drawn for a terminal, for a pipe, or as Markdown."""

from __future__ import annotations

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
            if screen.terminal:
                return _styled(grid, widths, gap, screen, (screen.width or 80) - total - gap)
            return _plain(grid, widths, gap)
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


def _plain(grid: Grid, widths: list[int], gap: int) -> str:
    lines = [*_header_lines(grid), *grid.rows]
    text = []
    for line in lines:
        cells = [
            cell.ljust(width) if i < grid.words else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        text.append((" " * gap).join(cells).rstrip() + "\n")
    return "".join(text)


def _styled(grid: Grid, widths: list[int], gap: int, screen: Screen, room: int) -> str:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="bold")
    for i, (header, width) in enumerate(zip(grid.headers, widths, strict=True)):
        table.add_column(
            Text(screen.spell(header)),
            justify="left" if i < grid.words else "right",
            vertical="bottom",
            min_width=width,
            no_wrap=True,
            style="bold" if i == 0 else "",
        )
    shortest, longest = BAR_LENGTHS
    length = min(longest, room)
    bars = grid.bars if grid.bars is not None and length >= shortest else None
    if bars is not None:
        table.add_column("", style="cyan", no_wrap=True, min_width=length)
    full = screen.draw("█")
    for i, row in enumerate(grid.rows):
        cells = [Text(screen.spell(cell)) for cell in row]
        if bars is not None:
            cells.append(Text(full * round(length * (bars[i] or 0.0))))
        table.add_row(*cells)
    buffer = StringIO()
    Console(file=buffer, force_terminal=True, width=screen.width or 80).print(table)
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
