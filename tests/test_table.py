"""Tables of all hands: every row is the question asked alone, ranks are counted, every format says the same."""

from __future__ import annotations

import csv
import io
import json
import random
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import musodds
from musodds.analysis.table import PLACES, SORTS, HandTable, hand_table
from musodds.cli.app import main
from musodds.engine.tables import table as hands_of
from musodds.mus import lances as slow
from musodds.mus.cards import deck
from musodds.mus.lances import LANCES
from musodds.report import whole
from musodds.report.pictures import table_picture
from musodds.report.text import Words

SHARES = ("win", "lose", "played", "contested", "win_if_contested", "mine")
KEYS = {lance: getattr(slow, lance) for lance in LANCES}


@pytest.fixture(scope="module")
def tables():
    """Exact tables by kings and real, made once."""
    made: dict[tuple[int, str], HandTable] = {}

    def get(kings: int = 8, real: str = "off") -> HandTable:
        if (kings, real) not in made:
            made[kings, real] = hand_table(kings=kings, real=real)
        return made[kings, real]

    return get


def rows_in(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["table", *arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


@pytest.mark.parametrize(("kings", "real", "number"), [(8, "off", 330), (4, "off", 715), (8, "coins", 449)])
def test_every_row_of_the_csv_is_the_question_asked_alone(tables, kings, real, number):
    rows = rows_in(whole.table_csv(tables(kings, real)))
    assert len(rows) == 4 * number == len({(row["hand"], row["seat"]) for row in rows})
    for row in random.Random(3).sample(rows, 12):
        alone = musodds.odds(row["hand"], int(row["seat"]), simulate=False, kings=kings, real=real).exact
        for lance in LANCES:
            for name in SHARES:
                found, wanted = row[f"{lance}_{name}"], getattr(alone.lances[lance], name)
                assert (found == "") if wanted is None else (float(found) == wanted)
        for name in ("us", "them", "difference"):
            assert float(row[f"stones_{name}"]) == getattr(alone.stones, name)
        assert (row["kings"], row["real"], row["engine"]) == (str(kings), real, "exact")


@pytest.mark.parametrize("kings", [8, 4])
def test_a_rank_counts_the_better_hands_and_a_percentile_the_worse_ones(tables, kings):
    """From the rules themselves, hand by hand, with the ways of each hand as its weight."""
    cards = deck(kings)
    rows = tables(kings).of_seat(2)
    held = {row.hand: tuple(row.hand) for row in rows}
    for lance in LANCES:
        keys = {row.hand: KEYS[lance](held[row.hand], cards) for row in rows}
        if lance == "punto":
            keys = {
                hand: (key if slow.juego(held[hand], cards) is None else None) for hand, key in keys.items()
            }
        for row in random.Random(5).sample(rows, 40):
            own, place = keys[row.hand], row.places[lance]
            if own is None:
                assert place.rank is None
                assert place.percentile is None
                continue
            others = [other for other in rows if keys[other.hand] is not None]
            assert place.rank == 1 + sum(keys[other.hand] > own for other in others)
            worse = sum(
                other.ways
                for other in rows
                if (lance != "punto" and keys[other.hand] is None)
                or (keys[other.hand] is not None and keys[other.hand] < own)
            )
            dealt = sum(other.ways for other in (others if lance == "punto" else rows))
            assert place.percentile == float(Fraction(worse, dealt))


def test_at_stones_a_hand_stands_by_the_difference_in_its_seat(tables):
    for seat in (1, 4):
        rows = tables().of_seat(seat)
        assert [row.places["stones"].rank for row in rows] == sorted(
            row.places["stones"].rank for row in rows
        )
        differences = [row.figures.stones.difference for row in rows]
        assert differences == sorted(differences, reverse=True)
        assert rows[0].places["stones"].rank == 1
        last = rows[-1].places["stones"]
        assert last.percentile == 0
    assert sum(row.ways for row in tables().of_seat(1)) == 91_390


@pytest.mark.parametrize("sort", SORTS)
def test_every_order_puts_the_best_first_and_keeps_all_hands(sort):
    rows = hand_table("postre", sort=sort).rows
    assert sorted(row.hand for row in rows) == sorted(hands_of().hands)
    if sort == "hand":
        assert [row.hand for row in rows] == list(hands_of().hands)
        return
    ranks = [row.places[sort].rank for row in rows]
    placed = [rank for rank in ranks if rank is not None]
    assert placed == sorted(placed)
    assert ranks[: len(placed)] == placed  # those who do not take part come last


def test_json_has_the_objects_of_the_odds_and_the_places(tables):
    found = json.loads(whole.table_json(tables()))
    assert found["schema"] == "musodds.table/1"
    assert len(found["results"]) == 1320
    one = found["results"][0]
    from musodds.report.json_ import odds_json

    alone = json.loads(odds_json([musodds.odds(one["hand"], one["seat"], simulate=False)]))["results"][0]
    assert one["exact"] == alone["exact"]
    assert one["simulated"] is None
    assert list(one["places"]) == list(PLACES)


@pytest.mark.parametrize("kings", [8, 4])
def test_parquet_reads_back_the_same_in_pandas_and_in_polars(tables, tmp_path, kings):
    import polars

    path = tmp_path / "table.parquet"
    path.write_bytes(whole.table_parquet(tables(kings)))
    typed = rows_in(whole.table_csv(tables(kings)))
    frames = {"pandas": pd.read_parquet(path), "polars": polars.read_parquet(path)}
    for name, frame in frames.items():
        assert list(frame.columns) == list(typed[0]), name
        assert len(frame) == len(typed), name
        for column in ("hand", "seat", "ways", "grande_win", "pares_rank", "punto_percentile", "stones_them"):
            read = frame[column].to_list()
            for value, text in zip(read, (row[column] for row in typed), strict=True):
                if text == "":
                    assert value is None or value != value
                else:
                    assert (value if isinstance(value, str) else float(value)) == (
                        text if isinstance(value, str) else float(text)
                    )
    assert frames["polars"]["juego_rank"].dtype == polars.Int64
    assert frames["polars"]["hand"].dtype == polars.String


def test_python_gives_a_data_frame_with_the_same_columns(tables):
    frame = musodds.table(3, kings=4, sort="hand")
    assert tuple(frame.columns) == whole.columns(tables(4))
    assert len(frame) == 715
    assert set(frame["seat"]) == {3}
    best = frame.sort_values("stones_rank").iloc[0]
    assert best["stones_difference"] == frame["stones_difference"].max()
    without = frame[frame["juego_rank"].isna()]
    assert 0 < len(without) < 715
    assert without["juego_percentile"].isna().all()
    assert (frame["juego_mine"][frame["juego_rank"].isna()] == 0).all()


@pytest.mark.parametrize(("lang", "head"), [("en", "rank at"), ("es", "puesto en")])
def test_the_text_has_a_section_for_each_seat(tables, lang, head):
    text = whole.table_text(tables(), Words(lang))
    assert text.count(head) == 4
    assert len(text.splitlines()) == 4 * (2 + 1 + 2 + 330) + 3
    seat = next(line.split() for line in text.splitlines() if line.startswith("RRRA "))
    assert seat[0] == "RRRA"
    assert seat[-2:] == (["1", "99.51"] if lang == "en" else ["1", "99,51"])


def test_markdown_has_a_table_for_each_seat(capsys):
    code, out, _ = run(capsys, "--seat", "all", "--format", "markdown", "--sort", "chica")
    assert code == 0
    lines = out.splitlines()
    assert sum(line.startswith("## ") for line in lines) == 4
    rows = [line for line in lines if line.startswith("| ") and "---" not in line]
    assert len(rows) == 4 * 331
    assert rows[1].startswith("| AAAA |")


def test_a_simulated_table_is_each_hand_simulated_alone(capsys):
    code, out, _ = run(
        capsys, "--no-exact", "--deals", "500", "--seed", "9", "--seat", "2", "--format", "csv"
    )
    assert code == 0
    rows = rows_in(out)
    assert len(rows) == 330
    for row in random.Random(1).sample(rows, 5):
        alone = musodds.odds(row["hand"], 2, deals=500, seed=9, exact=False).simulated
        assert float(row["pares_win"]) == alone.lances["pares"].win
        assert float(row["pares_win_high"]) == alone.lances["pares"].win_high
        assert float(row["stones_margin"]) == alone.stones.margin
        assert (row["engine"], row["deals"], row["seed"]) == ("simulated", "500", "9")
    assert run(capsys, "--no-exact", "--deals", "500", "--seat", "2")[1].count("±") == 330 * 6 + 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--exact", "--no-exact"], "leave nothing to do"),
        (["--deals", "1000"], "--no-exact"),
        (["--seat", "5"], "seat '5'"),
        (["--kings", "6"], "8 kings or with 4"),
        (["--format", "html", "--no-exact"], "the page shows exact figures"),
        (["--format", "html", "--what", "race"], "the page is of the odds"),
        (["--format", "svg", "--what", "policy"], "not of a policy"),
        (["--exact", "--drew", "right=2"], "can only be simulated"),
        (["--drew", "right=5", "--deals", "10"], "right=5"),
        (["--what", "policy", "--others", "nobody"], "nobody"),
        (["--what", "policy", "--round", "9"], "rounds 1 to 3"),
        (["--format", "pdf"], "'pdf' is not one of"),
        (["--sort", "envido"], "'envido' is not one of"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(capsys, arguments, says):
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert says in err
    assert len(err.splitlines()) == 1


def test_a_missing_library_is_named_with_its_extra(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = run(capsys, "--format", "png")
    assert (code, out) == (1, "")
    assert "pip install 'musodds[plot]'" in err
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, out, err = run(capsys, "--format", "parquet")
    assert (code, out) == (1, "")
    assert "pip install 'musodds[parquet]'" in err


def test_the_picture_is_the_same_twice_and_names_every_hand(tables):
    import xml.etree.ElementTree as ElementTree

    svg = table_picture(tables(), Words("es"), "svg")
    assert svg == table_picture(tables(), Words("es"), "svg")
    texts = {element.text for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")}
    assert set(hands_of().hands) <= texts
    assert {"grande", "piedras"} <= texts


def test_a_png_shows_the_strongest_hand_green_and_the_weakest_orange(tmp_path, capsys):
    from matplotlib.image import imread

    path = tmp_path / "table.png"
    code, out, _ = run(capsys, "--seat", "mano", "--format", "png", "-o", str(path))
    assert (code, out) == (0, "")
    picture = imread(path)[:, :, :3]
    assert picture.shape[0] > 800
    assert picture.shape[1] > 800
    red, green, blue = (picture[:, :, i] for i in range(3))
    shades = np.array([((green > red + 0.2) & (green > blue)).sum(), (red > blue + 0.3).sum()])
    assert (shades > 1000).all()


def test_parquet_and_pictures_go_through_a_pipe(capfdbinary):
    assert main(["table", "--format", "parquet", "--seat", "1"]) == 0
    content = capfdbinary.readouterr().out
    assert content[:4] == content[-4:] == b"PAR1"
    assert len(pd.read_parquet(io.BytesIO(content))) == 330


@pytest.mark.parametrize("kings", ["8", "4"])
def test_a_policy_says_what_every_hand_does(capsys, kings):
    """Against the policy's own rows, and against the rule of thumb by which players cut."""
    from musodds.analysis.policy_file import rows_of, shipped_policy

    code, out, _ = run(capsys, "--what", "policy", "--kings", kings, "--round", "2", "--format", "csv")
    assert code == 0
    rows = rows_in(out)
    assert len(rows) == 4 * len(hands_of(int(kings)))
    policy = shipped_policy("players", int(kings))
    does: dict[tuple[str, str], dict[str, float]] = {}
    for round_, seat, hand, action, probability in rows_of(policy):
        if round_ == 2:
            does.setdefault((hand, str(seat)), {})[action] = probability
    for row in rows:
        wanted = does[row["hand"], row["seat"]]
        cut = wanted.pop("cut", 0.0)
        assert float(row["cut"]) == pytest.approx(cut, abs=1e-6)
        if not wanted:
            assert row["keep"] == row["discard"] == row["probability"] == ""
            continue
        assert wanted[row["keep"]] == max(wanted.values())
        assert float(row["probability"]) == pytest.approx(wanted[row["keep"]] / (1 - cut), abs=1e-6)
        both = (row["keep"] + row["discard"]).replace("-", "")
        assert sorted(both) == sorted(row["hand"])
    assert all(float(row["cut"]) == 1 for row in rows if row["hand"] in ("RRRR", "R777", "RRSA"))
    text = run(capsys, "--what", "policy", "--kings", kings, "--lang", "es")[1]
    assert "corta" in text.splitlines()[4]
    assert len(text.splitlines()) == len(hands_of(int(kings))) + 4


def test_a_policy_reads_the_same_in_every_format(capsys, tmp_path):
    path = tmp_path / "policy.parquet"
    asked = ("--what", "policy", "--seat", "2", "--others", "solved")
    assert run(capsys, *asked, "--format", "parquet", "-o", str(path))[0] == 0
    typed = rows_in(run(capsys, *asked, "--format", "csv")[1])
    told = json.loads(run(capsys, *asked, "--format", "json")[1])
    frame = pd.read_parquet(path)
    assert len(frame) == len(typed) == len(told["results"]) == 330
    for line, row, item in zip(frame.itertuples(), typed, told["results"], strict=True):
        assert line.hand == row["hand"] == item["hand"]
        assert line.cut == float(row["cut"]) == item["cut"]
        assert (row["keep"] or None) == item["keep"]
    marked = run(capsys, *asked, "--format", "markdown")[1]
    assert sum(line.startswith("| ") for line in marked.splitlines()) == 332


def test_a_race_is_the_chance_from_every_score(capsys, tmp_path):
    from musodds.analysis.race import race

    asked = ("--what", "race", "--others", "stand", "--target", "12")
    rows = rows_in(run(capsys, *asked, "--format", "csv")[1])
    assert len(rows) == 2 * 12 * 12
    found = {(int(row["us"]), int(row["them"]), row["mano"]): float(row["win"]) for row in rows}
    for us, them in ((0, 0), (11, 3), (4, 9)):
        for mano in ("us", "them"):
            alone = race(f"{us}-{them}", mano=mano, others="stand", target=12)
            assert found[us, them, mano] == alone.win
            other = "them" if mano == "us" else "us"
            assert found[us, them, mano] == pytest.approx(1 - found[them, us, other], abs=1e-12)
    told = json.loads(run(capsys, *asked, "--format", "json")[1])
    assert told["win"]["mano_us"][4][9] == found[4, 9, "us"]
    text = run(capsys, *asked)[1]
    assert text.splitlines()[2].split() == ["us", "\\", "them", "0", "5", "10", "11"]
    assert text.splitlines()[4].split()[:2] == ["5", f"{100 * found[5, 0, 'us']:.1f}"]
    assert run(capsys, *asked, "--format", "markdown")[1].count("## ") == 2
    path = tmp_path / "race.svg"
    assert run(capsys, *asked, "--format", "svg", "-o", str(path))[0] == 0
    assert f">{100 * found[5, 5, 'us']:.0f}<" in path.read_text(encoding="utf-8")


def test_after_a_mus_every_row_is_the_question_asked_alone(tables):
    from musodds.analysis.drew import odds_after_mus
    from musodds.analysis.query import query

    found = hand_table("postre", exact=False, drew="right=2,left=4", deals=300, seed=5)
    assert found.drew == {"right": 2, "left": 4}
    assert not found.exact
    for row in random.Random(2).sample(found.rows, 4):
        alone = odds_after_mus(query(row.hand, 4), drew="right=2,left=4", deals=300, seed=5)
        assert row.figures == alone
    assert "after a mus: right 2, left 4" in whole.table_text(found, Words("en")).replace("\n", " ")
    dealt = {row.hand: row.places["pares"] for row in tables().of_seat(4)}
    assert all(row.places["pares"] == dealt[row.hand] for row in found.rows)
