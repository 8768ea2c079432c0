"""Answers as CSV: full precision, one header line, ``\\n`` line ends, an empty field for "none".

The odds come flat and tidy: one row for each hand, seat, engine (``simulated`` or ``exact``) and
lance. The columns are ``COLUMNS``: the question, the run, the lance, its probabilities, its counts
of deals (``count_win``, ...), and the expected stones of the whole hand (``stones_us``, ...), which
are the same on the five rows of an engine.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from io import StringIO
from typing import TYPE_CHECKING

from musodds.mus.lances import LANCES
from musodds.mus.rules import Rules
from musodds.mus.seats import ROLES
from musodds.report.columns import LANCE_COUNTS, LANCE_FIGURES, STONES

if TYPE_CHECKING:
    from musodds.analysis.odds import Odds

COLUMNS = (
    *("hand", "seat", "preset", "kings", "real", *ROLES, "seen"),
    *("engine", "deals", "seed", "partial", "lance"),
    *LANCE_FIGURES,
    *(f"count_{name}" for name in LANCE_COUNTS),
    *(f"stones_{name}" for name in STONES),
)

MUS_COLUMNS = ("others", "cuts", *(f"drew_{role}" for role in ROLES))


def write(columns: Sequence[str], rows: Iterator[Sequence[object]]) -> str:
    """A CSV text from rows of values."""
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_field(value) for value in row] for row in rows)
    return buffer.getvalue()


def odds_csv(answers: Sequence[Odds]) -> str:
    """The odds, one row per hand, seat, engine and lance; after a mus with ``MUS_COLUMNS`` at the end."""
    if all(answer.mus is None for answer in answers):
        return write(COLUMNS, (row for answer in answers for row in _rows(answer)))
    return write(
        (*COLUMNS, *MUS_COLUMNS), (row + _mus(answer) for answer in answers for row in _rows(answer))
    )


def _mus(answer: Odds) -> list[object]:
    if answer.mus is None:
        return [None] * len(MUS_COLUMNS)
    return [answer.mus.others, answer.mus.cuts, *(answer.mus.drew.get(role) for role in ROLES)]


def rules_csv(presets: Mapping[str, Rules]) -> str:
    """The presets, one row each."""
    names = [field.name for field in fields(Rules)]
    return write(names, (list(asdict(rules).values()) for rules in presets.values()))


def _rows(answer: Odds) -> Iterator[list[object]]:
    query = answer.query
    rules = query.rules
    known = query.known_text
    asked = [query.hand_text, query.seat, rules.preset, rules.kings, rules.real]
    asked += [*(known[role] for role in ROLES), query.seen_text]
    for engine in ("simulated", "exact"):
        figures = getattr(answer, engine)
        if figures is None:
            continue
        stones = [getattr(figures.stones, name) for name in STONES]
        for name in LANCES:
            lance = figures.lances[name]
            yield [
                *asked,
                *(engine, figures.deals, figures.seed, figures.partial, name),
                *(getattr(lance, figure) for figure in LANCE_FIGURES),
                *(getattr(lance.counts, count) for count in LANCE_COUNTS),
                *stones,
            ]


def _field(value: object) -> object:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value
