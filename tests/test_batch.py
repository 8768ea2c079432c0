"""Tables of questions: every row's answer is that of the question asked alone, and rows stay as they are."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import musodds
from musodds.batching import answers as answering
from musodds.batching.columns import ASKED, answer_columns, chosen_figures, find_columns
from musodds.batching.ledger import Ledger
from musodds.batching.questions import Asker, Settings
from musodds.batching.rows import answer_rows, distinct
from musodds.errors import RulesError, UsageError
from musodds.mus.lances import LANCES


def assert_is_alone(row, **question):
    """A row of answers holds exactly the figures of the question asked alone."""
    alone = musodds.odds(**question)
    found = alone.exact or alone.simulated
    for lance in LANCES:
        for figure in chosen_figures(None, simulated=alone.exact is None):
            value = getattr(found.lances[lance], figure)
            written = row[f"{lance}_{figure}"]
            assert (pd.isna(written) and value is None) or written == value, (question, lance, figure)
    for name in ("us", "them", "difference"):
        assert row[f"stones_{name}"] == getattr(found.stones, name)


def test_every_row_is_the_question_asked_alone():
    frame = pd.DataFrame(
        {
            "note": list("abcdef"),
            "seat": ["mano", 2, "postre", 3, 1, 4],
            "hand": ["RR4A", "1111", "4 5 6 7", "Ro,Rc,4e,Ab", "7774", "RR4A"],
            "kings": [None, 4, 8, 4, 8, None],
            "real": ["", "off", "", "", "ten", None],
            "partner": ["", "R>=2", "0,3*ciego + 0,7*(R>=2)", "", "", None],
            "right": [None, "", "juego", "", "!pares", ""],
            "seen": ["", "77", "", "R", "", ""],
        }
    )
    before = frame.copy()
    found = musodds.batch(frame)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(found[list(frame.columns)], frame)
    assert list(found.columns) == [
        *frame.columns,
        *answer_columns(chosen_figures(None, simulated=False), simulated=False),
    ]
    assert found["error"].isna().all()
    for (_, asked), (_, row) in zip(frame.iterrows(), found.iterrows(), strict=True):
        typed = {
            name: value for name, value in asked.items() if name != "note" and not pd.isna(value) and value
        }
        if "partner" in typed:
            typed["partner"] = typed["partner"].replace(",", ".")
        assert_is_alone(row, **typed, simulate=False)


@pytest.mark.parametrize("kings", [8, 4])
def test_many_plain_questions_have_the_figures_of_each_alone(kings):
    """Above ``MANY`` the whole table answers, below the enumeration of one hand: the same numbers."""
    random_ = random.Random(5)
    cards = "A4567SCR" if kings == 8 else "A234567SCR"
    hands = ["".join(random_.choices(cards, k=4)) for _ in range(60)]
    seats = [random_.randint(1, 4) for _ in hands]
    found = musodds.batch(pd.DataFrame({"hand": hands, "seat": seats}), kings=kings)
    for i in range(0, 60, 12):
        if found["error"].isna()[i]:
            assert_is_alone(found.iloc[i], hand=hands[i], seat=seats[i], kings=kings, simulate=False)


def test_simulated_rows_are_the_question_asked_alone_wherever_they_stand():
    frame = pd.DataFrame({"hand": ["RR4A", "4567", "A4RR"], "seat": [1, 2, 1]})
    settings = {"exact": False, "deals": 5000, "seed": 9}
    found = musodds.batch(frame, **settings)
    assert list(found["deals"]) == [5000] * 3
    for i in range(3):
        row = found.iloc[i]
        assert_is_alone(row, hand=frame["hand"][i], seat=frame["seat"][i], exact=False, deals=5000, seed=9)
    turned = musodds.batch(frame[::-1], **settings)
    pd.testing.assert_frame_equal(turned[::-1], found)
    one = musodds.batch(frame[1:2], **settings, threads=1)
    pd.testing.assert_frame_equal(one, found[1:2])
    assert (musodds.batch(frame, **settings | {"seed": 10})["grande_win"] != found["grande_win"]).all()


def test_bad_rows_keep_their_place_with_their_reason():
    frame = pd.DataFrame(
        {
            "hand": ["RR4A", "RR8A", "", "4444", "RR4A", None, "RR4A", "RR4A"],
            "seat": ["1", "1", "1", "1", "5", "1", "1", "1"],
            "partner": ["", "", "", "4>=1", "", "", "R>=", "A=4"],
            "kings": ["", "", "", "4", "", "", "", "6"],
        },
        index=[7, 7, 3, 2, 1, 0, 8, 9],
    )
    found = musodds.batch(frame)
    assert list(found.index) == list(frame.index)
    errors = list(found["error"])
    assert pd.isna(errors[0])
    for error, says in zip(
        errors[1:],
        ["no 8 in a Mus deck", "no hand", "no hand that fits", "seat '5'", "no hand", "R>=", "kings '6'"],
        strict=True,
    ):
        assert says in error
    assert found["grande_win"].isna().tolist() == [False] + [True] * 7


def test_strict_names_the_first_bad_row():
    frame = pd.DataFrame({"hand": ["RR4A", "4444", "RR8A"], "partner": ["", "4>=1", ""]})
    with pytest.raises(UsageError, match="row 2: "):
        musodds.batch(frame, kings=4, strict=True)
    with pytest.raises(UsageError, match="row 3: 'RR8A'"):
        musodds.batch(frame.drop(columns="partner"), kings=4, strict=True)


def test_questions_in_other_words_are_asked_once(monkeypatch):
    asked = []
    figures = answering._figures

    def counted(question, settings):
        asked.append(question.hand_text)
        return figures(question, settings)

    monkeypatch.setattr(answering, "_figures", counted)
    frame = pd.DataFrame(
        {
            "hand": ["RR4A", "AR4R", "k k 4 1", "Ro,Rc,4e,Ab", " 3R42 ", "RR4A"],
            "seat": ["1", "mano", " MANO", "1", "1", "1"],
            "partner": ["R>=2", "R>=2", "r >= 2", "(R>=2)", "R>=2", " R>=2"],
        }
    )
    found = musodds.batch(frame, figures="win")
    assert asked == ["RR4A"]
    assert found["error"].isna().all()
    assert found["pares_win"].nunique() == 1


def test_values_that_are_no_text_are_read_as_they_would_be_typed():
    frame = pd.DataFrame({"hand": [1111, 4567], "seat": [1.0, np.nan]})
    found = musodds.batch(frame)
    assert found["hand"].tolist() == [1111, 4567]
    assert_is_alone(found.iloc[0], hand="1111", seat=1, simulate=False)
    assert "seat ''" in found["error"][1]


def test_missing_columns_have_the_defaults():
    frame = pd.DataFrame({"hand": ["RR4A", "RR4A"], "right": ["juego", ""]})
    found = musodds.batch(frame, seat="postre", right="!juego", kings=4)
    assert_is_alone(found.iloc[0], hand="RR4A", seat=4, kings=4, right="juego", simulate=False)
    assert_is_alone(found.iloc[1], hand="RR4A", seat=4, kings=4, right="!juego", simulate=False)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"deals": 100}, "add --no-exact"),
        ({"exact": False, "deals": 0}, "deals 0"),
        ({"exact": False, "seed": -1}, "seed -1"),
        ({"figures": "win,luck"}, "figure 'luck'"),
        ({"figures": "win_low"}, "only simulated figures have"),
        ({"seat": "all"}, "seat 'all'"),
        ({"kings": 6}, "8 kings or with 4"),
        ({"columns": {"hand": "Jugada"}}, "no such column"),
        ({"columns": {"cards": "hand"}}, "choose one of hand"),
        ({"advice": True}, "advice"),
    ],
)
def test_settings_that_cannot_be_are_refused(options, says):
    with pytest.raises(UsageError, match=says):
        musodds.batch(pd.DataFrame({"hand": ["RR4A"]}), **options)


def test_a_table_without_hands_or_with_the_answers_already_is_refused():
    with pytest.raises(UsageError, match="no column hand"):
        musodds.batch(pd.DataFrame({"cards": ["RR4A"]}))
    once = musodds.batch(pd.DataFrame({"hand": ["RR4A"]}))
    with pytest.raises(UsageError, match="grande_win"):
        musodds.batch(once)
    with pytest.raises(UsageError, match="DataFrame"):
        musodds.batch(["RR4A"])


def test_drawn_cards_are_refused_row_by_row():
    found = musodds.batch(pd.DataFrame({"hand": ["RR4A", "RR4A"], "drew": ["", "right=2"]}))
    assert pd.isna(found["error"][0])
    assert "drew 'right=2'" in found["error"][1]


def test_an_empty_table_gives_an_empty_table():
    found = musodds.batch(pd.DataFrame({"hand": pd.Series([], dtype=object)}))
    assert len(found) == 0
    assert found["grande_win"].dtype == np.float64


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (["hand", "seat"], {"hand": 0, "seat": 1}),
        ([" Mano ", "ASIENTO"], {"hand": 0, "seat": 1}),
        (["x", "pareja", "derecha", "izquierda", "vistas", "reyes", "mano"],
         {"hand": 6, "partner": 1, "right": 2, "left": 3, "seen": 4, "kings": 5}),
        (["x"], {}),
    ],
)  # fmt: skip
def test_columns_are_found_by_their_english_and_spanish_names(header, found):
    assert find_columns(header, {}) == found


def test_two_columns_for_one_thing_need_a_choice():
    with pytest.raises(UsageError, match="two columns for hand: 'hand' and 'mano'"):
        find_columns(["hand", "mano"], {})
    assert find_columns(["hand", "mano"], {"hand": "mano"})["hand"] == 1
    with pytest.raises(UsageError, match="both 'hand'"):
        find_columns(["hand", "hand"], {})
    # a column chosen for one thing is not read for another
    assert find_columns(["mano", "cards"], {"hand": "cards", "seat": "mano"}) == {"hand": 1, "seat": 0}
    assert set(ASKED) >= {"hand", "seat", "kings", "real", "right", "partner", "left", "seen", "drew"}


def test_kings_are_four_or_eight():
    with pytest.raises(RulesError, match="kings '08'"):
        Asker(Settings()).ask({"hand": "RR4A", "kings": "08"})


def test_a_ledger_gives_back_what_it_kept_and_nothing_half_written(tmp_path):
    place = tmp_path / "out.partial.jsonl"
    asked = ("hand", "partner")
    rows, codes = distinct([["RR4A", "RR4A", "4567"], ["R>=2", "A=4", "R>=1"]])
    ledger = Ledger(place, Settings())
    whole = answer_rows(asked, rows, codes, Settings(), ledger)
    ledger.close(done=False)
    assert whole.rejected == 0
    lines = place.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    place.write_bytes(b"".join(lines[:2]) + lines[2][:40])

    again = Ledger(place, Settings())
    assert again.resume() == 1
    resumed = answer_rows(asked, rows, codes, Settings(), again)
    assert resumed.values == whole.values
    assert place.read_bytes() == b"".join(lines)
    again.close(done=True)
    assert not place.exists()


def test_a_ledger_of_other_settings_is_refused(tmp_path):
    place = tmp_path / "out.partial.jsonl"
    rows, codes = distinct([["RR4A"], ["R>=2"]])
    ledger = Ledger(place, Settings())
    answer_rows(("hand", "partner"), rows, codes, Settings(), ledger)
    ledger.close(done=False)
    other = Settings(exact=False, deals=10, figures=chosen_figures("win", simulated=True))
    with pytest.raises(UsageError, match="other settings"):
        Ledger(place, other).resume()
    same = Ledger(place, Settings(seed=5))  # exact figures have no seed
    assert same.resume() == 1
    same.close(done=False)
    assert place.exists()


def test_a_full_disk_does_not_stop_the_answers():
    ledger = Ledger(Path("/dev/full"), Settings())
    rows, codes = distinct([["RR4A"], ["R>=2"]])
    assert answer_rows(("hand", "partner"), rows, codes, Settings(), ledger).rejected == 0


def test_progress_counts_the_distinct_questions():
    seen = []
    frame = pd.DataFrame({"hand": ["RR4A", "4567", "RR4A"], "partner": ["R>=2"] * 3})
    musodds.batch(frame, progress=lambda done, planned: seen.append((done, planned)))
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize("kings", [4, 8])
def test_suits_are_left_out_only_where_they_do_not_count(kings):
    """The short way to read suited hands gives what the parser gives, errors too."""
    random_ = random.Random(8)
    cards = [
        rank + suit
        for rank in ("A", "1", "k", "R", "10", "c", "S", "J", "12", "7", "3", "X", "8")
        for suit in ("o", "c", "e", "b", "", "O")
    ]
    hands = [random_.choice((" ", ",", "-", ", ")).join(random_.choices(cards, k=4)) for _ in range(400)]
    hands += ["Ro,Ro,4e,Ab", "So Sc Se Sb", "10o-10c-10e-11b", "Ro,Rc,4e", "Ro Rc 4e Ab 7o"]
    for real in ("off", "coins"):
        asker = Asker(Settings(rules=musodds.rules("classic", kings=kings, real=real)))
        good = 0
        for hand in hands:
            try:
                expected = musodds.query(
                    hand, rules=musodds.rules("classic", kings=kings, real=real)
                ).hand_text
            except UsageError as error:
                with pytest.raises(type(error), match="^" + re.escape(str(error)) + "$"):
                    asker.ask({"hand": hand})
            else:
                good += 1
                assert asker.ask({"hand": hand})[0] == expected
        assert good > 20
