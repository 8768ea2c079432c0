"""The rule systems of Mus: every choice a table makes, and the presets that tables play by.

Each preset follows one published description of the game; any field can be overridden one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from types import MappingProxyType

from musodds.errors import RulesError
from musodds.mus.cards import REALS, Deck, deck

ANSWERS = ("bolder", "one-accepts", "all-refuse")
FIRST_MANOS = ("drawn", "cutter")


@dataclass(frozen=True)
class Rules:
    """One table's rules.

    Attributes:
        preset: the name of the preset that the rules started from.
        kings: 8 (threes are kings, twos are aces) or 4.
        real: which three sevens with a ten-point card beat every other juego:
            ``off``, ``ten`` (any ten-point card), ``jack`` (any jack), ``coins`` (the jack of coins).
        target: stones that win the game.
        max_mus: how many times the table may change cards in one hand; None is without limit.
        senas: whether partners may signal; None where the source does not say.
        games: games that win the match; None where the source does not say.
        raise_minimum: stones that a raise must add at least.
        bet_limit: the highest bet short of an órdago; None is without limit.
        answer: how a pair answers a bet: the ``bolder`` answer counts, ``one-accepts`` is enough,
            or it is refused only if ``all-refuse``.
        first_mano: who is mano in the first hand of a game: ``drawn`` by lot, or the ``cutter``
            of the first mus. The odds of a hand do not depend on it.
    """

    preset: str = "classic"
    kings: int = 8
    real: str = "off"
    target: int = 40
    max_mus: int | None = None
    senas: bool | None = True
    games: int | None = 2
    raise_minimum: int = 2
    bet_limit: int | None = None
    answer: str = "bolder"
    first_mano: str = "drawn"

    def __post_init__(self) -> None:
        """Refuse rules that no table plays."""
        if self.kings not in (4, 8):
            raise RulesError(f"{self.kings!r} kings: Mus is played with 8 kings or with 4")
        if self.real not in REALS:
            raise RulesError(f"real {self.real!r}: choose one of {', '.join(REALS)}")
        if not _whole(self.target, 1):
            raise RulesError(f"target {self.target!r}: a game is won at 1 stone or more, usually 40")
        if self.max_mus is not None and not _whole(self.max_mus, 0):
            raise RulesError(f"max_mus {self.max_mus!r}: a number of changes, 0 or more, or none")
        if self.games is not None and not _whole(self.games, 1):
            raise RulesError(f"games {self.games!r}: a match is won at 1 game or more")
        if not _whole(self.raise_minimum, 1):
            raise RulesError(f"raise_minimum {self.raise_minimum!r}: a raise adds 1 stone or more")
        if self.bet_limit is not None and not _whole(self.bet_limit, 2):
            raise RulesError(f"bet_limit {self.bet_limit!r}: the smallest bet is 2 stones")
        if self.answer not in ANSWERS:
            raise RulesError(f"answer {self.answer!r}: choose one of {', '.join(ANSWERS)}")
        if self.first_mano not in FIRST_MANOS:
            raise RulesError(f"first_mano {self.first_mano!r}: choose one of {', '.join(FIRST_MANOS)}")

    @property
    def deck(self) -> Deck:
        """The deck these rules are played with."""
        return deck(self.kings, self.real)


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


_FEDERATION = Rules("euskal", kings=4, target=30, games=None)
_BARAJAMOS = Rules(
    "barajamos-8",
    senas=False,
    games=1,
    raise_minimum=1,
    bet_limit=40,
    answer="one-accepts",
    first_mano="cutter",
)
_MUSGAME = Rules("musgame-8", games=1, answer="all-refuse")

PRESETS = MappingProxyType(
    {
        rules.preset: rules
        for rules in (
            Rules(),
            Rules("classic-4", kings=4),
            _BARAJAMOS,
            replace(_BARAJAMOS, preset="barajamos-4", kings=4),
            Rules("four-swaps", max_mus=4, senas=None, games=1),
            _MUSGAME,
            replace(_MUSGAME, preset="musgame-4", kings=4),
            _FEDERATION,
        )
    }
)
"""Every preset by name, the default first."""


def rules(preset: str | Rules = "classic", **overrides: object) -> Rules:
    """The rules of a preset, with single fields overridden.

    Args:
        preset: a name in ``PRESETS``, or rules to start from.
        overrides: fields of ``Rules`` by name.

    Raises:
        RulesError: for a preset or field that does not exist, or a value no table plays.
    """
    if isinstance(preset, Rules):
        start = preset
    elif preset in PRESETS:
        start = PRESETS[preset]
    else:
        close = get_close_matches(str(preset), PRESETS, n=1)
        hint = f"did you mean {close[0]}? " if close else ""
        raise RulesError(f"rules {preset!r}: {hint}the presets are {', '.join(PRESETS)}")
    names = {field.name for field in fields(Rules)} - {"preset"}
    for name in overrides:
        if name not in names:
            close = get_close_matches(name, names, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise RulesError(f"rule {name!r}: {hint}the rules are {', '.join(sorted(names))}")
    return replace(start, **overrides)  # type: ignore[arg-type]
