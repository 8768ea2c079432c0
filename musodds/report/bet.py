"""What a bet is worth as a table, JSON, CSV and Markdown: the answers ranked, the verdict, the break-even."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from musodds.mus.seats import ROLES
from musodds.report.csv_ import write
from musodds.report.grid import Grid, draw, markdown
from musodds.report.json_ import document, rules_object
from musodds.report.odds_text import known_lines, rules_line
from musodds.report.race import played_line
from musodds.report.screen import PAPER, Screen
from musodds.report.table import sheet
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.bet import Answer, Bet

SCHEMA = "musodds.bet/1"

COLUMNS = (
    *("hand", "seat", "preset", "kings", "real", "target", *ROLES, "seen"),
    *("lance", "offer", "standing", "deje", "us", "them", "fold", "others", "cuts", "play", "deals", "seed"),
    *("lance_win", "break_even", "bettor", "flips_at", "verdict", "close"),
    *("action", "to", "win", "margin", "behind", "behind_margin", "if_accepted", "if_folded"),
)
"""The columns of the CSV: one row per answer, best first."""


def bet_table(found: Bet, words: Words, screen: Screen = PAPER) -> str:
    """The answers and the verdict, for a terminal or a pipe."""
    body = draw(answers_grid(found, words, screen), screen)
    text = sheet(head(found, words, screen), body, foot(found, words, screen), screen)
    return screen.spell(text)


def bet_markdown(found: Bet, words: Words, screen: Screen = PAPER) -> str:
    """The same as Markdown."""
    first, *lines = (line.replace("*", r"\*") for line in head(found, words, screen))
    parts = [f"## {first}\n", *(f"{line}\n" for line in lines)]
    parts.append(markdown(answers_grid(found, words, screen)))
    parts += [f"{line}\n" for line in foot(found, words, screen)]
    return screen.spell("\n".join(parts))


def bet_json(found: Bet) -> str:
    """The answer as a JSON document."""
    query = found.query
    result = {
        "hand": query.hand_text,
        "seat": query.seat,
        "known": query.known_text,
        "seen": query.seen_text,
        "lance": found.lance,
        "offer": found.offer,
        "standing": found.standing,
        "deje": found.deje,
        "score": {"us": found.us, "them": found.them},
        "fold": found.fold,
        "deals": found.deals,
        "seed": found.seed,
        "lance_win": found.lance_win,
        "break_even": found.break_even,
        "bettor": found.bettor,
        "flips_at": found.flips_at,
        "verdict": found.verdict,
        "close": found.close,
        "answers": [_answer_object(answer) for answer in found.answers],
    }
    board = found.board
    return document(
        SCHEMA,
        rules=rules_object(query.rules),
        others=board.others,
        cuts=board.cuts,
        play=board.play,
        results=[result],
    )


def bet_csv(found: Bet) -> str:
    """One row per answer."""
    return write(COLUMNS, _rows(found))


def head(found: Bet, words: Words, screen: Screen) -> list[str]:
    """What was asked: the hand, the bet, the score, what is known, and how it was reckoned."""
    query, dot = found.query, f" {screen.draw('·')} "
    bet = words.pick("they bet {} at {}", "envidan {} a {}")
    if found.offer == "ordago":
        bet = words.pick("they bet {} at {}", "echan {} a {}")
    if found.standing:
        bet = words.pick("they raise to {} at {}, over {}", "suben a {} a {}, sobre {}")
        if found.offer == "ordago":
            bet = words.pick("they raise to an {} at {}, over {}", "suben a {} a {}, sobre {}")
    shown = "órdago" if found.offer == "ordago" else str(found.offer)
    if found.offer == "ordago" and not found.standing:
        shown = words.pick("an órdago", "órdago")
    score = words.pick("score {}-{}, to {}", "tanteo {}-{}, a {}")
    simulated = words.pick(
        "betting in {deals} of the deals simulated, seed {seed}, ± 95 %",
        "envite en {deals} de los repartos simulados, semilla {seed}, ± al 95 %",
    ).format(deals=words.count(found.deals), seed=found.seed)
    return [
        dot.join((query.hand_text, words(f"seat {query.seat}"), rules_line(query.rules, words))),
        dot.join(
            (
                bet.format(shown, words(found.lance), found.standing),
                score.format(found.us, found.them, query.rules.target),
            )
        ),
        *known_lines([query], words, screen),
        simulated.replace("±", screen.draw("±")),
        words.pick("after this hand: ", "tras esta mano: ") + played_line(found.board, words, screen),
    ]


def answers_grid(found: Bet, words: Words, screen: Screen) -> Grid:
    """One row per answer, best first."""
    raised = any(answer.action == "raise" for answer in found.answers)
    headers = [
        words.pick("answer", "respuesta"),
        words.pick("we win\nthe game %", "ganamos\nel juego %"),
        words.pick("behind", "pierde"),
    ]
    if raised:
        headers += [
            words.pick("if they\naccept", "si\nquieren"),
            words.pick("if they\nfold", "si no\nquieren"),
        ]
    rows = []
    for answer in found.answers:
        row = [
            action_text(answer, words),
            _with_margin(answer.win, answer.margin, words, screen),
            "" if answer is found.answers[0] else _behind(answer, words, screen),
        ]
        if raised:
            row += [
                screen.draw("–") if share is None else words.percent(share)
                for share in (answer.if_accepted, answer.if_folded)
            ]
        rows.append(tuple(row))
    return Grid(tuple(headers), tuple(rows), bars=tuple(answer.win for answer in found.answers))


def foot(found: Bet, words: Words, screen: Screen) -> list[str]:
    """The chance of the lance, where accepting breaks even, the verdict, and when it would be another."""
    lines = [
        words.pick("chance to win {}: {} % (exact)", "probabilidad de ganar {}: {} % (exacta)").format(
            words(found.lance), words.sure_percent(found.lance_win).strip()
        )
    ]
    if found.break_even is not None:
        lines[0] += words.pick("; accepting breaks even at {} %", "; querer empata en el {} %").format(
            words.sure_percent(found.break_even, 1).strip()
        )
    lines.append(verdict_text(found, words, screen))
    if found.bettor is not None:
        who = words(found.bettor)
        if found.flips_at is None:
            text = words.pick(
                "however strong the hand of the bettor ({}), it stays so",
                "por fuerte que sea la mano de quien envida ({}), sigue así",
            ).format(who)
        else:
            text = words.pick(
                "accept or refuse turns round if the bettor ({}) holds one of the best {} % of hands at {}",
                "querer o no querer se invierte si quien envida ({}) tiene una del mejor {} % de manos a {}",
            ).format(who, words.number(found.flips_at, 1), words(found.lance))
        lines.append(text)
    return lines


def verdict_text(found: Bet, words: Words, screen: Screen) -> str:
    """The verdict in a sentence, with how far it is ahead."""
    best, *others = found.answers
    second = others[0]
    said = words.pick("verdict: {}", "veredicto: {}").format(action_text(best, words))
    if second.behind == 0 and second.behind_margin == 0:
        return said + words.pick("; {} is worth just as much", "; {} vale exactamente lo mismo").format(
            action_text(second, words)
        )
    ahead = words.pick("{} points ahead of {}", "{} puntos más que {}").format(
        _behind(second, words, screen), action_text(second, words)
    )
    if found.close:
        return said + words.pick(", too close to call ({})", ", demasiado justo ({})").format(ahead)
    return f"{said}, {ahead}"


def action_text(answer: Answer, words: Words) -> str:
    """An answer in a word or two."""
    if answer.action == "raise":
        if answer.to == "ordago":
            return words.pick("raise: órdago", "órdago")
        return words.pick("raise to {}", "subir a {}").format(answer.to)
    return {
        "accept": words.pick("accept", "quiero"),
        "refuse": words.pick("refuse", "no quiero"),
    }[answer.action]


def _with_margin(share: float, margin: float, words: Words, screen: Screen) -> str:
    return f"{words.percent(share)} {screen.draw('±')} {words.up(100 * margin, 2)}"


def _behind(answer: Answer, words: Words, screen: Screen) -> str:
    return _with_margin(answer.behind, answer.behind_margin, words, screen)


def _answer_object(answer: Answer) -> dict[str, Any]:
    return {
        "action": answer.action,
        "to": answer.to,
        "win": answer.win,
        "margin": answer.margin,
        "behind": answer.behind,
        "behind_margin": answer.behind_margin,
        "if_accepted": answer.if_accepted,
        "if_folded": answer.if_folded,
    }


def _rows(found: Bet) -> Iterator[list[object]]:
    query, board = found.query, found.board
    rules, known = query.rules, query.known_text
    asked = [query.hand_text, query.seat, rules.preset, rules.kings, rules.real, rules.target]
    asked += [*(known[role] for role in ROLES), query.seen_text]
    asked += [found.lance, found.offer, found.standing, found.deje, found.us, found.them, found.fold]
    asked += [board.others, board.cuts, board.play, found.deals, found.seed]
    asked += [found.lance_win, found.break_even, found.bettor, found.flips_at, found.verdict, found.close]
    for answer in found.answers:
        yield [*asked, *_answer_object(answer).values()]
