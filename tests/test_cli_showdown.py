"""``musodds showdown`` from the command line and from Python."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

import musodds
from musodds.cli.app import main
from musodds.errors import CardError, RecordError, RulesError
from musodds.mus.bets import parse_record
from musodds.mus.cards import parse_hand
from musodds.mus.count import settle
from musodds.mus.lances import LANCES
from musodds.report.screen import Screen
from musodds.report.showdown import COLUMNS, showdown_table
from musodds.report.text import Words

HANDS = ("R3CA", "7654", "SS54", "RC77")
BETS = "grande=pass,chica=2,pares=refused:us:1,juego=2"
OUT = ("RR54", "CCAA", "RS64", "7654")  # punto; at 39-38 the count stops at grande

TABLE = """\
RRCA 7654 SS54 RC77 · classic, 8 kings
score 0-0, to 40 · bets: grande=pass, chica=2, pares=refused:us:1, juego=2
us: seats 1 and 3 · them: seats 2 and 4

lance   bet              won by      hand  why                              stones
grande  passed           us, seat 1  RRCA  kings tie; second card R over C       1
chica   2 accepted       us, seat 1  RRCA  lowest card A under 4                 2
pares   refused, deje 1  us          –     seats 2 and 4 refused the bet         3
juego   2 accepted       us, seat 1  RRCA  31 over 34                            5

count   for          to  stones  score
pares   deje         us       1    1-0
grande  passed       us       1    2-0
chica   the stake    us       2    4-0
pares   seat 1: par  us       1    5-0
pares   seat 3: par  us       1    6-0
juego   the stake    us       2    8-0
juego   seat 1: 31   us       3   11-0

This hand: us 11, them 0. Score: 11-0.
"""


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = main(["showdown", *arguments])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    return out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = main(["showdown", *arguments])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("musodds: error: ")
    assert err.count("\n") == 1
    return err


def test_the_worked_example_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, *HANDS, "--bets", BETS) == TABLE


def test_the_table_fits_a_terminal_of_80_columns() -> None:
    settlement = musodds.showdown(*HANDS, bets=BETS)
    lines = showdown_table(settlement, Words(), Screen(80)).splitlines()
    assert max(len(line) for line in lines) <= 80
    assert any(line.startswith("pares") and line.endswith(" 3") for line in lines)


def test_the_worked_example_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(shown(capsys, *HANDS, "--bets", BETS, "--score", "20-30", "--format", "json"))
    assert document["schema"] == "musodds.showdown/1"
    assert document["rules"]["preset"] == "classic"
    (result,) = document["results"]
    assert result["hands"] == ["RRCA", "7654", "SS54", "RC77"]
    assert result["bets"] == BETS
    assert [result["lances"][lance]["stones"]["total"] for lance in LANCES] == [1, 2, 3, 5, 0]
    pares = result["lances"]["pares"]
    assert pares["bet"] == {"kind": "refused", "stones": 1, "collector": "us"}
    assert (pares["pair"], pares["seat"], pares["best"], pares["reason"]) == ("us", None, 1, "refused")
    assert pares["cards"] == "par of R over par of 7"
    assert pares["stones"] == {
        "deje": 1,
        "pass": 0,
        "bet": 0,
        "pares": 2,
        "juego": 0,
        "punto": 0,
        "total": 3,
        "not_counted": 0,
    }
    assert (result["stones"], result["after"]) == ({"us": 11, "them": 0}, {"us": 31, "them": 30})
    assert result["entries"][0] == {
        "lance": "pares",
        "kind": "deje",
        "pair": "us",
        "seat": None,
        "stones": 1,
        "counted": True,
        "score": {"us": 21, "them": 30},
    }
    assert (result["winner"], result["ended_by"], result["ended_at"]) == (None, None, None)


def test_a_game_that_ends_in_the_count(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(shown(capsys, *OUT, "--score", "39-38", "--format", "json"))
    (result,) = document["results"]
    assert (result["winner"], result["ended_by"], result["ended_at"]) == ("us", "count", "grande")
    assert [entry["counted"] for entry in result["entries"]] == [True, False, False, False]
    assert result["entries"][1]["score"] is None
    text = shown(capsys, *OUT, "--score", "39-38")
    assert text.count("not counted") == 3
    assert text.endswith("Score: 40-38.\nSeats 1 and 3 win the game: the count stops at grande.\n")


def test_an_accepted_ordago(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, *OUT, "--bets", "chica=ordago")
    assert text.endswith("Seats 2 and 4 win the game: the órdago at chica was accepted.\n")


def test_a_deje_that_ends_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, *OUT, "--bets", "grande=refused:them:2", "--score", "0-38")
    assert text.endswith("Seats 2 and 4 win the game: the deje at grande ends it on the spot.\n")


def test_csv_has_a_row_for_each_lance(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(StringIO(shown(capsys, *HANDS, "--bets", BETS, "--format", "csv"))))
    assert tuple(rows[0]) == COLUMNS
    assert [row["lance"] for row in rows] == list(LANCES)
    assert sum(int(row["stones"]) for row in rows) == 11
    assert all(
        sum(int(value) for name, value in row.items() if name.startswith("stones_")) == int(row["stones"])
        for row in rows
    )
    assert (rows[4]["played"], rows[4]["pair"], rows[4]["winner"]) == ("false", "", "")


def test_markdown_holds_the_same_tables(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, *HANDS, "--bets", BETS, "--format", "markdown")
    assert text.startswith("## RRCA 7654 SS54 RC77 · classic, 8 kings\n")
    assert "| chica | 2 accepted | us, seat 1 | RRCA | lowest card A under 4 | 2 |\n" in text
    assert "| juego | seat 1: 31 | us | 3 | 11-0 |\n" in text


def test_spanish(capsys: pytest.CaptureFixture[str]) -> None:
    bets = "chica=2;pares=no-quiero:nosotros:1"
    text = shown(capsys, *HANDS, "--bets", bets, "--lang", "es")
    assert "empatan los reyes; segunda carta, R sobre C" in text
    assert "los puestos 2 y 4 no quisieron el envite" in text
    assert text.endswith("Esta mano: nosotros 9, ellos 0. Tanteo: 9-0.\n")


def test_a_file_gets_what_stdout_would(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "hand.txt"
    assert shown(capsys, *HANDS, "--bets", BETS, "-o", str(file)) == ""
    assert file.read_text(encoding="utf-8") == TABLE


def test_rules_are_overridden_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--rules", "euskal", "--target", "35", "--real", "ten", "--format", "json")
    rules = json.loads(shown(capsys, "777R", "RCSA", "654A", "654A", *options))["rules"]
    assert (rules["preset"], rules["kings"], rules["target"], rules["real"]) == ("euskal", 4, 35, "ten")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("RRRR", "RRRR", "R765", "7654"), "9 R, and a deck with 8 kings holds 8 R"),
        (("RRRR", "R765", "7654", "7654", "--kings", "4"), "5 R, and a deck with 4 kings holds 4 R"),
        (("S*RRR", "7654", "7654", "S*654", "--real", "coins"), "2 S*, and a deck with 8 kings holds one S*"),
        (("Ro,Rc,4e,Ab", "7o,6o,5o,4e", "7654", "7654"), "there twice"),
        (("RR8A", "7654", "7654", "7654"), "there is no 8 in a Mus deck"),
        (("RRA", "7654", "7654", "7654"), "a Mus hand has four"),
        (("RRCA", "7654", "7654"), "H4"),
        ((*HANDS, "--bets", "chica=1"), "the smallest bet is 2"),
        ((*HANDS, "--bets", "punto=2"), "seats 1 and 4 have juego"),
        ((*OUT, "--bets", "juego=2"), "nobody has juego"),
        (("RR54", "7654", "SS54", "765A", "--bets", "pares=2"), "only seats 1 and 3 have pares"),
        ((*HANDS, "--bets", "chica=ordago,juego=2"), "the órdago at chica was accepted"),
        ((*HANDS, "--score", "41-20"), "the game to 40 is over"),
        ((*HANDS, "--score", "40-40"), "the game to 40 is over"),
        ((*HANDS, "--score", "30-2", "--target", "30"), "the game to 30 is over"),
        ((*HANDS, "--score", "-1-3"), "US-THEM"),
        ((*HANDS, "--score", "a-b"), "US-THEM"),
        ((*HANDS, "--rules", "poker"), "the presets are"),
        ((*HANDS, "--rules", "barajamos-8", "--bets", "chica=41"), "highest bet at this table is 40"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], reason: str
) -> None:
    assert reason in refused(capsys, *arguments)


def test_python_gives_what_the_command_settles() -> None:
    settlement = musodds.showdown(*HANDS, bets=BETS, score=(20, 30))
    rules = musodds.rules()
    hands = [parse_hand(hand, rules.deck) for hand in HANDS]
    assert settlement == settle(hands, rules, parse_record(BETS), (20, 30))
    assert musodds.showdown(*HANDS, bets=BETS, score="20-30") == settlement


def test_python_refuses_as_the_command_does() -> None:
    with pytest.raises(RecordError, match="two whole numbers"):
        musodds.showdown(*HANDS, score=(1.5, 2))  # type: ignore[arg-type]
    with pytest.raises(RecordError, match="stones are 0 or more"):
        musodds.showdown(*HANDS, score=(-1, 3))
    with pytest.raises(CardError, match="9 R"):
        musodds.showdown("RRRR", "RRRR", "R765", "7654")
    with pytest.raises(RulesError, match="did you mean target"):
        musodds.showdown(*HANDS, targe=30)
