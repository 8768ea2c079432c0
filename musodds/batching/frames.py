"""The same for pandas: a DataFrame of questions in, a DataFrame with answers out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
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
    drew: str = "",
    declared: str = "",
    exact: bool = True,
    deals: int | None = None,
    margin: float | None = None,
    seed: int = 1,
    figures: str | None = None,
    advice: bool = False,
    advice_deals: int | None = None,
    others: str = "players",
    cuts: str | None = None,
    strict: bool = False,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    **overrides: object,
) -> pd.DataFrame:
    """The odds of every row of a table of hands.

    Args:
        frame: a column ``hand`` and any of ``seat``, ``kings``, ``real``, ``right``, ``partner``, ``left``,
            ``seen``, ``drew``, ``declared``, under these names or ``mano``, ``asiento``, ``reyes``,
            ``derecha``, ``pareja``, ``izquierda``, ``vistas``, ``robadas``, ``declarado``. What is missing
            in an optional column counts as not asked.
        columns: other names of them, as ``{"hand": "Jugada"}``.
        seat, right, partner, left, seen, drew, declared: for rows that do not say.
        rules: a preset's name, or ``Rules``; ``overrides`` are single rules, such as ``kings=4``.
        exact: count every deal; otherwise simulate.
        deals, margin, seed: of the simulation, as for ``odds``.
        figures: the figures wanted of each lance, as in ``"win,mine"``; None is all.
        advice: add cut or mus, the best discard and how far behind it the second is.
        advice_deals: deals to simulate for each advice; None is 100,000.
        others, cuts: the policy of the others in the mus, for the advice and for rows with ``drew``.
        strict: refuse the whole table for one row that cannot be answered.
        threads: None uses every core; the answers do not depend on it.
        cluster: the address of a Dask scheduler that answers instead, as ``"tcp://192.168.1.5:8786"``.
        progress: called with the questions done and all questions.

    Returns:
        a new table with the same rows, index and columns, then ``grande_win`` and so on, ``stones_us``,
        ``stones_them``, ``stones_difference`` and ``error``, which is missing where all is well.
        Probabilities are 0 to 1. Each row's answer is that of ``odds`` asked alone, and its advice that of
        ``discard``. Where there is a column ``drew``, rows with it are simulated (``deals`` says so), the
        others exact all the same.

    Raises:
        UsageError: if there is no column of hands, a setting cannot be, or (with ``strict``) a row.
        MusoddsError: if the cluster cannot be reached.
    """
    import pandas as pd

    from musodds.analysis.workers import workers_at
    from musodds.batching.columns import check_free, check_hand, chosen_figures, find_columns, kind_of
    from musodds.batching.ledger import Ledger
    from musodds.batching.parquet import as_text
    from musodds.batching.questions import Settings
    from musodds.batching.rows import answer_rows, distinct
    from musodds.mus.rules import rules as rules_of

    if not isinstance(frame, pd.DataFrame):
        raise UsageError(f"a batch takes a pandas DataFrame, not {type(frame).__name__}")
    settings = Settings(
        rules=rules_of(rules, **overrides),
        defaults={
            "seat": str(seat),
            "right": right,
            "partner": partner,
            "left": left,
            "seen": seen,
            "drew": drew,
            "declared": declared,
        },
        exact=exact,
        deals=deals,
        margin=margin,
        seed=seed,
        figures=chosen_figures(figures, simulated=not exact),
        advice=advice,
        advice_deals=advice_deals,
        others=others,
        cuts=cuts,
        threads=threads,
    )
    settings.check()
    header = [str(name) for name in frame.columns]
    found = find_columns(header, columns or {})
    check_hand(found, header)
    settings = settings.asking(found)
    check_free(header, settings.columns)

    def texts(place: int) -> list[str]:
        column = frame.iloc[:, place].astype(object)
        return [as_text(value) for value in column.where(column.notna(), None)]

    rows, codes = distinct([texts(place) for place in found.values()])
    with workers_at(cluster) as workers:
        answered = answer_rows(
            tuple(found),
            rows,
            codes,
            replace(settings, workers=workers),
            Ledger(),
            strict=strict,
            progress=progress,
        )
    kinds: dict[str, Any] = {"text": "string", "whole": "Int64", "yes": "boolean", "number": "float64"}
    added = pd.DataFrame(index=frame.index)
    for i, name in enumerate(answered.columns):
        column = pd.array([values[i] for values in answered.values], dtype=kinds[kind_of(name)])
        added[name] = column.take(answered.codes)
    return pd.concat([frame, added], axis=1)
