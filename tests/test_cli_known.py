"""What is known of the others, on the command line: what contradicts, what is declared, what is written."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import musodds
from musodds.analysis.explanation import explanation
from musodds.analysis.query import query
from musodds.cli.app import main
from musodds.engine.exact import MOST_WEIGHT
from musodds.errors import ConditionError, UsageError
from musodds.mus.lances import LANCES
from musodds.mus.seats import ROLES, SEATS

FEW = ["--deals", "2000"]


@pytest.fixture
def run(capsys):
    """Runs ``musodds odds`` in this process; gives exit code, stdout and stderr."""

    def command(*arguments: str) -> tuple[int, str, str]:
        code = main(["odds", *arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return command


def options(known: dict[str, str | None]) -> list[str]:
    """Conditions as they are typed."""
    return [part for role, text in known.items() if text for part in (f"--{role}", text)]


# --- contradictions ---


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        # no hand at all
        (["RR4A", "--right", "pares & !pares"], ["right", "no hand of a deck with 8 kings"]),
        (["RR4A", "--partner", "0*any"], ["partner", "no hand"]),
        (["RR4A", "--left", "RRRRR"], ["left", "5 cards"]),
        # the own hand
        (["RR44", "--partner", "444."], ["partner '444.'", "unseen cards"]),
        (["RRRR", "--left", "R>=4", "--right", "R>=1"], ["left 'R>=4'", "right 'R>=1'", "together"]),
        (["S*777", "--real", "coins", "--right", "7>=2"], ["right '7>=2'", "unseen cards"]),
        # the cards seen
        (["RR4A", "--right", "4444", "--seen", "4"], ["right '4444'", "unseen cards"]),
        (["RR4A", "--right", "7>=2", "--seen", "777"], ["right '7>=2'", "unseen cards"]),
        (["RR4A", "--seen", "RRRRRRAAAAAAACCCCSSSS7777"], ["11 cards are left unseen", "twelve"]),
        (["RR4A", "--seen", "4444"], ["5 4"]),
        # each other
        (
            ["RR4A", "--right", "AAAA", "--left", "AAAA", "--partner", "AAAA"],
            ["right 'AAAA'", "partner 'AAAA'", "left 'AAAA'", "together"],
        ),
        (["RR4A", "--right", "AAAA", "--left", "AAAA"], ["right 'AAAA' and left 'AAAA'", "together"]),
        (["C765", "--kings", "4", "--right", "RRR.", "--left", "RR.."], ["right", "left", "together"]),
        # what was declared
        (["RR4A", "--declared", "pares: 2"], ["seat 1 said no pares, but RR4A has them"]),
        (["RC54", "--declared", "juego: 1"], ["seat 1 said juego, but RC54 does not have it"]),
        (["RR4A", "--seat", "all", "--declared", "pares: 1"], ["seat 2 said no pares"]),
        (["RR4A", "--declared", "pares: 1", "--right", "duples"], ["right", "duples & !pares", "no hand"]),
        (["RR4A", "--declared", "pares: 1,9"], ["'9'"]),
        (["RR4A", "--declared", "mus: 1"], ["'mus' is not declared"]),
        (["RR4A", "--declared", ""], ["nothing is said"]),
        # what cannot be read
        (["RR4A", "--right", "parez"], ["right", "column 1", "did you mean pares?"]),
        (["RR4A", "--left", ""], ["left"]),
        (["RR4A", "--explain"], ["nothing is known of the others"]),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
@pytest.mark.parametrize("engine", ["--exact", "--no-exact", "--explain"])
def test_contradictions_are_refused_with_their_reason(run, arguments, says, engine):
    code, out, err = run(*arguments, engine)
    assert (code, out) == (2, "")
    assert err.startswith("musodds: error: ")
    assert err.count("\n") == 1
    for words in says:
        assert words in err


@settings(max_examples=120, deadline=None)
@given(
    texts=st.fixed_dictionaries(
        {},
        optional={
            role: st.one_of(
                st.text(max_size=20),
                st.text(alphabet="RCS7654A.*!&|()+0123456789<>=% paresjuegotopgrande", max_size=16),
                st.sampled_from(["pares", "!juego", "RR..", "AAAA", "R>=3", "0.5*any", "3*31 + ciego"]),
            )
            for role in (*ROLES, "declared", "seen")
        },
    )
)
@example(texts={"declared": ";", "seen": " "})
@example(texts={"right": "--help", "left": "-1"})
def test_any_text_is_answered_or_refused(texts):
    try:
        asked = musodds.query("RC74", 2, **texts)
    except UsageError:
        return
    share = explanation(asked).together if asked.known else 1.0
    assert share > 0, "a deal fits, or the question is refused"


def test_weights_stay_within_what_can_be_counted():
    """However conditions are joined: a product of weights is reduced or refused, never too large."""
    fits = query("RR4A", right=f"({MOST_WEIGHT - 1}*RRCA + any) & (0.5*any)")
    assert fits.weights.max() == MOST_WEIGHT
    declared = query("RR4A", right=f"{MOST_WEIGHT - 1}*RRCA + any", declared="pares: 1,2")
    assert declared.weights.max() == MOST_WEIGHT
    with pytest.raises(ConditionError, match=r"right: .*too far apart"):
        query("RR4A", right="(300*RRCA + any) & (200*RRCA + any)")


# --- declarations ---


def test_declarations_are_conditions_by_seat(run):
    for seat in (1, 3):
        code, out, err = run(
            "RR4A", "--seat", str(seat), "--declared", "pares: 1,3; juego: 2", "--format", "json", *FEW
        )
        assert (code, err) == (0, "")
        typed = {1: ("right", "partner", "left"), 3: ("left", "partner", "right")}[seat]
        wanted = dict(zip(typed, ("!pares & juego", "pares & !juego", "!pares & !juego"), strict=True))
        [result] = json.loads(out)["results"]
        assert result["known"] == wanted
        [same] = json.loads(run("RR4A", "--seat", str(seat), *options(wanted), "--format", "json", *FEW)[1])[
            "results"
        ]
        assert same == result


def test_declarations_join_conditions():
    both = query("RR4A", declared="pares: 1,3", partner="R>=1 | 31", left="duples | !pares", right="ciego")
    assert both.known_text == {
        "right": "blind",  # which says no pares already
        "partner": "(R>=1 | 31) & pares",
        "left": "!pares",  # which says it all
    }
    nobody = musodds.odds("RC54", 4, declared="juego: none", simulate=False).exact.lances
    assert nobody["juego"].played == 0
    assert nobody["punto"].played == 1


def test_all_seats_keep_roles_for_conditions_and_seats_for_declarations(run):
    roles = json.loads(run("RR4A", "--seat", "all", "--right", "duples", "--exact", "--format", "json")[1])[
        "results"
    ]
    assert [result["known"]["right"] for result in roles] == ["duples"] * 4
    for seat, result in zip(SEATS, roles, strict=True):
        [alone] = json.loads(
            run("RR4A", "--seat", str(seat), "--right", "duples", "--exact", "--format", "json")[1]
        )["results"]
        assert alone == result
    code, table, _ = run("RC54", "--seat", "all", "--declared", "pares: none; juego: none", "--exact")
    assert code == 0
    assert table.count("!pares & !juego") == 3
    code, _, err = run("RC54", "--seat", "all", "--declared", "juego: 2", "--exact")
    assert code == 2
    assert "seat 2 said juego, but RC54 does not have it" in err


# --- how much a condition leaves ---


def test_the_head_says_what_each_condition_leaves(run):
    for lang, words in (("en", "of 330 hands"), ("es", "de 330 manos")):
        code, out, _ = run(
            "RR4A", "--right", "RRCA", "--left", "0.5*any", "--seen", "77", "--exact", "--lang", lang
        )
        assert code == 0
        lines = out.splitlines()
        # C(6,2) x 4 x 7 of C(34,4) ways: six kings, four knights, seven aces are left.
        assert (
            f"RRCA · 1 {words}, {100 * 420 / 46376:.2f}".replace(".", "," if lang == "es" else ".")
            in lines[1]
        )
        assert f"0.5*any · 330 {words}, 50" in lines[2]
        assert lines[2].endswith({"en": "by weight", "es": "por su peso"}[lang])
        assert lines[3].endswith(": 77")
    assert "% of all" not in run("RR4A", "--exact")[1]


def test_explain_counts_hands_and_deals(run):
    known = ["--right", "RRCA", "--partner", "7>=1 & !pares", "--seen", "7777"[:3]]
    found = json.loads(run("RR4A", *known, "--explain", "--format", "json")[1])
    assert found["schema"] == "musodds.explain/1"
    [result] = found["results"]
    assert result["known"] == {"right": "RRCA", "partner": "7>=1 & !pares", "left": None}
    right = result["conditions"]["right"]
    assert (right["hands"], right["of_hands"], right["possible"], right["weighted"]) == (1, 330, 1, False)
    assert right["share"] == pytest.approx(420 / 40920, abs=1e-15)  # of C(33,4)
    exact = musodds.odds("RR4A", right="RRCA", partner="7>=1 & !pares", seen="777", simulate=False)
    assert result["together"] == exact.fits == exact.exact.deals / (40920 * 23751 * 12650)
    rows = list(csv.DictReader(StringIO(run("RR4A", *known, "--explain", "--format", "csv")[1])))
    assert [row["known"] for row in rows] == ["right", "partner", "together"]
    assert float(rows[-1]["share"]) == result["together"]
    for kind in ("table", "markdown"):
        out = run("RR4A", *known, "--explain", "--format", kind)[1]
        assert "1 of 330" in out
        assert "together" in out


def test_explain_goes_seat_by_seat_only_where_seats_differ(run):
    together = run("RC54", "--seat", "all", "--right", "31", "--explain")[1]
    assert together.count("31") == 1
    apart = run("RC54", "--seat", "all", "--declared", "pares: none", "--right", "31", "--explain")[1]
    assert apart.count("the four seats") == 1, "the same of everybody"


# --- hands that are known ---


def test_a_known_partner_makes_the_figures_the_pairs():
    """The pair's figures do not depend on which of the two holds which hand, but for ties with rivals."""
    one = musodds.odds("RRCA", 1, partner="7654", simulate=False).exact
    other = musodds.odds("7654", 3, partner="RRCA", simulate=False).exact
    for lance in LANCES:
        assert one.lances[lance].win == other.lances[lance].win
        assert one.lances[lance].mine + other.lances[lance].mine == pytest.approx(one.lances[lance].win)


@pytest.mark.parametrize("lang", ["en", "es"])
def test_four_known_hands_are_certain_and_say_so(run, lang):
    said = {
        "en": "all four hands are known: the answer is certain",
        "es": "se conocen las cuatro manos: la respuesta es segura",
    }
    three = ["--right", "RC76", "--partner", "SS54", "--left", "RC77", *FEW]
    for kind in ("table", "markdown"):
        assert said[lang] in run("RR4A", *three, "--format", kind, "--lang", lang)[1].splitlines()
    [result] = json.loads(run("RR4A", *three, "--format", "json")[1])["results"]
    for lance in LANCES:
        simulated, exact = (result[engine]["lances"][lance] for engine in ("simulated", "exact"))
        for name in ("win", "lose", "played", "contested", "win_if_contested", "mine"):
            assert simulated[name] == exact[name]
            assert simulated[name] in (0, 1, None)
    two = run("RR4A", *three[:4], *FEW)[1]
    assert said["en"] not in two


def test_hands_may_be_known_by_exclusion():
    assert query("RR4A", right="AAAA", partner="AAAA | RRRR", left="CCCC").certain
    assert query("RR4A", right="RC76", partner="SS54", left="0.5*RC77").certain
    assert not query("RR4A", right="AAAA", partner="SSSS | RRRR", left="CCCC").certain
    assert not query("RR4A", right="AAAA", partner="RRRR").certain


# --- canonical text ---

TYPED = (
    {"right": "dos reyes o kk7..", "partner": ".30*ciego+0.7*3>=2", "left": "mejor 20% grande y no 31"},
    {"right": "grande >= kk7.", "left": "!(pares|juego)", "seen": "7,7,4"},
    {"partner": "kkqa", "left": "seña medias", "seen": "7c 4e"},
    {"declared": "juego: 4 ; PARES: mano, 3", "partner": "R>=2 | solomillo", "left": "0.25*any + 31"},
    {"right": "points<=20 & not 7=2", "kings": "4", "seen": "3 2"},
)


@pytest.mark.parametrize("typed", TYPED, ids=lambda typed: " ".join(typed))
@pytest.mark.parametrize("kind", ["json", "csv"])
def test_what_is_written_can_be_typed_back(run, typed, kind):
    given = [part for name, text in typed.items() for part in (f"--{name}", text)]
    code, out, err = run("RR4A", *given, *FEW, "--format", kind)
    assert (code, err) == (0, "")
    if kind == "json":
        [result] = json.loads(out)["results"]
        known, seen = result["known"], result["seen"]
    else:
        row = next(csv.DictReader(StringIO(out)))
        known, seen = {role: row[role] for role in ROLES}, row["seen"]
    again = [*options(known), *(["--seen", seen] if seen else [])]
    again += ["--kings", typed["kings"]] if "kings" in typed else []
    assert run("RR4A", *again, *FEW, "--format", kind) == (0, out, ""), "the same bytes"
