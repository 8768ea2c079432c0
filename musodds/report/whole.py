"""Tables of all hands: as text, CSV, JSON, Markdown and Parquet.

In CSV and Parquet a row is a hand in a seat, in full precision; the columns are those of ``columns``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from musodds.errors import MusoddsError
from musodds.mus.lances import LANCES
from musodds.report.columns import LANCE_FIGURES, STONES
from musodds.report.csv_ import write
from musodds.report.grid import Grid, draw, markdown
from musodds.report.json_ import document, odds_figures, rules_object
from musodds.report.odds_text import half_width, rules_line, simulated_win, stones_difference
from musodds.report.screen import PAPER, Screen
from musodds.report.table import sheet
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.table import HandTable, TableRow

TABLE_SCHEMA = "musodds.table/1"
_INTERVAL = ("win_low", "win_high")
_ASKED = ("hand", "seat", "preset", "kings", "real", "ways", "engine", "deals")
_TEXTS = ("hand", "preset", "real", "engine")


def columns(tables: HandTable) -> tuple[str, ...]:
    """The columns of a table in order.

    The hand, the seat, the rules, ``ways`` (of the 91,390 ways to deal four cards), the engine and its
    deals; then for each lance its figures, ``_rank`` and ``_percentile``; then the same for the stones.
    Only simulated tables have a seed, intervals and margins.
    """
    simulated = not tables.exact
    figures = [name for name in LANCE_FIGURES if simulated or name not in _INTERVAL]
    stones = [name for name in STONES if simulated or name != "margin"]
    place = ("rank", "percentile")
    return (
        *_ASKED,
        *(("seed",) if simulated else ()),
        *(f"{lance}_{name}" for lance in LANCES for name in (*figures, *place)),
        *(f"stones_{name}" for name in (*stones, *place)),
    )


def records(tables: HandTable) -> Iterator[tuple[object, ...]]:
    """The rows of a table, a value for each of ``columns``; None where there is none."""
    simulated = not tables.exact
    figures = [name for name in LANCE_FIGURES if simulated or name not in _INTERVAL]
    stones = [name for name in STONES if simulated or name != "margin"]
    rules = tables.rules
    for row in tables.rows:
        found = row.figures
        values: list[object] = [row.hand, row.seat, rules.preset, rules.kings, rules.real, row.ways]
        values += ["exact" if tables.exact else "simulated", found.deals]
        if simulated:
            values.append(found.seed)
        for lance in LANCES:
            values += [getattr(found.lances[lance], name) for name in figures]
            values += [row.places[lance].rank, row.places[lance].percentile]
        values += [getattr(found.stones, name) for name in stones]
        values += [row.places["stones"].rank, row.places["stones"].percentile]
        yield tuple(values)


def table_csv(tables: HandTable) -> str:
    """The table as CSV."""
    return write(columns(tables), records(tables))


def table_parquet(tables: HandTable) -> bytes:
    """The table as Parquet: texts, whole numbers and doubles; null where there is no figure.

    Raises:
        MusoddsError: if pyarrow is not installed.
    """
    return parquet_of(columns(tables), list(records(tables)), _kind)


def parquet_of(
    names: Sequence[str], rows: Sequence[Sequence[object]], kind: Callable[[Any, str], Any]
) -> bytes:
    """Rows as Parquet; ``kind`` gives the Arrow type of a column.

    Raises:
        MusoddsError: if pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MusoddsError(
            "Parquet needs pyarrow; install it with: pip install 'musodds[parquet]'"
        ) from error
    values = zip(*rows, strict=True)
    arrays = [
        pyarrow.array(column, type=kind(pyarrow, name)) for name, column in zip(names, values, strict=True)
    ]
    buffer = BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(arrays, list(names)), buffer)
    return buffer.getvalue()


def _kind(arrow: Any, name: str) -> Any:
    if name in _TEXTS:
        return arrow.string()
    if name == "seed":
        return arrow.uint64()
    return arrow.int64() if name in _ASKED or name.endswith("_rank") else arrow.float64()


def table_json(tables: HandTable) -> str:
    """The table as JSON: each result as that of ``odds``, with ``ways`` and ``places`` beside it."""
    engine = "exact" if tables.exact else "simulated"
    return document(
        TABLE_SCHEMA,
        rules=rules_object(tables.rules),
        sort=tables.sort,
        results=[
            {
                "hand": row.hand,
                "seat": row.seat,
                "ways": row.ways,
                "simulated": None,
                "exact": None,
                engine: odds_figures(row.figures),
                "places": {
                    name: {"rank": place.rank, "percentile": place.percentile}
                    for name, place in row.places.items()
                },
            }
            for row in tables.rows
        ],
    )


def table_text(tables: HandTable, words: Words, screen: Screen = PAPER) -> str:
    """The table for reading: a section for each seat, how often each lance is won, the stones."""
    parts = []
    for seat in tables.seats:
        rows = tables.of_seat(seat)
        body = draw(_grid(tables, rows, words, screen), screen)
        parts.append(sheet(_head(tables, rows, words, screen), body, [], screen))
    return screen.spell("\n".join(parts))


def table_markdown(tables: HandTable, words: Words, screen: Screen = PAPER) -> str:
    """The table as Markdown: a section for each seat."""
    parts = []
    for seat in tables.seats:
        rows = tables.of_seat(seat)
        first, *lines = _head(tables, rows, words, screen)
        text = "".join(f"{line}\n\n" for line in lines)
        parts.append(f"## {first}\n\n{text}{markdown(_grid(tables, rows, words, screen))}")
    return screen.spell("\n".join(parts))


def _head(tables: HandTable, rows: Sequence[TableRow], words: Words, screen: Screen) -> list[str]:
    dot = f" {screen.draw('·')} "
    title = words.pick(f"the {len(rows)} hands", f"las {len(rows)} manos")
    figures = rows[0].figures
    if tables.exact:
        run = words("exact deals", deals=words.count(figures.deals))
    else:
        deals = words.count(max(row.figures.deals for row in rows))
        run = words.pick(
            f"{deals} deals simulated for each hand, seed {figures.seed}, {screen.draw('±')} 95 %",
            f"{deals} repartos simulados por mano, semilla {figures.seed}, {screen.draw('±')} al 95 %",
        )
    if tables.drew is not None:
        drew = ", ".join(f"{words(role)} {number}" for role, number in tables.drew.items())
        run += dot + words.pick("after a mus", "tras un mus") + (f": {drew}" if drew else "")
    order = words.pick("order", "orden")
    by = words.pick("by cards", "por cartas") if tables.sort == "hand" else words(tables.sort)
    seat = words(f"seat {rows[0].seat}")
    return [dot.join((title, seat, rules_line(tables.rules, words))), f"{run}{dot}{order}: {by}"]


def _grid(tables: HandTable, rows: Sequence[TableRow], words: Words, screen: Screen) -> Grid:
    """Win % of each lance, the stones difference, and the place in the order of the table."""
    ranked = "stones" if tables.sort == "hand" else tables.sort
    headers = (
        words.pick("hand", "mano"),
        *(f"{words(lance)}\n{words('win')}" for lance in LANCES),
        words("stones"),
        words.pick("rank at\n", "puesto en\n") + words(ranked),
        words.pick("better\nthan %", "mejor\nque %"),
    )
    worst = max(100 * half_width(lance) for row in rows for lance in row.figures.lances.values())
    digits = next((n for n in range(2, 6) if worst >= 10.0**-n), 6) if worst else 2
    lines = []
    for row in rows:
        found = row.figures
        place = row.places[ranked]
        wins = (
            words.sure_percent(found.lances[name].win, digits)
            if tables.exact
            else simulated_win(found.lances[name], digits, words, screen)
            for name in LANCES
        )
        lines.append(
            (
                row.hand,
                *wins,
                stones_difference(found, words, screen),
                screen.draw("–") if place.rank is None else str(place.rank),
                screen.draw("–") if place.percentile is None else words.percent(place.percentile),
            )
        )
    return Grid(headers, tuple(lines))
