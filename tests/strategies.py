"""Hypothesis strategies: hands, conditions that mean something, and text that need not."""

from __future__ import annotations

from hypothesis import strategies as st

CARDS = "A4567SCR"
LANCES = ("grande", "chica", "pares", "juego", "punto")
OPERATORS = ("=", "==", "!=", "<", "<=", ">", ">=")
WORDS = ("pares", "par", "medias", "duples", "juego", "punto", "any")
POINTS = ("31", "32", "40", "30", "29", "27")
SIGNS = (
    *("two-kings", "dos-reyes", "three-kings", "two-aces", "tres-ases", "sign-medias", "solomillo"),
    *("thirty-one", "game", "thirty", "twenty-nine", "pair", "ciego", "blind", "perete"),
)

hands = st.lists(st.sampled_from(CARDS), min_size=4, max_size=4).map("".join)
patterns = st.lists(st.sampled_from(CARDS), min_size=0, max_size=3).map(lambda cards: "".join(cards) + "..")
operators = st.sampled_from(OPERATORS)
weights = st.integers(1, 40_000).map(lambda n: f"{n / 10_000:.4f}")

atoms = st.one_of(
    st.sampled_from((*WORDS, *POINTS, *SIGNS)),
    hands,
    patterns,
    st.builds("points{}{}".format, operators, st.integers(0, 45)),
    st.builds("{}{}{}".format, st.sampled_from(CARDS), operators, st.integers(0, 5)),
    st.builds("{}{}{}".format, st.sampled_from(("grande", "chica")), operators, hands | patterns),
    st.builds("pares{}{}".format, operators, st.sampled_from(("par", "medias", "duples", "CC..", "RRAA"))),
    st.builds("juego{}{}".format, operators, st.sampled_from((31, 32, 40, 37, 36, 35, 34, 33))),
    st.builds(
        "{} {}% {}".format, st.sampled_from(("top", "bottom")), st.integers(1, 100), st.sampled_from(LANCES)
    ),
)


def _join(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.lists(parts, min_size=2, max_size=3)
    return st.one_of(
        parts.map("!{}".format),
        parts.map("not {}".format),
        parts.map("({})".format),
        two.map(" & ".join),
        two.map(" | ".join),
        two.map(" y ".join),
    )


plain_conditions = st.recursive(atoms, _join, max_leaves=8)
"""Text that follows the grammar and has no weights; it may be a condition that no hand fits."""

weighted_conditions = st.lists(
    st.builds("{}*({})".format, weights, plain_conditions), min_size=1, max_size=3
).map(" + ".join)

conditions = st.one_of(plain_conditions, weighted_conditions)

_MARKS = tuple("!&|()*+%. -_")
_PIECES = (
    *WORDS,
    *POINTS,
    *SIGNS,
    *LANCES,
    *OPERATORS,
    *_MARKS,
    "S*",
    "top",
    "and",
    "o",
    "no",
    "0.3",
    "RR..",
)
noise = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(_PIECES), max_size=20).map("".join),
    st.lists(st.sampled_from(_PIECES), max_size=20).map(" ".join),
)
"""Any text at all, and the language's own pieces in any order."""
