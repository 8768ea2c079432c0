"""Parquet files: typed columns that stay as they are, and typed answers beside them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from musodds.batching.columns import kind_of
from musodds.batching.rows import Answered
from musodds.errors import MusoddsError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC = b"PAR1"
_CHUNK = 50_000  # rows turned into columns at a time


def arrow() -> Any:
    """The library that reads and writes Parquet.

    Raises:
        MusoddsError: if it is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MusoddsError(
            "Parquet needs pyarrow; install it with: pip install 'musodds[parquet]'"
        ) from error
    return pyarrow


def read_parquet(content: bytes, name: str) -> pa.Table:
    """Read a file.

    Raises:
        UsageError: if it is no Parquet or has no rows.
    """
    library = arrow()
    try:
        # One thread: pyarrow's pool of threads can abort the process at its end (apache/arrow#34314).
        file = library.parquet.ParquetFile(library.BufferReader(content), pre_buffer=False)
        table = file.read(use_threads=False)
    except (library.ArrowException, OSError) as error:
        raise UsageError(f"{name} cannot be read as Parquet: {str(error).splitlines()[0]}") from error
    if table.num_rows == 0:
        raise UsageError(f"{name} has columns and no rows")
    return table


def texts(table: pa.Table, place: int) -> Iterator[str]:
    """A column as text; what is missing is empty."""
    return map(as_text, table.column(place).to_pylist())


def as_text(value: object) -> str:
    """A value of a typed column as it would be typed: 1 for 1.0, nothing for what is missing."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return str(value)


def with_answers(table: pa.Table, answered: Answered) -> pa.Table:
    """The table with the columns that answer at its end: numbers as numbers, null where there is none."""
    library = arrow()
    codes = library.array(answered.codes)
    kinds = {
        "text": library.string(),
        "whole": library.int64(),
        "yes": library.bool_(),
        "number": library.float64(),
    }
    for i, column in enumerate(answered.columns):
        values = library.array([value[i] for value in answered.values], type=kinds[kind_of(column)])
        table = table.append_column(column, values.take(codes))
    return table


def text_table(header: Sequence[str], records: Iterable[str], delimiter: str) -> pa.Table:
    """A table of text columns from rows of CSV."""
    library = arrow()
    rows = csv.reader(records, delimiter=delimiter)
    parts: list[list[Any]] = [[] for _ in header]
    while chunk := list(islice(rows, _CHUNK)):
        for column, part in zip(zip(*chunk, strict=True), parts, strict=True):
            part.append(library.array(column, type=library.string()))
    columns = [library.chunked_array(part, type=library.string()) for part in parts]
    return library.Table.from_arrays(columns, list(header))


def write_parquet(stream: Any, table: pa.Table) -> None:
    """Write a file to a stream."""
    library = arrow()
    buffer = library.BufferOutputStream()
    library.parquet.write_table(table, buffer)
    stream.write(buffer.getvalue())
