"""Tables of policies and of races: as text, CSV, JSON, Markdown and Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from musodds.report.csv_ import write
from musodds.report.grid import Grid, draw, markdown
from musodds.report.json_ import document, rules_object
from musodds.report.odds_text import rules_line
from musodds.report.screen import PAPER, Screen
from musodds.report.table import sheet
from musodds.report.text import Words
from musodds.report.whole import parquet_of

if TYPE_CHECKING:
    from musodds.analysis.policy_table import PolicyRow, PolicyTable
    from musodds.analysis.race import Board

POLICY_SCHEMA = "musodds.table.policy/1"
RACE_SCHEMA = "musodds.table.race/1"

POLICY_COLUMNS = (
    *("hand", "seat", "preset", "kings", "real", "ways", "policy", "round"),
    *("cut", "keep", "discard", "probability"),
)
"""Of a policy: the hand, the rules, the policy; the chance to cut, the cards likeliest kept, how likely."""

RACE_COLUMNS = ("us", "them", "mano", "preset", "kings", "real", "target", "policy", "play", "win")
"""Of a race: the score, which pair has the mano in the next hand, the rules, how it is played; our chance."""

_KINDS = {"cut": "double", "probability": "double", "win": "double"}
_WHOLE = ("seat", "kings", "ways", "round", "us", "them", "target")
STEP = 5
"""Stones from one line of a race to the next where people read it."""


def policy_records(found: PolicyTable) -> list[tuple[object, ...]]:
    """The rows of a policy, a value for each of ``POLICY_COLUMNS``."""
    rules = found.rules
    asked = (rules.preset, rules.kings, rules.real)
    return [
        (row.hand, row.seat, *asked, row.ways, found.others, found.round, *_done(row)) for row in found.rows
    ]


def _done(row: PolicyRow) -> tuple[object, ...]:
    return row.cut, row.keep, row.discard, row.probability


def race_records(found: Board) -> list[tuple[object, ...]]:
    """The rows of a race, a value for each of ``RACE_COLUMNS``."""
    rules = found.rules
    played = (rules.preset, rules.kings, rules.real, rules.target, found.others, found.play)
    scores = range(rules.target)
    return [
        (us, them, mano, *played, found.chance(us, them, mano))
        for mano in ("us", "them")
        for us in scores
        for them in scores
    ]


def policy_csv(found: PolicyTable) -> str:
    """The policy as CSV."""
    return write(POLICY_COLUMNS, iter(policy_records(found)))


def race_csv(found: Board) -> str:
    """The race as CSV."""
    return write(RACE_COLUMNS, iter(race_records(found)))


def policy_parquet(found: PolicyTable) -> bytes:
    """The policy as Parquet."""
    return parquet_of(POLICY_COLUMNS, policy_records(found), _kind)


def race_parquet(found: Board) -> bytes:
    """The race as Parquet."""
    return parquet_of(RACE_COLUMNS, race_records(found), _kind)


def _kind(arrow: Any, name: str) -> Any:
    if name in _WHOLE:
        return arrow.int64()
    return arrow.float64() if name in _KINDS else arrow.string()


def policy_json(found: PolicyTable) -> str:
    """The policy as JSON."""
    return document(
        POLICY_SCHEMA,
        rules=rules_object(found.rules),
        policy=found.others,
        cuts=found.cuts,
        round=found.round,
        results=[
            {
                "hand": row.hand,
                "seat": row.seat,
                "ways": row.ways,
                **dict(zip(POLICY_COLUMNS[-4:], _done(row), strict=True)),
            }
            for row in found.rows
        ],
    )


def race_json(found: Board) -> str:
    """The race as JSON: for each pair that may have the mano, our chance by our stones and theirs."""
    scores = range(found.rules.target)
    return document(
        RACE_SCHEMA,
        rules=rules_object(found.rules),
        policy=found.others,
        play=found.play,
        win={
            f"mano_{mano}": [[found.chance(us, them, mano) for them in scores] for us in scores]
            for mano in ("us", "them")
        },
    )


def policy_text(found: PolicyTable, words: Words, screen: Screen = PAPER) -> str:
    """The policy for reading: a line for each hand, all seats beside each other."""
    return screen.spell(
        sheet(_policy_head(found, words, screen), draw(_policy_grid(found, words), screen), [], screen)
    )


def policy_markdown(found: PolicyTable, words: Words, screen: Screen = PAPER) -> str:
    """The policy as Markdown."""
    first, *lines = _policy_head(found, words, screen)
    text = "".join(f"{line}\n\n" for line in lines)
    return screen.spell(f"## {first}\n\n{text}{markdown(_policy_grid(found, words))}")


def _policy_head(found: PolicyTable, words: Words, screen: Screen) -> list[str]:
    dot = f" {screen.draw('·')} "
    title = words.pick(f"policy {found.others}", f"política {found.others}")
    turn = words.pick(f"round {found.round} of {found.rounds}", f"vuelta {found.round} de {found.rounds}")
    note = words.pick(
        "cards kept when there is mus; - keeps none; in brackets how often it cuts, where that is not certain",
        "cartas que guarda si hay mus; - no guarda ninguna; entre paréntesis cuánto corta, si no es seguro",
    )
    return [dot.join((title, rules_line(found.rules, words), turn)), note]


def _policy_grid(found: PolicyTable, words: Words) -> Grid:
    hands: dict[str, dict[int, PolicyRow]] = {}
    for row in found.rows:
        hands.setdefault(row.hand, {})[row.seat] = row
    headers = (words.pick("hand", "mano"), *(words(f"seat {seat}") for seat in found.seats))
    rows = tuple(
        (hand, *(_said(seats[seat], words) for seat in found.seats)) for hand, seats in hands.items()
    )
    return Grid(headers, rows, words=len(headers))


def _said(row: PolicyRow, words: Words) -> str:
    if row.keep is None:
        return words.pick("cut", "corta")
    return row.keep if row.cut == 0 else f"{row.keep} ({words.percent(row.cut, 0)} %)"


def race_text(found: Board, words: Words, screen: Screen = PAPER) -> str:
    """The race for reading: our stones down, theirs across, every fifth score."""
    parts = []
    for mano in ("us", "them"):
        body = draw(_race_grid(found, mano, words), screen)
        parts.append(sheet([race_title(found, mano, words)], body, [], screen))
    return screen.spell("\n".join(parts))


def race_markdown(found: Board, words: Words, screen: Screen = PAPER) -> str:
    """The race as Markdown."""
    parts = [
        f"## {race_title(found, mano, words)}\n\n{markdown(_race_grid(found, mano, words))}"
        for mano in ("us", "them")
    ]
    return screen.spell("\n".join(parts))


def race_title(found: Board, mano: str, words: Words) -> str:
    """What a race board shows."""
    who = words.pick(
        "we have the mano" if mano == "us" else "they have the mano",
        "somos mano" if mano == "us" else "son mano ellos",
    )
    what = words.pick("our chance to win the game, %", "probabilidad de ganar el juego, %")
    to = words.pick("to", "a")
    rules = f"{rules_line(found.rules, words)}, {to} {found.rules.target}"
    return f"{what} · {who} · {rules} · {found.others}, {found.play}"


def _race_grid(found: Board, mano: str, words: Words) -> Grid:
    last = found.rules.target - 1
    scores: Sequence[int] = [*range(0, last, STEP), last]
    corner = words.pick("us \\ them", "nos. \\ ellos")
    rows = tuple(
        (str(us), *(words.percent(found.chance(us, them, mano), 1) for them in scores)) for us in scores
    )
    return Grid((corner, *map(str, scores)), rows)
