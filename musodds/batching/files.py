"""A file of questions in, a file of answers out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

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
    content = places.read_whole(job.source)
    read = _read_parquet if content.startswith(parquet.MAGIC) else _read_text
    source = read(content, job)
    del content
    settings = settings.asking(source.asked)
    check_free(source.header, settings.columns)
    ledger = Ledger(partial, settings)
    finished = False
    try:
        if job.resume:
            places.remove_leftovers(job.output)
            ledger.resume()
        answered = answer_rows(
            source.asked, source.rows, source.codes, settings, ledger, strict=job.strict, progress=progress
        )
        with places.writing(job.output) as stream:
            source.write(stream, answered)
        finished = True
    finally:
        ledger.close(done=finished)
    return Done(len(answered.codes), answered.rejected)


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


@dataclass(frozen=True, eq=False)
class _Source:
    """A file that was read.

    Attributes:
        header: the names of its columns.
        asked: the names of the columns that ask.
        rows, codes: the distinct texts of those columns, and for every row its place in them.
        write: writes the rows with their answers.
    """

    header: Sequence[str]
    asked: Sequence[str]
    rows: Sequence[tuple[str, ...] | str]
    codes: Sequence[int] | NDArray[np.int64]
    write: Callable[[BinaryIO, Answered], None]


def _read_text(content: bytes, job: Job) -> _Source:
    columns = job.columns or {}
    whole, source = text.decoded(content, job.encoding, _name(job))
    del content
    source = replace(source, delimiter=job.delimiter or text.found_delimiter(whole, columns))
    to_parquet = _wants_parquet(job, False)
    target = source if to_parquet else text.with_target(source, named=job.dialect, output=job.output)
    sheet = text.read_sheet(whole, source, target, columns, _name(job))

    def write(stream: BinaryIO, answered: Answered) -> None:
        if to_parquet:
            table = parquet.text_table(sheet.header, sheet.records, target.delimiter)
            parquet.write_parquet(stream, parquet.with_answers(table, answered))
        else:
            codes = answered.codes.tolist()
            text.write_sheet(
                stream, sheet.head, sheet.records, codes, answered.columns, answered.values, target
            )

    return _Source(sheet.header, sheet.asked, sheet.rows, sheet.codes, write)


def _read_parquet(content: bytes, job: Job) -> _Source:
    table = parquet.read_parquet(content, _name(job))
    header = table.column_names
    found = find_columns(header, job.columns or {})
    check_hand(found, header)

    def write(stream: BinaryIO, answered: Answered) -> None:
        if _wants_parquet(job, True):
            parquet.write_parquet(stream, parquet.with_answers(table, answered))
        else:
            target = text.with_target(text.Dialect(), named=job.dialect, output=job.output)
            columns = [list(parquet.texts(table, place)) for place in range(len(header))]
            (head,) = text.text_rows([[name] for name in header], target.delimiter)
            records = text.text_rows(columns, target.delimiter)
            codes = answered.codes.tolist()
            text.write_sheet(stream, head, records, codes, answered.columns, answered.values, target)

    rows, codes = distinct([parquet.texts(table, place) for place in found.values()])
    return _Source(header, tuple(found), rows, codes, write)
