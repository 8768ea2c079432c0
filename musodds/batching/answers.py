"""Every distinct question of a file, answered once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from musodds.analysis.figures import Figures, figures
from musodds.analysis.odds import exact_odds, simulated_odds
from musodds.analysis.query import Query
from musodds.batching.columns import ERROR
from musodds.batching.ledger import Ledger
from musodds.batching.questions import Key, Settings, drew_of
from musodds.engine.tables import Table
from musodds.engine.whole import Whole, kept_table, whole_table
from musodds.engine.workers import AHEAD, in_turn, workers_of
from musodds.errors import UsageError
from musodds.mus.lances import LANCES
from musodds.report.columns import LANCE_FIGURES, STONES

MANY = 32  # questions about one deck from which counting its whole table is the shorter way
LIGHT = 1 << 22  # deals up to which a question is answered in a second or so on one thread
HEAVY = 1 << 26  # deals from which a single question is shared out among the workers of a cluster

Values = dict[str, float | int | str | bool | None]
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
    """Every figure of an answer by the name of its column; exact ones have no number of deals."""
    named: Values = {"deals": found.deals if found.seed is not None else None}
    for lance in LANCES:
        odds = found.lances[lance]
        named |= {f"{lance}_{figure}": getattr(odds, figure) for figure in LANCE_FIGURES}
    return named | {f"stones_{name}": getattr(found.stones, name) for name in STONES}


def row_of(answer: Answer, columns: Sequence[str]) -> list[float | int | str | bool | None]:
    """An answer as the values of the columns; ``error`` holds the reason or nothing."""
    if isinstance(answer, str):
        return [answer if column == ERROR else None for column in columns]
    return [None if column == ERROR else answer[column] for column in columns]


@dataclass(frozen=True)
class Task:
    """A question to be answered, with its figures if they are known already."""

    key: Key
    question: Query
    known: Values | None = None


@dataclass(frozen=True)
class Answering:
    """Answers tasks, here or in another process, each with one thread unless told otherwise."""

    settings: Settings
    threads: int | None = 1

    def __call__(self, task: Task) -> Answer:
        """The answer to one question."""
        drew = drew_of(task.key)
        try:
            found = dict(task.known or values(self._figures(task.question, drew)))
            if self.settings.advice:
                from musodds.batching.advice import advice_values

                found |= advice_values(task.question, drew, self.settings, self.threads)
        except UsageError as error:
            return str(error)
        return found

    def _figures(self, question: Query, drew: str) -> Figures:
        if drew:
            from musodds.batching.advice import drawn_odds

            found = drawn_odds(question, drew, self.settings, self.threads)
        else:
            found = _figures(question, self.settings, self.threads)
        if found.partial:  # an unfinished answer is none
            raise KeyboardInterrupt
        return found


def _figures(question: Query, settings: Settings, threads: int | None) -> Figures:
    if settings.exact:
        return exact_odds(question)
    return simulated_odds(
        question,
        deals=settings.most_deals,
        margin=settings.margin,
        seed=settings.seed,
        threads=threads,
        workers=settings.workers,
    )


def _answers(
    questions: Mapping[Key, Query], settings: Settings, ledger: Ledger
) -> Iterator[tuple[Key, Answer]]:
    wholes = _whole_tables(questions, settings) if settings.exact else {}
    tasks = []
    for key, question in questions.items():
        known: Values | None = None
        if _is_plain(key, question) and question.table in wholes:
            counts = wholes[question.table].counts(question.row, question.seat)
            known = values(figures(counts, seed=None))
            if not settings.advice:
                yield key, known
                continue
        kept = ledger.get(key)
        if kept is not None:
            yield key, kept
        else:
            tasks.append(Task(key, question, known))
    for task, answer in zip(tasks, _answered(tasks, settings), strict=True):
        ledger.add(task.key, answer)
        yield task.key, answer


def _answered(tasks: Sequence[Task], settings: Settings) -> Iterator[Answer]:
    """The answers to tasks, in their order."""
    workers = workers_of(settings.threads, settings.workers)
    only_exact = settings.exact and not settings.drawn and not settings.advice
    if settings.workers is not None:
        by_question = not _is_for_all(settings)
    else:  # work on many questions at once leaves no core idle, on one at a time stops at once when told to
        by_question = only_exact or (_is_light(settings) and len(tasks) >= AHEAD * workers.number)
    if by_question:
        return in_turn(Answering(replace(settings, workers=None)), ((task,) for task in tasks), workers)
    return map(Answering(settings, settings.threads), tasks)


def _is_light(settings: Settings) -> bool:
    """Whether every question takes a moment only."""
    deals = [settings.drawn_deals if settings.drawn else 0, settings.advised_deals if settings.advice else 0]
    simulated = 0 if settings.exact else settings.most_deals
    return max(simulated, *deals) <= LIGHT


def _is_for_all(settings: Settings) -> bool:
    """Whether a single question is work for a whole cluster."""
    simple = not settings.exact and not settings.drawn and not settings.advice and settings.margin is None
    return simple and settings.most_deals >= HEAVY


def _is_plain(key: Key, question: Query) -> bool:
    return not question.known and not question.seen and not drew_of(key)


def _whole_tables(questions: Mapping[Key, Query], settings: Settings) -> dict[Table, Whole]:
    """The whole tables of the decks of which much is asked, or that are there already."""
    asked: dict[Table, int] = {}
    for key, question in questions.items():
        if _is_plain(key, question):
            asked[question.table] = asked.get(question.table, 0) + 1
    found: dict[Table, Whole] = {}
    for table, number in asked.items():
        if number >= MANY:
            found[table] = whole_table(table, threads=settings.threads, workers=settings.workers)
        else:
            kept = kept_table(table)
            if kept is not None:
                found[table] = kept
    return found
