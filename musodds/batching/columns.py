"""Which columns of a file ask, and which columns answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from musodds.errors import UsageError
from musodds.mus.lances import LANCES
from musodds.report.columns import LANCE_FIGURES, STONES

ASKED = ("hand", "seat", "kings", "real", "right", "partner", "left", "seen", "drew", "declared")
"""The columns that ask; ``hand`` must be there, ``seat`` is mano where there is no such column."""

SPANISH = {
    "mano": "hand",
    "asiento": "seat",
    "reyes": "kings",
    "derecha": "right",
    "pareja": "partner",
    "compañero": "partner",
    "izquierda": "left",
    "vistas": "seen",
    "robadas": "drew",
    "declarado": "declared",
}

INTERVAL = ("win_low", "win_high")  # only simulated figures have one
EXACT_FIGURES = tuple(figure for figure in LANCE_FIGURES if figure not in INTERVAL)
ADVICE = (
    "advice",
    "advice_close",
    "cut_value",
    "cut_margin",
    "mus_value",
    "mus_margin",
    "discard",
    "keep",
    "discard_value",
    "discard_margin",
    "second_discard",
    "second_behind",
    "second_margin",
    "second_tied",
    "advice_deals",
)
"""What to do before the mus: the verdict, the best discard, and how far behind it the second is."""
ERROR = "error"

_TEXTS = frozenset(("advice", "discard", "keep", "second_discard", ERROR))
_WHOLE = frozenset(("deals", "advice_deals"))
_YES_OR_NO = frozenset(("advice_close", "second_tied"))


def find_columns(header: Sequence[str], chosen: Mapping[str, str]) -> dict[str, int]:
    """Where the columns that ask stand.

    Args:
        header: the names of all columns.
        chosen: names given by the user, as ``{"hand": "Jugada"}``; they go before the usual ones.

    Returns:
        the position of each column that is there; without ``hand`` it is not complete, see ``check_hand``.

    Raises:
        UsageError: for a chosen column that is not there, or two columns that ask the same.
    """
    for name in chosen:
        if name not in ASKED:
            raise UsageError(f"map {name!r}: choose one of {', '.join(ASKED)}, as in --map hand=COLUMN")
    found: dict[str, int] = {}
    plain = [_plain(name) for name in header]
    taken = {_plain(column) for column in chosen.values()}
    for name in ASKED:
        if name in chosen:
            wanted = _plain(chosen[name])
            places = [i for i, column in enumerate(plain) if column == wanted]
            if not places:
                raise UsageError(
                    f"map {name}={chosen[name]}: there is no such column; the file has {_listed(header)}"
                )
        else:
            places = [
                i
                for i, column in enumerate(plain)
                if (column == name or SPANISH.get(column) == name) and column not in taken
            ]
        if len(places) > 1:
            names = " and ".join(repr(header[place].strip()) for place in places)
            raise UsageError(
                f"two columns for {name}: {names}; name the one to read with --map {name}=COLUMN"
                if len({plain[place] for place in places}) > 1
                else f"two columns for {name}, both {header[places[0]].strip()!r}; rename one of them"
            )
        if places:
            found[name] = places[0]
    return found


def check_hand(found: Mapping[str, int], header: Sequence[str]) -> None:
    """Refuse a file without hands.

    Raises:
        UsageError: naming the columns that are there.
    """
    if "hand" not in found:
        raise UsageError(
            f"there is no column hand (or mano); the file has {_listed(header)}: "
            "rename one, or name it with --map hand=COLUMN"
        )


def kind_of(column: str) -> str:
    """What a column that is added holds: ``text``, ``whole`` numbers, ``yes`` or no, or else a ``number``."""
    if column in _TEXTS:
        return "text"
    return "whole" if column in _WHOLE else "yes" if column in _YES_OR_NO else "number"


def answer_columns(figures: Sequence[str], *, simulated: bool, advice: bool = False) -> tuple[str, ...]:
    """The columns that are added, in order; ``error`` is the last.

    Args:
        figures: figures of ``LanceOdds`` wanted for each lance.
        simulated: whether figures are simulated, and so have a number of deals and a margin.
        advice: whether the row says what to discard.
    """
    stones = [f"stones_{name}" for name in STONES if simulated or name != "margin"]
    lances = [f"{lance}_{figure}" for lance in LANCES for figure in figures]
    return (*(("deals",) if simulated else ()), *lances, *stones, *(ADVICE if advice else ()), ERROR)


def chosen_figures(text: str | None, *, simulated: bool) -> tuple[str, ...]:
    """The figures of a lance that are asked for, as in ``"win,mine"``; all of them for None.

    Raises:
        UsageError: for a figure that does not exist.
    """
    known = LANCE_FIGURES if simulated else EXACT_FIGURES
    if text is None:
        return known
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in known:
            hint = ", which only simulated figures have: add --no-exact" if name in INTERVAL else ""
            raise UsageError(f"figure {name!r}{hint}; choose from {', '.join(known)}")
    return names


def check_free(header: Sequence[str], added: Sequence[str]) -> None:
    """Refuse to add a column that the file has already.

    Raises:
        UsageError: naming the columns.
    """
    plain = {_plain(name) for name in header}
    twice = [name for name in added if name in plain]
    if twice:
        shown = ", ".join(twice[:3]) + (", …" if len(twice) > 3 else "")
        raise UsageError(
            f"the file has columns of the names that are added ({shown}); rename or remove them first"
        )


def _plain(name: str) -> str:
    return name.strip().casefold()


def _listed(header: Sequence[str]) -> str:
    shown = [repr(name.strip()[:40]) for name in header[:8]]
    return ", ".join(shown) + (f" and {len(header) - 8} more" if len(header) > 8 else "")
