"""The table of all hands as one page that needs nothing else: to look hands up on a phone at the table.

The page is ``page/page.html`` with its style, its script and the figures put in. The figures are whole
numbers of deals in base 36, so what the page shows is exact. Its content security policy allows no request.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from musodds import __version__
from musodds.mus.lances import LANCES
from musodds.mus.seats import SEATS
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.policy_table import PolicyTable
    from musodds.analysis.table import HandTable, TableRow

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
MILLION = 1_000_000
"""Percentiles are embedded in millionths: four decimals of a percent."""


@dataclass(frozen=True)
class PageAdvice:
    """What to do with a hand before the lances.

    Attributes:
        verdict: ``mus`` or ``cut``.
        keep: the cards to keep when there is mus, as printed; empty to change all four.
    """

    verdict: str
    keep: str


Advised = Mapping[tuple[int, str, int], PageAdvice]
"""Advice by kings, hand and seat."""


def policy_advice(policies: Iterable[PolicyTable | None]) -> Advised | None:
    """The advice of policies, one for each deck; None if there is none at all."""
    found = {
        (policy.rules.kings, row.hand, row.seat): PageAdvice(
            "cut" if row.cut > 0.5 else "mus", (row.keep or "").replace("-", "")
        )
        for policy in policies
        if policy is not None
        for row in policy.rows
    }
    return found or None


def table_page(
    decks: Sequence[HandTable],
    words: Words,
    *,
    kings: int = 8,
    seat: int = 1,
    advice: Advised | None = None,
) -> str:
    """The page.

    Args:
        decks: exact tables of all four seats, one for each deck.
        words: the language it opens in; it has both.
        kings, seat: the deck and the seat it opens with.
        advice: what to do with each hand, if it is known; None leaves the column out.
    """
    first = decks[0].rows[0].figures
    data = {
        "version": __version__,
        "deals": first.deals,
        "ways": sum(row.ways for row in decks[0].of_seat(SEATS[0])),
        "kings": kings,
        "seat": seat,
        "decks": [_deck(tables, advice) for tables in decks],
    }
    script = _part("page.js")
    parts = {
        "lang": words.lang,
        "version": html.escape(__version__),
        "title": html.escape(words.pick("Mus, hand by hand", "Mus, mano a mano")),
        "script-hash": "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "style": _part("page.css"),
        "script": script,
        # "<" never stands in the data, so that nothing there can end the script element.
        "data": json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
    }
    page = _part("page.html")
    pieces = page.split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        filled += [parts[name], rest]
    return "".join(filled)


def _part(name: str) -> str:
    return (files("musodds.report") / "page" / name).read_text(encoding="utf-8").strip()


def _deck(tables: HandTable, advice: Advised | None) -> dict[str, Any]:
    """One deck: what does not depend on the seat once, the rest for each seat; hands by their cards."""
    seats = {seat: sorted(tables.of_seat(seat), key=lambda row: row.row) for seat in SEATS}
    rows = seats[SEATS[0]]
    deck = tables.rules.deck

    def counts(rows: Sequence[TableRow], name: str) -> list[str]:
        return [_packed(getattr(row.figures.lances[lance].counts, name) for row in rows) for lance in LANCES]

    found: dict[str, Any] = {
        "kings": tables.rules.kings,
        "real": tables.rules.real,
        "cards": list(deck.classes),
        "hands": " ".join(row.hand for row in rows),
        "ways": _packed(row.ways for row in rows),
        "points": _packed(row.points for row in rows),
        # whether both pairs, or ours alone, hold a lance depends on the cards only
        "played": counts(rows, "played"),
        "contested": counts(rows, "contested"),
        "alone": [
            _packed(
                row.figures.lances[lance].counts.win - row.figures.lances[lance].counts.win_contested
                for row in rows
            )
            for lance in LANCES
        ],
        "rank": [_packed(row.places[lance].rank for row in rows) for lance in LANCES],
        "better": [_packed(_millionths(row.places[lance].percentile) for row in rows) for lance in LANCES],
        "seats": [
            {
                "win": counts(seats[seat], "win"),
                "mine": counts(seats[seat], "mine"),
                "us": _packed(_stones(row, "us") for row in seats[seat]),
                "them": _packed(_stones(row, "them") for row in seats[seat]),
                "rank": _packed(row.places["stones"].rank for row in seats[seat]),
                "better": _packed(_millionths(row.places["stones"].percentile) for row in seats[seat]),
            }
            for seat in SEATS
        ],
        "advice": None,
    }
    if advice is not None and any(kings == tables.rules.kings for kings, _, _ in advice):
        found["advice"] = [
            [_advised(advice.get((tables.rules.kings, row.hand, seat))) for row in seats[seat]]
            for seat in SEATS
        ]
    return found


def _stones(row: TableRow, pair: str) -> int:
    """The stones that a pair is paid over all deals: whole, far below 2**53, so rounding finds them."""
    stones = row.figures.stones
    return round((stones.us if pair == "us" else stones.them) * row.figures.deals)


def _advised(advice: PageAdvice | None) -> list[str] | None:
    return None if advice is None else [advice.verdict, advice.keep]


def _millionths(share: float | None) -> int | None:
    return None if share is None else round(MILLION * share)


def _packed(numbers: Iterable[int | None]) -> str:
    """Numbers in base 36 with blanks between; a dash where there is none."""
    return " ".join("-" if number is None else _base36(number) for number in numbers)


def _base36(number: int) -> str:
    digits = ""
    while number >= 36:
        number, last = divmod(number, 36)
        digits = _DIGITS[last] + digits
    return _DIGITS[number] + digits
