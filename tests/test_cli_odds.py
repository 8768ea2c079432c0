"""The command line: what is refused and how, what is equal, where answers go, what a stopped run leaves."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time

import pytest

import musodds
from musodds.analysis import odds as analysis
from musodds.cli import output
from musodds.cli.app import main
from musodds.cli.numbers import decimal, whole
from musodds.errors import MusoddsError, UsageError

FEW = ["--deals", "2000"]


@pytest.fixture
def run(capsys):
    """Runs a command line in this process; gives exit code, stdout and stderr."""

    def command(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return command


def environment(**changes: str) -> dict[str, str]:
    """The environment for a process of its own, without what the tests' own one sets."""
    plain = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "TERM")}
    return plain | changes


COMMAND = [sys.executable, "-m", "musodds"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["RR8A"], "there is no 8 in a Mus deck"),
        (["RRR"], "3 cards, and a Mus hand has four"),
        (["RRRRR"], "5 cards"),
        ([""], "no hand"),
        (["101112"], "separated form"),
        (["10 11 12"], "3 cards"),
        (["RRKX"], "'X' is not a card"),
        (["RЯ4A"], "'Я' is not a card"),
        (["R\nR4A\x1b"], "is not one card"),
        (["RR4A", "--seat", "5"], "seat '5'"),
        (["RR4A", "--kings", "6"], "8 kings or with 4"),
        (["RR4A", "--kings", "eight"], "kings 'eight'"),
        (["S*S*AA", "--real", "coins"], "twice"),
        (["RR4A", "--real", "gold"], "choose one of off, ten, jack, coins"),
        (["RR4A", "--rules", "clasic"], "did you mean classic?"),
        (["RR4A", "--target", "0"], "target 0"),
        (["RR4A", "--max-mus", "often"], "max-mus 'often'"),
        (["RR4A", "--seen", "8"], "no 8"),
        (["4444", "--seen", "4"], "5 4"),
        (["RR4A", "--deals", "0"], "deals 0"),
        (["RR4A", "--deals", "-5"], "deals -5"),
        (["RR4A", "--deals", "abc"], "deals 'abc'"),
        (["RR4A", "--deals", "1.5"], "deals '1.5'"),
        (["RR4A", "--deals", "9" * 5000], "write a whole number"),
        (["RR4A", "--seed", "-1"], "seed -1"),
        (["RR4A", "--seed", "18446744073709551616"], "18446744073709551615"),
        (["RR4A", "--seed", "abc"], "seed 'abc'"),
        (["RR4A", "--seed", "1.5"], "seed '1.5'"),
        (["RR4A", "--margin", "nan"], "margin 'nan'"),
        (["RR4A", "--margin", "0"], "margin 0"),
        (["RR4A", "--threads", "0"], "threads 0"),
        (["RR4A", "--exact", "--no-exact"], "leave nothing to do"),
        (["RR4A", "--format", "xml"], "'xml' is not one of 'table', 'json', 'csv', 'markdown'"),
        (["RR4A", "--lang", "fr"], "'fr' is not one of 'en', 'es'"),
        (["RR4A", "--sead", "1"], "--sead"),
        (["RR4A", "--seed"], "--seed"),
        (["R", "R", "4", "A"], "needs quotes"),
        ([], "HAND"),
        (["RR4A", "-o", ""], "no name"),
        (["RR4A", "-o", "."], "is a directory"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_what_is_wrong_is_said_in_one_line(run, arguments, says):
    code, out, err = run("odds", *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("musodds: error: ")
    assert err.count("\n") == 1
    assert says in err


def test_an_unknown_command_is_refused(run):
    code, out, err = run("oods", "RR4A")
    assert (code, out) == (2, "")
    assert "oods" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("hand", ["kk41", "12 12 4 1", "12-12-4-1", "R,3,4,2", "Ro Rc 4e Ab", "4RAR"])
def test_every_way_to_type_a_hand_is_equal(run, hand):
    assert run("odds", hand, *FEW) == run("odds", "RR4A", *FEW)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["--seat", "MANO"], ["--seat", "1"]),
        (["--format", "JSON"], ["--format", "json"]),
        (["--deals", "2_000"], ["--deals", "2e3"]),
        (["--kings", "4"], ["--rules", "classic", "--kings", " 4 "]),
        (["-o", "-"], []),
        (["--max-mus", "none"], []),
        (["--threads", "1"], ["--threads", "2"]),
    ],
)
def test_equal_options_give_equal_answers(run, one, other):
    first = run("odds", "RR4A", *FEW, *one)
    assert first[0] == 0
    assert first == run("odds", "RR4A", *FEW, *other)


def test_json_says_what_python_says(run):
    code, out, err = run(
        "odds", "RCSA", "--seat", "all", "--seed", "5", *FEW, "--format", "json", "--kings", "4"
    )
    assert (code, err) == (0, "")
    results = json.loads(out)["results"]
    answers = musodds.odds_all_seats("RCSA", seed=5, deals=2000, kings=4)
    assert [result["seat"] for result in results] == [1, 2, 3, 4]
    for result, found in zip(results, answers, strict=True):
        for engine in ("simulated", "exact"):
            figures = getattr(found, engine)
            assert result[engine]["deals"] == figures.deals
            for name, lance in figures.lances.items():
                shown = result[engine]["lances"][name]
                assert shown["win"] == lance.win
                assert shown["mine"] == lance.mine
                assert shown["counts"]["lose"] == lance.counts.lose


def test_engines_are_asked_for_one_by_one(run):
    only_exact = json.loads(run("odds", "RR4A", "--exact", "--format", "json")[1])["results"][0]
    assert only_exact["simulated"] is None
    assert only_exact["exact"]["deals"] == 43_370_632_305_000
    only_simulated = json.loads(run("odds", "RR4A", "--no-exact", "--format", "json", *FEW)[1])["results"][0]
    assert only_simulated["exact"] is None
    assert only_simulated["simulated"]["deals"] == 2000


@pytest.mark.parametrize("seed", ["0", "4294967296", "18446744073709551615"])
def test_seeds_are_kept_to_the_last_digit(run, seed):
    out = run("odds", "RR4A", "--seed", seed, "--no-exact", "--format", "json", *FEW)[1]
    assert json.loads(out)["results"][0]["simulated"]["seed"] == int(seed)


@pytest.mark.parametrize("kind", ["table", "json", "csv", "markdown"])
def test_every_format_of_both_commands(run, kind):
    for arguments in (["odds", "RR4A", *FEW], ["rules"]):
        code, out, err = run(*arguments, "--format", kind, "--lang", "es")
        assert (code, err) == (0, "")
        assert out.endswith("\n")


def test_version_and_help(run):
    assert run("--version") == (0, f"musodds {musodds.__version__}\n", "")
    code, out, err = run("-h")
    assert (code, err) == (0, "")
    assert run() == run("--help") == (code, out, err)
    for name in ("odds", "rules", "warmup"):
        assert name in out
        assert run(name, "-h")[0] == 0
    assert "[default: mano]" in " ".join(run("odds", "--help")[1].split())


def test_whole_numbers_never_go_through_a_float():
    read = whole("number", "1")
    assert read("9007199254740993") == 9007199254740993
    assert read("1e15") == 10**15
    assert read("2.5e3") == 2500
    assert read(7) == 7
    for wrong in ("", "1.5", "2.55e1", "1e-3", "0x10", "٣", "1__0", "inf", "1 0"):
        with pytest.raises(UsageError, match="number"):
            read(wrong)
    assert decimal("margin", "0.05")("5e-2") == 0.05


def test_files_are_written_whole(run, tmp_path):
    target = tmp_path / "answer.json"
    code, out, err = run("odds", "RR4A", *FEW, "--format", "json", "-o", str(target))
    assert (code, out, err) == (0, "", "")
    assert target.read_text(encoding="utf-8") == run("odds", "RR4A", *FEW, "--format", "json")[1]
    assert os.listdir(tmp_path) == ["answer.json"]


def test_a_file_that_cannot_be_finished_is_left_as_it_was(tmp_path, monkeypatch):
    target = tmp_path / "answer"
    target.write_bytes(b"old")
    monkeypatch.setattr(
        "pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left"))
    )
    with pytest.raises(MusoddsError, match="No space left"):
        output.write_whole(str(target), b"new")
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["answer"]


@pytest.mark.skipif(os.name == "nt", reason="modes and links as on Unix")
def test_files_keep_their_mode_and_links_stay_links(tmp_path):
    target, link = tmp_path / "answer", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    output.write_whole(str(link), b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    output.write_whole(os.devnull, b"gone")
    assert not os.path.isfile(os.devnull)


def test_a_place_that_does_not_exist_is_refused_before_the_work(run, tmp_path, monkeypatch):
    monkeypatch.setattr(analysis, "answer", lambda *_, **__: pytest.fail("worked for nothing"))
    code, out, err = run("odds", "RR4A", "-o", str(tmp_path / "no" / "answer"))
    assert (code, out) == (1, "")
    assert "there is no directory" in err


def test_an_interrupted_run_prints_what_it_has_marked_partial(run, monkeypatch):
    real = analysis.simulated_odds

    def stopped(question, **options):
        found = real(question, **options)
        object.__setattr__(found, "partial", True)
        return found

    monkeypatch.setattr(analysis, "simulated_odds", stopped)
    code, out, err = run("odds", "RR4A", "--seat", "all", *FEW)
    assert code == 130
    assert "partial: interrupted after 2,000 deals" in out
    assert err == "musodds: interrupted; the answer holds what was finished\n"
    assert run("odds", "RR4A", *FEW, "--quiet")[2] == ""


def test_an_interrupt_anywhere_else_is_quiet(run, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(analysis, "answer", stopped)
    assert run("odds", "RR4A") == (130, "", "")
    monkeypatch.setattr(analysis, "check_run", stopped)
    assert run("odds", "RR4A") == (130, "", "")


def test_a_mistake_of_ours_is_one_line_unless_asked(run, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(analysis, "answer", broken)
    code, out, err = run("odds", "RR4A")
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "ZeroDivisionError: by nothing" in err
    monkeypatch.setenv("MUSODDS_DEBUG", "1")
    code, _, err = run("odds", "RR4A")
    assert code == 1
    assert "Traceback" in err


@pytest.mark.parametrize(
    "changes",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii", "COLUMNS": "40", "TERM": "dumb", "NO_COLOR": "1"},
    ],
    ids=["C", "cp1252", "ascii"],
)
def test_any_environment_gets_a_readable_answer(changes):
    done = subprocess.run(
        [*COMMAND, "odds", "RR4A", "--lang", "es", "--seat", "2", *FEW],
        env=environment(**changes),
        capture_output=True,
        timeout=300,
        check=True,
    )
    text = done.stdout.decode(changes.get("PYTHONIOENCODING", "ascii"))
    assert "grande" in text
    assert ("±" if "cp1252" in changes.values() else "+-") in text
    assert b"Traceback" not in done.stderr


def test_a_strange_letter_is_refused_even_where_it_cannot_be_printed():
    done = subprocess.run(
        [*COMMAND, "odds", "RЯ4A"],
        env=environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"),
        capture_output=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"musodds: error: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes and devices as on Unix")
@pytest.mark.parametrize(("shell", "code", "says"), [("| true", 0, ""), (">&-", 1, "stdout is closed")])
def test_a_closed_stdout_is_no_traceback(shell, code, says):
    done = subprocess.run(
        ["bash", "-c", f'"$0" -m musodds rules {shell}; exit ${{PIPESTATUS[0]}}', sys.executable],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == code
    assert done.stdout == ""
    assert says in done.stderr
    assert done.stderr.count("\n") == bool(says)


@pytest.mark.skipif(os.name == "nt", reason="signals as on Unix")
def test_ctrl_c_prints_what_is_finished():
    for seconds in (2, 4, 8, 16, 32):  # a slow machine may still be starting; then there is nothing to print
        code, out, err = interrupted_after(seconds)
        assert code in (130, -signal.SIGINT)
        if out:
            break
    assert code == 130
    assert err.endswith("musodds: interrupted; the answer holds what was finished\n")
    simulated = json.loads(out)["results"][0]["simulated"]
    assert simulated["partial"] is True
    assert 0 < simulated["deals"] < 100_000_000_000
    for lance in simulated["lances"].values():
        assert lance["counts"]["win"] + lance["counts"]["lose"] == lance["counts"]["played"]


def interrupted_after(seconds: float) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a very long run that is interrupted."""
    process = subprocess.Popen(
        [*COMMAND, "odds", "RR4A", "--deals", "100000000000", "--no-exact", "--format", "json"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    return process.returncode, out, err
