"""The table of all hands for pandas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from musodds.mus.rules import Rules


def table(
    seat: str | int = "all",
    *,
    rules: str | Rules = "classic",
    sort: str = "stones",
    exact: bool = True,
    deals: int | None = None,
    margin: float | None = None,
    seed: int = 1,
    drew: str | Mapping[str, int] | None = None,
    others: str = "players",
    cuts: str | None = None,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    **overrides: object,
) -> pd.DataFrame:
    """Every hand in a seat, or in all four, with its odds, ranks and percentiles.

    Args:
        seat: mano, 2, 3, postre, 1 to 4, or all.
        rules: a preset's name, or ``Rules``; ``overrides`` are single rules, such as ``kings=4``.
        sort: ``stones``, ``hand`` or a lance: the order of the hands within a seat, the best first.
        exact: count every deal; otherwise simulate each hand as ``odds`` does.
        deals, margin, seed: of the simulation of each hand, as for ``odds``.
        drew: simulate the hands as they are after the first mus, in which the others took so many cards.
        others, cuts: the policy of that mus, as for ``discard``.
        threads: None uses every core; the figures do not depend on it.
        cluster: the address of a Dask scheduler that does the work, as ``"tcp://192.168.1.5:8786"``.
        progress: called with the work done and planned.

    Returns:
        a row for each hand and seat, with the columns of ``musodds table --format csv``. Probabilities and
        percentiles are 0 to 1; a rank is missing where the hand does not take part in the lance.

    Raises:
        UsageError: for whatever cannot be read or cannot be.
        MusoddsError: if the cluster cannot be reached.
    """
    import pandas as pd

    from musodds.analysis.table import hand_table
    from musodds.analysis.workers import workers_at
    from musodds.report.whole import columns, records

    with workers_at(cluster) as workers:
        found = hand_table(
            seat,
            rules=rules,
            sort=sort,
            exact=exact,
            deals=deals,
            margin=margin,
            seed=seed,
            drew=drew,
            others=others,
            cuts=cuts,
            threads=threads,
            workers=workers,
            progress=progress,
            **overrides,
        )
    frame = pd.DataFrame.from_records(list(records(found)), columns=list(columns(found)))
    ranks = [name for name in frame.columns if name.endswith("_rank")]
    return frame.astype(dict.fromkeys(ranks, "Int64"))
