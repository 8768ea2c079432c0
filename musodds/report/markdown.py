"""Answers as Markdown: a heading, what was asked, and a table for each seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from musodds.report.grid import markdown
from musodds.report.odds_text import head, lances_grid, stones_line
from musodds.report.screen import PAPER, Screen
from musodds.report.stones import spread_grid
from musodds.report.table import rules_grid
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.odds import Odds
    from musodds.mus.rules import Rules


def odds_markdown(answers: Sequence[Odds], words: Words, screen: Screen = PAPER) -> str:
    """One section per seat."""
    sections = []
    for answer in answers:
        first, *lines = (line.replace("*", r"\*") for line in head([answer], words, screen))
        table = markdown(lances_grid(answer, words, screen))
        foot = stones_line(answer, words, screen) + "\n"
        spread = spread_grid(answer, words, screen)
        if spread is not None:
            foot += f"\n{markdown(spread)}"
        sections.append(f"## {first}\n\n" + "".join(f"{line}\n\n" for line in lines) + f"{table}\n{foot}")
    return screen.spell("\n".join(sections))


def rules_markdown(presets: Mapping[str, Rules], words: Words, screen: Screen = PAPER) -> str:
    """The presets as one table."""
    return screen.spell(markdown(rules_grid(presets, words)))
