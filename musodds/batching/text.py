"""CSV in all its dialects, read as text: a row is kept as it stands, and its answer is added after it."""

from __future__ import annotations

import codecs
import csv
import io
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import BinaryIO

from musodds.batching.columns import check_hand, find_columns
from musodds.errors import UsageError
from musodds.mus.cards import deck, parse_hand

DELIMITERS = (",", ";", "\t", "|")
_CHUNK = 10_000  # rows written at a time


@dataclass(frozen=True)
class Dialect:
    """How a text file is written.

    Attributes:
        delimiter: one character.
        decimal: ``.`` or ``,``, for the figures that are added.
        encoding: a codec of Python.
        bom: whether the file starts with a byte order mark.
        line_end: between rows.
    """

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    bom: bool = False
    line_end: str = "\n"


DIALECTS = {
    "plain": Dialect(),
    "es": Dialect(delimiter=";", decimal=",", bom=True, line_end="\r\n"),
}
"""Dialects by name; ``es`` is what a spreadsheet in Spanish opens by itself."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A file of questions, read.

    Attributes:
        header: the names of the columns.
        head: the header line as it is to be written.
        records: every row as it is to be written, without the line's end.
        asked: the names of the columns that ask, in the order of ``rows``.
        rows: the distinct contents of those columns, in the order of the file; a text instead says why a
            row is none.
        codes: for every record its place in ``rows``.
    """

    header: Sequence[str]
    head: str
    records: Sequence[str]
    asked: tuple[str, ...]
    rows: Sequence[tuple[str, ...] | str]
    codes: array[int]


def decoded(content: bytes, encoding: str | None, name: str) -> tuple[str, Dialect]:
    """The text of a file, and its encoding and line ends.

    Args:
        content: the whole file.
        encoding: a codec of Python; None is UTF-8.
        name: the file, for messages.

    Raises:
        UsageError: for an empty file, or bytes that are not this encoding.
    """
    chosen = encoding or "utf-8"
    try:
        chosen = codecs.lookup(chosen).name
    except LookupError:
        raise UsageError(f"encoding {encoding!r}: there is none of this name; try utf-8 or cp1252") from None
    if not content.strip():
        raise UsageError(f"{name} is empty; write a header such as hand,seat and a row for each hand")
    if not chosen.startswith("utf-16") and (
        content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in content[:1000]
    ):
        raise UsageError(
            f"{name} is UTF-16 or no text; save it as CSV UTF-8, or name its encoding: --encoding utf-16"
        )
    bom = content.startswith(codecs.BOM_UTF8)
    try:
        text = content[len(codecs.BOM_UTF8) * bom :].decode("utf-8" if chosen == "utf-8-sig" else chosen)
    except UnicodeError as error:
        place = ""
        if isinstance(error, UnicodeDecodeError):
            line = content.count(b"\n", 0, error.start) + 1
            place = f" (byte 0x{content[error.start]:02X} in line {line})"
        raise UsageError(
            f"{name} is not {chosen}{place}; name its encoding, as in --encoding cp1252"
        ) from None
    text = text.removeprefix("\ufeff")
    if "\0" in text:
        raise UsageError(f"{name} holds NUL characters and is no text; save it as CSV UTF-8")
    if "\n" not in text and "\r" in text:
        text = text.replace("\r", "\n")
    end = text.find("\n")
    line_end = "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"
    if chosen.startswith("utf-16"):
        chosen, bom = "utf-8", True
    return text, Dialect(encoding=chosen, bom=bom, line_end=line_end)


def found_delimiter(text: str, chosen: Mapping[str, str]) -> str:
    """The delimiter of the header: the one that makes the columns that ask appear, or the most frequent."""
    line = text.split("\n", 1)[0].rstrip("\r")
    best, most = ",", (0, 0)
    for delimiter in DELIMITERS:
        names = next(csv.reader([line], delimiter=delimiter), [])
        try:
            asked = len(find_columns(names, chosen))
        except UsageError:
            # a column twice is a header read rightly, a chosen column that is missing is not
            asked = sum(name.strip().casefold() == "hand" for name in names)
        if (asked, len(names)) > most:
            best, most = delimiter, (asked, len(names))
    return best


def read_sheet(text: str, source: Dialect, target: Dialect, chosen: Mapping[str, str], name: str) -> Sheet:
    """Read a file of questions.

    Args:
        text: the whole file.
        source: how it is written; target: how the answers will be.
        chosen: names of columns given by the user; see ``find_columns``.
        name: the file, for messages.

    Raises:
        UsageError: if the file as a whole cannot be used.
    """
    lines = text.split("\n")
    while lines and not lines[-1].strip("\r "):
        lines.pop()
    del text
    quoted = any('"' in line for line in lines)
    reader = csv.reader(
        (line + "\n" for line in lines) if quoted else lines,
        delimiter=source.delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
    )
    header = _next(reader, name)
    if header is None or not any(field.strip() for field in header):
        raise UsageError(f"{name} has no header in its first line; write one such as hand,seat")
    start = reader.line_num
    if len(header) == 1 and not chosen and _is_hand(header[0]):
        # a bare list of hands: the first line is one of them
        header, start = ["hand"], 0
        reader = csv.reader(lines, delimiter=source.delimiter)
    found = find_columns(header, chosen)
    check_hand(found, header)
    if len(lines) <= start:
        raise UsageError(f"{name} has a header and no rows; write a row for each hand")

    asked = tuple(found)
    pick = _picker(list(found.values()))
    width = len(header)
    rewrite = None if source.delimiter == target.delimiter else _writer(target.delimiter)
    again = rewrite or _writer(target.delimiter)
    records: list[str] = []
    known: dict[tuple[str, ...] | str, int] = {}
    codes = array("I")
    line = start
    try:
        for row in reader:
            end = reader.line_num
            reason = None
            if len(row) == width:
                if rewrite is None:
                    record = lines[end - 1] if end == line + 1 else "\n".join(lines[line:end])
                    if record.endswith("\r"):
                        record = record[:-1]
                else:
                    record = rewrite(row)
            else:
                row, reason = _mended(row, width, source.delimiter)
                record = again(row)
            line = end
            key = pick(row) if reason is None else reason
            code = known.get(key)
            if code is None:
                code = known[key] = len(known)
            codes.append(code)
            records.append(record)
    except csv.Error as error:
        raise UsageError(
            f"{name}, line {reader.line_num}: {error}; check its quotes and line ends"
        ) from error
    if quoted:
        _check_closed(records[-1], lines, line, name, target.delimiter)
    head = lines[0].removesuffix("\r") if rewrite is None and start == 1 else again(header)
    return Sheet(header, head, records, asked, list(known), codes)


def write_sheet(
    stream: BinaryIO,
    sheet_head: str,
    records: Iterable[str],
    codes: Iterable[int],
    columns: Sequence[str],
    answers: Sequence[Sequence[object]],
    dialect: Dialect,
) -> None:
    """Write rows with their answers.

    Args:
        stream: where to.
        sheet_head: the header line of the user's columns.
        records: the user's rows, ready to be written; empty strings if there are no columns.
        codes: for every row the place of its answer.
        columns: the columns that are added.
        answers: the values of those columns; floats are written in full, None is empty.
        dialect: how to write.
    """
    comma = dialect.delimiter
    end = dialect.line_end
    tails = [comma + _tail(answer, dialect) + end for answer in answers]
    text = chain([sheet_head + comma + comma.join(columns) + end], _joined(records, codes, tails))
    if dialect.bom:
        stream.write(codecs.BOM_UTF8 if dialect.encoding.startswith("utf-8") else b"")
    encoding = "utf-8" if dialect.encoding == "utf-8-sig" else dialect.encoding
    # The disk is written to while the next rows are put together; at most one chunk waits.
    with ThreadPoolExecutor(1) as writer:
        writing: Future[int] | None = None
        for chunk in text:
            content = chunk.encode(encoding, "backslashreplace")
            if writing is not None:
                writing.result()
            writing = writer.submit(stream.write, content)
        if writing is not None:
            writing.result()


def text_rows(columns: Sequence[Sequence[str]], delimiter: str) -> Iterator[str]:
    """Rows of text columns, quoted where needed."""
    write = _writer(delimiter)
    return (write(row) for row in zip(*columns, strict=True))


def with_target(source: Dialect, *, named: str | None, output: str) -> Dialect:
    """How to write the answers to a file that came in a dialect.

    Args:
        source: the dialect of the questions.
        named: a name of ``DIALECTS``, or None to write as the questions are written.
        output: the output's name; ``.tsv`` is written with tabs, ``.csv`` without.

    Raises:
        UsageError: for a dialect that does not exist.
    """
    if named is not None:
        if named not in DIALECTS:
            raise UsageError(f"csv-dialect {named!r}: choose one of {', '.join(DIALECTS)}")
        return DIALECTS[named]
    ending = output.lower().rpartition(".")[2]
    if ending in ("tsv", "tab"):
        return replace(source, delimiter="\t")
    if ending == "csv" and source.delimiter == "\t":
        return replace(source, delimiter=",")
    return source


def _joined(records: Iterable[str], codes: Iterable[int], tails: Sequence[str]) -> Iterator[str]:
    pieces = chain.from_iterable(zip(records, map(tails.__getitem__, codes), strict=True))
    while chunk := "".join(islice(pieces, 2 * _CHUNK)):
        yield chunk


def _tail(answer: Sequence[object], dialect: Dialect) -> str:
    write = _writer(dialect.delimiter)
    texts = [_field(value) for value in answer]
    if dialect.decimal != ".":
        texts = [
            text.replace(".", dialect.decimal) if isinstance(value, float) else text
            for value, text in zip(answer, texts, strict=True)
        ]
    return write(texts)


def _field(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _writer(delimiter: str) -> Callable[[Sequence[str]], str]:
    """Turns fields into one row of text, without the line's end."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="")

    def write(row: Sequence[str]) -> str:
        buffer.seek(0)
        buffer.truncate()
        writer.writerow(row)
        return buffer.getvalue()

    return write


def _picker(places: Sequence[int]) -> Callable[[Sequence[str]], tuple[str, ...]]:
    """Takes some fields out of a row."""
    if len(places) == 1:
        (place,) = places
        return lambda row: (row[place],)
    return itemgetter(*places)


def _next(reader: Iterator[list[str]], name: str) -> list[str] | None:
    try:
        return next(reader, None)
    except csv.Error as error:
        raise UsageError(f"{name}, header: {error}; check its quotes and line ends") from error


def _is_hand(text: str) -> bool:
    for kings in (8, 4):
        try:
            parse_hand(text, deck(kings))
        except UsageError:
            continue
        return True
    return False


def _mended(row: list[str], width: int, delimiter: str) -> tuple[list[str], str | None]:
    """A row of another length brought to the header's, with nothing lost, and what is wrong with it."""
    if len(row) < width:
        return [*row, *repeat("", width - len(row))], None  # spreadsheets leave empty ends out
    kept, more = row[:width], row[width:]
    if not any(more):
        return kept, None
    kept[-1] = delimiter.join(row[width - 1 :])
    return kept, (
        f"{len(row)} fields, and the header has {width}; a field with a delimiter ({delimiter}) needs quotes"
    )


def _check_closed(record: str, lines: Sequence[str], line: int, name: str, delimiter: str) -> None:
    """Refuse a file whose last row runs on to the end because a quote is never closed."""
    try:
        for _ in csv.reader(io.StringIO(record, newline=""), delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            first = line - record.count("\n")
            raise UsageError(f"{name}: a quote opened in line {first} is never closed") from error
