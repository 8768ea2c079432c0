"""From rows of text to an answer for each, whatever the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from musodds.batching.answers import Answer, Progress, answer_all, row_of
from musodds.batching.ledger import Ledger
from musodds.batching.questions import Asker, Key, Settings
from musodds.errors import UsageError


@dataclass(frozen=True, eq=False)
class Answered:
    """The answers to the rows of a file.

    Attributes:
        columns: the names of the columns that are added.
        values: the distinct answers as the values of those columns.
        codes: int64 (rows,), the place of each row's answer in ``values``.
        rejected: how many rows could not be answered.
    """

    columns: tuple[str, ...]
    values: Sequence[Sequence[float | int | str | None]]
    codes: NDArray[np.int64]
    rejected: int


def answer_rows(
    asked: Sequence[str],
    rows: Sequence[tuple[str, ...] | str],
    codes: Sequence[int] | NDArray[np.int64],
    settings: Settings,
    ledger: Ledger,
    *,
    strict: bool = False,
    progress: Progress | None = None,
) -> Answered:
    """Answer every row.

    Args:
        asked: the names of the columns that ask.
        rows: the distinct texts of those columns, in the order in which they first appear; a text instead
            says why a row cannot be read.
        codes: for every row of the file its place in ``rows``.
        settings: what all rows have in common.
        ledger: what is finished already, and where to keep what gets finished.
        strict: refuse the whole file for one row that cannot be answered.
        progress: called with the questions done and all questions.

    Raises:
        UsageError: with ``strict``, naming the first row that cannot be answered.
    """
    asker = Asker(settings)
    keys: list[Key | str] = []  # a text is the reason why there is no question
    for row in rows:
        keys.append(row if isinstance(row, str) else _asked(asker, dict(zip(asked, row, strict=True))))
        if strict and isinstance(keys[-1], str):
            break  # no row after it matters
    answers = answer_all(asker.questions, settings, ledger, progress, strict=strict)
    found: list[Answer] = []
    places: dict[Key | str, int] = {}
    place_of = np.empty(len(rows), dtype=np.int64)
    for i, key in enumerate(keys):
        answer = key if isinstance(key, str) else answers[key]
        if strict and isinstance(answer, str):
            raise UsageError(f"row {_first(codes, i) + 1}: {answer}")
        if key not in places:
            places[key] = len(found)
            found.append(answer)
        place_of[i] = places[key]
    row_codes = place_of[np.asarray(codes, dtype=np.int64)]
    wrong = np.array([isinstance(answer, str) for answer in found], dtype=bool)
    columns = settings.columns
    return Answered(
        columns=columns,
        values=[row_of(answer, columns) for answer in found],
        codes=row_codes,
        rejected=int(wrong[row_codes].sum()),
    )


def distinct(columns: Sequence[Iterable[str]]) -> tuple[list[tuple[str, ...] | str], NDArray[np.int64]]:
    """The distinct rows of text columns in the order in which they appear, and the place of each row."""
    known: dict[tuple[str, ...], int] = {}
    codes = np.fromiter(
        (known.setdefault(row, len(known)) for row in zip(*columns, strict=True)), dtype=np.int64
    )
    return list(known), codes


def _asked(asker: Asker, row: dict[str, str]) -> Key | str:
    try:
        return asker.ask(row)
    except UsageError as error:
        return str(error)


def _first(codes: Sequence[int] | NDArray[np.int64], code: int) -> int:
    return int(np.argmax(np.asarray(codes) == code))
