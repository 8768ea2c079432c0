"""Advice before a mus as a table, Markdown, JSON and CSV: cut or mus, then every discard, the best first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from musodds.mus.lances import LANCES
from musodds.mus.seats import ROLES
from musodds.report.csv_ import write
from musodds.report.grid import Grid, draw, markdown
from musodds.report.json_ import document, rules_object
from musodds.report.odds_text import drew_text, known_lines, others_text, title
from musodds.report.screen import PAPER, Screen
from musodds.report.table import sheet
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.discard import Advice, Option, Value

SCHEMA = "musodds.discard/1"
SHARES = ("win", "lose", "played")
"""Attributes of ``LanceShare``."""

DRAWS = ("pares", "medias", "duples", "juego", "31", "R>=2", "R>=3")
"""What a draw may give, as named in ``Option.draw``."""

VALUES = ("cut", "mus", "difference")
"""Attributes of ``Advice`` that are a value with its margin."""

OPTION_FIGURES = ("value", "margin", "behind", "behind_margin", "tied")
"""Attributes of ``Option``."""

COLUMNS = (
    *("hand", "seat", "preset", "kings", "real", *ROLES, "seen"),
    *("others", "cuts", "round", *(f"drew_{role}" for role in ROLES), "objective", "stakes"),
    *("deals", "seed", "partial", "advice", "close"),
    *(f"{name}{part}" for name in VALUES for part in ("", "_margin")),
    *("through", "rank", "keep", "discard", *OPTION_FIGURES),
    *(f"{lance}_{share}" for lance in LANCES for share in SHARES),
    *(f"draw_{name}" for name in DRAWS),
)
"""The columns of the CSV: one row per discard; ``keep`` is empty where all four cards are thrown."""

DECIMALS = 3
CLOSE = "≈"
NONE = "–"


def discard_table(found: Sequence[Advice], words: Words, screen: Screen = PAPER) -> str:
    """For each seat the verdict, the discards and what the draw may give."""
    parts = []
    for advice in found:
        body = "\n".join(draw(grid, screen) for grid in _grids(advice, words, screen))
        parts.append(sheet(_head(advice, words, screen), body, _foot(advice, words, screen), screen))
    return screen.spell("\n\n".join(parts))


def discard_markdown(found: Sequence[Advice], words: Words, screen: Screen = PAPER) -> str:
    """One section per seat."""
    parts = []
    for advice in found:
        first, *lines = (line.replace("*", r"\*") for line in _head(advice, words, screen))
        parts += [f"## {first}\n", *(f"{line}\n" for line in lines if line)]
        parts += [markdown(grid) for grid in _grids(advice, words, screen)]
        parts += [f"{line}\n" for line in _foot(advice, words, screen)]
    return screen.spell("\n".join(parts))


def discard_json(found: Sequence[Advice]) -> str:
    """A JSON document with one result for each seat."""
    return document(
        SCHEMA,
        rules=rules_object(found[0].query.rules),
        results=[advice_object(advice) for advice in found],
    )


def discard_csv(found: Sequence[Advice]) -> str:
    """One row for each seat and discard."""
    return write(COLUMNS, (row for advice in found for row in _rows(advice)))


def advice_object(advice: Advice) -> dict[str, Any]:
    """One answer; every number as it was found."""
    query = advice.query
    return {
        "hand": query.hand_text,
        "seat": query.seat,
        "known": query.known_text,
        "seen": query.seen_text,
        "others": advice.others,
        "cuts": advice.cuts,
        "round": advice.round,
        "rounds": advice.rounds,
        "drew": None if advice.drew is None else {role: advice.drew.get(role) for role in ROLES},
        "objective": advice.objective,
        "stakes": dict(advice.stakes),
        "deals": advice.deals,
        "seed": advice.seed,
        "partial": advice.partial,
        "advice": advice.advice,
        "close": advice.close,
        **{name: _value_object(getattr(advice, name)) for name in VALUES},
        "through": advice.through,
        "options": [_option_object(option) for option in advice.options],
    }


def _value_object(value: Value) -> dict[str, float]:
    return {"value": value.value, "margin": value.margin}


def _option_object(option: Option) -> dict[str, Any]:
    return {
        "keep": option.keep,
        "discard": option.discard,
        **{name: getattr(option, name) for name in OPTION_FIGURES},
        "lances": {
            lance: {share: getattr(option.lances[lance], share) for share in SHARES} for lance in LANCES
        },
        "draw": {name: option.draw[name] for name in DRAWS},
    }


def _rows(advice: Advice) -> Iterator[list[object]]:
    query, rules, known = advice.query, advice.query.rules, advice.query.known_text
    drew: Mapping[str, int] = advice.drew or {}
    stakes = ",".join(f"{lance}={stake}" for lance, stake in advice.stakes.items())
    asked: list[object] = [query.hand_text, query.seat, rules.preset, rules.kings, rules.real]
    asked += [*(known[role] for role in ROLES), query.seen_text]
    asked += [advice.others, advice.cuts, advice.round, *(drew.get(role) for role in ROLES)]
    asked += [advice.objective, stakes, advice.deals, advice.seed, advice.partial]
    asked += [advice.advice, advice.close]
    for name in VALUES:
        value = getattr(advice, name)
        asked += [value.value, value.margin]
    for rank, option in enumerate(advice.options, start=1):
        yield [
            *asked,
            *(advice.through, rank, option.keep, option.discard),
            *(getattr(option, name) for name in OPTION_FIGURES),
            *(getattr(option.lances[lance], share) for lance in LANCES for share in SHARES),
            *(option.draw[name] for name in DRAWS),
        ]


def _head(advice: Advice, words: Words, screen: Screen) -> list[str]:
    """What was asked, how it was found, and the verdict."""
    dot = f" {screen.draw('·')} "
    return [
        title([advice.query], words, screen),
        *known_lines([advice.query], words, screen),
        dot.join([others_text(advice.others, advice.cuts, words), *_asked(advice, words)]),
        _run(advice, words, screen),
        "",
        _verdict(advice, words, screen),
    ]


def _asked(advice: Advice, words: Words) -> Iterator[str]:
    """What is special about the question."""
    if advice.round > 1:
        yield words.pick("mus number {}", "mus número {}").format(advice.round)
    if advice.drew:
        yield drew_text(advice.drew, words)
    if advice.objective != "stones":
        yield words.pick("to win {}", "por ganar {}").format(words(advice.objective))
    if advice.stakes:
        yield words.pick("stakes: ", "envites: ") + ", ".join(
            f"{words(lance)} {stake}" for lance, stake in advice.stakes.items()
        )


def _run(advice: Advice, words: Words, screen: Screen) -> str:
    text = words.pick(
        "{deals} deals in which all four say mus, seed {seed}, ± 95 %",
        "{deals} repartos en que los cuatro dan mus, semilla {seed}, ± al 95 %",
    ).format(deals=words.count(advice.deals), seed=advice.seed)
    if advice.partial:
        text = words.pick("partial, interrupted after ", "parcial, interrumpido tras ") + text
    return text.replace("±", screen.draw("±"))


def _verdict(advice: Advice, words: Words, screen: Screen) -> str:
    """The advice in a sentence: what either choice is worth and how sure the difference is."""
    if advice.close:
        said = words.pick("too close to call", "demasiado igualado")
        said += words.pick(", perhaps {}", ", quizá {}").format(_choice(advice.advice, words))
    else:
        said = _choice(advice.advice, words)
    best = advice.options[0]
    throw = words.pick("keep {keep}, throw {throw}", "guarda {keep}, tira {throw}").format(
        keep=best.keep or words.pick("nothing", "nada"), throw=best.discard
    )
    if advice.advice == "mus":
        said = f"{said} ({throw})"
    elif best.keep or best.discard:
        said += words.pick(" (in a mus: {})", " (si hay mus: {})").format(throw)
    sentence = words.pick(
        "{said}: cut {cut}, mus {mus}, difference {difference}",
        "{said}: cortar {cut}, mus {mus}, diferencia {difference}",
    ).format(
        said=said[:1].upper() + said[1:],
        **{
            name: _number(advice, getattr(advice, name).value, getattr(advice, name).margin, words, screen)
            for name in VALUES
        },
    )
    if advice.through == 1:  # nobody speaks after the postre
        return sentence
    after = words.pick("nobody cuts after a mus in {} %", "tras el mus no corta nadie en el {} %")
    return f"{sentence}; {after.format(words.percent(advice.through))}"


def _choice(advice: str, words: Words) -> str:
    return words.pick("cut", "corta") if advice == "cut" else words.pick("mus", "mus")


def _number(
    advice: Advice, value: float, margin: float, words: Words, screen: Screen, *, sign: bool = True
) -> str:
    """A value in stones, or in percent where a lance is the objective; without its margin where it is exact."""
    scale, digits = (1.0, DECIMALS) if advice.objective == "stones" else (100.0, 2)
    text = words.number(scale * value, digits, sign=sign and advice.objective == "stones")
    return text if margin == 0 else f"{text} {screen.draw('±')} {words.up(scale * margin, digits)}"


def _grids(advice: Advice, words: Words, screen: Screen) -> tuple[Grid, Grid]:
    """The discards with their worth, and what their draws may give."""
    return _worth_grid(advice, words, screen), _draw_grid(advice, words, screen)


def _worth_grid(advice: Advice, words: Words, screen: Screen) -> Grid:
    unit = words("stones") if advice.objective == "stones" else words("win")
    rows = []
    for rank, option in enumerate(advice.options):
        behind, mark = "", ""
        if rank:
            behind = _number(advice, option.behind, option.behind_margin, words, screen, sign=False)
            mark = screen.draw(CLOSE) if option.tied else ""
        rows.append(
            (
                *_cards(option, screen),
                _number(advice, option.value, option.margin, words, screen),
                behind,
                mark,
                *(_lance_win(option, lance, words, screen) for lance in LANCES),
            )
        )
    headers = (
        *_card_headers(words),
        unit,
        words.pick("behind", "por detrás"),
        "",
        *(f"{words(lance)}" for lance in LANCES),
    )
    return Grid(headers, tuple(rows), words=2)


def _lance_win(option: Option, lance: str, words: Words, screen: Screen) -> str:
    share = option.lances[lance]
    return words.percent(share.win, 1) if share.played else screen.draw(NONE) + "  "


def _draw_grid(advice: Advice, words: Words, screen: Screen) -> Grid:
    kings = {
        "R>=2": words.pick("2 kings\nor more", "2 reyes\no más"),
        "R>=3": words.pick("3 kings\nor more", "3 reyes\no más"),
    }
    headers = (*_card_headers(words), *(kings.get(name, name) for name in DRAWS))
    rows = tuple(
        (*_cards(option, screen), *(words.sure_percent(option.draw[name]) for name in DRAWS))
        for option in advice.options
    )
    return Grid(headers, rows, words=2)


def _card_headers(words: Words) -> tuple[str, str]:
    return words.pick("keep", "guardar"), words.pick("throw", "tirar")


def _cards(option: Option, screen: Screen) -> tuple[str, str]:
    return option.keep or screen.draw(NONE), option.discard


def _foot(advice: Advice, words: Words, screen: Screen) -> list[str]:
    lines = []
    if any(option.tied for option in advice.options[1:]):
        lines.append(
            f"{screen.draw(CLOSE)} "
            + words.pick("too close to the best to call", "demasiado cerca de la mejor para decidir")
        )
    lines.append(
        words.pick(
            "The first table is given that all four said mus, lances in win %; the second is exact, in %, "
            "before anything is known of the others.",
            "La primera tabla supone que los cuatro han dado mus, los lances en % que se ganan; la segunda es "
            "exacta, en %, sin saber nada de los demás.",
        )
    )
    return lines
