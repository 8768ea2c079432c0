"""The whole table by cards drawn: its rows add up, and it does not depend on the threads."""

from __future__ import annotations

import csv
import io

import pytest

from musodds.analysis.drew_table import COLUMNS, PATTERNS, drew_table
from musodds.cli.app import main
from musodds.engine import mus_loops as figure
from musodds.errors import UsageError

TABLES = 400_000


@pytest.fixture(scope="module")
def found():
    return drew_table(tables=TABLES, seed=5)


def test_every_table_that_goes_through_counts_once_for_each_seat(found):
    deals = found.cells[..., figure.DEALS]
    assert found.tables == TABLES
    assert [int(seat.sum()) for seat in deals] == [found.through] * 4
    # 19.09 % of first mus go through (measured on millions of tables); 4.5 standard errors of this sample
    assert abs(found.through / TABLES - 0.1909) < 4.5 * (0.1909 * 0.8091 / TABLES) ** 0.5 + 0.0005


def test_what_one_pair_wins_the_other_loses(found):
    # every table is seen from all four seats: seats 1 and 3 win what seats 2 and 4 lose
    totals = found.cells.sum(axis=(1, 2))
    for win in (figure.GRANDE_WIN, figure.CHICA_WIN):
        assert (
            totals[0, win]
            == totals[2, win]
            == found.through - totals[1, win]
            == found.through - totals[3, win]
        )
    assert totals[0, figure.PARES_WIN] + totals[1, figure.PARES_WIN] == totals[0, figure.PARES_PLAYED]
    assert totals[0, figure.JUEGO_WIN] + totals[1, figure.JUEGO_WIN] == totals[0, figure.JUEGO_PLAYED]
    assert totals[0, figure.STONES_US] == totals[1, figure.STONES_THEM] == totals[2, figure.STONES_US]


def test_rows_hold_joint_shares(found):
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in found.rows()]
    assert len(rows) == 330 * 4 * len(PATTERNS)
    for row in rows:
        if row["deals"] == 0:
            assert row["grande_win"] is None
            continue
        assert row["grande_win"] + row["grande_lose"] == pytest.approx(1)
        assert row["pares_win"] + row["pares_lose"] == pytest.approx(row["pares_played"])
        assert row["juego_played"] + row["punto_played"] == pytest.approx(1)
        assert row["stones_difference"] == pytest.approx(row["stones_us"] - row["stones_them"])


def test_threads_do_not_matter(found):
    assert (drew_table(tables=TABLES, seed=5, threads=3).cells == found.cells).all()


def test_the_command(capsys):
    assert main(["table", "--drew", "all", "--deals", "20000", "--seat", "postre", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 330 * len(PATTERNS)
    assert {row["seat"] for row in rows} == {"4"}
    assert main(["table", "--drew", "all", "--deals", "20000"]) == 2
    assert "--drew all" in capsys.readouterr().err
    with pytest.raises(UsageError):
        drew_table(tables=0)
