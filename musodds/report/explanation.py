"""What conditions leave of the deals, as a table, Markdown, JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from musodds.report.csv_ import write
from musodds.report.grid import Grid, draw, markdown
from musodds.report.json_ import document, rules_object
from musodds.report.odds_text import title
from musodds.report.screen import PAPER, Screen
from musodds.report.table import sheet
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.explanation import Explanation

SCHEMA = "musodds.explain/1"
LEFT = ("hands", "of_hands", "possible", "share")
"""Attributes of ``Explained``: what a condition leaves."""

COLUMNS = ("hand", "seat", "preset", "kings", "real", "seen", "known", "condition", *LEFT)
"""The columns of the CSV: one row per role, and one for all conditions ``together``."""


def explanation_table(told: Sequence[Explanation], words: Words, screen: Screen = PAPER) -> str:
    """A table for each seat, or one where the seats have the same conditions."""
    parts = []
    for group in _groups(told):
        body = draw(_grid(group[0], words, screen), screen)
        parts.append(sheet(_head(group, words, screen), body, _foot(group[0], words), screen))
    return screen.spell("\n".join(parts))


def explanation_markdown(told: Sequence[Explanation], words: Words, screen: Screen = PAPER) -> str:
    """The same as Markdown."""
    parts = []
    for group in _groups(told):
        first, *lines = (line.replace("*", r"\*") for line in _head(group, words, screen))
        parts += [f"## {first}\n", *(f"{line}\n" for line in lines)]
        parts += [markdown(_grid(group[0], words, screen)), *(f"{line}\n" for line in _foot(group[0], words))]
    return screen.spell("\n".join(parts))


def explanation_json(told: Sequence[Explanation]) -> str:
    """A JSON document with one result for each seat."""
    return document(
        SCHEMA,
        rules=rules_object(told[0].query.rules),
        results=[_object(one) for one in told],
    )


def explanation_csv(told: Sequence[Explanation]) -> str:
    """One row for each seat and role, and one for the conditions together."""
    return write(COLUMNS, (row for one in told for row in _rows(one)))


def _groups(told: Sequence[Explanation]) -> list[list[Explanation]]:
    """All seats at once if their conditions are the same; else each for itself."""
    same = all(one.query.known == told[0].query.known for one in told)
    return [list(told)] if same else [[one] for one in told]


def _head(group: Sequence[Explanation], words: Words, screen: Screen) -> list[str]:
    lines = [title([one.query for one in group], words, screen)]
    if group[0].query.seen_text:
        lines.append(f"{words('seen')}: {group[0].query.seen_text}")
    return lines


def _grid(one: Explanation, words: Words, screen: Screen) -> Grid:
    rows = [
        (
            words(role),
            left.text,
            words("hands of", hands=left.hands, of_hands=left.of_hands),
            str(left.possible),
            words.sure_percent(left.share),
        )
        for role, left in one.conditions.items()
    ]
    if len(rows) > 1:
        rows.append((words("together"), "", "", "", words.sure_percent(one.together)))
    names = ("player", "condition", "hands", "possible", "share of deals")
    return Grid(tuple(words(name) for name in names), tuple(rows), words=2)


def _foot(one: Explanation, words: Words) -> list[str]:
    lines = [words("by weight")] if any(left.weighted for left in one.conditions.values()) else []
    return [*lines, *([words("certain")] if one.query.certain else [])]


def _object(one: Explanation) -> dict[str, Any]:
    return {
        "hand": one.query.hand_text,
        "seat": one.query.seat,
        "known": one.query.known_text,
        "seen": one.query.seen_text,
        "conditions": {
            role: {**{name: getattr(left, name) for name in LEFT}, "weighted": left.weighted}
            for role, left in one.conditions.items()
        },
        "together": one.together,
        "certain": one.query.certain,
    }


def _rows(one: Explanation) -> Iterator[list[object]]:
    query = one.query
    rules = query.rules
    asked = [query.hand_text, query.seat, rules.preset, rules.kings, rules.real, query.seen_text]
    for role, left in one.conditions.items():
        yield [*asked, role, left.text, *(getattr(left, name) for name in LEFT)]
    yield [*asked, "together", None, None, None, None, one.together]
