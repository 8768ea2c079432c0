"""Reports of answers made by hand: what they say, in every format, language, width and encoding."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from io import StringIO

import pytest

from musodds.analysis.figures import figures
from musodds.analysis.odds import Odds
from musodds.analysis.query import query
from musodds.engine.counts import Counts, LanceCounts
from musodds.mus.lances import LANCES
from musodds.mus.rules import PRESETS, Rules
from musodds.report import csv_, json_
from musodds.report.columns import LANCE_COUNTS, LANCE_FIGURES
from musodds.report.grid import Grid, draw, markdown
from musodds.report.markdown import odds_markdown, rules_markdown
from musodds.report.screen import PAPER, Screen
from musodds.report.table import odds_table, rules_table
from musodds.report.text import LANGS, Words

EN, ES = Words("en"), Words("es")


def counts(deals: int) -> Counts:
    """Counts with a certain lance, an impossible one, and one that is nearly certain."""
    shares = {
        "grande": (deals, 0, deals, deals, deals),
        "chica": (deals // 4, deals - deals // 4, deals, deals // 4, deals // 8),
        "pares": (deals // 2, deals // 4, deals // 2, deals // 5, 1),
        "juego": (0, deals // 2, 0, 0, 0),
        "punto": (deals // 3, deals // 6, deals // 2, deals // 3, deals - 1),
    }
    lances = {
        name: LanceCounts(win, lose, win + lose, contested, win_contested, mine)
        for name, (win, lose, contested, win_contested, mine) in shares.items()
    }
    return Counts(deals, lances, 3 * deals, deals, {2: deals - deals // 2, -1: deals // 2})


def answer(
    seat: int = 1, *, simulated: int = 1_000_000, exact: bool = True, partial: bool = False, **question
):
    """An answer with made-up figures."""
    return Odds(
        query("RR4A", seat, **question),
        figures(counts(simulated), seed=7, partial=partial) if simulated else None,
        figures(counts(43_370_632_305_000), seed=None) if exact else None,
    )


def test_the_table_says_what_was_asked_and_how_sure_it_is():
    first, run, blank, *rest = odds_table([answer()], EN).splitlines()
    assert first == "RR4A · mano · classic, 8 kings"
    assert run == "1,000,000 deals simulated, seed 7, ± 95 % · exact over 43,370,632,305,000 deals"
    assert blank == ""
    rows = {line.split()[0]: line.split()[1:] for line in rest if line and line.split()[0] in LANCES}
    assert rows["chica"] == ["25.00", "±", "0.09", "25.00", "100", "100", "25.00", "12.50"]
    assert list(rows) == list(LANCES)
    stones, blank, groups, shares = rest[-4:]
    assert stones.startswith("stones if every lance is passed: us 3.000, them 1.000, difference +2.000 ± 0.0")
    assert stones.endswith("(exact +2.000)")
    assert blank == ""
    assert groups.split() == ["difference", "≤-6", "-5..-3", "-2..-1", "0", "+1..+2", "+3..+5", "≥+6"]
    assert shares.split() == ["%", "of", "deals", "0.0", "0.0", "50.0", "0.0", "50.0", "0.0", "0.0"]


def test_certain_is_told_from_nearly_certain():
    table = odds_table([answer(simulated=0)], EN)
    rows = {line.split()[0]: line.split()[1:] for line in table.splitlines() if line.strip()}
    assert rows["grande"] == ["100", "100", "100", "100", "100"]
    assert rows["juego"][0] == "0"
    assert rows["juego"][3] == "–"
    assert rows["pares"][-1] == "<0.01"
    assert rows["punto"][-1] == ">99.99"


def test_a_simulated_certainty_keeps_its_margin():
    table = odds_table([answer(exact=False)], EN)
    assert "100.00 ± 0.01" in table
    assert "  0.00 ± 0.01" in table
    assert "exact" not in table


@pytest.mark.parametrize(
    ("deals", "shown"), [(1_000, "± 3.10"), (400_000_000, "± 0.005"), (10**11, "± 0.0004")]
)
def test_margins_are_never_rounded_to_nothing(deals, shown):
    table = odds_table([answer(simulated=deals)], EN)
    assert shown in table
    assert "± 0.00 " not in table


def test_margins_are_rounded_up():
    assert EN.up(0.0901, 2) == "0.10"
    assert EN.up(0.09, 2) == "0.09"
    assert EN.up(1e-9, 2) == "0.00"  # below a billionth of a point it is rounding noise of the figure itself
    assert ES.up(0.0901, 2) == "0,10"


def test_numbers_are_written_as_each_language_writes_them():
    assert EN.number(1234567.891, 2) == "1,234,567.89"
    assert ES.number(1234567.891, 2) == "1.234.567,89"
    assert EN.number(-0.0001, 2, sign=True) == "0.00"
    assert EN.number(0.5, 1, sign=True) == "+0.5"
    assert EN.count(12.5) == "12.50"


def test_conditions_rules_and_seen_cards_are_in_the_head():
    table = odds_table([answer(4, rules=Rules("classic-4", kings=4, real="coins"), seen="774")], EN)
    assert table.startswith("RR4A · postre · classic-4, 4 kings, real with the jack of coins\nseen: 774\n")


def test_an_interrupted_run_is_marked_partial_everywhere():
    stopped = [answer(simulated=12_345, partial=True)]
    assert "partial: interrupted after 12,345 deals" in odds_table(stopped, EN)
    assert "parcial: interrumpido tras 12.345 repartos" in odds_table(stopped, ES)
    assert "partial" in odds_markdown(stopped, EN)
    assert json.loads(json_.odds_json(stopped))["results"][0]["simulated"]["partial"] is True
    assert next(csv.DictReader(StringIO(csv_.odds_csv(stopped))))["partial"] == "true"


def test_four_seats_stand_side_by_side():
    lines = odds_table([answer(seat) for seat in (1, 2, 3, 4)], EN).splitlines()
    assert lines[0] == "RR4A · the four seats · classic, 8 kings"
    assert lines[3].split() == ["win", "%", "mano", "seat", "2", "seat", "3", "postre"]
    assert lines[6].split() == ["chica", *["25.00", "±", "0.09"] * 4]
    assert lines[7].split() == ["exact", *["25.00"] * 4]
    point = [i for i, sign in enumerate(lines[6]) if sign == "."]
    assert [i for i, sign in enumerate(lines[7]) if sign == "."] == point[::2]
    assert max(map(len, lines[3:])) <= 80


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii", "no-such-encoding"])
@pytest.mark.parametrize("width", [None, 100, 80, 40, 20])
@pytest.mark.parametrize("seats", [(2,), (1, 2, 3, 4)])
def test_tables_fit_every_screen(lang, encoding, width, seats):
    screen = Screen(width, terminal=width is not None, encoding=encoding)
    known = encoding if encoding != "no-such-encoding" else "ascii"
    for text in (
        odds_table([answer(seat) for seat in seats], Words(lang), screen),
        rules_table(PRESETS, Words(lang), screen),
    ):
        text.encode(known)
        assert "?" not in text
        if width is not None and width >= 40:
            assert max(map(len, text.splitlines())) <= width
        assert all(line == line.rstrip() for line in text.splitlines())
    assert (
        "43.370.632.305.000" in text
        or lang == "en"
        or "43.370.632.305.000" in odds_table([answer()], Words(lang))
    )


@pytest.mark.parametrize("width", [70, 40])
def test_narrow_screens_lose_no_number(width):
    wide = odds_table([answer()], EN, Screen(200)).split()
    narrow = odds_table([answer()], EN, Screen(width)).split()
    numbers = [word for word in wide if word[0] in "0123456789+<>"]
    assert sorted(numbers) == sorted(word for word in narrow if word[0] in "0123456789+<>")


def test_bars_are_drawn_for_people_only():
    terminal = odds_table([answer()], EN, Screen(100, terminal=True))
    assert "█" in terminal
    assert "█" not in odds_table([answer()], EN, PAPER)
    narrow = odds_table([answer()], EN, Screen(70, terminal=True))
    assert "█" not in narrow.partition("\nstones")[0]
    assert "#" in odds_table([answer()], EN, Screen(100, terminal=True, encoding="cp1252"))
    bars = {line.split()[0]: line.count("█") for line in terminal.splitlines() if line[:1].isalpha()}
    assert bars["grande"] == 20
    assert bars["chica"] == 5
    assert bars["juego"] == 0


@pytest.mark.parametrize(("encoding", "full", "empty"), [("utf-8", "█", "▁"), ("ascii", "#", " ")])
def test_the_spread_of_the_stones_is_a_small_bar_chart(encoding, full, empty):
    from musodds.report.stones import HEIGHT, spread_chart

    chances = {-3: 0.02, -1: 0.16, 0: 0.18, 2: 0.64}
    told = answer(exact=False)
    told = replace(told, simulated=replace(told.simulated, stones=spread_of(told, chances)))
    *bars, axis = spread_chart(told, Screen(80, terminal=True, encoding=encoding)).splitlines()
    columns = ["".join(line.ljust(20)[2 + 2 * i] for line in bars) for i in range(6)]
    assert len(bars) == HEIGHT
    assert columns[5] == full * HEIGHT  # +2, the most frequent
    assert columns[2] == "   " + full  # -1, a quarter of that
    assert columns[0].strip() == empty.strip()  # -3, a thirty-second
    assert columns[1].strip() == ""  # -2 does not happen
    assert axis == "  -3    0   +2"
    assert spread_chart(told, Screen(10, terminal=True)) == ""
    assert spread_chart(told, PAPER) == ""


def spread_of(told, chances):
    return replace(told.simulated.stones, distribution=chances)


def test_styles_add_nothing_but_styles(monkeypatch):
    import re

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    styled = odds_table([answer()], EN, Screen(100, terminal=True, styled=True))
    assert "\x1b[1m" in styled
    bare = re.sub(r"\x1b\[[0-9;]*m", "", styled)
    plain = odds_table([answer()], EN, Screen(100, terminal=True))
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()


def test_spanish_is_spanish():
    table = odds_table([answer(3)], ES)
    assert table.startswith("RR4A · tercero · classic, 8 reyes\n1.000.000 repartos simulados, semilla 7")
    assert "25,00 ± 0,09" in table
    *_, stones, _, groups, shares = table.splitlines()
    assert stones.startswith("piedras si todo queda en paso: nosotros 3,000, ellos 1,000")
    assert groups.startswith("diferencia")
    assert shares.startswith("% de repartos  0,0")
    for english in ("win", "exact ", "played", "stones", "deals"):
        assert english not in table


def test_json_has_every_field_and_no_other():
    text = json_.odds_json([answer(2, seen="774"), answer(4, simulated=0), answer(1, exact=False)])
    assert text.isascii()
    assert text.endswith("}\n")
    found = json.loads(text)
    assert list(found) == ["schema", "version", "rules", "results"]
    assert found["schema"] == "musodds.odds/1"
    assert found["rules"]["kings"] == 8
    assert set(found["rules"]) == set(Rules.__dataclass_fields__)
    first, second, third = found["results"]
    assert list(first) == ["hand", "seat", "known", "seen", "simulated", "exact"]
    assert (first["hand"], first["seat"], first["seen"]) == ("RR4A", 2, "774")
    assert first["known"] == {"right": None, "partner": None, "left": None}
    assert list(first["simulated"]) == ["deals", "seed", "partial", "lances", "stones"]
    assert list(first["exact"]) == ["deals", "lances", "stones"]
    assert list(first["exact"]["lances"]) == list(LANCES)
    for lance in first["simulated"]["lances"].values():
        assert list(lance) == [*LANCE_FIGURES, "counts"]
        assert list(lance["counts"]) == list(LANCE_COUNTS)
        assert all(type(number) is int for number in lance["counts"].values())
        assert lance["win_low"] <= lance["win"] <= lance["win_high"]
    assert first["exact"]["lances"]["juego"]["win_if_contested"] is None
    assert first["exact"]["lances"]["juego"]["win_low"] is None
    assert first["exact"]["stones"]["distribution"] == {"-1": 0.5, "2": 0.5}
    assert first["exact"]["stones"]["margin"] is None
    assert second["simulated"] is None
    assert third["exact"] is None


def test_json_gives_probabilities_in_full():
    found = json.loads(json_.odds_json([answer()]))["results"][0]["exact"]
    for name, lance in found["lances"].items():
        share = counts(43_370_632_305_000).lances[name]
        assert lance["win"] == share.win / 43_370_632_305_000


def test_json_never_holds_nan():
    with pytest.raises(ValueError, match="JSON"):
        json_.document("musodds.test/1", value=float("nan"))


def test_csv_is_one_row_per_seat_engine_and_lance():
    text = csv_.odds_csv([answer(1, seen="774"), answer(2, simulated=0)])
    assert "\r" not in text
    rows = list(csv.DictReader(StringIO(text)))
    assert tuple(rows[0]) == csv_.COLUMNS
    assert len(rows) == 5 * 2 + 5
    keys = {(row["hand"], row["seat"], row["engine"], row["lance"]) for row in rows}
    assert len(keys) == len(rows)
    sure = next(row for row in rows if row["engine"] == "exact" and row["lance"] == "chica")
    assert float(sure["win"]) == counts(43_370_632_305_000).lances["chica"].win / 43_370_632_305_000
    assert sure["count_win"] == str(43_370_632_305_000 // 4)
    assert (sure["win_low"], sure["seed"], sure["stones_margin"]) == ("", "", "")
    assert rows[0]["seen"] == "774"


def test_markdown_is_a_table_for_each_seat():
    text = odds_markdown([answer(1), answer(4)], EN)
    assert text.count("\n## RR4A") + text.startswith("## RR4A") == 2
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert len(tables) == 2 * (2 + len(LANCES) + 3)
    assert [line.count("|") for line in tables[:10]] == [8] * (2 + len(LANCES)) + [9] * 3
    assert tables[0] == "| lance | win % | exact | played | contested | win if contested | mine |"


def test_markdown_escapes_what_would_be_markup():
    text = markdown(Grid(("a", "b\nc"), (("S*|S", "<1"),)))
    assert text == "| a | b c |\n| --- | ---: |\n| S\\*\\|S | \\<1 |\n"


def test_the_jack_of_coins_is_no_emphasis_in_markdown():
    found = Odds(query("S*777", rules=Rules(real="coins")), None, figures(counts(100), seed=None))
    assert odds_markdown([found], EN).splitlines()[0].startswith("## S\\*777")


@pytest.mark.parametrize("lang", LANGS)
def test_every_preset_is_in_every_format(lang):
    words = Words(lang)
    for text in (rules_table(PRESETS, words), rules_markdown(PRESETS, words)):
        for name in PRESETS:
            assert name in text
    assert [rules["preset"] for rules in json.loads(json_.rules_json(PRESETS))["presets"]] == list(PRESETS)
    rows = list(csv.DictReader(StringIO(csv_.rules_csv(PRESETS))))
    assert rows[4]["max_mus"] == "4"
    assert rows[0]["max_mus"] == ""
    assert [int(row["kings"]) for row in rows] == [rules.kings for rules in PRESETS.values()]


def test_a_table_without_room_becomes_lists():
    grid = Grid(("name", "first", "second\nline"), (("one", "1", "22"), ("two", "", "4")))
    assert draw(grid, Screen(12)) == "one\n  first        1\n  second line  22\ntwo\n  second line  4\n"
    assert (
        draw(grid, PAPER)
        == "             second\nname  first    line\none       1      22\ntwo               4\n"
    )
