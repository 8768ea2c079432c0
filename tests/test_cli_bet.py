"""``musodds bet`` and ``musodds race`` from the command line."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from pathlib import Path

import pytest

import musodds
from musodds.cli.app import main
from musodds.mus.rules import rules
from musodds.report import bet as bet_report
from musodds.report import race as race_report
from musodds.report.screen import Screen
from musodds.report.text import Words

ORDAGO = ("bet", "RCSA", "--seat", "postre", "--lance", "juego", "--ordago", "--score", "30-32")
RAISED = (
    *("bet", "RRS7", "--seat", "2", "--lance", "grande", "--offer", "5", "--standing", "2"),
    *("--score", "30-31", "--raise", "10,ordago", "--fold", "30%", "--deals", "20000"),
)


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = main([*arguments, "--quiet"])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    return out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("musodds: error: ")
    assert err.count("\n") == 1
    return err


# --- bet ---


def test_a_bet_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, *ORDAGO, "--when", "better").splitlines()
    found = musodds.bet("RCSA", 4, lance="juego", offer="ordago", score="30-32", when="better")
    assert lines[0] == "RCSA · postre · classic, 8 kings"
    assert lines[1] == "they bet an órdago at juego · score 30-32, to 40"
    assert lines[2] == f"betting in {found.deals:,} of the deals simulated, seed 1, ± 95 %"
    first, second = lines[7:9]
    assert first.split()[:2] == ["accept", f"{100 * found.answers[0].win:.2f}"]
    assert second.split()[:2] == ["refuse", f"{100 * found.answers[1].win:.2f}"]
    assert second.split()[4] == f"{100 * found.answers[1].behind:.2f}"
    assert lines[-3].startswith(
        f"chance to win juego: {100 * found.lance_win:.2f} % (exact); accepting breaks even"
    )
    assert lines[-2].startswith("verdict: accept, ")
    assert lines[-1].endswith(f"holds one of the best {found.flips_at:.1f} % of hands at juego")
    never = shown(capsys, *ORDAGO, "--score", "32-36", "--when", "better", "--bettor", "left").splitlines()
    assert never[-1] == "however strong the hand of the bettor (left), it stays so"


def test_raises_show_what_comes_of_each_reply(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, *RAISED)
    assert "they raise to 5 at grande, over 2 · score 30-31, to 40" in text
    assert len(re.findall(r"^(accept|refuse|raise to 10|raise: órdago) ", text, re.MULTILINE)) == 4
    assert "accept     fold" in text


def test_a_bet_as_json_is_what_python_gives(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(shown(capsys, *RAISED, "--partner", "R=0", "--seen", "77", "--format", "json"))
    found = musodds.bet(
        *("RRS7", 2),
        lance="grande",
        offer=5,
        standing=2,
        score="30-31",
        raises=[10, "ordago"],
        fold=0.3,
        partner="R=0",
        seen="77",
        deals=20_000,
    )
    assert document["schema"] == "musodds.bet/1"
    assert (document["others"], document["cuts"], document["play"]) == ("players", None, "passed")
    (result,) = document["results"]
    assert (result["hand"], result["seat"], result["known"]["partner"], result["seen"]) == (
        "RRS7",
        2,
        "R=0",
        "77",
    )
    assert (result["offer"], result["standing"], result["deje"], result["fold"]) == (5, 2, 2, 0.3)
    assert result["score"] == {"us": 30, "them": 31}
    for name in (
        "lance",
        "deals",
        "seed",
        "lance_win",
        "break_even",
        "bettor",
        "flips_at",
        "verdict",
        "close",
    ):
        assert result[name] == getattr(found, name)
    assert result["answers"] == [vars(answer) for answer in found.answers]
    assert {answer["to"] for answer in result["answers"]} == {None, 10, "ordago"}


def test_a_bet_as_csv_has_a_row_for_each_answer(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(StringIO(shown(capsys, *RAISED, "--format", "csv"))))
    assert tuple(rows[0]) == bet_report.COLUMNS
    assert len(rows) == 4
    assert [float(row["win"]) for row in rows] == sorted((float(row["win"]) for row in rows), reverse=True)
    assert {row["action"] for row in rows} == {"accept", "refuse", "raise"}
    assert {(row["hand"], row["us"], row["them"], row["deje"]) for row in rows} == {("RRS7", "30", "31", "2")}


def test_a_bet_as_markdown_and_in_spanish(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, *ORDAGO, "--format", "markdown", "--lang", "es")
    assert text.startswith(
        "## RCSA · postre · classic, 8 reyes\n\nechan órdago a juego · tanteo 30-32, a 40\n"
    )
    assert "| quiero | " in text
    assert "veredicto: quiero" in text
    for english in ("accept", "refuse", "score", "deals", "chance"):
        assert english not in text


def test_equal_answers_are_called_equal(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--right", "RRRR", "--score", "39-39", "--deals", "1000")
    text = shown(capsys, "bet", "7654", "--seat", "postre", "--lance", "grande", *options)
    assert "verdict: accept; refuse is worth just as much" in text


def test_a_bet_fits_a_narrow_plain_terminal() -> None:
    found = musodds.bet("RRS7", 2, lance="grande", raises=[5], fold=0.3, deals=2_000, when="better")
    for width in (40, 80):
        text = bet_report.bet_table(found, Words(), Screen(width, terminal=True, encoding="ascii"))
        assert max(len(line) for line in text.splitlines()) <= width
        assert text.isascii()


@pytest.mark.parametrize("fold", ["30%", "0.3", "30 %"])
def test_shares_are_read_in_per_cent_or_of_one(capsys: pytest.CaptureFixture[str], fold: str) -> None:
    options = ("--raise", "5", "--fold", fold, "--deals", "500", "--format", "json")
    document = json.loads(shown(capsys, "bet", "RRS7", "--lance", "grande", *options))
    assert document["results"][0]["fold"] == 0.3


def test_an_ordago_can_be_written_three_ways(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("bet", "RCSA", "--lance", "juego", "--deals", "5000")
    ways = [("--ordago",), ("--offer", "órdago"), ("--offer", "ORDAGO", "--ordago")]
    assert len({shown(capsys, *asked, *way) for way in ways}) == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("RR4A",), "--lance"),
        (("RR4A", "--lance", "juego"), "RR4A has no juego"),
        (("7654", "--lance", "pares"), "7654 has no pares"),
        (("RCSA", "--lance", "punto"), "no punto is played"),
        (("RR4A", "--lance", "mus"), "the lances are"),
        (("RR4A", "--lance", "grande", "--offer", "1"), "offer 1: the smallest is 2"),
        (("RR4A", "--lance", "grande", "--offer", "all"), "offer 'all'"),
        (("RR4A", "--lance", "grande", "--offer", "3", "--ordago"), "--standing 3 --ordago"),
        (("RR4A", "--lance", "grande", "--standing", "2"), "offer 2 over 2: the smallest is 4"),
        (("RR4A", "--lance", "grande", "--score", "41-20"), "the game to 40 is over"),
        (("RR4A", "--lance", "grande", "--score", "-1-3"), "US-THEM"),
        (("RR4A", "--lance", "grande", "--score", "a-b"), "US-THEM"),
        (("RR4A", "--lance", "grande", "--score", "40-40"), "the game to 40 is over"),
        (("RR4A", "--lance", "grande", "--score", "30-2", "--rules", "euskal"), "the game to 30 is over"),
        (("RR4A", "--lance", "grande", "--raise", "3"), "the smallest raise"),
        (("RR4A", "--lance", "grande", "--raise", "x"), "raise 'x'"),
        (("RR4A", "--lance", "grande", "--fold", "30%"), "say which with --raise"),
        (("RR4A", "--lance", "grande", "--raise", "5", "--fold", "130%"), "from 0% to 100%"),
        (("RR4A", "--lance", "grande", "--raise", "5", "--fold", "much"), "from 0% to 100%"),
        (("RR4A", "--lance", "grande", "--bettor", "left"), "give both, or neither"),
        (("RR4A", "--lance", "grande", "--when", "worse"), "only better is asked"),
        (("RR4A", "--lance", "grande", "--seat", "all"), "choose mano, 2, 3 or postre"),
        (("RR4A", "--lance", "grande", "--partner", "R=0 & R>=3"), "no hand"),
        (("RR4A", "--lance", "pares", "--declared", "pares: 1,3"), "no betting on pares"),
        (("RR4A", "--lance", "grande", "--declared", "pares: none"), "RR4A"),
        (("RR8A", "--lance", "grande"), "there is no 8"),
    ],
)
def test_bets_that_cannot_be_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], reason: str
) -> None:
    assert reason in refused(capsys, "bet", *arguments)


# --- race ---


def test_a_race_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    found = musodds.race("36-30")
    text = shown(capsys, "race", "36-30")
    lines = text.splitlines()
    assert lines[0] == "36-30, to 40 · classic, 8 kings"
    assert lines[1] == f"mus as players · every lance passed · {found.board.hands:,} hands simulated"
    figures = {line.split()[0]: line.split()[1] for line in lines[-3:]}
    assert figures == {
        "us": f"{100 * found.win_with_mano:.2f}",
        "them": f"{100 * found.win_without_mano:.2f}",
        "average": f"{100 * found.win:.2f}",
    }
    only = shown(capsys, "race", "36-30", "--mano", "them", "--lang", "es")
    assert only.splitlines()[-1].split()[:2] == ["ellos", figures["them"].replace(".", ",")]
    assert "average" not in only


def test_a_race_as_json_csv_and_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    found = musodds.race("12-20", mano="us", rules="euskal", play="envido")
    asked = ("race", "12-20", "--rules", "euskal", "--play", "envido", "--mano", "us")
    document = json.loads(shown(capsys, *asked, "--format", "json"))
    assert (document["schema"], document["play"], document["rules"]["target"]) == (
        "musodds.race/1",
        "envido",
        30,
    )
    assert document["results"] == [
        {"us": 12, "them": 20, "mano": "us"}
        | {name: getattr(found, name) for name in ("win", "margin", "win_with_mano", "win_without_mano")}
    ]
    (row,) = csv.DictReader(StringIO(shown(capsys, *asked, "--format", "csv")))
    assert (row["us"], row["them"], float(row["win_with_mano"])) == ("12", "20", found.win_with_mano)
    assert shown(capsys, *asked, "--format", "markdown").startswith("## 12-20, to 30 · euskal, 4 kings\n")


def test_the_board_has_every_score(capsys: pytest.CaptureFixture[str]) -> None:
    found = musodds.race("0-0", target=30).board
    rows = list(csv.DictReader(StringIO(shown(capsys, "race", "--target", "30", "--format", "csv"))))
    assert tuple(rows[0]) == race_report.COLUMNS
    assert len(rows) == 900
    for row in rows[::37]:
        us, them = int(row["us"]), int(row["them"])
        assert float(row["win_with_mano"]) == found.chance(us, them, "us")
        assert float(row["win_without_mano"]) == found.chance(us, them, "them")
    document = json.loads(shown(capsys, "race", "--board", "--target", "30", "--format", "json"))
    assert len(document["results"]) == 900
    assert document["results"][31] == {
        "us": 1,
        "them": 1,
        "win_with_mano": found.chance(1, 1, "us"),
        "win_without_mano": found.chance(1, 1, "them"),
    }


def test_the_heat_map_has_a_digit_for_every_score(capsys: pytest.CaptureFixture[str]) -> None:
    found = musodds.race("0-0").board
    lines = shown(capsys, "race", "--mano", "us").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("   0  "))
    digits = [line[6:] for line in lines[start : start + 40]]
    assert [len(row) for row in digits] == [40] * 40
    for us, them in ((0, 0), (39, 39), (20, 25), (39, 0), (0, 39)):
        assert digits[us][them] == str(min(9, int(10 * found.chance(us, them, "us"))))
    grid = shown(capsys, "race", "--mano", "us", "--format", "markdown")
    assert f"| 20 | {100 * found.chance(20, 0, 'us'):.0f} |" in grid


@pytest.mark.parametrize("target", [1, 2, 40, 150])
def test_the_heat_map_fits_a_terminal_and_is_coloured_where_colours_are(target: int) -> None:
    found = musodds.race("0-0", rules=rules(target=target)).board
    plain = race_report.board_table(found, None, Words(), Screen(80, terminal=True, encoding="ascii"))
    assert max(len(line) for line in plain.splitlines()) <= 80
    assert plain.isascii()
    coloured = race_report.board_table(found, None, Words(), Screen(80, terminal=True, styled=True))
    assert "\x1b[30;48;5;" in coloured
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert bare.split("\n\n")[1] == plain.split("\n\n")[1]


def test_a_file_gets_what_stdout_would(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "race.txt"
    assert shown(capsys, "race", "3-4", "-o", str(file)) == ""
    assert file.read_text(encoding="utf-8") == shown(capsys, "race", "3-4")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("-1-3",), "stones are 0 or more"),
        (("-1-3", "--target", "30"), "stones are 0 or more"),
        (("3--1",), "US-THEM"),
        (("41-20",), "the game to 40 is over"),
        (("40-40",), "the game to 40 is over"),
        (("30-2", "--target", "30"), "the game to 30 is over"),
        (("a-b",), "US-THEM"),
        (("36",), "US-THEM"),
        (("36-30", "--board"), "leave out 36-30"),
        (("36-30", "--mano", "me"), "choose us or them"),
        (("36-30", "--play", "wild"), "choose one of passed, envido"),
        (("36-30", "--others", "nobody.csv"), "nobody.csv"),
        (("36-30", "--cuts", "R>="), "R>="),
        (("36-30", "--target", "0"), "target"),
        (("36-30", "--maon", "us"), "No such option: --maon"),
        (("36-30", "20-20"), "unexpected extra argument"),
    ],
)
def test_races_that_cannot_be_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], reason: str
) -> None:
    assert reason in refused(capsys, "race", *arguments)
