"""Pictures: the heat map of all hands and the race board. Only this file knows matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from musodds.errors import MusoddsError
from musodds.mus.lances import LANCES
from musodds.report.boards import race_title
from musodds.report.odds_text import rules_line
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.race import Board
    from musodds.analysis.table import HandTable, TableRow

LINES = 90
"""Hands in a column of the picture at most."""
_COLD, _WARM = ("#8a3b06", "#e58a45"), ("#35ad7f", "#064a31")
_PAPER = "#ffffff"


def check_plot() -> None:
    """Refuse to draw where matplotlib is missing, before any work is done.

    Raises:
        MusoddsError: naming what to install.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MusoddsError(
            "pictures need matplotlib; install it with: pip install 'musodds[plot]'"
        ) from error


def table_picture(tables: HandTable, words: Words, kind: str) -> bytes:
    """The heat map of a table: a line for each hand, for each lance a cell for each seat, then the stones.

    The hands stand in the order of the table's first seat, down the columns from the left. Lances go from
    white (never won) to green (always); stones from orange (theirs) over white to green (ours).

    Args:
        tables: the table.
        words: the language.
        kind: ``png`` or ``svg``. The same table gives the same picture: no date is in it.

    Raises:
        MusoddsError: if matplotlib is not installed.
    """
    check_plot()
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    hands = _by_hand(tables)
    columns = -(-len(hands) // LINES)
    lines = -(-len(hands) // columns)
    wide = 1.1 + 0.16 * (len(LANCES) + 1) * max(len(tables.seats), 2)
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(wide * columns, 0.145 * lines + 1.5), dpi=130, layout="constrained")
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(h_pad=0.08)
        figure.suptitle(_title(tables, words), x=0.012, ha="left", fontsize=13, fontweight="bold")
        axes = figure.subplots(1, columns, squeeze=False)[0]
        most = max(abs(row.figures.stones.difference) for row in tables.rows)
        for number, ax in enumerate(axes):
            part = hands[number * lines : (number + 1) * lines]
            images = _column(ax, part, tables, words, most, lines)
        below: dict[str, Any] = {"location": "bottom", "aspect": 60, "shrink": 0.45, "pad": 0.008}
        figure.colorbar(images[1], ax=list(axes), label=words("stones"), **below)
        figure.colorbar(images[0], ax=list(axes), label=words("win"), **below)
        return _saved(figure, kind)


def race_picture(found: Board, words: Words, kind: str) -> bytes:
    """The race board: our chance to win by our stones (down) and theirs (across), for either pair as mano.

    Args and errors are those of ``table_picture``.
    """
    check_plot()
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

    both = LinearSegmentedColormap.from_list("both", [*_COLD, _PAPER, *_WARM])
    edges = list(range(found.rules.target + 1))
    scores = edges[:-1]
    marks = [score for score in scores if score % 5 == 0]
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(13, 6.9), dpi=130, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(1, 2)
        for ax, mano in zip(axes, ("us", "them"), strict=True):
            chances = [[100 * found.chance(us, them, mano) for them in scores] for us in scores]
            mesh = ax.pcolormesh(edges, edges, chances, cmap=both, vmin=0, vmax=100)
            middles = [score + 0.5 for score in scores]
            ax.contour(
                middles, middles, chances, levels=[10, 25, 50, 75, 90], colors="#333333", linewidths=0.6
            )
            ax.set_title(race_title(found, mano, words).replace(" · ", "\n", 1), loc="left", fontsize=9)
            ax.set_aspect("equal")
            ax.invert_yaxis()
            ax.set_xticks([mark + 0.5 for mark in marks], [str(mark) for mark in marks])
            ax.set_yticks([mark + 0.5 for mark in marks], [str(mark) for mark in marks])
            ax.set_xlabel(words.pick("their stones", "piedras suyas"))
            ax.set_ylabel(words.pick("our stones", "piedras nuestras"))
            for us in marks:
                for them in marks:
                    share = chances[us][them]
                    ink = "#ffffff" if abs(share - 50) > 38 else "#111111"
                    text = words.number(share, 0)
                    ax.text(them + 0.5, us + 0.5, text, ha="center", va="center", fontsize=6, color=ink)
        figure.colorbar(mesh, ax=list(axes), location="bottom", aspect=60, shrink=0.5)
        return _saved(figure, kind)


def _saved(figure: Any, kind: str) -> bytes:
    """The file of a figure. No date and no version: the same table is the same file."""
    buffer = BytesIO()
    figure.savefig(buffer, format=kind, metadata={"Software": None} if kind == "png" else {"Date": None})
    return buffer.getvalue()


_STYLE = {
    "font.size": 7,
    "font.family": "DejaVu Sans",
    "svg.hashsalt": "musodds",
    "svg.fonttype": "none",
    "axes.linewidth": 0,
}


def _by_hand(tables: HandTable) -> list[list[TableRow]]:
    """The rows hand by hand, each over all seats, in the order of the first seat."""
    seats: dict[int, list[TableRow]] = {}
    for row in tables.rows:
        seats.setdefault(row.row, []).append(row)
    return list(seats.values())


def _title(tables: HandTable, words: Words) -> str:
    who = words(f"seat {tables.seats[0]}") if len(tables.seats) == 1 else words("all seats")
    what = words.pick("every hand of Mus", "todas las manos del mus")
    order = words.pick("by cards", "por cartas") if tables.sort == "hand" else words(tables.sort)
    if len(tables.seats) > 1:
        order += f" ({words(f'seat {tables.seats[0]}')})"
    by = words.pick("strongest first", "de mejor a peor")
    return f"{what} · {who} · {rules_line(tables.rules, words)} · {by}: {order}"


def _column(
    ax: Any, hands: Sequence[Sequence[TableRow]], tables: HandTable, words: Words, most: float, lines: int
) -> tuple[Any, Any]:
    """One column of hands; gives the meshes of lances and stones for the legends."""
    from matplotlib.colors import LinearSegmentedColormap

    seats = len(tables.seats)
    heat = LinearSegmentedColormap.from_list("heat", [_PAPER, *_WARM])
    both = LinearSegmentedColormap.from_list("both", [*_COLD, _PAPER, *_WARM])
    gap = 0.35
    edge: dict[str, Any] = {"edgecolors": "#ffffff", "linewidth": 0.25}
    meshes: list[Any] = []
    downwards = list(range(len(hands) + 1))
    for place, name in enumerate((*LANCES, "stones")):
        left = place * (seats + gap)
        across = [left + i for i in range(seats + 1)]
        if name == "stones":
            values = [[row.figures.stones.difference for row in rows] for rows in hands]
            mesh = ax.pcolormesh(across, downwards, values, cmap=both, vmin=-most, vmax=most, **edge)
        else:
            values = [[100 * row.figures.lances[name].win for row in rows] for rows in hands]
            mesh = ax.pcolormesh(across, downwards, values, cmap=heat, vmin=0, vmax=100, **edge)
        meshes.append(mesh)
    middles = [place * (seats + gap) + seats / 2 for place in range(len(LANCES) + 1)]
    ax.set_xticks(middles, [words(name) for name in (*LANCES, "stones")], rotation=45, ha="left")
    ax.set_yticks([i + 0.5 for i in range(len(hands))], [rows[0].hand for rows in hands], family="monospace")
    ax.xaxis.tick_top()
    ax.tick_params(length=0, pad=1.5)
    ax.set_xlim(0, (len(LANCES) + 1) * (seats + gap) - gap)
    ax.set_ylim(lines, 0)
    return meshes[0], meshes[-1]
