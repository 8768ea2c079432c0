"""The odds in words and columns, shared by the table of the terminal and by Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from musodds.mus.lances import LANCES
from musodds.mus.seats import ROLES
from musodds.report.columns import TABLE_FIGURES
from musodds.report.grid import Grid
from musodds.report.screen import Screen
from musodds.report.text import Words

if TYPE_CHECKING:
    from musodds.analysis.figures import Figures, LanceOdds
    from musodds.analysis.odds import AfterMus, Odds
    from musodds.analysis.query import Query
    from musodds.mus.rules import Rules

STONE_DECIMALS = 3


def title(queries: Sequence[Query], words: Words, screen: Screen) -> str:
    """What was asked: the hand, the seat (or all four) and the rules."""
    query = queries[0]
    seat = words(f"seat {query.seat}") if len(queries) == 1 else words("all seats")
    return f" {screen.draw('·')} ".join((query.hand_text, seat, rules_line(query.rules, words)))


def rules_line(rules: Rules, words: Words) -> str:
    """The rules that the odds of a hand depend on, in words."""
    parts = [rules.preset, words("kings").format(rules.kings)]
    if rules.real != "off":
        parts.append(words(f"real {rules.real}"))
    return ", ".join(parts)


def known_lines(queries: Sequence[Query], words: Words, screen: Screen) -> list[str]:
    """What is known of the others, with how much each condition leaves, and the cards out of play."""
    lines: list[str] = []
    same = all(query.known == queries[0].known for query in queries)
    for query in queries[:1] if same else queries:
        seat = "" if same else words(f"seat {query.seat}") + ", "
        for role, told in query.explained.items():
            leaves = words(
                "leaves weighted" if told.weighted else "leaves",
                hands=told.hands,
                of_hands=told.of_hands,
                share=words.sure_percent(told.share).strip(),
            )
            lines.append(f"{seat}{words(role)}: {told.text} {screen.draw('·')} {leaves}")
    if queries[0].seen_text:
        lines.append(f"{words('seen')}: {queries[0].seen_text}")
    if all(query.certain for query in queries):
        lines.append(words("certain"))
    return lines


def run_line(answers: Sequence[Odds], words: Words, screen: Screen) -> str:
    """How many deals stand behind the figures."""
    parts = []
    simulated = [answer.simulated for answer in answers if answer.simulated is not None]
    if simulated:
        last = simulated[-1]
        deals = list(dict.fromkeys(figures.deals for figures in simulated))
        key = "simulated deals" if len(answers) == 1 else "simulated deals each"
        if last.partial:
            key, deals = "partial deals", [last.deals]
        text = words(key, deals=" / ".join(words.count(number) for number in deals), seed=last.seed)
        parts.append(text.replace("±", screen.draw("±")))
    if answers[0].exact is not None:
        # Conditions that follow the seats leave each seat its own number of deals.
        counted = dict.fromkeys(answer.exact.deals for answer in answers if answer.exact is not None)
        text = words("exact deals", deals=" / ".join(words.count(number) for number in counted))
        if answers[0].query.known:
            shares = dict.fromkeys(answer.fits for answer in answers if answer.fits is not None)
            text += ", " + words(
                "of all", share=" / ".join(words.sure_percent(share).strip() for share in shares)
            )
        parts.append(text)
    return f" {screen.draw('·')} ".join(parts)


def head(answers: Sequence[Odds], words: Words, screen: Screen) -> list[str]:
    """The lines above the figures."""
    queries = [answer.query for answer in answers]
    return [
        title(queries, words, screen),
        *known_lines(queries, words, screen),
        *([] if answers[0].mus is None else [mus_line(answers[0].mus, words, screen)]),
        run_line(answers, words, screen),
    ]


def mus_line(mus: AfterMus, words: Words, screen: Screen) -> str:
    """That there was a mus, what the others do in it and what they drew."""
    parts = [words.pick("after a mus", "tras un mus"), others_text(mus.others, mus.cuts, words)]
    if mus.drew:
        parts.append(drew_text(mus.drew, words))
    return f" {screen.draw('·')} ".join(parts)


def others_text(others: str, cuts: str | None, words: Words) -> str:
    """The policy of the others, with their cut rule if one was given."""
    text = words.pick("the others: {}", "los demás: {}").format(others)
    return (
        text if cuts is None else text + words.pick(", cutting with {}", ", que cortan con {}").format(cuts)
    )


def drew_text(drew: Mapping[str, int], words: Words) -> str:
    """The cards that each took."""
    taken = ", ".join(f"{words(role)} {drew[role]}" for role in ROLES if role in drew)
    return words.pick("drew: {}", "pidieron: {}").format(taken)


def decimals(answers: Sequence[Odds]) -> int:
    """Decimals of percentages: two, and more once a simulation is surer than that."""
    worst = 100 * max(
        (
            half_width(lance)
            for answer in answers
            if answer.simulated is not None
            for lance in answer.simulated.lances.values()
        ),
        default=1.0,
    )
    return next((digits for digits in range(2, 6) if worst >= 10.0**-digits), 6)


def half_width(lance: LanceOdds) -> float:
    """Half the 95 % interval of ``win``; 0 for exact figures."""
    return 0.0 if lance.win_low is None or lance.win_high is None else (lance.win_high - lance.win_low) / 2


def simulated_win(lance: LanceOdds, digits: int, words: Words, screen: Screen) -> str:
    """How often a lance was won, with its margin, in percent."""
    margin = words.up(100 * half_width(lance), digits)
    return f"{words.percent(lance.win, digits)} {screen.draw('±')} {margin}"


def lances_grid(answer: Odds, words: Words, screen: Screen) -> Grid:
    """One row for each lance: simulated win, exact win, then the other figures.

    The other figures are exact where exact figures were asked for.
    """
    digits = decimals([answer])
    names = ["lance", *(["win"] if answer.simulated else []), *(["exact"] if answer.exact else [])]
    headers = [words(name) for name in (*names, *TABLE_FIGURES)]
    if answer.simulated is None:
        headers[1] = words("win")
    shown = answer.exact or answer.simulated
    assert shown is not None
    rows = []
    for name in LANCES:
        row = [words(name)]
        if answer.simulated is not None:
            row.append(simulated_win(answer.simulated.lances[name], digits, words, screen))
        if answer.exact is not None:
            row.append(words.sure_percent(answer.exact.lances[name].win, digits))
        lance = shown.lances[name]
        for figure in TABLE_FIGURES:
            row.append(_share(getattr(lance, figure), digits, words, screen, sure=answer.exact is not None))
        rows.append(tuple(row))
    bars = tuple(shown.lances[name].win for name in LANCES)
    return Grid(tuple(headers), tuple(rows), bars=bars)


def _share(share: float | None, digits: int, words: Words, screen: Screen, *, sure: bool) -> str:
    if share is None:
        return screen.draw("–") + " " * (digits + 1)
    return words.sure_percent(share, digits) if sure else words.percent(share, digits)


def stones_line(answer: Odds, words: Words, screen: Screen) -> str:
    """The expected stones in one sentence."""
    shown = answer.exact or answer.simulated
    assert shown is not None
    parts = []
    if answer.simulated is not None:
        parts.append(stones_difference(answer.simulated, words, screen))
    if answer.exact is not None:
        exact = stones_difference(answer.exact, words, screen)
        parts.append(words("exact aside").format(exact) if parts else exact)
    return words(
        "stones line",
        us=words.number(shown.stones.us, STONE_DECIMALS),
        them=words.number(shown.stones.them, STONE_DECIMALS),
        difference=" ".join(parts),
    )


def stones_difference(figures: Figures, words: Words, screen: Screen) -> str:
    """The difference in stones, with its margin where there is one."""
    text = words.number(figures.stones.difference, STONE_DECIMALS, sign=True)
    if figures.stones.margin is None:
        return text
    return f"{text} {screen.draw('±')} {words.up(figures.stones.margin, STONE_DECIMALS)}"


def seats_grid(answers: Sequence[Odds], words: Words, screen: Screen) -> Grid:
    """The seats side by side: for each lance how often it is won, simulated and below it exact."""
    digits = decimals(answers)
    first = answers[0]
    both = first.simulated is not None and first.exact is not None
    rows: list[tuple[str, ...]] = []
    for name in (*LANCES, "stones"):
        simulated = [_seat_simulated(answer, name, digits, words, screen) for answer in answers]
        exact = [_seat_exact(answer, name, digits, words, screen) for answer in answers]
        if both:
            # The exact figure stands under the simulated one, not under its margin.
            exact = [
                below + " " * (len(above) - above.index(" "))
                for above, below in zip(simulated, exact, strict=True)
            ]
            rows += [(words(name), *simulated), (f"  {words('exact')}", *exact)]
        else:
            rows.append((words(name), *(simulated if first.simulated is not None else exact)))
    return Grid((words("win"), *(words(f"seat {answer.query.seat}") for answer in answers)), tuple(rows))


def _seat_simulated(answer: Odds, name: str, digits: int, words: Words, screen: Screen) -> str:
    if answer.simulated is None:
        return ""
    if name == "stones":
        return stones_difference(answer.simulated, words, screen)
    return simulated_win(answer.simulated.lances[name], digits, words, screen)


def _seat_exact(answer: Odds, name: str, digits: int, words: Words, screen: Screen) -> str:
    if answer.exact is None:
        return ""
    if name == "stones":
        return stones_difference(answer.exact, words, screen)
    return words.sure_percent(answer.exact.lances[name].win, digits)
