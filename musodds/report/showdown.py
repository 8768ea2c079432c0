"""A settled hand as a table, JSON, CSV and Markdown: who won each lance and why, and the scoreboard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from musodds.mus.cards import text_of
from musodds.mus.count import ENTRY_KINDS
from musodds.mus.lances import PARES_KINDS
from musodds.mus.seats import SEATS
from musodds.mus.why import SEATS_OF, Reason, seats_en, seats_es
from musodds.report.csv_ import write
from musodds.report.grid import Grid, draw, markdown
from musodds.report.json_ import document, rules_object
from musodds.report.odds_text import rules_line
from musodds.report.screen import PAPER, Screen
from musodds.report.table import sheet
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.mus.count import Entry, LanceResult, Settlement

SCHEMA = "musodds.showdown/1"

COLUMNS = (
    *(f"hand_{seat}" for seat in SEATS),
    *("preset", "kings", "real", "target", "before_us", "before_them"),
    *("lance", "played", "contested", "bet", "pair", "seat", "best", "reason", "why"),
    *(f"stones_{kind}" for kind in ENTRY_KINDS),
    *("stones", "not_counted"),
    *("after_us", "after_them", "winner", "ended_by", "ended_at"),
)
"""The columns of the CSV: one row per lance; stones by kind are those counted."""


def showdown_table(settlement: Settlement, words: Words, screen: Screen = PAPER) -> str:
    """The lances, the scoreboard and the result, for a terminal or a pipe."""
    body = draw(lances_grid(settlement, words, screen), screen)
    board = scoreboard_grid(settlement, words, screen)
    if board.rows:
        body += "\n" + draw(board, screen)
    text = sheet(head(settlement, words, screen), body, foot(settlement, words), screen)
    return screen.spell(text)


def showdown_markdown(settlement: Settlement, words: Words, screen: Screen = PAPER) -> str:
    """The same as Markdown."""
    first, *lines = (line.replace("*", r"\*") for line in head(settlement, words, screen))
    parts = [f"## {first}\n", *(f"{line}\n" for line in lines)]
    parts.append(markdown(lances_grid(settlement, words, screen)))
    board = scoreboard_grid(settlement, words, screen)
    if board.rows:
        parts.append(markdown(board))
    parts += [f"{line}\n" for line in foot(settlement, words)]
    return screen.spell("\n".join(parts))


def showdown_json(settlement: Settlement, words: Words) -> str:
    """The settlement as a JSON document; ``why`` is in the language of ``words``."""
    result = {
        "hands": hands_text(settlement),
        "bets": settlement.record.text,
        "before": _score_object(settlement.before),
        "lances": {lance.lance: _lance_object(lance, words) for lance in settlement.lances},
        "entries": [_entry_object(entry) for entry in settlement.entries],
        "stones": _score_object(settlement.stones),
        "after": _score_object(settlement.after),
        "winner": settlement.winner,
        "ended_by": settlement.ended_by,
        "ended_at": settlement.ended_at,
    }
    return document(SCHEMA, rules=rules_object(settlement.rules), results=[result])


def showdown_csv(settlement: Settlement, words: Words) -> str:
    """One row per lance."""
    return write(COLUMNS, _rows(settlement, words))


def hands_text(settlement: Settlement) -> list[str]:
    """The four hands as printed, in speaking order."""
    return [text_of(hand, settlement.rules.deck) for hand in settlement.hands]


def head(settlement: Settlement, words: Words, screen: Screen) -> list[str]:
    """What was asked: hands, rules, betting and score."""
    dot = f" {screen.draw('·')} "
    us, them = settlement.before
    score = words.pick("score {}-{}, to {}", "tanteo {}-{}, a {}").format(us, them, settlement.rules.target)
    bets = settlement.record.text.replace(",", ", ")
    shown = words.pick("bets: ", "envites: ") + bets if bets else words.pick("no bets", "sin envites")
    return [
        dot.join((" ".join(hands_text(settlement)), rules_line(settlement.rules, words))),
        dot.join((score, shown)),
        dot.join(f"{_pair(pair, words)}: {_seats(pair, words)}" for pair in SEATS_OF),
    ]


def lances_grid(settlement: Settlement, words: Words, screen: Screen) -> Grid:
    """One row for each lance: the bet, who won it, why, and the stones that were counted.

    Of juego and punto only the one that was played is shown.
    """
    hands = hands_text(settlement)
    juego = settlement.lance("juego").reason.code != "nobody"
    headers = (
        words("lance"),
        words.pick("bet", "envite"),
        words.pick("won by", "gana"),
        words.pick("hand", "cartas"),
        words.pick("why", "por qué"),
        words.pick("stones", "piedras"),
    )
    rows = []
    for result in settlement.lances:
        if result.lance == ("punto" if juego else "juego"):
            continue
        rows.append(
            (
                words(result.lance),
                _bet(result, words) if result.contested else screen.draw("–"),
                _won_by(result, words) or screen.draw("–"),
                hands[result.seat - 1] if result.seat else screen.draw("–"),
                _why(result.reason, words),
                str(result.stones),
            )
        )
    return Grid(headers, tuple(rows), words=5)


def scoreboard_grid(settlement: Settlement, words: Words, screen: Screen) -> Grid:
    """One row for each entry in counting order, with the running score."""
    headers = (
        words.pick("count", "recuento"),
        words.pick("for", "por"),
        words.pick("to", "para"),
        words.pick("stones", "piedras"),
        words.pick("score", "tanteo"),
    )
    rows = tuple(
        (
            words(entry.lance),
            _what(entry, words),
            _pair(entry.pair, words),
            str(entry.stones),
            f"{entry.score[0]}-{entry.score[1]}"
            if entry.score
            else words.pick("not counted", "no se cuenta"),
        )
        for entry in settlement.entries
    )
    return Grid(headers, rows, words=3)


def foot(settlement: Settlement, words: Words) -> list[str]:
    """The stones, the score and, if the game is over, who won it and where."""
    stones, after = settlement.stones, settlement.after
    lines = [
        words.pick(
            "This hand: us {}, them {}. Score: {}-{}.",
            "Esta mano: nosotros {}, ellos {}. Tanteo: {}-{}.",
        ).format(*stones, *after)
    ]
    if settlement.winner is None:
        return lines
    how = {
        "deje": words.pick("the deje at {} ends it on the spot", "el deje a {} lo acaba en el acto"),
        "count": words.pick("the count stops at {}", "el recuento se para en {}"),
        "ordago": words.pick("the órdago at {} was accepted", "se quiso el órdago a {}"),
    }[settlement.ended_by or ""].format(settlement.ended_at)
    lines.append(
        words.pick("{} win the game: {}.", "Ganan el juego {}: {}.").format(
            _capital(_seats(settlement.winner, words))
            if words.lang == "en"
            else _seats(settlement.winner, words),
            how,
        )
    )
    return lines


def _rows(settlement: Settlement, words: Words) -> Iterator[list[object]]:
    rules = settlement.rules
    asked = [*hands_text(settlement), rules.preset, rules.kings, rules.real, rules.target, *settlement.before]
    end = [*settlement.after, settlement.winner, settlement.ended_by, settlement.ended_at]
    for result in settlement.lances:
        kinds = _kinds(result)
        yield [
            *asked,
            *(result.lance, result.played, result.contested, result.bet.text, result.pair),
            *(result.seat, result.best, result.reason.code, _why(result.reason, words)),
            *(kinds[kind] for kind in ENTRY_KINDS),
            *(result.stones, result.not_counted),
            *end,
        ]


def _kinds(result: LanceResult) -> dict[str, int]:
    return {kind: result.stones_of(kind) for kind in ENTRY_KINDS}


def _lance_object(result: LanceResult, words: Words) -> dict[str, Any]:
    bet = result.bet
    return {
        "played": result.played,
        "contested": result.contested,
        "bet": {"kind": bet.kind, "stones": bet.stones, "collector": bet.collector},
        "pair": result.pair,
        "seat": result.seat,
        "best": result.best,
        "reason": result.reason.code,
        "why": _why(result.reason, words),
        "cards": _why(result.cards, words),
        "stones": {**_kinds(result), "total": result.stones, "not_counted": result.not_counted},
    }


def _entry_object(entry: Entry) -> dict[str, Any]:
    return {
        "lance": entry.lance,
        "kind": entry.kind,
        "pair": entry.pair,
        "seat": entry.seat,
        "stones": entry.stones,
        "counted": entry.counted,
        "score": _score_object(entry.score) if entry.score else None,
    }


def _score_object(score: tuple[int, int]) -> dict[str, int]:
    return {"us": score[0], "them": score[1]}


def _why(reason: Reason, words: Words) -> str:
    return words.pick(reason.en, reason.es)


def _pair(pair: str, words: Words) -> str:
    return pair if words.lang == "en" else {"us": "nosotros", "them": "ellos"}[pair]


def _seats(pair: str, words: Words) -> str:
    return words.pick(seats_en(SEATS_OF[pair]), seats_es(SEATS_OF[pair]))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _bet(result: LanceResult, words: Words) -> str:
    bet = result.bet
    if bet.kind == "refused":
        return words.pick("refused, deje {}", "no querido, deje {}").format(bet.stones)
    if bet.kind == "accepted":
        return words.pick("{} accepted", "{} querido").format(bet.stones)
    if bet.kind == "ordago":
        return words.pick("órdago accepted", "órdago querido")
    return words.pick("passed", "en paso") if result.played else ""


def _won_by(result: LanceResult, words: Words) -> str:
    if result.pair is None:
        return ""
    pair = _pair(result.pair, words)
    return (
        pair if result.seat is None else words.pick("{}, seat {}", "{}, puesto {}").format(pair, result.seat)
    )


def _what(entry: Entry, words: Words) -> str:
    """What an entry pays for, in a word or two."""
    if entry.kind in ("pares", "juego"):
        held = PARES_KINDS[entry.stones] if entry.kind == "pares" else "31" if entry.stones == 3 else "juego"
        return words.pick("seat {}: {}", "puesto {}: {}").format(entry.seat, held)
    return {
        "deje": "deje",
        "pass": words.pick("passed", "en paso"),
        "bet": words.pick("the stake", "el envite"),
        "punto": "punto",
    }[entry.kind]
