"""The same for pandas: a DataFrame of questions in, a DataFrame with answers out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from musodds.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from musodds.mus.rules import Rules


def batch(
    frame: pd.DataFrame,
    *,
    columns: Mapping[str, str] | None = None,
    seat: str | int = "mano",
    rules: str | Rules = "classic",
    right: str = "",
    partner: str = "",
    left: str = "",
    seen: str = "",
    exact: bool = True,
    deals: int | None = None,
    margin: float | None = None,
    seed: int = 1,
    figures: str | None = None,
    advice: bool = False,
    strict: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    **overrides: object,
) -> pd.DataFrame:
    """The odds of every row of a table of hands.

    Args:
        frame: a column ``hand`` and any of ``seat``, ``kings``, ``real``, ``right``, ``partner``, ``left``,
            ``seen``, under these names or ``mano``, ``asiento``, ``reyes``, ``derecha``, ``pareja``,
            ``izquierda``, ``vistas``. What is missing in an optional column counts as not asked.
        columns: other names of them, as ``{"hand": "Jugada"}``.
        seat, right, partner, left, seen: for rows that do not say.
        rules: a preset's name, or ``Rules``; ``overrides`` are single rules, such as ``kings=4``.
        exact: count every deal; otherwise simulate.
        deals, margin, seed: of the simulation, as for ``odds``.
        figures: the figures wanted of each lance, as in ``"win,mine"``; None is all.
        advice: add what to discard.
        strict: refuse the whole table for one row that cannot be answered.
        threads: None uses every core; the answers do not depend on it.
        progress: called with the questions done and all questions.

    Returns:
        a new table with the same rows, index and columns, then ``grande_win`` and so on, ``stones_us``,
        ``stones_them``, ``stones_difference`` and ``error``, which is missing where all is well.
        Probabilities are 0 to 1. Each row's answer is that of ``odds`` asked alone.

    Raises:
        UsageError: if there is no column of hands, a setting cannot be, or (with ``strict``) a row.
    """
    import pandas as pd

    from musodds.batching.columns import ERROR, check_free, check_hand, chosen_figures, find_columns
    from musodds.batching.ledger import Ledger
    from musodds.batching.parquet import as_text
    from musodds.batching.questions import Settings
    from musodds.batching.rows import answer_rows, distinct
    from musodds.mus.rules import rules as rules_of

    if not isinstance(frame, pd.DataFrame):
        raise UsageError(f"a batch takes a pandas DataFrame, not {type(frame).__name__}")
    settings = Settings(
        rules=rules_of(rules, **overrides),
        defaults={"seat": str(seat), "right": right, "partner": partner, "left": left, "seen": seen},
        exact=exact,
        deals=deals,
        margin=margin,
        seed=seed,
        figures=chosen_figures(figures, simulated=not exact),
        advice=advice,
        threads=threads,
    )
    settings.check()
    header = [str(name) for name in frame.columns]
    found = find_columns(header, columns or {})
    check_hand(found, header)
    check_free(header, settings.columns)

    def texts(place: int) -> list[str]:
        column = frame.iloc[:, place].astype(object)
        return [as_text(value) for value in column.where(column.notna(), None)]

    rows, codes = distinct([texts(place) for place in found.values()])
    answered = answer_rows(tuple(found), rows, codes, settings, Ledger(), strict=strict, progress=progress)
    added = pd.DataFrame(index=frame.index)
    for i, name in enumerate(answered.columns):
        kind: Any = {"deals": "Int64", ERROR: "string"}.get(name, "float64")
        added[name] = pd.array([values[i] for values in answered.values], dtype=kind).take(answered.codes)
    return pd.concat([frame, added], axis=1)
