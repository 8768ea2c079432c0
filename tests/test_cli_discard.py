"""The command line of discards and policies: what is printed, what is equal, what is refused and how."""

from __future__ import annotations

import csv
import io
import json

import pytest

import musodds
from musodds.analysis import discard as analysis
from musodds.analysis.policy_file import read_policy, shipped_policy, write_policy
from musodds.cli.app import main
from musodds.mus.lances import LANCES
from musodds.report.discard import COLUMNS, DRAWS

FEW = ["--deals", "20000"]
SMALL = ["--deals", "5000", "--steps", "1", "--test-deals", "5000"]


@pytest.fixture
def run(capsys):
    """Runs a command line in this process; gives exit code, stdout and stderr."""

    def command(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return command


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["RR8A"], "no 8 in a Mus deck"),
        (["RR54", "--seat", "5"], "seat '5'"),
        (["RR54", "--others", "policy.txt"], "a policy is a .csv"),
        (["RR54", "--others", "missing.csv"], "cannot be read"),
        (["RR54", "--others", "nobody"], "choose players, solved, stand"),
        (["RR54", "--cuts", "any"], "cuts with every hand"),
        (["RR54", "--cuts", "1: pares | !pares"], "cuts with every hand"),
        (["RR54", "--cuts", "31", "--others", "stand"], "has its own"),
        (["RR54", "--drew", "right=5"], "one to four"),
        (["RR54", "--drew", "right=5", "--others", "stand"], "one to four"),
        (["RR54", "--round", "6", "--rules", "four-swaps"], "at most 4"),
        (["RR54", "--round", "6", "--max-mus", "4"], "at most 4"),
        (["RR54", "--round", "two"], "round 'two'"),
        (["RR54", "--max-mus", "0"], "no mus"),
        (["RR54", "--objective", "envido"], "objective 'envido'"),
        (["RR54", "--stakes", "grande=1"], "smallest bet"),
        (["RR54", "--right", "31"], "no hand that says mus"),
        (["RR54", "--deals", "0"], "deals 0"),
        (["RR54", "-o", "."], "is a directory"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_what_is_wrong_is_said_in_one_line(run, arguments, says):
    code, out, err = run("discard", *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("musodds: error: ")
    assert err.count("\n") == 1
    assert says in err


def test_policy_files_that_do_not_fit_are_refused(run, tmp_path):
    path = tmp_path / "policy.csv"
    write_policy(shipped_policy("players", 4), path)
    assert run("discard", "RR54", "--others", str(path)) == (
        2,
        "",
        f"musodds: error: {path}: a policy for 4 kings, and the rules play with 8\n",
    )
    write_policy(shipped_policy("players", 8), path)
    whole = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for change, says in (
        (
            lambda line: "" if line.startswith("1,1,RRRR,") else line,
            "nothing is said of round 1, seat 1, RRRR",
        ),
        (lambda line: line.replace("cut,1", "cut,0.5"), "add to 0.5"),
        (lambda line: line.replace("1,1,7654,-,1", "1,1,7654,RR,1"), "cannot keep RR"),
    ):
        path.write_text("".join(map(change, whole)), encoding="utf-8")
        code, out, err = run("discard", "RR54", "--others", str(path))
        assert (code, out) == (2, "")
        assert says in err
        assert err.count("\n") == 1


def test_json_says_what_python_says(run):
    code, out, err = run("discard", "R764", "--seat", "all", "--format", "json", "--seed", "9", *FEW)
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["schema"] == "musodds.discard/1"
    assert [result["seat"] for result in document["results"]] == [1, 2, 3, 4]
    for result in document["results"]:
        advice = musodds.discard("R764", result["seat"], seed=9, deals=20_000)
        assert isinstance(advice, musodds.Advice)
        assert result["advice"] == advice.advice
        assert result["cut"] == {"value": advice.cut.value, "margin": advice.cut.margin}
        assert result["difference"]["margin"] == advice.difference.margin
        assert result["through"] == advice.through
        assert len(result["options"]) == len(advice.options)
        for shown, found in zip(result["options"], advice.options, strict=True):
            assert (shown["keep"], shown["discard"]) == (found.keep, found.discard)
            assert (shown["value"], shown["tied"]) == (found.value, found.tied)
            assert shown["lances"]["juego"]["lose"] == found.lances["juego"].lose
            assert shown["draw"] == dict(found.draw)


def test_csv_has_a_row_for_each_discard(run):
    code, out, _ = run("discard", "RRCA", "--format", "csv", "--drew", "right=1", "--stakes", "juego=3", *FEW)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert tuple(rows[0]) == COLUMNS
    assert [int(row["rank"]) for row in rows] == list(range(1, len(rows) + 1))
    assert {row["keep"] + row["discard"] for row in rows} >= {"RRCA"}
    assert {(row["round"], row["drew_right"], row["drew_left"], row["stakes"]) for row in rows} == {
        ("2", "1", "", "juego=3")
    }
    for row in rows:
        for lance in LANCES:
            total = float(row[f"{lance}_win"]) + float(row[f"{lance}_lose"])
            assert total == pytest.approx(float(row[f"{lance}_played"]))
        assert all(0 <= float(row[f"draw_{name}"]) <= 1 for name in DRAWS)


def test_any_number_of_threads_prints_the_same_bytes(run):
    once = run("discard", "C764", "--format", "json", "--threads", "1", *FEW)
    assert once[0] == 0
    for threads in ("2", "3"):
        assert run("discard", "C764", "--format", "json", "--threads", threads, *FEW) == once


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("kind", ["table", "markdown"])
def test_tables_begin_with_the_verdict(run, kind, lang):
    code, out, err = run("discard", "RRSA", "--format", kind, "--lang", lang, *FEW)
    assert (code, err) == (0, "")
    lines = [line for line in out.splitlines() if line]
    verdict = next(number for number, line in enumerate(lines) if line.startswith(("Cut", "Corta")))
    first = next(number for number, line in enumerate(lines) if "RRS " in line)
    assert verdict < first
    assert "mus" in lines[verdict]
    assert "±" in lines[verdict]


def test_close_calls_are_marked(run):
    advice = musodds.discard("RR4A", "postre", deals=2000)
    assert advice.options[1].tied
    out = run("discard", "RR4A", "--seat", "postre", "--deals", "2000")[1]
    assert "≈ too close to the best to call" in out
    assert any(line.startswith(advice.options[1].keep + " ") and "≈" in line for line in out.splitlines())
    clear = run("discard", "RR54", "--deals", "20000")[1]
    assert "≈" not in clear


def test_an_interrupted_run_prints_what_it_has(run, monkeypatch):
    real = analysis.discard

    def stopped(*arguments, **options):
        found = real(*arguments, **options)
        object.__setattr__(found, "partial", True)
        return found

    monkeypatch.setattr(analysis, "discard", stopped)
    code, out, err = run("discard", "RR54", "--seat", "all", *FEW)
    assert code == 130
    assert "partial, interrupted after 20,000 deals" in out
    assert err == "musodds: interrupted; the answer holds what was finished\n"
    monkeypatch.setattr(analysis, "discard", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
    assert run("discard", "RR54") == (130, "", "")


def test_an_interruption_keeps_whole_blocks():
    calls = []

    def stop(done: int, planned: int | None) -> None:
        calls.append(done)
        if len(calls) == 2:
            raise KeyboardInterrupt

    advice = musodds.discard("RR54", deals=200_000, progress=stop)
    assert advice.partial
    assert 0 < advice.deals < 200_000
    for option in advice.options:
        share = option.lances["grande"]
        assert share.win + share.lose == pytest.approx(1)


def test_odds_after_a_mus(run):
    code, out, err = run("odds", "RR54", "--drew", "right=2,partner=1", "--format", "json", *FEW)
    assert (code, err) == (0, "")
    (result,) = json.loads(out)["results"]
    assert result["exact"] is None
    assert result["mus"] == {
        "others": "players",
        "cuts": None,
        "drew": {"right": 2, "partner": 1, "left": None},
    }
    found = musodds.odds("RR54", drew="right=2,partner=1", deals=20_000)
    assert result["simulated"]["lances"]["pares"]["win"] == found.simulated.lances["pares"].win
    rows = list(csv.DictReader(io.StringIO(run("odds", "RR54", "--drew", "any", "--format", "csv", *FEW)[1])))
    assert {row["engine"] for row in rows} == {"simulated"}
    assert {row["others"] for row in rows} == {"players"}
    table = run("odds", "RR54", "--drew", "left=4", "--others", "solved", *FEW)[1]
    assert "after a mus · the others: solved · drew: left 4" in table
    assert "mus" not in json.loads(run("odds", "RR54", "--format", "json", *FEW)[1])["results"][0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--drew", "right=2", "--exact"], "nobody can count every deal"),
        (["--drew", "right=5"], "one to four"),
        (["--drew", "right=2", "--margin", "0.1"], "give deals"),
        (["--others", "solved"], "goes with what they drew"),
        (["--cuts", "31"], "goes with what they drew"),
        (["--drew", "right=2", "--max-mus", "0"], "no mus"),
    ],
)
def test_odds_after_a_mus_that_cannot_be(run, arguments, says):
    code, out, err = run("odds", "RR54", *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_solve_writes_a_policy_and_prints_how_good_it_is(run, tmp_path):
    path, state = tmp_path / "mine.csv.gz", tmp_path / "state.npz"
    code, out, err = run("solve", *SMALL, "-o", str(path), "--state", str(state), "--quiet")
    assert (code, err) == (0, "")
    assert "goes through" in out
    assert read_policy(path).rounds == 3
    assert state.exists()
    assert run("solve", *SMALL, "-o", str(path), "--state", str(state), "--format", "table")[1] == out
    document = json.loads(run("solve", *SMALL, "--free-cuts", "--format", "json")[1])
    assert document["schema"] == "musodds.solve/1"
    assert (document["policy"], document["cuts"], document["deals"]) == ("solved", "free", 5000)
    assert [row["seat"] for row in document["results"]] == [1, 2, 3, 4]
    assert sum(row["cuts"] for row in document["results"]) + document["through"][0] == pytest.approx(1)
    rows = list(csv.DictReader(io.StringIO(run("solve", *SMALL, "--cuts", "31", "--format", "csv")[1])))
    assert [row["seat"] for row in rows] == ["1", "2", "3", "4"]
    assert run("solve", *SMALL, "--kings", "4", "--format", "markdown", "--lang", "es")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--cuts", "31", "--free-cuts"], "give one of them"),
        (["--cuts", "any"], "cuts with every hand"),
        (["--max-mus", "0"], "no mus"),
        (["-o", "policy.txt"], "a policy is a .csv"),
        (["-o", "-"], "kept in files"),
        (["--deals", "5"], "at least 1 step"),
        (["--rules", "clasic"], "did you mean classic?"),
    ],
)
def test_solve_refuses_before_it_works(run, arguments, says):
    code, out, err = run("solve", *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
