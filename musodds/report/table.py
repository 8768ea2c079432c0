"""Answers as tables for people: plain columns in a pipe, styles and bars on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from musodds.mus.rules import Rules
from musodds.report.grid import Grid, draw
from musodds.report.odds_text import head, lances_grid, seats_grid, stones_line
from musodds.report.screen import PAPER, Screen
from musodds.report.stones import spread_chart, spread_grid
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.odds import Odds


def odds_table(answers: Sequence[Odds], words: Words, screen: Screen = PAPER) -> str:
    """One seat in full, or several seats of a hand side by side."""
    lines = head(answers, words, screen)
    if len(answers) > 1:
        return screen.spell(sheet(lines, draw(seats_grid(answers, words, screen), screen), [], screen))
    answer = answers[0]
    body = draw(lances_grid(answer, words, screen), screen)
    text = sheet(lines, body, [stones_line(answer, words, screen)], screen)
    grid = spread_grid(answer, words, screen)
    if grid is not None:
        text += "\n" + spread_chart(answer, screen) + draw(grid, screen)
    return screen.spell(text)


def rules_table(presets: Mapping[str, Rules], words: Words, screen: Screen = PAPER) -> str:
    """The presets, one row each."""
    return screen.spell(draw(rules_grid(presets, words), screen))


def rules_grid(presets: Mapping[str, Rules], words: Words) -> Grid:
    """The presets in words."""
    names = [field.name for field in fields(Rules)]
    headers = tuple(words(f"rules {name}") for name in names)
    rows = tuple(
        tuple(_rule(name, getattr(rules, name), words) for name in names) for rules in presets.values()
    )
    return Grid(headers, rows, words=len(names))


def _rule(name: str, value: object, words: Words) -> str:
    if value is None:
        return words("none" if name in ("max_mus", "bet_limit") else "not said")
    if isinstance(value, bool):
        return words("yes" if value else "no")
    return words(value) if isinstance(value, str) and name != "preset" else str(value)


def sheet(lines: Sequence[str], body: str, foot: Sequence[str], screen: Screen) -> str:
    """Lines, a blank, the body, a blank, more lines; words are wrapped, columns are not."""
    parts = [*(_wrapped(line, screen) for line in lines), "\n", body]
    if foot:
        parts += ["\n", *(_wrapped(line, screen) for line in foot)]
    return "".join(parts)


def _wrapped(line: str, screen: Screen) -> str:
    if screen.width is None or len(line) <= screen.width:
        return line + "\n"
    # A margin stays with its sign and a percent sign with its number.
    tied = line.replace("± ", "±\xa0").replace("+- ", "+-\xa0").replace(" %", "\xa0%")
    wrapped = textwrap.wrap(tied, max(screen.width, 20), break_long_words=False, break_on_hyphens=False)
    return "\n".join(wrapped).replace("\xa0", " ") + "\n"
