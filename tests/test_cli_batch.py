"""``musodds batch``: files in every dialect, what is refused, what a run leaves when it is stopped."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import musodds
from musodds.batching import text
from musodds.batching.columns import EXACT_FIGURES
from musodds.cli.app import main

COMMAND = [sys.executable, "-m", "musodds", "batch"]
NASTY = 'one, "two";\nthree\tñ'


@pytest.fixture
def batch(tmp_path, capsysbinary):
    """Runs the command on the content of a file; gives exit code, the output as text and stderr."""

    def run(content: bytes | str, *options: str, name: str = "in.csv", out: str = "out.csv"):
        place = tmp_path / name
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        output = tmp_path / out
        output.unlink(missing_ok=True)
        code = main(["batch", str(place), "-o", str(output), *options])
        said = capsysbinary.readouterr()
        assert said.out == b""
        return code, output.read_bytes() if output.exists() else None, said.err.decode()

    return run


def rows_of(content: bytes, delimiter: str = ",", encoding: str = "utf-8-sig") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(encoding), newline=""), delimiter=delimiter))


def written(delimiter: str, rows: list[list[str]], end: str = "\n", quoting: int = csv.QUOTE_MINIMAL) -> str:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)
    return buffer.getvalue()


PLAIN = [["hand", "seat", "note"], ["RR4A", "1", "año"], ["1111", "postre", NASTY], ["4567", "3", ""]]
TURNED = [[note, seat, hand] for hand, seat, note in PLAIN]
SPANISH = [["mano", "asiento", "note"], *PLAIN[1:]]


@pytest.mark.parametrize(
    ("content", "options", "reads"),
    [
        (written(",", PLAIN), [], (",", "utf-8")),
        (written(";", PLAIN), [], (";", "utf-8")),
        (written("\t", PLAIN), ["--csv-dialect", "plain"], (",", "utf-8")),
        (written("|", PLAIN), [], ("|", "utf-8")),
        (written("^", PLAIN), ["--delimiter", "^"], ("^", "utf-8")),
        ("\ufeff" + written(",", PLAIN), [], (",", "utf-8-sig")),
        (written(",", PLAIN, end="\r\n"), [], (",", "utf-8")),
        (written(";", PLAIN).encode("cp1252"), ["--encoding", "cp1252"], (";", "cp1252")),
        (written(",", PLAIN).encode("utf-16"), ["--encoding", "utf-16"], (",", "utf-8-sig")),
        (written(",", PLAIN, quoting=csv.QUOTE_ALL), [], (",", "utf-8")),
        (written(",", TURNED), [], (",", "utf-8")),
        (written(";", SPANISH), [], (";", "utf-8")),
        (written(",", [["Jugada", "seat", "note"], *PLAIN[1:]]), ["--map", "hand=jugada"], (",", "utf-8")),
        (written(",", PLAIN), ["--csv-dialect", "es"], (";", "utf-8-sig")),
    ],
)
def test_the_same_answers_in_every_dialect(batch, content, options, reads):
    delimiter, encoding = reads
    code, output, said = batch(content, *options)
    assert (code, said) == (0, "")
    rows = rows_of(output, delimiter, encoding)
    assert [row["note"] for row in rows] == ["año", NASTY, ""]
    for row, (hand, seat, _) in zip(rows, PLAIN[1:], strict=True):
        alone = musodds.odds(hand, seat, simulate=False).exact
        assert hand in (row.get("hand"), row.get("mano"), row.get("Jugada"))
        for lance, odds in alone.lances.items():
            for figure in EXACT_FIGURES:
                value = getattr(odds, figure)
                number = row[f"{lance}_{figure}"].replace(",", ".")
                assert number == ("" if value is None else repr(value))
        assert row["error"] == ""


def test_the_spanish_dialect_has_semicolons_decimal_commas_and_a_mark(batch):
    code, output, _ = batch("hand,note\nRR4A,1.5\n", "--csv-dialect", "es", "--figures", "win")
    assert code == 0
    assert output.startswith(b"\xef\xbb\xbfhand;note;grande_win;")
    assert b"\r\nRR4A;1.5;0,79" in output  # the user's own field stays as it was


def test_a_row_is_kept_byte_for_byte(batch):
    content = 'hand,"note" ,x\r\n"RR4A","a\r\nb",  \r\n4567,plain "quotes" inside,"NA"\r\n'
    code, output, _ = batch(content, "--figures", "win")
    assert code == 0
    assert output.startswith(b'hand,"note" ,x,grande_win,')
    assert b'\r\n"RR4A","a\r\nb",  ,0.79' in output
    assert b'\r\n4567,plain "quotes" inside,"NA",0.' in output
    assert output.endswith(b",\r\n")


def test_hands_that_look_like_numbers_are_hands(batch):
    code, output, said = batch("hand\n1111\n4567\n0112\nNA\n")
    assert code == 3
    first, second, third, fourth = rows_of(output)
    assert first["chica_mine"] == "1.0"
    assert second["error"] == ""
    assert "10, 11 and 12 need the separated form" in third["error"]
    assert "'N' is not a card" in fourth["error"]
    assert "2 of 4 rows rejected" in said


def test_a_bare_list_of_hands_needs_no_header(batch):
    code, output, _ = batch("1111\n4567\n")
    assert code == 0
    assert [row["hand"] for row in rows_of(output)] == ["1111", "4567"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is empty"),
        ("\ufeff \n\n", "is empty|no header"),
        ("hand,seat\n", "no rows"),
        ("hand,seat\n\n\n", "no rows"),
        ("cards,seat\nRR4A,1\n", "no column hand (or mano); the file has 'cards', 'seat'"),
        ("hand,hand\nRR4A,RR4A\n", "two columns for hand"),
        ("hand;mano\nRR4A;RR4A\n", "two columns for hand: 'hand' and 'mano'"),
        ("hand,seat\nRR4A,1\n".encode("utf-16"), "UTF-16"),
        ("hand,seat\nRR4A,1\n".encode("utf-16-le"), "UTF-16"),
        ("hand,note\nRR4A,año\n".encode("cp1252"), "byte 0xF1 in line 2"),
        ('hand,note\nRR4A,"never closed\nRR4A,x\n', "line 2 is never closed"),
        ("hand,error\nRR4A,x\n", "(error)"),
        (b"PAR1 but no parquet", "cannot be read as Parquet"),
        (b"hand\nRR4A\n\x00", "NUL|UTF-16"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_as_a_whole(batch, content, says):
    code, output, said = batch(content)
    assert code == 2
    assert output is None
    assert any(part in said for part in says.split("|")), said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--deals", "100"], "--no-exact"),
        (["--exact", "--no-exact"], "nothing to do"),
        (["--advice-deals", "9"], "add --advice"),
        (["--advice", "--others", "angels"], "angels"),
        (["--advice", "--cuts", "R>="], "R>="),
        (["--drew", "any", "--others", "angels"], "angels"),
        (["--map", "hand"], "NAME=COLUMN"),
        (["--map", "hand=x", "--map", "hand=y"], "twice"),
        (["--map", "hand=cards"], "no such column"),
        (["--delimiter", ";;"], "one character"),
        (["--encoding", "klingon"], "encoding 'klingon'"),
        (["--csv-dialect", "fr"], "'fr'"),
        (["--format", "xlsx"], "'xlsx'"),
        (["--figures", "luck"], "luck"),
        (["--seat", "9"], "seat '9'"),
        (["--right", "(("], "(("),
    ],
)
def test_options_that_cannot_be_are_refused(batch, options, says):
    code, output, said = batch("hand\nRR4A\n", *options)
    if options[0] == "--right":  # it concerns the rows that it is used for
        assert code == 3
        assert says in output.decode()
        return
    assert code == 2
    assert output is None
    assert says in said


def test_bad_rows_keep_their_place(batch):
    content = (
        "id,hand,seat,partner\n1,RR8A,1,\n2,RR4A,7,\n3,RR4A,1,A=7\n\n4,RR4A\n"
        "5,RR4A,1,juego,more,and more\n6,RR4A,1,juego,,\n"
    )
    code, output, said = batch(content, "--figures", "win")
    assert code == 3
    assert "6 of 7 rows rejected" in said
    rows = rows_of(output)
    assert [row["id"] for row in rows] == ["1", "2", "3", "", "4", "5", "6"]
    says = ["no 8", "seat '7'", "A=7", "no hand", "seat ''", "6 fields, and the header has 4"]
    for row, part in zip(rows, says, strict=False):
        assert part in row["error"]
        assert row["grande_win"] == row["stones_us"] == ""
    assert rows[5]["partner"] == "juego,more,and more"
    assert rows[6]["error"] == ""
    assert None not in rows[5]


def test_strict_stops_at_the_first_bad_row(batch):
    code, output, said = batch("hand,partner\nRR4A,\nRR4A,A=7\nRR8A,\n", "--strict")
    assert (code, output) == (2, None)
    assert "row 2: " in said
    assert batch("hand\nRR4A\n", "--strict")[0] == 0


def test_delimiters_follow_the_name_of_the_output(batch):
    content = "hand\tnote\nRR4A\ta,b\n"
    assert batch(content, out="out.tsv")[1].startswith(b"hand\tnote\tgrande_win")
    _, output, _ = batch(content, out="out.csv")
    assert output.startswith(b"hand,note,grande_win")
    assert b'\nRR4A,"a,b",0.' in output


def test_parquet_in_and_out(batch, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.table(
        {"when": pa.array([1, 2, 3], pa.int16()), "hand": ["RR4A", "xx", None], "seat": [1.0, 2, None]}
    )
    parquet.write_table(table, tmp_path / "in.parquet")
    content = (tmp_path / "in.parquet").read_bytes()
    code, _, _ = batch(content, name="in.parquet", out="out.parquet")
    assert code == 3
    found = parquet.read_table(tmp_path / "out.parquet", use_threads=False)
    assert found.select(table.column_names).equals(table)
    assert found.schema.field("when").type == pa.int16()
    assert found["grande_win"].to_pylist() == [
        musodds.odds("RR4A", 1, simulate=False).exact.lances["grande"].win,
        None,
        None,
    ]
    assert found["error"].to_pylist()[0] is None
    assert "'x' is not a card" in found["error"].to_pylist()[1]

    code, output, _ = batch(content, name="in.parquet")
    assert code == 3
    assert [row["when"] for row in rows_of(output)] == ["1", "2", "3"]
    assert batch(written(",", PLAIN), out="note.parquet")[0] == 0
    notes = parquet.read_table(tmp_path / "note.parquet", use_threads=False)
    assert notes["note"].to_pylist() == ["año", NASTY, ""]
    pandas = pytest.importorskip("pandas")
    assert len(pandas.read_parquet(tmp_path / "note.parquet", engine="pyarrow", use_threads=False)) == 3


def test_advice_stands_in_columns_of_its_own(batch, tmp_path):
    content = "hand;seat;drew\nRR54;1;\nRR54;1;right=2,left=1\nRRRR;4;\n"
    options = ["--figures", "win", "--advice", "--advice-deals", "5000", "--others", "solved"]
    code, output, _ = batch(content, *options, "--csv-dialect", "es")
    assert code == 0
    rows = rows_of(output, ";")
    assert [row["deals"] for row in rows] == ["", "1000000", ""]
    for row in rows:
        assert row["advice"] in ("cut", "mus")
        assert row["advice_close"] in ("true", "false")
        assert row["second_tied"] in ("true", "false")
        assert re.fullmatch(r"-?\d+,\d+(e-\d+)?", row["discard_value"])
        assert sorted(row["keep"] + row["discard"]) == sorted(row["hand"])
    assert [row["cut_margin"] == "0,0" for row in rows] == [True, False, True]

    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    assert batch(content, *options, out="out.parquet")[0] == 0
    found = parquet.read_table(tmp_path / "out.parquet", use_threads=False)
    assert [str(found.schema.field(name).type) for name in ("advice", "advice_close", "advice_deals")] == [
        "string",
        "bool",
        "int64",
    ]
    assert found["discard"].to_pylist() == [row["discard"] for row in rows]


def test_stdin_to_stdout(tmp_path):
    found = subprocess.run(
        [*COMMAND, "-", "--figures", "win"], input=b"hand\nRR4A\n", capture_output=True, check=True
    )
    assert found.stdout.startswith(b"hand,grande_win,")
    assert found.stdout.count(b"\n") == 2
    assert found.stderr == b""


def test_the_input_is_never_written_over(batch, tmp_path):
    code, _, _ = batch("hand\nRR4A\n", name="same.csv", out="other.csv")
    assert code == 0
    same = tmp_path / "same.csv"
    (tmp_path / "link.csv").symlink_to(same)
    for output in ("same.csv", "link.csv", "./same.csv"):
        assert main(["batch", str(same), "-o", str(tmp_path / output)]) == 2
    assert same.read_text() == "hand\nRR4A\n"


def test_places_that_cannot_be_are_refused_at_once(capsys, tmp_path):
    (tmp_path / "in.csv").write_text("hand\nRR4A\n")
    for source, output, says, code in [
        ("none.csv", "out.csv", "no such file", 2),
        ("in.csv", "none/out.csv", "no directory", 1),
        ("in.csv", ".", "is a directory", 2),
        (".", "out.csv", "cannot read", 1),
    ]:
        assert main(["batch", str(tmp_path / source), "-o", str(tmp_path / output)]) == code
        assert says in capsys.readouterr().err
    assert main(["batch", str(tmp_path / "in.csv"), "--resume"]) == 2
    assert "resume needs an output file" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_folder_is_refused_at_once(batch, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    code, _, said = batch("hand\nRR4A\n", out="locked/out.csv")
    assert code == 1
    assert "may not be written" in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_full_disk_is_one_clear_line(tmp_path, capsys):
    (tmp_path / "in.csv").write_text("hand\nRR4A\n")
    assert main(["batch", str(tmp_path / "in.csv"), "-o", "/dev/full"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "musodds: error: cannot write '/dev/full': No space left on device"
    ]


def test_what_cannot_be_renamed_into_place_leaves_the_old_file(tmp_path, capsys, monkeypatch):
    (tmp_path / "in.csv").write_text("hand,partner\nRR4A,R>=2\n")
    out = tmp_path / "out.csv"
    out.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(text, "write_sheet", full)
    arguments = ["batch", str(tmp_path / "in.csv"), "-o", str(out)]
    assert main(arguments) == 1
    assert "No space left" in capsys.readouterr().err
    assert out.read_text() == "old"
    left = tmp_path / "out.csv.partial.jsonl"
    assert left.exists()  # what was answered is not lost
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv", left.name]
    monkeypatch.undo()
    assert main([*arguments, "--resume"]) == 0
    assert out.read_text().startswith("hand,partner,grande_win")
    assert not left.exists()


def test_a_reader_who_leaves_is_no_error(tmp_path):
    (tmp_path / "in.csv").write_text("hand\n" + "RR4A\n" * 20_000)
    with subprocess.Popen(
        [*COMMAND, str(tmp_path / "in.csv")], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline().startswith(b"hand,grande_win")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def long_file(place: Path, rows: int) -> None:
    random_ = random.Random(2)
    with place.open("w") as file:
        file.write("hand,seat,seen,note\n")
        for i in range(rows):
            hand = "".join(random_.sample("RRRCCSS77665544AA", 4))
            file.write(f'{hand},{random_.randint(1, 4)},{random_.choice("RCS7")},"row, {i}"\n')


def kill_and_resume(tmp_path: Path, whole: bytes, delays: list[float]) -> int:
    """Kill the same run at several moments, then let it end; gives how many were killed in the middle."""
    out = tmp_path / "out.csv"
    cut = 0
    for delay in delays:
        out.unlink(missing_ok=True)
        (tmp_path / "out.csv.partial.jsonl").unlink(missing_ok=True)
        arguments = [*COMMAND, str(tmp_path / "in.csv"), "-o", str(out), "--quiet"]
        process = subprocess.Popen(arguments)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        cut += process.wait() != 0
        assert not out.exists() or out.read_bytes() == whole
        subprocess.run([*arguments, "--resume"], check=True)
        assert out.read_bytes() == whole
        assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv", "whole.csv"]
    return cut


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_run_resumes_to_the_same_bytes(tmp_path):
    long_file(tmp_path / "in.csv", 150)
    assert main(["batch", str(tmp_path / "in.csv"), "-o", str(tmp_path / "whole.csv")]) == 0
    whole = (tmp_path / "whole.csv").read_bytes()
    kill_and_resume(tmp_path, whole, [0.7, 1.0])


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_run_killed_at_twenty_moments_resumes_to_the_same_bytes(tmp_path):
    long_file(tmp_path / "in.csv", 600)
    start = time.monotonic()
    subprocess.run([*COMMAND, str(tmp_path / "in.csv"), "-o", str(tmp_path / "whole.csv")], check=True)
    took = time.monotonic() - start
    whole = (tmp_path / "whole.csv").read_bytes()
    random_ = random.Random(4)
    assert kill_and_resume(tmp_path, whole, [random_.uniform(0.1, took) for _ in range(20)]) >= 10


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a single process")
def test_an_interrupted_run_says_how_to_go_on(tmp_path):
    long_file(tmp_path / "in.csv", 3000)
    arguments = [*COMMAND, str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv")]
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
    left = tmp_path / "out.csv.partial.jsonl"
    for _ in range(600):
        if left.exists() and left.read_bytes().count(b"\n") > 3:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted, and nothing is written; --resume goes on from there" in said
    assert not (tmp_path / "out.csv").exists()
    lines = left.read_text().splitlines()
    assert json.loads(lines[0])["schema"] == "musodds.partial/1"
    assert all("question" in json.loads(line) for line in lines[1:])


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_the_spanish_dialect_opens_in_libreoffice(batch, tmp_path):
    code, _, _ = batch("hand,note\nRR4A,año\n", "--csv-dialect", "es", "--figures", "win", out="hoja.csv")
    assert code == 0
    subprocess.run(
        ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "fods",
         "--infilter=CSV:59,34,76,1,,3082", "--outdir", str(tmp_path), str(tmp_path / "hoja.csv")],
        check=True, capture_output=True, timeout=180,
    )  # fmt: skip
    sheet = (tmp_path / "hoja.fods").read_text(encoding="utf-8")
    win = musodds.odds("RR4A", simulate=False).exact.lances["grande"].win
    assert 'office:value-type="float"' in sheet
    assert f'office:value="{repr(win)[:12]}' in sheet
    assert ">año<" in sheet


def test_a_million_and_more_rows_share_few_answers(batch):
    """The rows of a long file come out in order, over the borders of what is written at a time."""
    hands = ["RR4A", "4567", "1111"]
    content = "id,hand\n" + "".join(f"{i},{hands[i % 3]}\n" for i in range(25_001))
    code, output, _ = batch(content, "--figures", "win")
    assert code == 0
    rows = rows_of(output)
    assert [row["id"] for row in rows] == [str(i) for i in range(25_001)]
    for i, hand in enumerate(hands):
        win = repr(musodds.odds(hand, simulate=False).exact.lances["grande"].win)
        assert {row["grande_win"] for row in rows[i::3]} == {win}
