"""A file of questions in, a file of answers out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from musodds.batching import parquet, places, text
from musodds.batching.answers import Progress
from musodds.batching.columns import check_free, check_hand, find_columns
from musodds.batching.ledger import Ledger
from musodds.batching.questions import Settings
from musodds.batching.rows import Answered, answer_rows, distinct
from musodds.errors import UsageError

FORMATS = ("csv", "parquet")


@dataclass(frozen=True)
class Job:
    """What is read, where it goes and how.

    Attributes:
        source, output: files; ``-`` is stdin, stdout.
        columns: names of columns chosen by the user; see ``columns.find_columns``.
        encoding, delimiter: of the input; None finds out (UTF-8, and what the header shows).
        dialect: a name of ``text.DIALECTS`` for the output; None writes as the input is written.
        format: ``csv`` or ``parquet``; None goes by the output's name, and for stdout by the input.
        strict: refuse the whole file for one bad row.
        resume: take up what an interrupted run has left.
    """

    source: str
    output: str = places.STDIO
    columns: Mapping[str, str] | None = None
    encoding: str | None = None
    delimiter: str | None = None
    dialect: str | None = None
    format: str | None = None
    strict: bool = False
    resume: bool = False


@dataclass(frozen=True)
class Done:
    """What a run came to: its rows, and how many of them could not be answered."""

    rows: int
    rejected: int


def run(job: Job, settings: Settings, progress: Progress | None = None) -> Done:
    """Answer a file of questions.

    Args:
        job: what is read and where it goes.
        settings: what all rows have in common.
        progress: called with the questions done and all questions.

    The output appears whole or not at all. If the run is interrupted, or the output cannot be written, what
    was finished stays beside the output (see ``ledger``), and the same job with ``resume`` takes it up.

    Raises:
        UsageError: if the job, the file or (with ``strict``) a row cannot be used.
        MusoddsError: if a file cannot be read or written.
        BrokenPipeError: if the reader of stdout has gone.
    """
    _check(job)
    settings.check()
    places.check_places(job.source, job.output)
    partial = places.partial_place(job.output)
    if job.resume and partial is None:
        raise UsageError("resume needs an output file; name the one of the interrupted run with -o")
    ledger = Ledger(partial, settings)
    finished = False
    try:
        if job.resume:
            places.remove_leftovers(job.output)
            ledger.resume()
        content = places.read_whole(job.source)
        answer = _parquet if content.startswith(parquet.MAGIC) else _text
        done = answer(content, job, settings, ledger, progress)
        finished = True
    finally:
        ledger.close(done=finished)
    return done


def left_over(output: str) -> bool:
    """Whether an interrupted run has left finished answers beside an output."""
    place = places.partial_place(output)
    return place is not None and place.is_file()


def _check(job: Job) -> None:
    if job.format is not None and job.format not in FORMATS:
        raise UsageError(f"format {job.format!r}: choose one of {', '.join(FORMATS)}")
    if job.delimiter is not None and (len(job.delimiter) != 1 or job.delimiter in "\r\n\"'\ufeff\0"):
        raise UsageError(f"delimiter {job.delimiter!r}: give one character, such as ';'")
    text.with_target(text.Dialect(), named=job.dialect, output=job.output)


def _name(job: Job) -> str:
    return "the input" if job.source == places.STDIO else repr(job.source)


def _wants_parquet(job: Job, is_parquet: bool) -> bool:
    if job.format is not None:
        return job.format == "parquet"
    if job.output == places.STDIO or job.dialect is not None:
        return False
    ending = job.output.lower().rpartition(".")[2]
    return ending in ("parquet", "pq") or (is_parquet and ending not in ("csv", "tsv", "tab", "txt"))


def _text(content: bytes, job: Job, settings: Settings, ledger: Ledger, progress: Progress | None) -> Done:
    columns = job.columns or {}
    whole, source = text.decoded(content, job.encoding, _name(job))
    del content
    source = replace(source, delimiter=job.delimiter or text.found_delimiter(whole, columns))
    to_parquet = _wants_parquet(job, False)
    target = source if to_parquet else text.with_target(source, named=job.dialect, output=job.output)
    sheet = text.read_sheet(whole, source, target, columns, _name(job))
    del whole
    check_free(sheet.header, settings.columns)
    answered = _answered(sheet.asked, sheet.rows, sheet.codes, job, settings, ledger, progress)
    with places.writing(job.output) as stream:
        if to_parquet:
            table = parquet.text_table(sheet.header, sheet.records, target.delimiter)
            parquet.write_parquet(stream, parquet.with_answers(table, answered))
        else:
            codes = answered.codes.tolist()
            text.write_sheet(
                stream, sheet.head, sheet.records, codes, answered.columns, answered.values, target
            )
    return Done(len(sheet.records), answered.rejected)


def _parquet(content: bytes, job: Job, settings: Settings, ledger: Ledger, progress: Progress | None) -> Done:
    table = parquet.read_parquet(content, _name(job))
    header = table.column_names
    found = find_columns(header, job.columns or {})
    check_hand(found, header)
    check_free(header, settings.columns)
    rows, codes = distinct([parquet.texts(table, place) for place in found.values()])
    answered = _answered(tuple(found), rows, codes, job, settings, ledger, progress)
    with places.writing(job.output) as stream:
        if _wants_parquet(job, True):
            parquet.write_parquet(stream, parquet.with_answers(table, answered))
        else:
            target = text.with_target(text.Dialect(), named=job.dialect, output=job.output)
            columns = [list(parquet.texts(table, place)) for place in range(len(header))]
            (head,) = text.text_rows([[name] for name in header], target.delimiter)
            records = text.text_rows(columns, target.delimiter)
            codes = answered.codes.tolist()
            text.write_sheet(stream, head, records, codes, answered.columns, answered.values, target)
    return Done(table.num_rows, answered.rejected)


def _answered(
    asked: Sequence[str],
    rows: Sequence[tuple[str, ...] | str],
    codes: Sequence[int] | NDArray[np.int64],
    job: Job,
    settings: Settings,
    ledger: Ledger,
    progress: Progress | None,
) -> Answered:
    return answer_rows(asked, rows, codes, settings, ledger, strict=job.strict, progress=progress)
