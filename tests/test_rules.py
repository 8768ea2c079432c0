"""The presets, pinned field by field, and the rules that no table plays."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, asdict

import pytest

from musodds.errors import RulesError
from musodds.mus.cards import deck
from musodds.mus.rules import PRESETS, Rules, rules

CLASSIC = {
    "kings": 8,
    "real": "off",
    "target": 40,
    "max_mus": None,
    "senas": True,
    "games": 2,  # best of three
    "raise_minimum": 2,
    "bet_limit": None,
    "answer": "bolder",
    "first_mano": "drawn",
}
BARAJAMOS = {
    **CLASSIC,
    "senas": False,
    "games": 1,
    "raise_minimum": 1,  # any amount above
    "bet_limit": 40,
    "answer": "one-accepts",
    "first_mano": "cutter",
}
FOUR_SWAPS = {**CLASSIC, "max_mus": 4, "senas": None, "games": 1}
MUSGAME = {**CLASSIC, "games": 1, "answer": "all-refuse"}

WRITTEN = {
    "classic": CLASSIC,
    "classic-4": {**CLASSIC, "kings": 4},
    "barajamos-8": BARAJAMOS,
    "barajamos-4": {**BARAJAMOS, "kings": 4},
    "four-swaps": FOUR_SWAPS,
    "musgame-8": MUSGAME,
    "musgame-4": {**MUSGAME, "kings": 4},
    "euskal": {**CLASSIC, "kings": 4, "target": 30, "games": None},
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_preset_is_what_its_source_says(name):
    assert asdict(PRESETS[name]) == {"preset": name, **WRITTEN[name]}
    assert rules(name) == PRESETS[name]


def test_there_is_no_other_preset_and_classic_is_the_default():
    assert list(PRESETS) == list(WRITTEN)
    assert rules() == Rules() == PRESETS["classic"]


OVERRIDES = [
    ("kings", 4),
    ("real", "coins"),
    ("target", 30),
    ("target", 35),
    ("target", 1),
    ("max_mus", 0),
    ("max_mus", 3),
    ("max_mus", None),
    ("senas", False),
    ("games", 3),
    ("games", None),
    ("raise_minimum", 1),
    ("bet_limit", 30),
    ("answer", "all-refuse"),
    ("first_mano", "cutter"),
]


@pytest.mark.parametrize(("name", "value"), OVERRIDES)
@pytest.mark.parametrize("preset", ["classic", "barajamos-4", "four-swaps"])
def test_any_field_is_overridden_alone(preset, name, value):
    changed = rules(preset, **{name: value})
    assert asdict(changed) == {**asdict(PRESETS[preset]), name: value}


def test_overrides_cover_every_field():
    assert {name for name, _ in OVERRIDES} == set(CLASSIC)


def test_rules_are_a_start_for_rules():
    assert rules(rules("euskal", target=40), real="ten") == rules("euskal", target=40, real="ten")


def test_rules_cannot_be_changed_in_place():
    with pytest.raises(FrozenInstanceError):
        rules().kings = 4  # type: ignore[misc]
    with pytest.raises(TypeError):
        PRESETS["classic"] = Rules(target=1)  # type: ignore[index]


def test_rules_know_their_deck():
    assert rules().deck is deck(8, "off")
    assert rules("euskal", real="coins").deck is deck(4, "coins")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kings", 6),
        ("kings", 0),
        ("kings", "8"),
        ("real", "queen"),
        ("real", ""),
        ("real", None),
        ("target", 0),
        ("target", -40),
        ("target", 40.0),
        ("target", True),
        ("target", None),
        ("max_mus", -1),
        ("max_mus", 1.5),
        ("games", 0),
        ("raise_minimum", 0),
        ("bet_limit", 1),
        ("answer", "shout"),
        ("first_mano", "postre"),
    ],
)
def test_a_rule_that_no_table_plays_is_refused(name, value):
    with pytest.raises(RulesError) as refusal:
        rules(**{name: value})
    assert name in str(refusal.value)
    assert str(value) in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("preset", "hint"), [("clasic", "classic"), ("muss", "the presets are"), ("", "euskal")]
)
def test_an_unknown_preset_is_refused_with_the_presets(preset, hint):
    with pytest.raises(RulesError, match=hint):
        rules(preset)


@pytest.mark.parametrize(("name", "hint"), [("king", "kings"), ("preset_", "target"), ("suits", "max_mus")])
def test_an_unknown_rule_is_refused_with_the_rules(name, hint):
    with pytest.raises(RulesError, match=hint):
        rules(**{name: 1})
