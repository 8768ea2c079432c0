"""Tables of questions: every row's answer is that of the question asked alone, and rows stay as they are."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import musodds
from musodds.analysis.discard import discard
from musodds.batching import answers as answering
from musodds.batching.columns import ADVICE, ASKED, answer_columns, chosen_figures, find_columns
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

    def counted(question, *settings):
        asked.append(question.hand_text)
        return figures(question, *settings)

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
        ({"advice_deals": 100}, "add --advice"),
        ({"advice": True, "advice_deals": 0}, "deals 0"),
        ({"advice": True, "others": "angels"}, "angels"),
        ({"advice": True, "cuts": "R>="}, "R>="),
        ({"advice": True, "cuts": "any"}, "cuts with every hand"),
        ({"drew": "any", "others": "stand", "cuts": "31"}, "has its own"),
        ({"advice": True, "max_mus": 0}, "no mus"),
        ({"others": "nobody", "drew": "any"}, "nobody"),
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


def test_rows_after_a_mus_are_simulated_and_the_others_stay_exact():
    frame = pd.DataFrame(
        {
            "hand": ["RR4A", "RR4A", "4567", "RCS7", "RR4A", "7777"],
            "seat": [1, 1, 4, 2, 1, 1],
            "drew": ["", "left=1; right=2", "any", "partner=4,right=1", "right=5", "up=2"],
        }
    )
    found = musodds.batch(frame, seed=4)
    assert found["deals"].tolist() == [pd.NA, 1_000_000, 1_000_000, 1_000_000, pd.NA, pd.NA]
    assert found["grande_win_low"].isna().tolist() == [True, False, False, False, True, True]
    for i in range(4):
        row = found.iloc[i]
        asked = {"hand": frame["hand"][i], "seat": int(frame["seat"][i]), "seed": 4}
        if frame["drew"][i]:
            assert_is_alone(row, **asked, drew=frame["drew"][i])
        else:
            exact = musodds.odds(**asked, simulate=False).exact
            assert row["grande_win"] == exact.lances["grande"].win
            assert pd.isna(row["stones_margin"])
    assert "takes one to four cards" in found["error"][4]
    assert "'up'" in found["error"][5]


def test_the_policy_of_the_others_changes_what_they_drew():
    frame = pd.DataFrame({"hand": ["RR4A"], "drew": ["right=2"]})
    one, other = (
        musodds.batch(frame, exact=False, deals=20_000, **policy)["grande_win"][0]
        for policy in ({}, {"others": "solved"})
    )
    assert one != other


def test_declared_pares_and_juego_are_conditions():
    frame = pd.DataFrame(
        {"hand": ["RR4A", "RR4A", "RR4A"], "declared": ["pares: 1,2; juego: none", "", "pares: 2"]}
    )
    found = musodds.batch(frame)
    assert_is_alone(found.iloc[0], hand="RR4A", declared="pares: 1,2; juego: none", simulate=False)
    assert_is_alone(found.iloc[1], hand="RR4A", simulate=False)
    assert "RR4A" in found["error"][2]  # it has pares, so it cannot have said no
    assert_is_alone(
        musodds.batch(frame[1:2], declared="juego: 4").iloc[0],
        hand="RR4A",
        declared="juego: 4",
        simulate=False,
    )


def test_declarations_do_not_go_with_a_mus_to_come_or_drawn_cards():
    frame = pd.DataFrame({"hand": ["RR4A"], "declared": ["juego: none"], "drew": ["right=1"]})
    assert "before they drew" in musodds.batch(frame)["error"][0]
    advised = musodds.batch(frame.drop(columns="drew"), advice=True)
    assert "when the mus is over" in advised["error"][0]


def test_advice_is_that_of_the_hand_asked_alone():
    frame = pd.DataFrame(
        {
            "hand": ["RR54", "RRCA", "4567", "RR54", "RR54", "RR8A"],
            "seat": [1, 4, 2, 1, 1, 1],
            "partner": ["", "", "R>=1", "", "", ""],
            "kings": [8, 8, 8, 4, 8, 8],
            "drew": ["", "", "", "", "right=2", ""],
        }
    )
    settings = {"seed": 3, "others": "solved"}
    found = musodds.batch(frame, advice=True, advice_deals=20_000, figures="win", **settings)
    assert list(found.columns)[-len(ADVICE) - 1 :] == [*ADVICE, "error"]
    assert found["error"].isna().tolist() == [True] * 5 + [False]
    assert found["advice"].isna()[5]
    for i in range(5):
        row = found.iloc[i]
        alone = discard(
            frame["hand"][i],
            int(frame["seat"][i]),
            kings=int(frame["kings"][i]),
            partner=frame["partner"][i] or None,
            drew=frame["drew"][i] or None,
            deals=20_000,
            **settings,
        )
        best, second = alone.options[:2]
        assert (row["advice"], row["advice_close"]) == (alone.advice, alone.close)
        assert (row["cut_value"], row["cut_margin"]) == (alone.cut.value, alone.cut.margin)
        assert (row["mus_value"], row["mus_margin"]) == (alone.mus.value, alone.mus.margin)
        assert (row["discard"], row["keep"]) == (best.discard, best.keep)
        assert (row["discard_value"], row["discard_margin"]) == (best.value, best.margin)
        assert row["second_discard"] == second.discard
        assert (row["second_behind"], row["second_margin"]) == (second.behind, second.behind_margin)
        assert row["second_tied"] == second.tied
        assert row["advice_deals"] == alone.deals
        if not frame["drew"][i]:
            exact = musodds.odds(
                frame["hand"][i],
                int(frame["seat"][i]),
                kings=int(frame["kings"][i]),
                partner=frame["partner"][i] or None,
                simulate=False,
            ).exact
            assert row["grande_win"] == exact.lances["grande"].win


def test_many_advised_rows_have_the_advice_of_each_alone():
    """Above some number of questions they are answered side by side: the same figures."""
    hands = ["RR54", "RRCA", "4567", "7777", "RCS7", "AA45", "SS54", "CC7A", "RS65", "R765", "CS76", "RRR4"]
    frame = pd.DataFrame({"hand": hands})
    settings = {"advice": True, "advice_deals": 2000, "figures": "win"}
    together = musodds.batch(frame, threads=2, **settings)
    for i in (0, 5, 11):
        pd.testing.assert_frame_equal(musodds.batch(frame[i : i + 1], **settings), together[i : i + 1])


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


@pytest.mark.parametrize(
    "other",
    [{"advice_deals": 500}, {"seed": 2}, {"others": "solved"}, {"cuts": "31"}, {"drawn": True}, {"advice": False},
     {"rules": musodds.rules("four-swaps")}],
)  # fmt: skip
def test_a_ledger_knows_what_its_advice_depends_on(tmp_path, other):
    place = tmp_path / "out.partial.jsonl"
    rows, codes = distinct([["RR4A"], ["R>=2"]])
    settings = Settings(advice=True, advice_deals=1000)
    ledger = Ledger(place, settings)
    whole = answer_rows(("hand", "partner"), rows, codes, settings, ledger)
    ledger.close(done=False)
    with pytest.raises(UsageError, match="other settings"):
        Ledger(place, replace(settings, **other)).resume()
    again = Ledger(place, settings)
    assert again.resume() == 1
    resumed = answer_rows(("hand", "partner"), rows, codes, settings, again)
    again.close(done=True)
    assert resumed.values == whole.values


def test_a_ledger_knows_a_policy_file_by_its_content(tmp_path):
    policy = tmp_path / "mine.csv"
    policy.write_text("one")
    settings = Settings(drawn=True, others=str(policy))
    place = tmp_path / "out.partial.jsonl"
    ledger = Ledger(place, settings)
    ledger.add(("a",), "no answer")
    ledger.close(done=False)
    again = Ledger(place, settings)
    assert again.resume() == 1
    again.close(done=False)
    policy.write_text("two")
    with pytest.raises(UsageError, match="other settings"):
        Ledger(place, settings).resume()


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
