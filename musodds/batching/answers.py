"""Every distinct question of a file, answered once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

from musodds.analysis.odds import Figures, exact_odds, figures, simulated_odds
from musodds.analysis.query import Query
from musodds.batching.columns import ERROR
from musodds.batching.ledger import Ledger
from musodds.batching.questions import Key, Settings
from musodds.engine.simulate import available_cores
from musodds.engine.tables import Table
from musodds.engine.whole import Whole, kept_table, whole_table
from musodds.errors import UsageError
from musodds.mus.lances import LANCES
from musodds.report.columns import LANCE_FIGURES, STONES

MANY = 32  # questions about one deck from which counting its whole table is the shorter way

Values = dict[str, float | int | None]
"""Every figure of an answer by the name of its column."""

Answer = Values | str
"""The figures, or the reason why there are none."""

Progress = Callable[[int, int | None], None]


def answer_all(
    questions: Mapping[Key, Query],
    settings: Settings,
    ledger: Ledger,
    progress: Progress | None = None,
    *,
    strict: bool = False,
) -> dict[Key, Answer]:
    """Answer questions; each answer depends on its question and the settings alone.

    Args:
        questions: the distinct questions by their keys, in the order of the file.
        settings: what they have in common.
        ledger: the answers of an earlier run, and where to keep those of this one.
        progress: called with the questions done and all questions.
        strict: stop at the first question that cannot be answered; its reason is then the last answer.
    """
    answers: dict[Key, Answer] = {}
    total = len(questions)
    for key, answer in _answers(questions, settings, ledger):
        answers[key] = answer
        if progress is not None:
            progress(len(answers), total)
        if strict and isinstance(answer, str):
            break
    return answers


def values(found: Figures) -> Values:
    """Every figure of an answer by the name of its column."""
    named: Values = {"deals": found.deals}
    for lance in LANCES:
        odds = found.lances[lance]
        named |= {f"{lance}_{figure}": getattr(odds, figure) for figure in LANCE_FIGURES}
    return named | {f"stones_{name}": getattr(found.stones, name) for name in STONES}


def row_of(answer: Answer, columns: Sequence[str]) -> list[float | int | str | None]:
    """An answer as the values of the columns; ``error`` holds the reason or nothing."""
    if isinstance(answer, str):
        return [answer if column == ERROR else None for column in columns]
    return [None if column == ERROR else answer[column] for column in columns]


def _answers(
    questions: Mapping[Key, Query], settings: Settings, ledger: Ledger
) -> Iterator[tuple[Key, Answer]]:
    wholes = _whole_tables(questions.values(), settings) if settings.exact else {}
    slow = {}
    for key, question in questions.items():
        if _is_plain(question) and question.table in wholes:
            counts = wholes[question.table].counts(question.row, question.seat)
            yield key, values(figures(counts, seed=None))
        else:
            slow[key] = question
    if settings.exact:
        yield from _side_by_side(slow, settings, ledger)
    else:  # one after the other, for each runs on all threads
        yield from ((key, _answer(key, question, settings, ledger)) for key, question in slow.items())


def _side_by_side(
    questions: Mapping[Key, Query], settings: Settings, ledger: Ledger
) -> Iterator[tuple[Key, Answer]]:
    """Answers in the order of their questions, computed on threads."""
    workers = settings.threads or available_cores()
    waiting = iter(questions.items())
    running: deque[tuple[Key, Future[Answer]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            while True:
                for key, question in islice(waiting, 4 * workers - len(running)):
                    running.append((key, pool.submit(_answer, key, question, settings, ledger)))
                if not running:
                    return
                key, future = running.popleft()
                yield key, future.result()
        finally:
            for _, future in running:
                future.cancel()


def _answer(key: Key, question: Query, settings: Settings, ledger: Ledger) -> Answer:
    known = ledger.get(key)
    if known is not None:
        return known
    try:
        found: Answer = values(_figures(question, settings))
    except UsageError as error:
        found = str(error)
    ledger.add(key, found)
    return found


def _figures(question: Query, settings: Settings) -> Figures:
    if settings.exact:
        return exact_odds(question)
    found = simulated_odds(
        question,
        deals=settings.most_deals,
        margin=settings.margin,
        seed=settings.seed,
        threads=settings.threads,
    )
    if found.partial:  # an unfinished answer is none
        raise KeyboardInterrupt
    return found


def _is_plain(question: Query) -> bool:
    return not question.known and not question.seen


def _whole_tables(questions: Iterable[Query], settings: Settings) -> dict[Table, Whole]:
    """The whole tables of the decks of which much is asked, or that are there already."""
    asked: dict[Table, int] = {}
    for question in questions:
        if _is_plain(question):
            asked[question.table] = asked.get(question.table, 0) + 1
    found: dict[Table, Whole] = {}
    for table, number in asked.items():
        if number >= MANY:
            found[table] = whole_table(table, threads=settings.threads)
        else:
            kept = kept_table(table)
            if kept is not None:
                found[table] = kept
    return found
