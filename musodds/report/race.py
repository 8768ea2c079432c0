"""The chance to win the game, from one score or from every score: table, heat map, JSON, CSV, Markdown.

The heat map has a sign for every score: our stones down, theirs across. A digit is the chance in tens of
per cent (7: from 70 to below 80), so it reads the same where only plain text can be drawn; a terminal colours it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from musodds.report.csv_ import write
from musodds.report.grid import Grid, draw, markdown
from musodds.report.json_ import document, rules_object
from musodds.report.odds_text import rules_line
from musodds.report.screen import PAPER, Screen
from musodds.report.table import sheet
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.race import Board, Race

SCHEMA = "musodds.race/1"

COLUMNS = (
    *("preset", "kings", "real", "target", "others", "cuts", "play"),
    *("us", "them", "win_with_mano", "win_without_mano", "win"),
)
"""The columns of the CSV: one row per score; ``win`` averages over both manos."""

GRID_STEP = 5
MARGIN_OF_MAP = 6
COLOURS = (196, 202, 208, 214, 220, 190, 154, 118, 82, 46)
"""Of the 256 of a terminal: from red, where we lose, to green."""


def race_table(found: Race, words: Words, screen: Screen = PAPER) -> str:
    """The chance from one score, for a terminal or a pipe."""
    body = draw(race_grid(found, words, screen), screen)
    return screen.spell(sheet(race_head(found, words, screen), body, [], screen))


def race_markdown(found: Race, words: Words, screen: Screen = PAPER) -> str:
    """The same as Markdown."""
    return _markdown(race_head(found, words, screen), race_grid(found, words, screen), screen)


def race_json(found: Race) -> str:
    """The chance from one score as a JSON document."""
    result = {
        "us": found.us,
        "them": found.them,
        "mano": found.mano,
        "win": found.win,
        "margin": found.margin,
        "win_with_mano": found.win_with_mano,
        "win_without_mano": found.win_without_mano,
    }
    return document(SCHEMA, **_played(found.board), results=[result])


def race_csv(found: Race) -> str:
    """One row."""
    return write(COLUMNS, iter([_row(found.board, found.us, found.them)]))


def board_table(board: Board, mano: str | None, words: Words, screen: Screen = PAPER) -> str:
    """The heat map of every score, then the figures of every fifth."""
    body = heat_map(board, mano, words, screen) + "\n" + draw(board_grid(board, mano, words), screen)
    return screen.spell(sheet(board_head(board, mano, words, screen), body, [], screen))


def board_markdown(board: Board, mano: str | None, words: Words, screen: Screen = PAPER) -> str:
    """The figures of every fifth score as Markdown."""
    return _markdown(board_head(board, mano, words, screen), board_grid(board, mano, words), screen)


def board_json(board: Board) -> str:
    """Every score as a JSON document."""
    results = [
        {
            "us": us,
            "them": them,
            "win_with_mano": board.chance(us, them, "us"),
            "win_without_mano": board.chance(us, them, "them"),
        }
        for us, them in _scores(board)
    ]
    return document(SCHEMA, **_played(board), results=results)


def board_csv(board: Board) -> str:
    """One row per score."""
    return write(COLUMNS, (_row(board, us, them) for us, them in _scores(board)))


def race_head(found: Race, words: Words, screen: Screen) -> list[str]:
    """What was asked and how the hands are played."""
    score = words.pick("{}-{}, to {}", "{}-{}, a {}").format(found.us, found.them, found.board.rules.target)
    dot = f" {screen.draw('·')} "
    return [f"{score}{dot}{rules_line(found.board.rules, words)}", played_line(found.board, words, screen)]


def board_head(board: Board, mano: str | None, words: Words, screen: Screen) -> list[str]:
    """What the map shows."""
    dot = f" {screen.draw('·')} "
    title = words.pick("every score, to {}", "todos los tanteos, a {}").format(board.rules.target)
    whose = {
        "us": words.pick("we have the mano", "somos mano"),
        "them": words.pick("they have the mano", "son mano ellos"),
        None: words.pick("averaged over who has the mano", "en promedio de quién sea mano"),
    }[mano]
    return [f"{title}{dot}{rules_line(board.rules, words)}", played_line(board, words, screen), whose]


def played_line(board: Board, words: Words, screen: Screen) -> str:
    """How the hands to come are played."""
    others = board.others if board.cuts is None else f"{board.others} ({board.cuts})"
    play = {
        "passed": words.pick("every lance passed", "todo en paso"),
        "envido": words.pick(
            "2 accepted in every contested lance", "envido y quiero en todo lance disputado"
        ),
    }[board.play]
    hands = words.pick("{} hands simulated", "{} manos simuladas").format(words.count(board.hands))
    mus = words.pick("mus as {}", "mus como {}").format(others)
    return f" {screen.draw('·')} ".join((mus, play, hands))


def race_grid(found: Race, words: Words, screen: Screen) -> Grid:
    """One row for each mano and their average, or only the one asked for."""
    board, asked = found.board, ("us", "them", None) if found.mano is None else (found.mano,)
    names = {
        "us": words.pick("us", "nosotros"),
        "them": words.pick("them", "ellos"),
        None: words.pick("average", "promedio"),
    }
    wins = {"us": found.win_with_mano, "them": found.win_without_mano, None: found.win}
    rows = []
    for mano in asked:
        margin = words.up(100 * board.margin(found.us, found.them, mano), 2)
        rows.append((names[mano], f"{words.percent(wins[mano])} {screen.draw('±')} {margin}"))
    headers = (
        words.pick("mano of the\nnext hand", "mano en la\npróxima"),
        words.pick("we win\nthe game %", "ganamos\nel juego %"),
    )
    return Grid(headers, tuple(rows), bars=tuple(wins[mano] for mano in asked))


def board_grid(board: Board, mano: str | None, words: Words) -> Grid:
    """Whole per cents at every fifth score and at the last before the target."""
    last = board.rules.target - 1
    step = GRID_STEP * max(1, board.rules.target // 60)
    some = [*range(0, last, step), last] if last else [0]
    corner = words.pick("us \\ them", "nosotros \\ ellos")
    rows = tuple(
        (str(us), *(words.number(100 * _chance(board, us, them, mano)) for them in some)) for us in some
    )
    return Grid((corner, *(str(them) for them in some)), rows)


def heat_map(board: Board, mano: str | None, words: Words, screen: Screen) -> str:
    """A digit for every score; every second, third, ... stone where the screen is narrow."""
    target = board.rules.target
    room = max(1, (screen.width or 100) - MARGIN_OF_MAP)
    step = -(-target // room)
    stones = range(0, target, step)
    ticks = "".join(str(them).ljust(10) for them in stones[::10])
    lines = [
        words.pick(
            "our stones down, theirs across; 7 is 70 to 79 %",
            "nuestras piedras hacia abajo, las suyas a lo ancho; 7 es de 70 a 79 %",
        ),
        " " * MARGIN_OF_MAP + ticks.rstrip(),
    ]
    for us in stones:
        label = str(us) if (us // step) % 5 == 0 else ""
        digits = [min(9, int(10 * _chance(board, us, them, mano))) for them in stones]
        signs = "".join(_sign(digit, screen) for digit in digits)
        lines.append(f"{label:>{MARGIN_OF_MAP - 2}}  {signs}")
    return "\n".join(lines) + "\n"


def _sign(digit: int, screen: Screen) -> str:
    return f"\x1b[30;48;5;{COLOURS[digit]}m{digit}\x1b[0m" if screen.styled else str(digit)


def _chance(board: Board, us: int, them: int, mano: str | None) -> float:
    if mano is not None:
        return board.chance(us, them, mano)
    return (board.chance(us, them, "us") + board.chance(us, them, "them")) / 2


def _scores(board: Board) -> Iterator[tuple[int, int]]:
    target = board.rules.target
    return ((us, them) for us in range(target) for them in range(target))


def _played(board: Board) -> dict[str, Any]:
    return {
        "rules": rules_object(board.rules),
        "others": board.others,
        "cuts": board.cuts,
        "play": board.play,
        "hands": board.hands,
    }


def _row(board: Board, us: int, them: int) -> list[object]:
    rules = board.rules
    asked = [rules.preset, rules.kings, rules.real, rules.target, board.others, board.cuts, board.play]
    wins = [board.chance(us, them, "us"), board.chance(us, them, "them"), _chance(board, us, them, None)]
    return [*asked, us, them, *wins]


def _markdown(lines: list[str], grid: Grid, screen: Screen) -> str:
    first, *rest = lines
    text = f"## {first}\n\n" + "".join(f"{line}\n\n" for line in rest) + markdown(grid)
    return screen.spell(text)
